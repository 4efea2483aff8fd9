/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A card's arithmetic and its driver, on the CPU: planes in the card's order,
 * counts, filter, recipe, parts that are evicted, candidates without room,
 * short memory, a card that goes away. Whatever happens, the records are those
 * of the plain definition.
 */
#include <math.h>

#include "cuda/card_query.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/strips.h"
#include "tests/unit/test.h"
#include "tests/unit/twin.h"

static struct twin twin;
static struct vs_drive_base base = { .host = &twin_host,
	.ops = &twin_ops,
	.card = &twin };

static void
fresh(void)
{
	twin = (struct twin){ .room = TWIN_ROOM, .life = -1 };
	base.memory = base.room_cand = 0;
	base.share = 0;
	base.stage = base.part = base.most_records = 0;
	base.one_in = 0;
	vs_fail_clear();
}

static int
holds(struct strip_case c, const char *what)
{
	int code;
	long wrong = strip_try(vs_drive_use(&base, 1), &c, &code);

	return T_OK(!code && !wrong && c.wanted && !twin.taken && !twin.stray,
		"%s: %zu fields, %zu pairs, %zu records, %ld wrong%s", what,
		c.n_field, c.wanted, c.n_rec, wrong, vs_fail_text());
}

static void
test_fields(void)
{
	static const size_t fields[] = { 1, 2, 31, 32, 33, 63, 64, 65, 127, 128,
		130, 511, 512, 513, 1023, 1024, 1025, 2500 };
	size_t n = sizeof(fields) / sizeof(fields[0]);

	fresh();
	for (size_t k = 0; k < n; k++) {
		struct strip_case c = { .n_field = fields[k],
			.n_i = 40,
			.n_j = 50,
			.threshold = 0.4,
			.seed = k };

		holds(c, "complete");
		base.one_in = 1;
		c.missing = 50;
		c.diagonal = k % 2;
		c.n_j = c.diagonal ? c.n_i : c.n_j;
		holds(c, "missing calls");
	}
}

static void
test_short(void)
{
	int wrong = 0;

	fresh();
	for (size_t f = 1; f <= 130; f++) {
		struct strip_case c = { .n_field = f,
			.n_i = 20,
			.n_j = 23,
			.missing = f % 3 ? 0 : 100,
			.threshold = -1,
			.seed = f };
		int code;

		wrong += strip_try(vs_drive_use(&base, 1), &c, &code) != 0;
	}
	T_OK(!wrong, "1 to 130 fields, all values: %d wrong", wrong);
}

static void
test_classes(void)
{
	static const double classes[][4] = {
		{ 0.4, INFINITY, 0.5, INFINITY },
		{ INFINITY, 0.15, INFINITY, INFINITY },
		{ INFINITY, INFINITY, INFINITY, 0.7 },
		{ 0.6, 0.5, 0.4, 0.65 },
		{ -1, INFINITY, 0.4, 0.65 },
	};
	static const struct vs_ratio gamma[] = { { 0, 0 }, { 1, 1 }, { 0, 1 } };

	fresh();
	for (size_t k = 0; k < sizeof(classes) / sizeof(classes[0]); k++)
		for (int miss = 0; miss < 2; miss++) {
			struct strip_case c = { .n_field = 300,
				.n_i = 60,
				.n_j = 70,
				.missing = miss ? 30 : 0,
				.classes = classes[k],
				.multiplier = { 3, 1 },
				.gamma = gamma[k % 3],
				.duo = k == 4,
				.seed = 90 + k };

			base.one_in = miss;
			holds(c, "thresholds by class");
		}
}

