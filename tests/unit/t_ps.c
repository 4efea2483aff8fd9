/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proportional Similarity of all pairs of small random vectors of numbers
 * through the engine, record by record against the definition, over types of
 * numbers, processors, tiles, threads, thresholds, streams and bounds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/engine/sched/pair_run.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/plain.h"
#include "libcore/metric/ps.h"
#include "tests/unit/numbered.h"
#include "tests/unit/test.h"

/* Sum of minima, in runs of 128 fields; u = v: of a vector itself. */
static double
plain_sum(const struct numbered *d, size_t i, size_t j)
{
	const double *u = d->number + i * d->n_field;
	const double *v = d->number + j * d->n_field;
	double sum = 0;

	for (size_t lo = 0; lo < d->n_field; lo += 128) {
		size_t hi = d->n_field - lo < 128 ? d->n_field : lo + 128;
		float run32 = 0;
		double run64 = 0;

		if (d->element == VS_NUM_F32)
			for (size_t q = lo; q < hi; q++)
				run32 += (float)(u[q] < v[q] ? u[q] : v[q]);
		else
			for (size_t q = lo; q < hi; q++)
				run64 += u[q] < v[q] ? u[q] : v[q];
		sum += (double)run32 + run64;
	}
	return sum;
}

/* Number of pairs that are wrong, listed or not. */
static int
judge(struct numbered *d, const struct vs_query *q)
{
	bool whole = vs_element_is_integer(d->element);
	double *own = calloc(d->n_vec + 1, sizeof(*own));
	size_t at = 0;
	int wrong = 0;

	if (!own)
		exit(4);
	for (size_t i = 0; i < d->n_vec; i++)
		own[i] = plain_sum(d, i, i);
	if (d->n)
		qsort(d->rec, d->n, sizeof(*d->rec), numbered_by_place);
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = i + 1; j < d->n_vec; j++) {
			const struct vs_record *rec = &d->rec[at];
			double m = plain_sum(d, i, j);
			double all = own[i] + own[j];
			double v = all > 0 ? 2 * m / all : 0;

			if (!(v > q->threshold))
				continue;
			if (at == d->n || rec->i != i || rec->j != j) {
				wrong++;
				continue;
			}
			at++;
			wrong += rec->value != (q->f32 ? (double)(float)v : v);
			wrong += rec->num != (whole ? (int64_t)m : -1);
			wrong += rec->nvalid != -1 || rec->cell != VS_NO_CELL ||
				rec->k != VS_NO_VEC;
		}
	free(own);
	return wrong + (at != d->n);
}

struct trial {
	enum vs_element element;
	size_t n_vec, n_field;
	int threads;
	double threshold;
	enum vs_cpu cpu;
	bool exhaustive, stream, f32;
	int64_t tile;
	size_t batch;
};

static void
try(const struct trial *x)
{
	struct vs_query q = { .metric = vs_metric_find("ps"),
		.threshold = x->threshold,
		.cell_mask = 1,
		.element = x->element,
		.f32 = x->f32,
		.prune = !x->exhaustive,
		.n_field = x->n_field,
		.cpu = x->cpu };
	struct numbered d = { .element = x->element,
		.n_vec = x->n_vec,
		.n_field = x->n_field,
		.ordered = true };
	struct vs_plan plan;
	struct vs_job job = { .plan = &plan,
		.query = &q,
		.backend = &vs_backend_cpu,
		.n_thread = x->threads,
		.batch = x->batch,
		.stream = x->stream,
		.load = numbered_load,
		.sink = numbered_sink,
		.ctx = &d };
	struct vs_job_stats stats;
	struct vs_thread_pool pool;
	struct vs_rng rng;
	uint64_t pairs;
	double counted;
	int wrong;

	vs_rng_seed(&rng, x->n_vec * 1000 + x->n_field);
	if (vs_mem_new(&d.number, x->n_vec * x->n_field + 1, sizeof(double),
		    "numbers"))
		exit(4);
	numbered_fill(&d, &rng);
	wrong = vs_plan_make(&plan, x->n_vec, 1,
			x->tile ? x->tile
				: vs_plan_tile(x->n_vec, 1, 1e9, 1)) ||
		vs_thread_pool_open(&pool, &job) || vs_pair_run(&pool, &stats);
	wrong += judge(&d, &q);
	pairs = vs_plan_n_pair(&plan);
	wrong += stats.pairs != pairs || stats.counted > pairs;
	wrong += x->exhaustive && stats.counted != pairs;
	/* sizes differ, and there are vectors of nothing */
	counted = (double)stats.counted -
		stats.fields_skipped / fmax((double)x->n_field, 1);
	wrong += !x->exhaustive && x->threshold > 0.5 && x->n_vec > 100 &&
		(!x->tile || x->tile > 200) && counted > 0.9 * (double)pairs;
	wrong += counted < (double)d.n || stats.fields_skipped < 0;
	T_OK(!wrong && d.ordered && d.evaluated == pairs,
		"%s %s: %zu x %zu, t = %g, %d threads, tile %lld%s%s, batch "
		"%zu: %.0f %% counted, %zu records, %d wrong",
		vs_element_name(x->element), vs_cpu_name(x->cpu), x->n_vec,
		x->n_field, x->threshold, x->threads, (long long)x->tile,
		x->stream ? " streamed" : "", x->f32 ? ", kept as f32" : "",
		x->batch, 100 * counted / ((double)pairs + 1e-9), d.n, wrong);
	free(d.rec);
	free(d.number);
}

