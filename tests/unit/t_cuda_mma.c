/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine mma, run on a CPU thread by thread: what it appends against sums
 * over the genotypes, pair by pair, for every shape of work; what it touches in
 * shared memory; and its float test against exact values.
 */
#include <stdbool.h>

#include "cuda/card_query.h"
#include "cuda/mma.h"
#include "cuda/wgmma.h"
#include "libcore/base/mem.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/recipes.h"
#include "tests/unit/sm.h"
#include "tests/unit/test.h"

#define MOST_VEC 640
#define NEVER 1e30f

static const struct vs_alleles *ccc;
static bool even; /* frequencies of all vectors are near a half */

/* Vectors, a byte a genotype, and the same as a card has them. */
struct vectors {
	size_t n, n_field;
	uint8_t *g; /* [n][n_field], 3: missing */
	struct vs_card_part part;
};

static void *
get(size_t n, size_t size)
{
	void *p = NULL;

	if (vs_mem_new(&p, n, size, "test data"))
		exit(4);
	return p;
}

/* A bit of a plane, at its place in tile-ready planes. */
static void
set_bit(const struct vectors *v, size_t i, size_t q, uint32_t plane)
{
	const struct vs_card_part *p = &v->part;
	size_t tile = (i / 128 * p->n_block + q / 1024) * p->n_plane + plane;
	size_t row = i % 128, chunk = q % 1024 / 128;
	unsigned char *byte = (unsigned char *)p->plane + tile * 16384 +
		row * 128 + (chunk ^ (row & 7)) * 16 + q % 128 / 8;

	*byte |= (unsigned char)(1 << q % 8);
}

static void
set_side(struct vectors *v, size_t i, double bound)
{
	struct vs_card_side *s = &v->part.side[i];
	int32_t sum = 0, present = 0;

	for (size_t q = 0; q < v->n_field && i < v->n; q++) {
		int g = v->g[i * v->n_field + q];

		sum += g < 3 ? g : 0;
		s->square += g < 3 ? g * g : 0;
		present += g < 3;
	}
	s->sum = sum;
	s->present = present;
	for (int label = 0; label < 2; label++) {
		double u = vs_alleles_u(ccc, sum, present, label);

		s->u[label] = (float)u;
		s->threshold[label] = bound < 0 ? -1
			: u > 0                 ? (float)(bound / u)
						: NEVER;
	}
}

static void
vectors_new(struct vectors *v, size_t n, size_t n_field, bool missing,
	double threshold, struct vs_rng *rng)
{
	size_t n_vec = (n + 127) / 128 * 128, n_block = (n_field + 1023) / 1024;
	uint32_t n_plane = missing ? 4 : 3;

	*v = (struct vectors){ n, n_field, get(n * n_field, 1), { 0 } };
	v->part.n_vec = (uint32_t)n_vec;
	v->part.n_block = (uint32_t)n_block;
	v->part.n_plane = n_plane;
	v->part.half = n_plane - 1;
	v->part.plane = get(n_vec * n_block * n_plane, 128);
	v->part.side = get(n_vec, sizeof(*v->part.side));
	for (size_t i = 0; i < n; i++) {
		/* at most frequencies; every other one is much like others */
		uint64_t rare = 1 + vs_rng_below(rng, 20);
		bool like = even ? i % 40 == 11 : i % 2;

		for (size_t q = 0; q < n_field; q++) {
			uint64_t g = vs_rng_below(rng, rare) ? 0 : 1 + q % 2;

			if (even)
				g = (vs_rng_below(rng, 9) < 4 + i % 2) +
					vs_rng_below(rng, 2);
			if (like && vs_rng_below(rng, 30))
				g = q * q / 3 % 2 * 2;
			if (missing && (i % 50 == 7 || !vs_rng_below(rng, 9)))
				g = 3;
			v->g[i * n_field + q] = (uint8_t)g;
			if (g == 1 || g == 2)
				set_bit(v, i, q, 0);
			if (g == 2)
				set_bit(v, i, q, 1);
			if (missing && g < 3)
				set_bit(v, i, q, 2);
			if (g == 1)
				set_bit(v, i, q, n_plane - 1);
		}
	}
	for (size_t i = 0; i < n_vec; i++)
		set_side(v, i,
			threshold < 0 ? -1
				      : ccc->scale * threshold * VS_CARD_SLACK);
}