static void
test_thresholds(void)
{
	fresh();
	for (int miss = 0; miss < 3; miss++) {
		struct strip_case c = { .n_field = 300,
			.n_i = 60,
			.n_j = 70,
			.missing = miss ? 30 : 0,
			.seed = 77 };

		base.one_in = miss == 2;
		for (int beside = -2; beside <= 2; beside++) {
			c.threshold = 2;
			c.beside = beside;
			c.seed++;
			holds(c, "at the edge");
		}
		c.threshold = 0;
		holds(c, "above 0");
		c.threshold = 1;
		holds(c, "above 1");
		c.threshold = 1e-300;
		holds(c, "above next to nothing");
		c.threshold = 0.3;
		c.f32 = true;
		for (c.cell_mask = 1; c.cell_mask < 15; c.cell_mask += 2)
			holds(c, "some cells");
		c.cell_mask = 2;
		c.diagonal = true;
		c.n_j = c.n_i;
		holds(c, "one cell, turned");
		c.cell_mask = 0;
		c.duo = true;
		holds(c, "binary vectors");
	}
}

/* Blocks in parts, spans, several workers, candidates in small pieces. */
static void
test_parts(void)
{
	for (int k = 0; k < 8; k += T_LONG ? 1 : 5) {
		struct strip_case c = { .n_field = 200,
			.n_i = k & 1 ? 600 : 260,
			.n_j = 600,
			.missing = k & 2 ? 20 : 0,
			.few = k & 4,
			.diagonal = k & 1,
			.spans = true,
			.n_worker = 3,
			.cut = 64 + 5 * (size_t)k,
			.threshold = 0.5,
			.seed = (uint64_t)k };

		fresh();
		holds(c, "whole blocks");
		base.stage = 1;
		holds(c, "in stages of 128");
		base.part = 128;
		holds(c, "in parts of 128");
		base.room_cand = 1000;
		c.threshold = 0.2;
		holds(c, "candidates overflow");
		base.room_cand = 1;
		c.n_i = c.n_j = 150;
		holds(c, "room for one candidate");
	}
}

/* Correlations and ps: without missing calls, with some, and with some in a few
 * vectors only. */
static void
test_moments(void)
{
	static const double thresholds[] = { -2, -1, -0.3, 0, 0.01, 0.2, 0.7,
		1 };

	fresh();
	for (uint64_t k = 0; k < (uint64_t)strip_moments() * 8; k++) {
		struct strip_case c = { .n_field = 1 + 97 * (k % 5),
			.n_i = 60,
			.n_j = k % 4 ? 70 : 60,
			.diagonal = k % 4 == 0,
			.moment = strip_moment(k),
			.threshold = thresholds[k / (uint64_t)strip_moments()],
			.f32 = k & 1,
			.seed = k };

		holds(c, c.moment->name);
		if (!strip_is_ps(c.moment)) {
			c.missing = k % 3 ? 60 : 400;
			c.few = k % 5 == 2;
			c.min_joint = k % 7 ? 0 : (int64_t)c.n_field * 2 / 3;
			holds(c, "missing calls");
		}
		c.threshold = 2;
		c.beside = (int)(k % 5) - 2;
		holds(c, "at the edge");
	}
}

/* Minima of numbers of all types, around the ends of words, tiles and runs. */
static void
test_numbers(void)
{
	static const size_t fields[] = { 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33,
		64, 127, 128, 129, 257, 400 };
	const size_t n = sizeof(fields) / sizeof(fields[0]);

	fresh();
	for (size_t k = 0; k < 5 * n; k += T_LONG ? 1 : 3) {
		struct strip_case c = { .element = VS_NUM_U8 +
				(enum vs_element)(k % 5),
			.n_field = fields[k / 5],
			.n_i = 30,
			.n_j = k % 4 ? 35 : 30,
			.diagonal = k % 4 == 0,
			.threshold = k % 7 ? 0.3 : -1,
			.f32 = k % 3 == 1,
			.seed = k };

		holds(c, "numbers");
		c.threshold = 2;
		c.beside = (int)(k % 5) - 2;
		holds(c, "at the edge");
	}
	for (int k = 0; k < 5; k++) {
		struct strip_case c = { .element =
						VS_NUM_U8 + (enum vs_element)k,
			.n_field = 70,
			.n_i = 200,
			.n_j = 560,
			.spans = true,
			.n_worker = 3,
			.cut = 64 + 5 * (size_t)k,
			.threshold = 0.5,
			.seed = (uint64_t)k };

		fresh();
		base.stage = 1;
		base.part = 128;
		holds(c, "numbers in parts of 128");
		base.room_cand = 100;
		holds(c, "candidates overflow");
	}
}