static void
try_types(void)
{
	static const size_t fields[] = { 1, 30, 127, 129, 300 };
	static const double thresholds[] = { -1, 0, 0.3, 0.6, 0.9, 1 };

	for (enum vs_element e = VS_NUM_U8; e <= VS_NUM_F64; e++)
		for (enum vs_cpu c = 0; c <= vs_cpu_best(); c++)
			for (size_t k = 0; k < 6; k++) {
				struct trial x = { .element = e,
					.n_vec = k == 3 ? 2 : 150,
					.n_field = fields[(k + c) % 5],
					.threads = 1 + (int)k % 2,
					.threshold = thresholds[k],
					.cpu = c,
					.exhaustive = k % 3 == 2,
					.f32 = k == 4 };

				try(&x);
			}
}

static void
try_ways(void)
{
	static const int64_t tiles[] = { 0, 1, 32, 100, 700 };

	for (size_t k = 0; k < sizeof(tiles) / sizeof(*tiles); k++)
		for (int how = 0; how < 4; how++) {
			/* no tile: more columns than are taken at once */
			struct trial x = { .element = VS_NUM_U8 +
					(enum vs_element)(
						(k + (size_t)how) % 5),
				.n_vec = tiles[k] ? 230 : 2300,
				.n_field = 75,
				.threads = 1 + how % 3,
				.threshold = how == 1 ? 0.2 : 0.75,
				.cpu = vs_cpu_best(),
				.exhaustive = how == 2,
				.stream = how > 1,
				.tile = tiles[k],
				.batch = how % 2 ? 7 : 0 };

			try(&x);
		}
}

/*
 * No pair may pass that the bounds leave out: sums on both sides of each
 * threshold, and minima that are as large as they can be.
 */
static void
try_bounds(void)
{
	struct vs_rng rng;
	int wrong_range = 0, wrong_cut = 0, wrong_most = 0;
	int n = T_LONG ? 2000000 : 500000;

	vs_rng_seed(&rng, 8);
	for (int k = 0; k < n; k++) {
		double scale = ldexp(1, (int)vs_rng_below(&rng, 400) - 200);
		double u = scale * (double)(1 + vs_rng_below(&rng, 1u << 20));
		double v = u *
			(1 +
				ldexp((double)vs_rng_below(&rng, 4096),
					(int)vs_rng_below(&rng, 50) - 62));
		double w = v *
			(1 +
				ldexp((double)vs_rng_below(&rng, 16),
					-53 + (int)vs_rng_below(&rng, 3)));
		double t = vs_ps_value(u, u, v);
		int up = (int)vs_rng_below(&rng, 3) - 1;

		t = up > 0 ? nextafter(t, 2) : up < 0 ? nextafter(t, 0) : t;
		wrong_most += vs_ps_most(u, v) > 1;
		/* w is farther from u than v: what passes with w may with v */
		wrong_range += vs_ps_most(u, w) > t && !vs_ps_may_pass(u, v, t);
		wrong_range += vs_ps_most(w, u) > t &&
			!vs_ps_may_pass(w, v, t) && v > u;
		wrong_cut += vs_ps_value(u, u, v) > t &&
			!(u >= vs_ps_least_sum(u, t) + vs_ps_least_sum(v, t));
	}
	T_OK(!wrong_range && !wrong_cut && !wrong_most,
		"bounds: %d pairs of sums by thresholds: %d ranges, %d "
		"cuts, %d values wrong",
		n, wrong_range, wrong_cut, wrong_most);
}

