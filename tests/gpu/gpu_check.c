/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check of the engines of the first device against the plain definition, and
 * their rates; JSON on stdout, words on stderr.
 *
 *	gpu_check [--small] [--few] [--rates] [--twin] [--list | ENGINE]
 *
 * --small  few cases and no rates, for a tool that watches memory
 * --few    small cases, for a device that is slow
 * --rates  no cases, for one that was right a moment ago
 * --twin   --few of a device made of the CPU, where there is no other
 *
 * Exit 1 when anything was wrong, 3 when the device cannot run the engine.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cuda/plugin.h"
#include "tests/unit/panels.h"
#include "tests/unit/strips.h"
#include "tests/unit/twin.h"

#define N_WORKER 3
#define LONGEST 3.0 /* seconds of a pass at most */
#define ENOUGH 0.5  /* seconds of all of them */
#define PASSES 50

static const char *const engines[] = {
#define X(name, least, upto) #name,
#include "cuda/rows.h"
#undef X
};
#define N_ENGINE (sizeof(engines) / sizeof(engines[0]))

static bool small, few, rates, twin;
static struct tally {
	bool none; /* the device cannot run it */
	size_t cases, wrong;
	double pairs;
} tally[N_ENGINE];

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* An engine; null, having said why, where there is none. */
static const struct vs_backend *
open_engine(size_t k)
{
	static struct twin card;
	static struct vs_drive_base base = { .host = &twin_host,
		.ops = &twin_ops,
		.card = &card };
	struct vs_plugin_want want = { .engine = engines[k] };
	const struct vs_backend *b = NULL;
	char why[512] = "";

	vs_fail_clear();
	if (twin) {
		card = (struct twin){ .room = TWIN_ROOM, .life = -1 };
		return vs_drive_use(&base, 1);
	}
	if (!tally[k].none && vs_plugin_open(&want, &b, why, sizeof(why)))
		snprintf(why, sizeof(why), "%s", vs_fail_text());
	if (!b && !tally[k].none) {
		fprintf(stderr, "%s: not here: %s\n", engines[k], why);
		tally[k].none = true;
	}
	return b;
}

/* ---- right or wrong ---- */

static void
judge_engine(size_t k, struct strip_case *c, const struct strip_data *d)
{
	const struct vs_backend *b = open_engine(k);
	int code = 0;
	long wrong = b ? strip_run(b, c, d, &code) : 0;

	if (!b)
		return;
	tally[k].cases++;
	tally[k].pairs += (double)c->wanted;
	if (!wrong && !code)
		return;
	tally[k].wrong++;
	fprintf(stderr,
		"%s: WRONG: %zu fields, %zu x %zu, missing %u, threshold %.17g,"
		" diagonal %d, spans %d: %ld of %zu records wrong, code %d "
		"%s\n",
		engines[k], c->n_field, c->n_i, c->n_j, c->missing,
		d->q.threshold, c->diagonal, c->spans, wrong, d->n_want, code,
		vs_fail_text());
}

static void
judge(struct strip_case c)
{
	struct strip_data d;
	size_t none = 0;

	for (size_t k = 0; k < N_ENGINE; k++)
		none += tally[k].none;
	if (none == N_ENGINE)
		return;

	c.n_worker = N_WORKER;
	strip_make(&c, &d);
	for (size_t k = 0; k < N_ENGINE; k++)
		judge_engine(k, &c, &d);
	strip_free(&d);
}