static double
overlap(const struct vs_moments *m)
{
	return (double)m->p / (double)(m->qi < m->qj ? m->qi : m->qj);
}

/* A card refuses a query that it has no code for, and computes nothing. */
static int
refuses(const struct vs_query *q, const char *what)
{
	const struct vs_backend *b = vs_drive_use(&base, 1);
	void *state = NULL;
	int code;

	fresh();
	code = b->open(&state, q, 1, 128);
	if (!code)
		b->close(state);
	return T_OK(code == VS_EUSAGE && !vs_card_has(q) && !twin.taken,
		"%s: %d %s", what, code, vs_fail_text());
}

/*
 * A metric added to the table of moments is computed by the CPU only until a
 * card has code for it: once, such a metric was computed as a cosine. The same
 * holds for unknown device codes.
 */
static void
test_strangers(void)
{
	const struct vs_metric row = { .name = "overlap",
		.family = VS_FAMILY_MOMENTS,
		.value = overlap };
	struct vs_metric later = row;
	struct vs_query q = { .metric = &row,
		.n_field = 100,
		.threshold = 0.5,
		.cell_mask = 1 };
	struct vs_card_side side = { .sum = 3, .square = 5, .present = 100 };
	struct vs_card_work work = {
		.rule = { .n_field = 100, .moment = VS_DEVICE_DICE + 1 },
	};
	const int32_t sum[VS_CARD_SUMS] = { 3 };

	later.device = VS_DEVICE_DICE + 1;

	refuses(&q, "a moment without a device");
	q.metric = &later;
	refuses(&q, "a moment of another device");
	T_OK(isnan(vs_card_moment(&work, sum, &side, &side)),
		"a card's value of it is none");
	q.metric = NULL;
	refuses(&q, "no metric");
	q.metric = vs_metric_find("ccc");
	q.alleles = &q.metric->alleles;
	T_OK(vs_card_has(&q), "alleles are a card's");
	q.element = VS_NUM_U8;
	refuses(&q, "alleles of numbers");
	q.metric = vs_metric_find("ps");
	q.alleles = NULL;
	T_OK(vs_card_has(&q), "minima of numbers are a card's");
	q.n_field = 1 << 24;
	refuses(&q, "minima of too many numbers");
	q.n_field = 100;
	q.has_missing = true;
	refuses(&q, "minima where numbers are missing");
	q.has_missing = false;
	q.metric = vs_metric_find("r");
	refuses(&q, "inner products of numbers");
	q.metric = vs_metric_find("ps");
	q.element = VS_BIT2;
	T_OK(vs_card_has(&q), "minima of bits are a card's");
	for (int k = 0; k < bounded_rows(); k++) {
		q = (struct vs_query){ .metric = bounded_row((uint64_t)k) };
		T_OK(vs_card_has(&q), "%s is a card's", q.metric->name);
		q.has_missing = true;
		T_OK(vs_card_has(&q), "also where calls are missing");
	}
}

/* Many batches of candidates are judged, each while the next one arrives. */
static void
test_lots(void)
{
	struct strip_case c = { .n_field = 40,
		.n_i = 500,
		.n_j = 600,
		.threshold = 0.05 };

	fresh();
	for (c.seed = 0; c.seed < (T_LONG ? 3 : 1); c.seed++) {
		twin.seed = 100 * c.seed;
		holds(c, "most pairs pass");
	}
}

/*
 * Few or many missing calls, alleles of all frequencies: what one sum leaves is
 * counted pair by pair, unless that is too much.
 */