static void
vectors_free(struct vectors *v)
{
	free(v->g);
	free(v->part.plane);
	free(v->part.side);
}

static void
plain_sums(const struct vectors *a, size_t i, const struct vectors *b, size_t j,
	int32_t sum[4])
{
	const uint8_t *x = a->g + i * a->n_field, *y = b->g + j * b->n_field;

	memset(sum, 0, 4 * sizeof(*sum));
	for (size_t q = 0; q < a->n_field; q++) {
		int gx = x[q] < 3 ? x[q] : 0, gy = y[q] < 3 ? y[q] : 0;

		sum[0] += gx * gy;
		sum[1] += gx * (y[q] < 3);
		sum[2] += gy * (x[q] < 3);
		sum[3] += x[q] < 3 && y[q] < 3;
	}
}

static void
four_kernel(const void *job)
{
	mma_kernel(job, FILTER_FOUR);
}

static void
three_kernel(const void *job)
{
	mma_kernel(job, FILTER_THREE);
}

static void
missing_kernel(const void *job)
{
	mma_kernel(job, FILTER_MISSING);
}

static void
wide_kernel(const void *job)
{
	wgmma_kernel(job);
}

/* A kernel of thread blocks and its parameters. */
static const struct kernel {
	const char *name;
	void (*run)(const void *job);
	bool missing;
	uint32_t rows, cols, fields, threads, shared;
} kernels[] = {
#define X(name, run, way)                                                 \
	{ name, run, way == FILTER_MISSING, MMA_ROWS(way), MMA_COLS(way), \
		MMA_FIELDS, MMA_THREADS, MMA_SHARED(way) },
	X("four products", four_kernel, FILTER_FOUR)
		X("three products", three_kernel, FILTER_THREE)
			X("missing calls", missing_kernel, FILTER_MISSING)
#undef X
				{ "wgmma", wide_kernel, false, WGMMA_ROWS,
					WGMMA_SIDE *WGMMA_COLS, WGMMA_FIELDS,
					WGMMA_THREADS, WGMMA_SHARED },
};

/* A run and its outcome. */
struct trial {
	const struct kernel *k;
	struct vectors *a, *b;
	struct vs_card_work work;
	uint32_t n_block, n_cand;
	bool late;
};

static struct vs_card_cand *cand;

static bool
run(struct trial *t, uint64_t seed)
{
	static struct vs_tile_job job;
	const struct kernel *k = t->k;
	const char *wrong;

	t->n_cand = 0;
	t->work.n_cand = &t->n_cand;
	t->work.cand = cand;
	t->work.i = t->a->part;
	t->work.j = t->b->part;
	vs_tile_job_make(&job, &t->work, k->rows, k->cols, k->fields);
	wrong = sm_run(k->run, &job, t->n_block, k->threads, k->shared, t->late,
		seed);
	if (wrong)
		T_OK(false, "%s", wrong);
	return !wrong;
}

/* By the header's definition: is this pair wanted? */
static bool
wanted(const struct vs_card_work *w, size_t i, size_t j)
{
	size_t span = (size_t)((long)j - w->span_from) / VS_CARD_SPAN;

	return i >= w->i_lo && i < w->i_hi && j >= w->j_lo && j < w->j_hi &&
		i >= w->span[span].lo && i < w->span[span].hi &&
		(!w->diagonal || w->i.first + i < w->j.first + j);
}

/*
 * Each passing pair occurs once, no unwanted pair occurs, and all have their
 * sums.
 * returns  the number that do not pass; negative: wrong
 */