static void
judge_fields(void)
{
	static const struct {
		size_t n_field, n;
	} all[] = { { 1, 200 }, { 31, 200 }, { 64, 200 }, { 130, 200 },
		{ 882, 300 }, { 1023, 200 }, { 1024, 200 }, { 1025, 200 },
		{ 2504, 300 }, { 16384, 200 }, { 131000, 60 }, { 600000, 30 } };
	static const unsigned missing[] = { 0, 10, 50, 300 };
	size_t last = sizeof(all) / sizeof(all[0]), n;

	for (size_t k = 0; k < last; k++)
		for (size_t m = 0; m < 4; m++) {
			if (small && (all[k].n_field > 1025 || m % 2))
				continue;
			if (few && all[k].n_field > 3000)
				continue;
			n = few ? all[k].n / 2 : all[k].n;
			fprintf(stderr, "%zu fields, missing %u\n",
				all[k].n_field, missing[m]);
			judge((struct strip_case){ .n_field = all[k].n_field,
				.n_i = n,
				.n_j = n + 41,
				.missing = missing[m],
				.threshold = k % 2 ? 0.45 : 0.3,
				.cut = 90,
				.seed = 10 * k + m });
			judge((struct strip_case){ .n_field = all[k].n_field,
				.n_i = n,
				.n_j = n,
				.missing = missing[m],
				.diagonal = true,
				.threshold = 2,
				.beside = (int)m - 1,
				.seed = 10 * k + m + 1 });
		}
}

static void
judge_thresholds(void)
{
	static const double t[] = { -1, 0, 1e-9, 0.1, 0.5, 0.9, 1 };
	static const double classes[][4] = {
		{ 0.4, INFINITY, 0.5, INFINITY },
		{ 0.6, 0.5, 0.4, 0.65 },
		{ INFINITY, INFINITY, INFINITY, 0.7 },
	};

	fprintf(stderr, "thresholds, cells, binary vectors\n");
	for (int k = 0; k < 28; k++)
		judge((struct strip_case){ .n_field = 300,
			.n_i = 150,
			.n_j = 170,
			.missing = k % 2 ? 30 : 0,
			.threshold = t[k % 7],
			.duo = k >= 14,
			.f32 = k % 3 == 0,
			.cell_mask = (uint32_t)k % 16,
			.seed = (uint64_t)k });
	for (int k = 0; k < 6; k++)
		judge((struct strip_case){ .n_field = 300,
			.n_i = 150,
			.n_j = 170,
			.missing = k % 2 ? 30 : 0,
			.classes = classes[k / 2],
			.multiplier = { 3, 1 },
			.gamma = { k == 3, k == 3 },
			.seed = (uint64_t)k });
	for (int k = 0; k < 20; k++)
		judge((struct strip_case){ .n_field = 882,
			.n_i = 100,
			.n_j = 120,
			.missing = k % 2 ? 30 : 0,
			.threshold = 2,
			.beside = k % 5 - 2,
			.seed = (uint64_t)k });
}

/* Metrics of one value, above any threshold and at its edge. */
static void
judge_moments(void)
{
	static const double t[] = { -0.5, 0, 0.1, 0.8, 2 };

	fprintf(stderr, "correlations\n");
	for (int k = 0; k < 5 * strip_moments(); k++) {
		struct strip_case c = { .n_field = k % 2 ? 882 : 1025,
			.n_i = few ? 75 : 150,
			.n_j = few ? 85 : 170,
			.moment = strip_moment((uint64_t)k),
			.threshold = t[k / strip_moments()],
			.beside = k % 5 - 2,
			.seed = (uint64_t)k };

		judge(c);
		c.missing = k % 3 ? 30 : 300;
		if (!strip_is_ps(c.moment))
			judge(c);
	}
}

/* Minima of numbers of all types, around the ends of words, tiles and runs. */
static void
judge_numbers(void)
{
	static const size_t fields[] = { 1, 4, 15, 17, 33, 127, 129, 1000,
		16383, 100000 };

	fprintf(stderr, "numbers\n");
	for (size_t k = 0; k < 5 * sizeof(fields) / sizeof(fields[0]); k++) {
		struct strip_case c = { .element = VS_NUM_U8 +
				(enum vs_element)(k % 5),
			.n_field = fields[k / 5],
			.n_i = few ? 75 : 150,
			.n_j = few ? 85 : 1100,
			.spans = k % 3 == 0,
			.threshold = k % 2 ? 0.3 : 2,
			.beside = (int)(k % 5) - 2,
			.cut = 90,
			.seed = k };

		if (c.n_field > 10000)
			c.n_j = 170;
		if ((!few && !small) || c.n_field < 2000)
			judge(c);
	}
}

