/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proportional Similarity of all triples of small random vectors through the
 * engine, record by record against the definition: of integers the two lesser
 * of three numbers added up field by field, of reals the seven sums in the
 * documented order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/engine/triple/triple_run.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/plain.h"
#include "libcore/metric/ps.h"
#include "tests/unit/numbered.h"
#include "tests/unit/test.h"

/* A vector by its number. */
static const double *
at(const struct numbered *d, size_t v)
{
	return d->number + v * d->n_field;
}

/* Sum of the least of those of u, v, w that are not null, run by run. */
static double
least(const struct numbered *d, const double *u, const double *v,
	const double *w)
{
	double sum = 0;

	for (size_t lo = 0; lo < d->n_field; lo += 128) {
		float run32 = 0;
		double run64 = 0;

		for (size_t q = lo; q < lo + 128 && q < d->n_field; q++) {
			double x = u[q];

			x = v ? fmin(x, v[q]) : x;
			x = w ? fmin(x, w[q]) : x;
			run32 += (float)x;
			run64 += x;
		}
		sum += d->element == VS_NUM_F32 ? (double)run32 : run64;
	}
	return sum;
}

static double
middle(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static double
lowest(double a, double b, double c)
{
	return fmin(a, fmin(b, c));
}

static double
highest(double a, double b, double c)
{
	return fmax(a, fmax(b, c));
}

static double
of_wholes(const struct numbered *d, const double *const v[3], int64_t *num)
{
	int64_t all = 0;

	*num = 0;
	for (size_t q = 0; q < d->n_field; q++) {
		double a = v[0][q], b = v[1][q], c = v[2][q];

		all += (int64_t)(a + b + c);
		*num += (int64_t)(lowest(a, b, c) + middle(a, b, c));
	}
	return all ? (double)(3 * *num) / (double)(2 * all) : 0;
}

static double
of_reals(const struct numbered *d, const double *const v[3], int64_t *num)
{
	double u = least(d, v[0], 0, 0), x = least(d, v[1], 0, 0),
	       w = least(d, v[2], 0, 0);
	double p = least(d, v[0], v[1], 0), q = least(d, v[0], v[2], 0),
	       r = least(d, v[1], v[2], 0);
	double all = lowest(u, x, w) + middle(u, x, w) + highest(u, x, w);
	double above = lowest(p, q, r) + middle(p, q, r) +
		(highest(p, q, r) - least(d, v[0], v[1], v[2]));

	*num = -1;
	return all > 0 ? fmin(3 * above / 2 / all, 1) : 0;
}

/* Number of triples that are wrong, listed or not. */
static int
judge(struct numbered *d, const struct vs_query *q)
{
	size_t n = d->n_vec, next = 0;
	int wrong = 0;

	if (d->n)
		qsort(d->rec, d->n, sizeof(*d->rec), numbered_by_place);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			for (size_t k = j + 1; k < n; k++) {
				const double *const v[3] = { at(d, i), at(d, j),
					at(d, k) };
				struct vs_record want = { .i = (uint32_t)i,
					.j = (uint32_t)j,
					.k = (uint32_t)k,
					.nvalid = -1,
					.cell = VS_NO_CELL };
				int64_t num;
				const struct vs_record *rec = &d->rec[next];
				double x = vs_element_is_integer(d->element)
					? of_wholes(d, v, &num)
					: of_reals(d, v, &num);

				want.num = num;
				if (!(x > q->threshold))
					continue;
				if (next == d->n ||
					vs_record_compare(rec, &want)) {
					wrong++;
					continue;
				}
				next++;
				wrong += rec->value !=
					(q->f32 ? (double)(float)x : x);
				wrong += rec->num != want.num ||
					rec->nvalid != -1;
			}
	return wrong + (next != d->n);
}

struct trial {
	enum vs_element element;
	size_t n_vec, n_field;
	int threads;
	double threshold;
	enum vs_cpu cpu;
	bool exhaustive, f32;
	int64_t tile;
	size_t batch;
};

static int
run(const struct trial *x, struct numbered *d, struct vs_job_stats *stats,
	uint64_t *all)
{
	struct vs_query q = { .metric = vs_metric_find("ps"),
		.threshold = x->threshold,
		.cell_mask = 1,
		.element = x->element,
		.f32 = x->f32,
		.prune = !x->exhaustive,
		.n_field = x->n_field,
		.cpu = x->cpu };
	struct vs_job job = { .query = &q,
		.n_thread = x->threads,
		.batch = x->batch,
		.load = numbered_load,
		.sink = numbered_sink,
		.ctx = d };
	struct vs_triple_run *t = NULL;
	struct vs_plan plan;
	int wrong;

	if (vs_triple_run_plan(&job, &plan, x->n_vec, x->tile, 1ull << 32) ||
		vs_triple_run_new(&t, &job, NULL, 1ull << 32, stats))
		return 1;
	wrong = vs_triple_run_all(t, stats) != 0;
	vs_triple_run_free(t);
	*all = vs_cube_n_triple(&plan);
	return wrong + judge(d, &q);
}

static void
try(const struct trial *x)
{
	struct numbered d = { .element = x->element,
		.n_vec = x->n_vec,
		.n_field = x->n_field,
		.ordered = true };
	struct vs_job_stats stats = { 0 };
	struct vs_rng rng;
	uint64_t all = 0;
	int wrong;

	vs_rng_seed(&rng, x->n_vec * 1000 + x->n_field);
	if (vs_mem_new(&d.number, x->n_vec * x->n_field + 1, sizeof(double),
		    "numbers"))
		exit(4);
	numbered_fill(&d, &rng);
	wrong = run(x, &d, &stats, &all);
	wrong += stats.pairs != all || d.evaluated != all || !d.ordered;
	wrong += x->exhaustive ? stats.counted != all : stats.counted > all;
	wrong += stats.counted < d.n;
	/* sizes differ, and few pairs are alike */
	wrong +=
		!x->exhaustive && x->threshold > 0.8 && stats.counted > all / 2;
	T_OK(!wrong,
		"%s %s: %zu x %zu, t = %g, %d threads, tile %lld%s, batch "
		"%zu: %.1f %% counted, %zu records, %d wrong",
		vs_element_name(x->element), vs_cpu_name(x->cpu), x->n_vec,
		x->n_field, x->threshold, x->threads, (long long)x->tile,
		x->f32 ? ", kept as f32" : "", x->batch,
		100 * (double)stats.counted / ((double)all + 1e-9), d.n, wrong);
	free(d.rec);
	free(d.number);
}

static void
try_types(void)
{
	static const size_t fields[] = { 1, 30, 127, 129, 300 };
	static const double thresholds[] = { -1, 0, 0.3, 0.6, 0.82, 1 };

	for (enum vs_element e = VS_NUM_U8; e <= VS_NUM_F64; e++)
		for (enum vs_cpu c = 0; c <= vs_cpu_best(); c++)
			for (size_t k = 0; k < 6; k++) {
				struct trial x = { .element = e,
					.n_vec = k == 3 ? 3 : 26,
					.n_field = fields[(k + c) % 5],
					.threads = 1 + (int)k % 2,
					.threshold = thresholds[k],
					.cpu = c,
					.exhaustive = k % 3 == 2,
					.f32 = k == 4 };

				try(&x);
			}
}

/* Tiles of one vector and of all, and more vectors than a slab has. */
static void
try_ways(void)
{
	static const int64_t tiles[] = { 0, 1, 13, 100 };

	for (size_t k = 0; k < sizeof(tiles) / sizeof(*tiles); k++)
		for (int how = 0; how < 4; how++) {
			struct trial x = { .element = VS_NUM_U8 +
					(enum vs_element)(
						(k + (size_t)how) % 5),
				.n_vec = tiles[k] == 100 ? 120 : 40,
				.n_field = tiles[k] == 100 ? 9 : 75,
				.threads = 1 + how % 3,
				.threshold = how == 1 ? 0.3 : 0.85,
				.cpu = vs_cpu_best(),
				.exhaustive = how == 2,
				.tile = tiles[k],
				.batch = how % 2 ? 7 : 0 };

			try(&x);
		}
	for (enum vs_element e = VS_NUM_U8; e <= VS_NUM_F64; e += 2) {
		/* too long for all columns at once */
		struct trial x = { .element = e,
			.n_vec = 9,
			.n_field = e == VS_NUM_F64 ? 40001 : 150001,
			.threads = 2,
			.threshold = 0.5,
			.cpu = vs_cpu_best() };

		try(&x);
	}
}

/*
 * No triple may pass that the bounds leave out, whose sums are as far off as
 * those of floats can be.
 */
static void
try_bounds(void)
{
	struct vs_rng rng;
	int wrong_pair = 0, wrong_cut = 0;

	vs_rng_seed(&rng, 9);
	for (int k = 0; k < 1000000; k++) {
		double off = k % 2 ? 127 * 0x1p-24 : 0x1p-36;
		double scale = ldexp(1, (int)vs_rng_below(&rng, 400) - 200);
		double u = scale * (double)(1 + vs_rng_below(&rng, 1u << 20));
		double v = u * (1 + (double)vs_rng_below(&rng, 1000) / 500);
		double p = u * (double)vs_rng_below(&rng, 1001) / 1000;
		/* where the bound is reached: w has what both lack */
		double w = u + v - p;
		struct vs_ps3 x = { { p, u * (1 + off), v * (1 + off) },
			p * (1 - off),
			{ u * (1 - off), v * (1 - off), w * (1 - off) } };
		double value = vs_ps3_value(&x), t = nextafter(value, 0);

		wrong_pair += value < 1 &&
			!vs_ps3_may_pass(u * (1 + off), v * (1 - off),
				p * (1 - off), t, vs_ps3_slack(k % 2));
		wrong_cut += value < 1 &&
			!(vs_ps3_least(&x) >= vs_ps3_least_share(t) *
						(x.all[2] +
							(x.all[1] + x.all[0])) -
					VS_PS3_TINY);
	}
	T_OK(!wrong_pair && !wrong_cut,
		"bounds: 1000000 triples at their most: %d pairs, %d cuts "
		"wrong",
		wrong_pair, wrong_cut);
}

/* Sums of reals that nearly agree, rounded so that the quotient is above 1. */
static void
try_above(void)
{
	struct vs_ps3 x = { { 1, 1, 1 }, 1 - 0x1p-50, { 1, 1, 1 } };
	struct vs_ps3 y = { { 1, 1, 1 }, 1 + 0x1p-50, { 1, 1, 1 } };

	T_OK(vs_ps3_value(&x) == 1, "what roundings bring above 1 is 1");
	T_OK(vs_ps3_value(&y) < 1, "what they bring below 1 stays there");
}

/* Values worked out by hand. */
static void
try_plain(void)
{
	static const uint16_t u[] = { 0, 9, 7, 3 }, v[] = { 5, 1, 7, 0 },
			      w[] = { 2, 4, 0, 0 }, none[4];
	static const double x[] = { 1, 0.5 }, y[] = { 2, 0.25 },
			    z[] = { 4, 0.125 };
	const void *const three[3] = { u, v, w }, *const same[3] = { v, v, v };
	const void *const nothing[3] = { none, none, none };
	const void *const reals[3] = { z, x, y };
	int64_t num = 0;
	double value;

	vs_plain_ps3(VS_NUM_U16, three, 4, &num, &value);
	T_OK(num == 2 + 5 + 7 && value == 1.5 * 14 / 38,
		"the definition: the two lesser numbers are 0 2, 1 4, 0 7, 0 0 "
		"of 38 in all");
	vs_plain_ps3(VS_NUM_U16, same, 4, &num, &value);
	T_OK(num == 26 && value == 1, "the definition: three alike are 1");
	vs_plain_ps3(VS_NUM_U16, nothing, 4, &num, &value);
	T_OK(num == 0 && value == 0, "the definition: of nothing it is 0");
	vs_plain_ps3(VS_NUM_F64, reals, 2, &num, &value);
	T_OK(num == -1 && value == 1.5 * 3.375 / 7.875,
		"the definition: reals 1 2 4 and 1/2 1/4 1/8");
}

int
main(void)
{
	try_plain();
	try_above();
	try_bounds();
	try_types();
	try_ways();
	return T_DONE();
}