static int64_t
check(const struct trial *t, double threshold, uint64_t *n_pass)
{
	static uint8_t seen[MOST_VEC][MOST_VEC];
	const struct vs_card_work *w = &t->work;
	int64_t idle = 0;

	memset(seen, 0, sizeof(seen));
	for (uint32_t k = 0; k < t->n_cand; k++) {
		const struct vs_card_cand *c = &cand[k];
		int32_t sum[4];

		if (c->i >= t->a->n || c->j >= t->b->n ||
			!wanted(w, c->i, c->j) || seen[c->i][c->j]++)
			return -1;
		plain_sums(t->a, c->i, t->b, c->j, sum);
		if (memcmp(sum, c->sum, (w->missing ? 4 : 1) * sizeof(*sum)))
			return -2;
	}
	*n_pass = 0;
	for (size_t i = w->i_lo; i < w->i_hi; i++)
		for (size_t j = w->j_lo; j < w->j_hi; j++) {
			struct vs_plain_pair p = { 0 };
			bool pass = threshold < 0;

			if (!wanted(w, i, j))
				continue;
			if (!pass)
				plain_ccc(t->a->g + i * t->a->n_field,
					t->b->g + j * t->b->n_field,
					t->a->n_field, &p);
			for (int k = 0; k < 4; k++)
				pass |= p.value[k] > threshold;
			if (pass && !seen[i][j])
				return -3;
			*n_pass += pass;
			idle += !pass && seen[i][j];
		}
	return idle;
}

/* All rows of all spans. */
static void
whole(struct vs_card_work *w, const struct vectors *a, const struct vectors *b)
{
	w->i_lo = w->j_lo = 0;
	w->i_hi = (uint32_t)a->n;
	w->j_hi = (uint32_t)b->n;
	w->span_from = 0;
	for (int k = 0; k < VS_CARD_SPANS; k++) {
		w->span[k].lo = 0;
		w->span[k].hi = w->i_hi;
	}
}

static void
rule(struct trial *t, bool missing, double threshold)
{
	t->work.rule = (struct vs_card_rule){
		.thresholds = { { threshold, threshold, threshold, threshold },
			INFINITY },
		.recipe = ccc->recipe,
		.n_field = (int32_t)t->a->n_field,
		.weight = 2,
		.cell_mask = 15,
		.test_mask = 15,
		.has_missing = missing
	};
	t->work.missing = missing;
	t->work.room = MOST_VEC * MOST_VEC;
}

/* Sums of all pairs, for vectors of every kind of length. */
static void
test_sums(const struct kernel *k, struct vs_rng *rng)
{
	static const size_t fields[] = { 1, 31, 255, 257, 1023, 2100 };

	for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++) {
		struct vectors a, b;
		struct trial t = { .k = k, .a = &a, .b = &b, .n_block = 2 };
		bool few = fields[f] > 100 && !T_LONG;
		uint64_t n_pass;
		int64_t idle = -9;

		t.late = f % 2;
		/* one sum may be all that is counted where calls are missing */
		bool missing = k->missing || f % 2;

		vectors_new(&a, few ? 70 : 150, fields[f], missing, -1, rng);
		/* the longest meet more than one tile, too */
		vectors_new(&b, few && f < 5 ? 130 : 300, fields[f], missing,
			-1, rng);
		rule(&t, k->missing, -1);
		whole(&t.work, &a, &b);
		if (run(&t, f))
			idle = check(&t, -1, &n_pass);
		T_OK(!idle && t.n_cand == a.n * b.n,
			"%zu fields, %s: every pair once with its sums",
			fields[f], k->name);
		vectors_free(&a);
		vectors_free(&b);
	}
}