/* Strips as wide as they come, and more candidates than there is room for. */
static void
judge_wide(void)
{
	size_t n_i = few ? 100 : 1500, n_j = few ? 1200 : 8192;

	fprintf(stderr, "wide strips, overflow\n");
	for (unsigned k = 0; k < 4; k++)
		judge((struct strip_case){ .n_field = 100,
			.n_i = k == 3 ? n_j / 2 : n_i,
			.n_j = k == 3 ? n_j / 2 : n_j,
			.missing = k % 2 ? 50 : 0,
			.few = k == 1,
			.spans = true,
			.diagonal = k == 3,
			.threshold = 0.7,
			.cut = 333,
			.seed = k });
	for (unsigned k = 0; k < 2; k++)
		judge((struct strip_case){ .n_field = 64,
			.n_i = n_i * 3 / 4,
			.n_j = few ? 100 : 1500,
			.missing = k ? 50 : 0,
			.min_joint = k ? 58 : 0,
			.threshold = 0.05,
			.seed = k });
}

/* ---- how fast ---- */

/* Frequencies by Hardy and Weinberg, near a half; one call of 64 missing. */
static void
random_panel(struct vs_panel *p, size_t n_vec, size_t n_field, bool missing,
	uint64_t seed)
{
	if (panel_new(p, n_vec, n_field)) {
		fprintf(stderr, "%s\n", vs_fail_text());
		exit(4);
	}
#pragma omp parallel for
	for (size_t v = 0; v < n_vec; v++) {
		uint64_t *p0 = vs_vec_plane(&p->vec, v, 0);
		uint64_t *p1 = vs_vec_plane(&p->vec, v, 1);
		struct vs_rng r;

		vs_rng_seed(&r, seed + v);
		for (size_t w = 0; w < (n_field + 63) / 64; w++) {
			uint64_t gone = ~0ull, used = ~0ull;

			for (int k = 0; k < 6 && missing; k++)
				gone &= vs_rng_next(&r);
			if (64 * w + 64 > n_field)
				used >>= 64 * w + 64 - n_field;
			p1[w] = vs_rng_next(&r) & used;
			p0[w] = p1[w] & vs_rng_next(&r);
			if (!missing)
				continue;
			p0[w] |= gone & used;
			p1[w] &= ~gone;
		}
	}
	panel_make(p, seed, n_vec, omp_get_max_threads());
}

/* Least calls that a vector has; by it one sum bounds the four. */
static int64_t
least_present(const struct vs_panel p[2])
{
	int32_t least = INT32_MAX;

	for (int side = 0; side < 2; side++)
		for (size_t v = 0; v < p[side].n_vec; v++)
			if (p[side].present[v] < least)
				least = p[side].present[v];
	return least;
}

/*
 * All pairs of two panels once, by n workers. returns  pairs done in time; < 0:
 * a failure
 */
static double
pass(const struct vs_backend *b, void *state, const struct vs_query *q,
	const struct vs_panel p[2], struct vs_hits found[N_WORKER], int n)
{
	size_t step = b->columns(q, p[1].n_vec, false);
	size_t n_strip = (p[1].n_vec + step - 1) / step, next = 0;
	double pairs = 0, until = now() + LONGEST;
	int failed = 0;

#pragma omp parallel num_threads(n) reduction(+ : pairs)
	for (size_t k = 0; k < n_strip;) {
		struct vs_strip s = { .i = &p[0],
			.j = &p[1],
			.i_hi = p[0].n_vec };
		int me = omp_get_thread_num();

#pragma omp atomic capture
		k = next++;
		if (k >= n_strip || failed || now() > until)
			break;
		s.j_lo = k * step;
		s.j_hi =
			s.j_lo + step < p[1].n_vec ? s.j_lo + step : p[1].n_vec;
		for (size_t x = 0; x < VS_SPANS; x++)
			s.span[x].hi = s.i_hi;
		if (strip_whole(b, state, me, s, &found[me]))
			failed = 1;
		pairs += (double)s.i_hi * (double)(s.j_hi - s.j_lo);
	}
	return failed ? -1 : pairs;
}