/* Thresholds of a few of the least doubles, halves of which are none. */
static void
try_least(void)
{
	int wrong = 0, passed = 0;

	for (int k = 1; k <= 64; k++)
		for (int x = 0; x <= 64; x++) {
			double t = ldexp(k, -1074), v = ldexp(1, 200);
			double u = ldexp(v * (k + x / 16.0) / 2, -1074);
			bool passes = vs_ps_value(u, u, v) > t;

			passed += passes;
			wrong += passes &&
				u < vs_ps_least_sum(u, t) +
						vs_ps_least_sum(v, t);
		}
	T_OK(!wrong && passed > 1000,
		"bounds: of %d pairs above the least thresholds %d are lost",
		passed, wrong);
}

/* A pair of totals u and v that passes t is left out by the bounds. */
static bool
is_lost(double least, double u, double v, double t)
{
	return vs_ps_value(least, u, v) > t &&
		(!vs_ps_may_pass(u, v, t) ||
			least < vs_ps_least_sum(u, t) + vs_ps_least_sum(v, t));
}

/* Sums of a few of the least doubles, whose products are rounded by as much as
 * they are. */
static void
try_least_sums(void)
{
	const double unit = 0x1p-1074;
	int lost = 0;

	for (int u = 1; u <= 16; u++)
		for (int v = 1; v <= 16; v++)
			for (int x = 0; x < 100 * (u < v ? u : v); x++)
				lost += is_lost(unit * (1 + x / 100), unit * u,
					unit * v, x % 100 / 100.0);
	T_OK(!lost, "bounds: of pairs of the least sums %d are lost", lost);
}

static void
try_limits(void)
{
	static const double many[] = { 4294967295.0, 1e308 };
	struct vs_panel p;

	for (int k = 0; k < 2; k++) {
		enum vs_element e = k ? VS_NUM_F64 : VS_NUM_U32;
		size_t n_field = k ? 2 : 1048577;
		int code = vs_panel_room_of(&p, e, 1, n_field);

		for (size_t q = 0; q < n_field && !code; q++)
			vs_element_put(e, p.vec.word, q, many[k]);
		if (!code)
			code = vs_panel_total(&p, vs_panel_begin(&p, 0, 1), 0,
				"numbers");
		T_OK(code == VS_EINPUT && strstr(vs_fail_text(), "vector 0"),
			"%s: a sum that cannot be exact or finite is refused: "
			"%s",
			vs_element_name(e), vs_fail_text());
		vs_fail_clear();
		vs_panel_free(&p);
	}
}

/* The definition that files are held to, on what was worked out by hand. */
static void
try_plain(void)
{
	static const uint16_t u[] = { 0, 65535, 7, 3 }, v[] = { 5, 1, 7, 0 };
	static const uint16_t none[4];
	static const float x[] = { 16777216, 1, 1 }, y[] = { 16777216, 1, 0.5 };
	int64_t num = 9;
	double value;

	vs_plain_ps(VS_NUM_U16, u, v, 4, &num, &value);
	T_OK(num == 8 && value == 16.0 / 65558,
		"the definition: minima 0 1 7 0 of sums 65545 and 13");
	vs_plain_ps(VS_NUM_U16, none, none, 4, &num, &value);
	T_OK(num == 0 && value == 0,
		"the definition: nothing and nothing is 0");
	/* 2^24 + 1 is not a float: both runs end at 2^24 */
	vs_plain_ps(VS_NUM_F32, x, y, 3, &num, &value);
	T_OK(num == -1 && value == 1,
		"the definition: a run of floats is rounded as floats are");
}

int
main(void)
{
	try_plain();
	T_OK(vs_ps_value(0, 0, 0) == 0 && vs_ps_value(3, 3, 3) == 1 &&
			vs_ps_value(2, 3, 5) == 0.5,
		"values by hand: nothing 0, the same 1, 2 * 2 / 8 a half");
	try_bounds();
	try_least();
	try_least_sums();
	try_limits();
	try_types();
	try_ways();
	return T_DONE();
}