/* Ranges of rows by span, parts that begin anywhere, the diagonal. */
static void
test_shapes(const struct kernel *k, struct vs_rng *rng)
{
	struct vectors a, b;
	int64_t bad = 0;
	uint64_t n_pass, tiles = 0;

	vectors_new(&a, MOST_VEC, 40, k->missing, -1, rng);
	vectors_new(&b, MOST_VEC, 40, k->missing, -1, rng);
	for (uint64_t x = 0; x < (T_LONG ? 40 : 15) && !bad; x++) {
		bool same = x % 3 == 0;
		struct trial t = { .k = k, .a = &a, .b = same ? &a : &b };
		struct vs_card_work *w = &t.work;

		rule(&t, k->missing, -1);
		whole(w, t.a, t.b);
		w->diagonal = same || x % 3 == 1;
		a.part.first = 1000;
		b.part.first = 900 + 100 * vs_rng_below(rng, 3);
		w->i_lo = (uint32_t)vs_rng_below(rng, 300);
		w->i_hi = w->i_lo + (uint32_t)vs_rng_below(rng, 300);
		w->j_lo = (uint32_t)vs_rng_below(rng, 300);
		w->j_hi = w->j_lo + 1 + (uint32_t)vs_rng_below(rng, 340);
		w->span_from =
			(int32_t)w->j_lo - (int32_t)vs_rng_below(rng, 400);
		for (int s = 0; s < VS_CARD_SPANS; s++) {
			w->span[s].lo = (uint32_t)vs_rng_below(rng, 400);
			w->span[s].hi = (uint32_t)vs_rng_below(rng, 700);
		}
		t.n_block = 1 + (uint32_t)vs_rng_below(rng, 4);
		t.late = x & 1;
		bad = run(&t, x) ? check(&t, -1, &n_pass) : -9;
		bad |= t.n_cand != n_pass;
		tiles += n_pass;
	}
	T_OK(!bad && tiles, "%s: wanted pairs alone, whatever the shape",
		k->name);
	vectors_free(&a);
	vectors_free(&b);
}

static void
test_threshold(const struct kernel *k, struct vs_rng *rng)
{
	for (double threshold = 0.1; threshold < 1; threshold += 0.4) {
		struct vectors a, b;
		struct trial t = { .k = k, .a = &a, .b = &b, .n_block = 2 };
		uint64_t n_pass = 0;
		int64_t idle = -9;

		vectors_new(&a, 128, 300, k->missing, threshold, rng);
		vectors_new(&b, 256, 300, k->missing, threshold, rng);
		rule(&t, k->missing, threshold);
		whole(&t.work, &a, &b);
		if (run(&t, 1))
			idle = check(&t, threshold, &n_pass);
		T_OK(idle >= 0 && (uint64_t)idle <= n_pass / 1000 + 3,
			"%s, > %g: none of %d is missed, %d too many", k->name,
			threshold, (int)n_pass, (int)idle);
		vectors_free(&a);
		vectors_free(&b);
	}
}

/* Most sums are rejected, and all passing ones are there with their values. */
static void
test_rejected(const struct kernel *k, struct vs_rng *rng)
{
	struct vectors a, b;
	struct trial t = { .k = k, .a = &a, .b = &b, .n_block = 2 };
	uint64_t n_pass = 0;
	int64_t idle = -9;

	even = true;
	vectors_new(&a, 256, 700, k->missing, 0.7, rng);
	vectors_new(&b, 512, 700, k->missing, 0.7, rng);
	even = false;
	rule(&t, k->missing, 0.7);
	whole(&t.work, &a, &b);
	if (run(&t, 2))
		idle = check(&t, 0.7, &n_pass);
	T_OK(idle == 0 && n_pass > 50 && n_pass < 200,
		"%s: %d of 131072 pairs pass, %d too many", k->name,
		(int)n_pass, (int)idle);
	vectors_free(&a);
	vectors_free(&b);
}