/*
 * Comparisons a second that an H200 should reach with dense vectors: clocks of
 * one of its 132 multiprocessors, at 1.75 GHz, for a block of pairs, by 256
 * fields and once. By 0.54 mma (measured by others) or 26500 1-bit products
 * (wgmma, the same) a clock, two integer comparisons a pair at 64 a clock when
 * products are done; bytes by 1.5e15 operations a second, sums written and read
 * at 4.3 TB/s; 16 words counted a clock, two counts a word.
 */
static double
expected(const char *engine, size_t n_field)
{
	static const struct {
		const char *engine;
		double pairs, step, end;
	} all[] = {
		{ "mma", 32768, 1024 / 0.54, 1600 },
		{ "mma3", 16384, 384 / 0.54, 1000 },
		{ "wgmma", 32768, 32768 * 256 * 3 / 26500.0, 0 },
		{ "int8", 32768, 2584, 14082 },
		{ "popc", 32768, 40960, 3000 },
	};
	const double steps = (double)((n_field + 255) / 256);

	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		if (!strcmp(engine, all[k].engine))
			return all[k].pairs * (double)n_field * 132 * 1.75e9 /
				(steps * all[k].step + all[k].end);
	return 0;
}

/* Comparisons a second while counting kernels run, by the device's clock: one
 * worker, whose kernels come one after another. 0: it has no clock */
static double
kernel_rate(const struct vs_backend *b, void *state, const struct vs_query *q,
	const struct vs_panel p[2], struct vs_hits found[N_WORKER])
{
	double before[VS_DEVICE_TIMES], after[VS_DEVICE_TIMES];
	double pairs = 0, seconds;

	if (!b->seconds)
		return 0;
	/* the last kernel of a worker is added up with the next */
	found[0].n = 0;
	b->seconds(before);
	pairs = pass(b, state, q, p, found, 1);
	b->seconds(after);
	seconds = after[VS_DEVICE_KERNELS] - before[VS_DEVICE_KERNELS];
	return pairs > 0 && seconds > 0 ? pairs * (double)q->n_field / seconds
					: 0;
}

static int
time_engine(size_t k, const struct vs_query *q, const struct vs_panel p[2],
	const char *comma)
{
	const struct vs_backend *b = open_engine(k);
	struct vs_hits found[N_WORKER] = { { 0 } };
	double cold = 0, warm = 0, pairs = 0, all = 0, begin = now();
	double alone = 0;
	double reach = q->has_missing ? 0 : expected(engines[k], q->n_field);
	size_t n_rec = 0, most = p[0].n_vec;
	void *state = NULL;
	int code;

	if (!b)
		return 0;
	for (int w = 0; w < N_WORKER; w++)
		found[w].drain = strip_drain;
	most = most > p[1].n_vec ? most : p[1].n_vec;
	code = b->open(&state, q, N_WORKER, most);
	/* the first brings the vectors; of the others the best */
	for (int way = 0; !code && pairs >= 0 && way < PASSES &&
		(way < 3 || all < ENOUGH);
		way++) {
		double start = now(), done;

		for (int w = 0; w < N_WORKER; w++)
			found[w].n = 0;
		done = pass(b, state, q, p, found, N_WORKER);
		all += now() - start;
		if (!way)
			cold = now() - begin;
		else if (done < 0 || !warm ||
			done / (now() - start) > pairs / warm)
			pairs = done, warm = now() - start;
	}
	for (int w = 0; w < N_WORKER; w++)
		n_rec += found[w].n;
	if (!code && pairs >= 0)
		alone = kernel_rate(b, state, q, p, found);
	for (int w = 0; w < N_WORKER; w++)
		free(found[w].rec);
	b->close(state);
	if (code || pairs < 0) {
		fprintf(stderr, "%s: FAILED: %s\n", engines[k], vs_fail_text());
		tally[k].wrong++;
		return 0;
	}
	printf("%s\n  {\"engine\": \"%s\", \"n_field\": %zu, \"missing\": %s,"
	       " \"rows\": %zu, \"columns\": %zu, \"first_s\": %.4f,"
	       " \"again_s\": %.4f, \"pairs\": %.0f, \"records\": %zu,"
	       " \"comparisons_a_second\": %.4e,"
	       " \"by_kernel_events\": %.4e,"
	       " \"expected_of_h200\": %.4e}",
		comma, engines[k], q->n_field,
		q->has_missing ? "true" : "false", p[0].n_vec, p[1].n_vec, cold,
		warm, pairs, n_rec, pairs * (double)q->n_field / warm, alone,
		reach);
	fflush(stdout);
	fprintf(stderr,
		"%-6s %7zu fields%s: %.3e comparisons/s, kernels alone %.3e",
		engines[k], q->n_field, q->has_missing ? ", calls missing" : "",
		pairs * (double)q->n_field / warm, alone);
	if (reach > 0)
		fprintf(stderr, ", %.2f of the %.3e expected of an H200",
			pairs * (double)q->n_field / warm / reach, reach);
	fprintf(stderr, "\n");
	return 1;
}

