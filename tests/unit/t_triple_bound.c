/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds of rows of triples: columns that a row's test leaves out, and sums
 * within the range of a block, belong to no triple that passes by the plain
 * definition; where nothing is missing the test leaves none that is clearly
 * below the threshold, and a range of one vector leaves out nearly all others.
 */
#include "libcore/engine/slab/triple_bound.h"
#include "tests/unit/test.h"
#include "tests/unit/triples.h"

#define N_VEC 24
#define LANES 16 /* thirds of a block: the second one is not full */

static struct triples d;
static struct vs_triple_side first, second;
static struct vs_triple_thirds thirds;

/* Counts over all rows. */
struct outcome {
	int lost, far, unfilled; /* far: left though clearly below */
	size_t n_pass, n_left, n_all, outside;
};

/* Copies as they are counted: a missing call has no leading allele. */
static int
filled(size_t v, size_t f)
{
	uint8_t g = d.v.g[v * d.v.n_field + f];

	return g < 3 ? g : d.v.q.lead ? 0 : 2;
}

static int32_t
sum2(size_t u, size_t v)
{
	int32_t sum = 0;

	for (size_t f = 0; f < d.v.n_field; f++)
		sum += filled(u, f) * filled(v, f);
	return sum;
}

/* sum (g_u - a) (g_v - b) g_w */
static int32_t
sum3(size_t u, int a, size_t v, int b, size_t w)
{
	int32_t sum = 0;

	for (size_t f = 0; f < d.v.n_field; f++)
		sum += (filled(u, f) - a) * (filled(v, f) - b) * filled(w, f);
	return sum;
}

/* The most that a cell of the triple exceeds its threshold by, of those whose
 * pair u, v has an open cell; -1: it is none. */
static double
excess(size_t u, size_t v, size_t w, unsigned open)
{
	double most = -1;

	for (uint32_t cell = 0; cell < 8 && u != w && v != w; cell++)
		if (open >> (cell >> 1) & 1)
			most = fmax(most,
				triples_excess(&d, triples_plain(&d, u, v, w),
					cell));
	return most;
}

static void
judge(struct outcome *x, double over, bool left, double slack)
{
	x->n_all++;
	x->n_pass += over > 0;
	x->n_left += left;
	x->lost += over > 0 && !left;
	x->far += left && !d.v.missing && over > -1 && over < -slack;
}

/* Sums of vector v with the n thirds from lo on. */
static void
count_side(size_t v, size_t lo, size_t n, int32_t *to)
{
	for (size_t k = 0; k < n; k++)
		to[k] = sum2(v, lo + k);
}

/* A row's own test of all thirds, d first filled into sums of products. */
static void
look_row(size_t u, size_t v, const int mode[2], unsigned open,
	struct outcome *x)
{
	int32_t gu[N_VEC], gv[N_VEC], p[N_VEC], hit[N_VEC];
	struct vs_triple_bound_row row = { u, v, sum2(u, v), open, p, gu, gv };

	count_side(u, 0, N_VEC, gu);
	count_side(v, 0, N_VEC, gv);
	for (size_t k = 0; k < N_VEC; k++)
		p[k] = sum3(u, mode[0], v, mode[1], k);
	/* from the third third on, as a block behind others */
	vs_triple_bound_fill(&d.data, &row, mode, &thirds, 0, 3, p);
	vs_triple_bound_fill(&d.data, &row, mode, &thirds, 3, N_VEC - 3, p);
	for (size_t k = 0; k < N_VEC; k++)
		x->unfilled += p[k] != sum3(u, 0, v, 0, k);
	vs_triple_bound_look(&d.data, &row, &thirds, 0, 5, hit);
	vs_triple_bound_look(&d.data, &row, &thirds, 5, N_VEC - 5, hit + 5);
	for (size_t k = 0; k < N_VEC; k++)
		if (k != u && k != v)
			judge(x, excess(u, v, k, open), hit[k], 0.002);
}

/* Sides of all vectors with thirds [lo, lo + n); modes by place. */
static void
take_sides(size_t lo, size_t n, size_t lanes)
{
	int32_t p[N_VEC];

	vs_triple_bound_thirds(&thirds, &d.data, lo, n, lanes);
	for (size_t v = 0; v < N_VEC; v++) {
		count_side(v, lo, n, p);
		vs_triple_bound_side(&first, v, &d.data, v, (int)(v % 3),
			&thirds, p);
		vs_triple_bound_side(&second, v, &d.data, v, (int)((v + 1) % 3),
			&thirds, p);
	}
}