/* Candidates beyond the room are counted, but not written. */
static void
test_room(struct vs_rng *rng)
{
	struct vectors a;
	struct trial t = { .k = &kernels[0], .a = &a, .b = &a, .n_block = 1 };

	vectors_new(&a, 100, 50, false, -1, rng);
	rule(&t, false, -1);
	whole(&t.work, &a, &a);
	t.work.room = 777;
	memset(cand, 0x77, 1000 * sizeof(*cand));
	T_OK(run(&t, 3) && t.n_cand == a.n * a.n && cand[776].i < a.n &&
			cand[777].i == 0x77777777,
		"no more is written than there is room for");
	vectors_free(&a);
}

/* A sum is near, or far, by interval and by bias alike. */
static bool
is_same(int32_t sum, int32_t low, int32_t high)
{
	uint32_t range;
	int32_t bias;

	filter_bias(low, high, &bias, &range);
	for (int32_t s = sum - 2; s < sum + 3; s++)
		if ((s <= low || s >= high) !=
			((uint32_t)bias - (uint32_t)s >= range))
			return false;
	return true;
}

/*
 * The float test on sums of pairs that were never counted: any number of
 * fields, values at the threshold and very close to it.
 */
static void
test_hits(struct vs_rng *rng)
{
	static struct vs_tile_job job;
	struct vs_card_side side[2];
	struct trial t = { 0 };
	struct vectors v = { 0 };
	int64_t missed = 0, wrong = 0, tries = 0, cut = 0, far = 0;
	int64_t unlike = 0;

	t.a = &v;
	for (int k = 0; k < (T_LONG ? 400000 : 120000); k++) {
		int bits = 1 + (int)vs_rng_below(rng, 24);
		int64_t n = 1 + (int64_t)vs_rng_below(rng, (1 << bits) - 1);
		int64_t s[2], p, r[4];
		struct filter_row row;
		struct filter_col col;
		struct filter_span span;
		int32_t sum, low, high;
		double most = 0, value[4], threshold;
		int hit, near;

		for (int x = 0; x < 2; x++)
			s[x] = (int64_t)vs_rng_below(rng, 2 * (uint64_t)n + 1);
		p = s[0] < s[1] ? s[0] : s[1];
		p = (int64_t)vs_rng_below(rng, 2 * (uint64_t)p + 1);
		r[3] = p;
		r[2] = 2 * s[0] - p;
		r[1] = 2 * s[1] - p;
		r[0] = 4 * n - 2 * s[0] - 2 * s[1] + p;
		if (r[0] < 0 || r[1] < 0 || r[2] < 0)
			continue;
		for (int c = 0; c < 4; c++) {
			value[c] = vs_recipe_value(&ccc->recipe, r[c],
				vs_recipe_factor(&ccc->recipe, s[0], n, c >> 1),
				n,
				vs_recipe_factor(&ccc->recipe, s[1], n, c & 1),
				n, n);
			most = value[c] > most ? value[c] : most;
		}
		/* at most the least step below, or a part in 2^18 above */
		threshold = k & 1 ? nextafter(most, 0) : most * (1 + 4e-6);
		v.n_field = (size_t)n;
		rule(&t, false, threshold);
		for (int x = 0; x < 2; x++)
			for (int l = 0; l < 2; l++) {
				double u = vs_alleles_u(ccc, s[x], n, l);

				side[x].u[l] = (float)u;
				side[x].threshold[l] = u > 0
					? (float)(ccc->scale * threshold *
						  VS_CARD_SLACK / u)
					: NEVER;
				side[x].sum = (int32_t)s[x];
			}
		t.work.i.side = &side[0];
		t.work.j.side = &side[1];
		t.work.i.n_vec = t.work.j.n_vec = 1;
		vs_tile_job_make(&job, &t.work, 64, 64, 256);
		filter_row(&job, 0, &row, FILTER_FOUR);
		filter_col(&job, 0, &col);
		sum = (int32_t)p;
		/* beside a column as good as it, and one that is not */
		span.threshold[0] =
			fminf(col.threshold[0], 2 * col.threshold[0]);
		span.threshold[1] =
			fminf(col.threshold[1], 3 * col.threshold[1]);
		span.least_ws = fminf(col.ws, k % 3 ? col.ws : 0);
		span.most_ws = fmaxf(col.ws, k % 5 ? col.ws : 2 * col.ws);
		filter_interval(&job, 0, &span, &low, &high);
		near = sum <= low || sum >= high;
		cut += most > threshold && !near;
		unlike += !is_same(sum, low, high) ||
			!is_same(low, low, high) || !is_same(high, low, high);
		hit = filter_hit(&job, &row, &col, &sum, FILTER_FOUR);
		missed += most > threshold && !hit;
		for (int x = 0; x < 2; x++)
			span.threshold[x] = 2 * col.threshold[x];
		span.least_ws = span.most_ws = col.ws;
		filter_interval(&job, 0, &span, &low, &high);
		far += sum > low && sum < high;
		wrong += !(k & 1) && n < 1 << 22 && hit;
		tries++;
	}
	T_OK(!missed && tries > (T_LONG ? 100000 : 30000),
		"%d pairs at the threshold, up to 2^24 fields: none is missed",
		(int)tries);
	T_OK(!unlike, "and a bias and a range tell the same as the interval");
	T_OK(!cut && far > tries / 2,
		"nor by the first look, which drops %d of twice the value",
		(int)far);
	T_OK(!wrong, "none is kept that is 4e-6 below it");
}