static void
time_all(void)
{
	static const struct {
		size_t n_field;
		bool missing;
	} all[] = { { 882, 0 }, { 2504, 0 }, { 2504, 1 }, { 16384, 0 },
		{ 100000, 0 } };
	const char *comma = "";

	for (size_t x = 0; x < sizeof(all) / sizeof(all[0]); x++) {
		struct vs_query q = { .metric = vs_metric_find("ccc"),
			.alleles = &vs_metric_find("ccc")->alleles,
			.threshold = 0.8,
			.cell_mask = 15,
			.has_missing = all[x].missing,
			.n_field = all[x].n_field };
		size_t n_i = few ? 128 : 16384, n_j = few ? 600 : 131072;
		uint64_t one = VS_PANEL_BYTES(vs_vec_words(q.n_field));
		struct vs_panel p[2];

		if (few && q.n_field > 3000)
			continue;
		while (n_j > 8192 && one * (n_i + n_j) > vs_mem_allowed() / 3)
			n_j /= 2;
		random_panel(&p[0], n_i, q.n_field, all[x].missing, 1);
		random_panel(&p[1], n_j, q.n_field, all[x].missing, 1u << 20);
		q.least_present = least_present(p);
		for (size_t k = 0; k < N_ENGINE; k++)
			if (time_engine(k, &q, p, comma))
				comma = ",";
		vs_panel_free(&p[0]);
		vs_panel_free(&p[1]);
	}
}

static void
take_word(const char *word)
{
	small |= !strcmp(word, "--small");
	twin |= !strcmp(word, "--twin");
	few |= twin || !strcmp(word, "--few");
	rates |= !strcmp(word, "--rates");
	for (size_t k = 0; k < N_ENGINE && !strcmp(word, "--list"); k++)
		puts(engines[k]);
	if (!strcmp(word, "--list"))
		exit(0);
	for (size_t k = 0; k < N_ENGINE && word[0] != '-'; k++)
		tally[k].none = strcmp(word, engines[k]) != 0;
}

int
main(int argc, char **argv)
{
	size_t wrong = 0, cases = 0;
	const char *comma = "";

	for (int k = 1; k < argc; k++)
		take_word(argv[k]);
	if (!rates) {
		judge_fields();
		judge_moments();
		judge_numbers();
	}
	if (!small && !rates) {
		judge_thresholds();
		judge_wide();
	}
	printf("{\"equality\": [");
	for (size_t k = 0; k < N_ENGINE; k++) {
		if (tally[k].none)
			continue;
		cases += tally[k].cases;
		fprintf(stderr, "%s: %zu cases, %zu wrong\n", engines[k],
			tally[k].cases, tally[k].wrong);
		printf("%s\n  {\"engine\": \"%s\", \"cases\": %zu, \"wrong\": "
		       "%zu, \"pairs\": %.0f}",
			comma, engines[k], tally[k].cases, tally[k].wrong,
			tally[k].pairs);
		comma = ",";
	}
	printf("],\n \"rates\": [");
	if (!small)
		time_all();
	printf("]}\n");
	for (size_t k = 0; k < N_ENGINE; k++)
		wrong += tally[k].wrong;
	return wrong ? 1 : cases || rates ? 0 : 3;
}