/* Blocks whose least entries some third is below. */
static int
wrong_least(void)
{
	int wrong = 0;

	for (size_t k = 0; k < thirds.n; k++) {
		size_t b = k / thirds.lanes;

		wrong += thirds.least[b].c > thirds.c[k] ||
			thirds.least[b].e[0] > thirds.e[0][k] ||
			thirds.least[b].e[1] > thirds.e[1][k];
	}
	return wrong;
}

/* Ranges of d of all rows with second vector v, against each third. */
static void
look_ranges(size_t v, size_t third, double slack, const uint32_t open[N_VEC],
	struct outcome *x)
{
	static int32_t lo[2 * VS_TRIPLE_BOUND_SIDE];
	static int32_t hi[2 * VS_TRIPLE_BOUND_SIDE];
	int32_t uv[N_VEC];

	count_side(v, 0, N_VEC, uv);
	vs_triple_bound_ranges(&d.data, &first, 1, N_VEC, &second, v, &thirds,
		uv, open, lo, hi);
	for (size_t u = 1; u < N_VEC; u++)
		for (size_t k = 0; k < thirds.n; k++) {
			size_t at = k / thirds.lanes * VS_TRIPLE_BOUND_SIDE + u;
			int32_t sum = sum3(u, (int)(u % 3), v,
				(int)((v + 1) % 3), third + k);
			bool left = sum < lo[at] || sum > hi[at];

			x->outside += lo[at] < -(1 << 30) || lo[at] > 1 << 30 ||
				hi[at] < -(1 << 30) || hi[at] > 1 << 30;
			if (u != v && third + k != u && third + k != v)
				judge(x, excess(u, v, third + k, open[u]), left,
					slack);
		}
}

/* Counts of a threshold: rows, ranges of blocks, ranges of single thirds. */
static void
look(double threshold, struct outcome x[3])
{
	struct vs_rng rng;
	uint32_t open[N_VEC];

	vs_rng_seed(&rng, d.v.n_field);
	d.v.q.threshold = threshold;
	triples_open(&d);
	take_sides(0, N_VEC, LANES);
	x[1].outside += wrong_least();
	for (size_t u = 0; u < N_VEC; u++)
		for (size_t v = 0; v < u; v++)
			look_row(u, v,
				(int[]){ (int)(u % 3), (int)(v / 3 % 3) },
				v % 4 ? 15 : 1 + (unsigned)u % 15, &x[0]);
	for (size_t u = 0; u < N_VEC; u++)
		open[u] = vs_rng_below(&rng, 3)
			? 15
			: (uint32_t)vs_rng_below(&rng, 16);
	for (size_t v = 0; v < N_VEC; v++)
		look_ranges(v, 0, 1, open, &x[1]);
	for (size_t k = 0; k < N_VEC; k += 7) {
		take_sides(k, 2, 1);
		for (size_t v = 0; v < N_VEC; v += 3)
			look_ranges(v, k, 0.1, open, &x[2]);
	}
}

static void
try(void)
{
	static const char *const of[3] = { "rows", "ranges of blocks",
		"ranges of one third" };
	const double at[] = { 0.7, 0.98, 0.9999 };
	int round = 0;

	for (d.v.q.lead = 0; d.v.q.lead < 2; d.v.q.lead++) {
		struct outcome x[3] = { { 0 } };

		for (int k = 0; k < 3; k++) {
			double value = triples_value(&d, at[k]);

			d.v.q.cpu = (enum vs_cpu)(
				round++ % ((int)vs_cpu_best() + 1));
			look(nextafter(value, k % 2 ? -1 : 2), x);
		}
		for (int k = 0; k < 3; k++)
			T_OK(!x[k].lost && !x[k].far && !x[k].unfilled &&
					!x[k].outside && x[k].n_pass > 2 &&
					(k == 1 ||
						x[k].n_left <=
							x[k].n_all * 3 / 4),
				TRIPLES_FORMAT
				", %s: %zu of %zu left, %zu pass, %d lost, "
				"%d far, %d not filled",
				TRIPLES_OF(&d), of[k], x[k].n_left, x[k].n_all,
				x[k].n_pass, x[k].lost, x[k].far,
				x[k].unfilled);
	}
}

int
main(void)
{
	triples_each(&d, N_VEC, try);
	return T_DONE();
}