static void
test_bounds(void)
{
	static const unsigned missing[] = { 3, 20, 100, 300, 900 };
	long settled = 0;

	for (int k = 0; k < 20; k++) {
		struct strip_case c = { .n_field = 60 + 100 * (size_t)(k % 7),
			.n_i = 150,
			.n_j = k % 3 ? 90 : 150,
			.missing = missing[k % 5],
			.few = k % 4 == 1,
			.diagonal = k % 3 == 0,
			.threshold = 0.54 + 0.01 * k,
			.seed = 40 + (uint64_t)k };

		fresh();
		base.part = k % 2 ? 0 : 128;
		base.room_cand = k % 4 ? 0 : 50;
		base.one_in = k % 5 != 4;
		holds(c, "bounds");
		settled += twin.settled;
		if (k % 4)
			continue;
		/* about as many as half of the pairs share */
		c.min_joint = (int64_t)c.n_field * (1000 - (int64_t)c.missing) *
			(1000 - (int64_t)c.missing) / 1000000;
		c.min_joint += !c.min_joint;
		holds(c, "bounds, of pairs that share many fields");
	}
	T_OK(settled > 50000, "%ld pairs counted singly", settled);
}

/* Enough for less and less, down to nothing. */
static void
test_memory(void)
{
	struct strip_case c = { .n_field = 3000,
		.n_i = 60,
		.n_j = 50,
		.n_worker = 2,
		.cut = 20,
		.threshold = 0.6,
		.seed = 5 };
	int held = 0, refused = 0, other = 0, code;

	for (size_t mib = 60; mib > 10; mib -= T_LONG ? 2 : 6) {
		fresh();
		base.room_cand = 1u << 18;
		twin.room = mib << 20;
		if (mib % 4)
			base.memory = (uint64_t)1 << 40;
		if (!strip_try(vs_drive_use(&base, 1), &c, &code) && !code)
			held++;
		else if (code == VS_EMACHINE && vs_fail_text()[0])
			refused++;
		else
			other++;
		other += twin.taken > 0;
	}
	T_OK(held > 2 && refused > 2 && !other,
		"memory gets short: %d times enough, %d refused, %d otherwise",
		held, refused, other);
}

/* The memory limit is never exceeded; a limit that is too small is reported. */
static void
test_cap(void)
{
	struct strip_case c = { .n_field = 3000,
		.n_i = 140,
		.n_j = 130,
		.n_worker = 2,
		.cut = 50,
		.threshold = 0.7,
		.seed = 6 };
	int held = 0, refused = 0, other = 0, code;
	struct strip_data d;

	strip_make(&c, &d);
	for (size_t kib = 4 << 10; kib < 40 << 10;
		kib += (T_LONG ? 2 : 6) << 10)
		for (int share = 1; share < 3; share++) {
			uint64_t cap = kib << 10;

			fresh();
			base.room_cand = 1000;
			base.stage = 1;
			base.memory = cap * (size_t)share;
			base.share = share;
			if (!strip_run(vs_drive_use(&base, 1), &c, &d, &code))
				held++;
			else if (code == VS_EMACHINE &&
				strstr(vs_fail_text(), "may be taken"))
				refused++;
			other += twin.most > cap;
		}
	T_OK(held > 2 && refused > 2 && !other,
		"memory is capped: %d times enough, %d refused, %d otherwise",
		held, refused, other);
	strip_free(&d);
}

/* ---- a card goes away or fails ---- */

/* A trial: a strip in items, some of which, or their ends, are left behind. */
struct trial {
	struct strip_case c;
	struct strip_data d;
	struct vs_hits found[3]; /* of two workers, and of the rest */
	struct vs_strip left[32];
	size_t n_item, n_left;
	int code;        /* of who left something; < 0: opening */
	size_t touched;  /* failed but had found something */
	size_t in_parts; /* were left behind after some rows had been done */
};