/* The same of correlations, against their values. */
static void
test_moments(struct vs_rng *rng)
{
	static struct vs_tile_job job;
	int missed = 0, cut = 0, tries = 0, far = 0, kept = 0;

	for (int k = 0; k < (T_LONG ? 300000 : 90000); k++) {
		int64_t n = 1 +
			(int64_t)vs_rng_below(rng,
				(1 << (1 + vs_rng_below(rng, 23))) - 1);
		struct vs_query q = { .metric = bounded_row((uint64_t)k),
			.n_field = (size_t)n };
		struct vs_panel panel = { 0 };
		struct vs_card_side side[VS_TILE_VECS];
		struct vs_card_work w = { .i = { .side = side, .n_vec = 1 },
			.j = { .side = side + 1, .n_vec = 1 } };
		struct vs_moments m = { .c = n };
		int32_t s[2], c[2] = { (int32_t)n, (int32_t)n }, two[2], sum;
		uint32_t row_of[2] = { 0, 1 };
		int32_t low, high;
		struct filter_row row;
		struct filter_col col;
		struct filter_span span;
		double value;
		bool hit, near;

		for (int x = 0; x < 2; x++) {
			two[x] = (int32_t)vs_rng_below(rng, (uint64_t)n + 1);
			s[x] = 2 * two[x] +
				(int32_t)vs_rng_below(rng,
					(uint64_t)(n - two[x]) + 1);
		}
		/* about as two vectors of such sums may have it */
		sum = (int32_t)vs_rng_below(rng,
			2 * (uint64_t)(s[0] < s[1] ? s[0] : s[1]) + 1);
		m.p = sum;
		m.si = s[0];
		m.sj = s[1];
		m.qi = s[0] + 2 * (int64_t)two[0];
		m.qj = s[1] + 2 * (int64_t)two[1];
		value = q.metric->value(&m);
		if (value > 1 || value < -1)
			continue;
		/* the least step below it, or a part above */
		q.threshold = k & 1 ? nextafter(value, -2)
				    : value + 0.01 * fabs(value);
		panel.sum = s;
		panel.present = c;
		panel.two = two;
		panel.row = row_of;
		vs_card_rule_make(&q, false, &w.rule);
		vs_card_sides_make(&q, &panel, 0, 2, side);
		vs_tile_job_make(&job, &w, 64, 64, 256);
		filter_row(&job, 0, &row, FILTER_FOUR);
		filter_col(&job, 0, &col);
		span = (struct filter_span){ .threshold = { col.threshold[0],
						     col.threshold[1] },
			.least_ws = k % 3 ? col.ws : 0,
			.most_ws = k % 5 ? col.ws : 2 * col.ws };
		filter_interval(&job, 0, &span, &low, &high);
		near = sum <= low || sum >= high;
		hit = filter_hit(&job, &row, &col, &sum, FILTER_FOUR);
		tries++;
		missed += value > q.threshold && !hit;
		cut += hit && !near;
		far += !near;
		kept += hit && !(value > q.threshold);
	}
	T_OK(!missed && !cut && tries > (T_LONG ? 50000 : 15000) &&
			far > tries / 10 && kept < tries / 4,
		"moments: %d pairs, %d missed, %d cut first, %d dropped first, "
		"%d kept needlessly",
		tries, missed, cut, far, kept);
}