/* Do the items of the strip; what a worker leaves is kept. */
static void
do_items(struct trial *t, const struct vs_backend *b, void *state)
{
	int n = t->c.n_worker;

#pragma omp parallel for num_threads(n) schedule(static, 1)
	for (size_t x = 0; x < t->n_item; x++) {
		struct vs_hits *f = &t->found[x % (size_t)n];
		struct vs_strip s = t->d.strip;
		size_t lo = s.i_lo + x * t->c.cut, had = 0;
		int code = 0;

		s.i_hi = lo + t->c.cut < s.i_hi ? lo + t->c.cut : s.i_hi;
		for (s.i_lo = lo; s.i_lo < s.i_hi && !code;
			s.i_lo = code ? s.i_lo : f->upto) {
			had = f->n;
			f->upto = s.i_hi;
			code = b->strip(state, (int)(x % (size_t)n), &s, f);
		}
		if (!code)
			continue;
#pragma omp critical
		{
			t->code = code;
			t->touched += f->n != had;
			t->in_parts += s.i_lo > lo;
			t->left[t->n_left++] = s;
		}
	}
}

/* The rest on a healthy card, and all of it together. */
static size_t
do_rest(struct trial *t, const struct vs_backend *b)
{
	struct vs_hits *all = &t->found[2];
	void *state = NULL;
	int code;

	twin.life = -1;
	twin.ill = 0;
	code = b->open(&state, &t->d.q, 1, t->c.n_i + t->c.n_j);
	for (size_t k = 0; k < t->n_left && !code; k++)
		code = strip_whole(b, state, 0, t->left[k], all);
	b->close(state);
	for (int k = 0; k < 2 && !code; k++) {
		code = vs_mem_grow(&all->rec, &all->room,
			all->n + t->found[k].n, sizeof(*all->rec), "records");
		if (!code && t->found[k].n)
			memcpy(all->rec + all->n, t->found[k].rec,
				t->found[k].n * sizeof(*all->rec));
		all->n += t->found[k].n;
	}
	return code ? 1 : strip_judge(&t->d, all);
}

/* Returns records too many, too few or wrong. */
static size_t
try_moment(struct trial *t, long life, long ill)
{
	const struct vs_backend *b = vs_drive_use(&base, 1);
	void *state = NULL;
	size_t wrong = 0;

	twin.life = life;
	twin.ill = ill;
	t->n_left = t->touched = t->in_parts = 0;
	for (int k = 0; k < 3; k++)
		t->found[k].n = 0;
	t->code = b->open(&state, &t->d.q, t->c.n_worker, t->c.n_i + t->c.n_j);
	if (!t->code) {
		do_items(t, b, state);
		b->close(state);
		wrong = do_rest(t, b);
	}
	return wrong + t->touched + (twin.taken > 0);
}

/*
 * Gone at each of its steps in turn, or failing from that step on: all records
 * exist, once, after another card has done what this one left.
 */
static void
test_moments_of_loss(struct strip_case c, size_t room, size_t held, bool ill)
{
	struct trial t = { .c = c, .n_item = (c.n_i + c.cut - 1) / c.cut };
	const int left = ill ? VS_UNABLE : VS_LOST;
	long early = 0, later = 0, other = 0, k = ill;
	size_t wrong = 0, in_parts = 0;

	strip_make(&t.c, &t.d);
	do {
		fresh();
		base.part = 128;
		base.room_cand = (uint32_t)room;
		base.most_records = held;
		wrong += try_moment(&t, ill ? -1 : k, ill ? k : 0);
		early += t.code == VS_EMACHINE;
		later += t.code == left;
		other += t.code && t.code != VS_EMACHINE && t.code != left;
		/* the thread pool reports a loss, this test all else */
		other +=
			(t.code && t.code != VS_LOST) != (*vs_fail_text() != 0);
		in_parts += t.in_parts;
		k++;
	} while (t.code);
	T_OK(early > 5 && later > 10 && !other && !wrong && t.d.n_want &&
			(in_parts > 0) == (held > 0),
		"%s, room %zu, %zu held: at the start %ld, later %ld, "
		"otherwise %ld, parts %zu; then %zu wrong of %zu",
		ill ? "it fails" : "lost", room, held, early, later, other,
		in_parts, wrong, t.d.n_want);
	for (int f = 0; f < 3; f++)
		free(t.found[f].rec);
	strip_free(&t.d);
}

static void
test_lost(void)
{
	/* candidates without room, halved to single pairs; records of rows */
	static const struct {
		size_t room, held, n_i, n_j;
	} of[] = { { 1000, 0, 12, 140 }, { 300, 500, 12, 40 },
		{ 60, 40, 14, 15 }, { 5, 15, 8, 7 }, { 4, 1, 6, 5 } };

	for (size_t k = 0; k < 2 * sizeof(of) / sizeof(of[0]); k++) {
		struct strip_case c = { .n_field = 100,
			.n_i = of[k / 2].n_i,
			.n_j = of[k / 2].n_j,
			.cut = of[k / 2].n_i * 3 / 5,
			.missing = k / 2 % 2 ? 20 : 0,
			.threshold = 0.4,
			.n_worker = 1 + k / 2 % 2,
			.seed = 9 };

		test_moments_of_loss(c, of[k / 2].room, of[k / 2].held, k % 2);
	}
}

/* Rows with more and more records, those of all pairs at last. */
static void
test_held(void)
{
	static const size_t held[] = { 1, 3, 100, 1000, 20000 };

	for (size_t k = 0; k < 5 * 3; k++) {
		struct strip_case c = { .n_field = 90,
			.n_i = 150,
			.n_j = 170,
			.threshold = k / 5 ? 0.5 - 0.3 * (double)(k / 5) : -1,
			.diagonal = false,
			.spans = k % 2,
			.cut = 64,
			.n_worker = 2,
			.seed = k };

		fresh();
		base.most_records = held[k % 5];
		base.part = k % 3 ? 128 : 0;
		holds(c, "few records held");
	}
}

/* A panel is refilled: what the card has of it is stale. */
static void
test_forget(void)
{
	const struct vs_backend *b;
	struct strip_case c = { .n_field = 90,
		.n_i = 50,
		.n_j = 60,
		.threshold = 0.3,
		.seed = 1 };
	struct strip_data d, other;
	struct vs_hits found = { .drain = strip_drain };
	struct vs_panel swap;
	void *state = NULL;
	size_t stale, wrong;
	int code;

	fresh();
	b = vs_drive_use(&base, 1);
	strip_make(&c, &d);
	c.seed = 3;
	strip_make(&c, &other);
	code = b->open(&state, &d.q, 1, 60);
	if (!code)
		code = b->strip(state, 0, &d.strip, &found);
	wrong = strip_judge(&d, &found);
	for (int k = 0; k < 2; k++) {
		swap = d.p[k];
		d.p[k] = other.p[k];
		other.p[k] = swap;
	}
	found.n = 0;
	code = code ? code : b->strip(state, 0, &d.strip, &found);
	stale = strip_judge(&other, &found);
	b->forget(state, &d.p[0]);
	b->forget(state, &d.p[1]);
	found.n = 0;
	code = code ? code : b->strip(state, 0, &d.strip, &found);
	wrong += strip_judge(&other, &found);
	T_OK(!code && stale && !wrong, "forgotten panels are loaded again");
	b->close(state);
	free(found.rec);
	strip_free(&d);
	strip_free(&other);
}

static void
test_spread(void)
{
	int wrong = 0;

	for (uint32_t x = 0; x < 256; x++)
		for (int k = 0; k < 4; k++)
			wrong += (vs_spread(x) >> 8 * k & 255) != (x >> k & 1);
	T_OK(!wrong, "bits as bytes");
}

int
main(void)
{
	test_spread();
	test_fields();
	test_short();
	test_thresholds();
	test_classes();
	test_parts();
	test_moments();
	test_numbers();
	test_strangers();
	test_lots();
	test_bounds();
	test_memory();
	test_cap();
	test_lost();
	test_held();
	test_forget();
	return T_DONE();
}