/* Squared correlation of the calls that two vectors share. */
static double
plain_r2(const struct vectors *a, size_t i, const struct vectors *b, size_t j)
{
	const uint8_t *x = a->g + i * a->n_field, *y = b->g + j * b->n_field;
	int64_t joint[4][4] = { { 0 } };

	for (size_t q = 0; q < a->n_field; q++)
		joint[x[q]][y[q]]++;
	return vs_r2_plain(joint);
}

/* Correlations where calls are missing: no pair that passes is missed, and the
 * filter in the kernel is that of one pair. */
static void
test_joint(const struct kernel *k, struct vs_rng *rng)
{
	static uint8_t seen[MOST_VEC][MOST_VEC];
	struct vectors a, b;
	struct trial t = { .k = k, .a = &a, .b = &b, .n_block = 2 };
	long wrong = 0, missed = 0, pass = 0, idle = 0;

	vectors_new(&a, 100, 400, true, -1, rng);
	vectors_new(&b, 200, 400, true, -1, rng);
	rule(&t, true, 0.3);
	t.work.rule.moment = VS_DEVICE_R2;
	t.work.rule.centred = t.work.rule.squared = 1;
	t.work.rule.need = 0.3f * (1 - 0x1p-18f);
	whole(&t.work, &a, &b);
	memset(seen, 0, sizeof(seen));
	wrong += !run(&t, 5);
	for (uint32_t x = 0; x < t.n_cand; x++)
		wrong += seen[cand[x].i][cand[x].j]++;
	for (size_t i = 0; i < a.n; i++)
		for (size_t j = 0; j < b.n; j++) {
			const bool above = plain_r2(&a, i, &b, j) > 0.3;
			int32_t sum[4];

			plain_sums(&a, i, &b, j, sum);
			wrong += seen[i][j] !=
				vs_sums_may_pass(&t.work, &a.part.side[i],
					&b.part.side[j], sum);
			missed += above && !seen[i][j];
			pass += above;
			idle += !above && seen[i][j];
		}
	T_OK(!wrong && !missed && pass > 100 && idle < pass,
		"r2 where calls are missing: %ld pass, %ld more are kept, %ld "
		"missed, %ld wrong",
		pass, idle, missed, wrong);
	vectors_free(&a);
	vectors_free(&b);
}

int
main(void)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 20261121);
	ccc = &vs_metric_find("ccc")->alleles;
	cand = get((size_t)MOST_VEC * MOST_VEC, sizeof(*cand));
	for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++) {
		test_sums(&kernels[k], &rng);
		test_shapes(&kernels[k], &rng);
		test_threshold(&kernels[k], &rng);
		test_rejected(&kernels[k], &rng);
		if (kernels[k].missing)
			test_joint(&kernels[k], &rng);
	}
	test_room(&rng);
	test_hits(&rng);
	test_moments(&rng);
	T_OK(sm.n_ldmatrix && sm.read_ways == 1 && sm.fill_ways == 1,
		"no two lanes meet in a bank of shared memory");
	T_OK(sm.n_copy && !sm.waste, "memory is read by whole sectors");
	free(cand);
	return T_DONE();
}
