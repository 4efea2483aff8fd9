/* SPDX-License-Identifier: BSD-3-Clause */
/* Most likely haplotypes: every small table and many large ones against the
 * definition, in either order and with other labels. T_INSTALL */
#include <math.h>

#include "libcore/base/rng.h"
#include "libcore/metric/d.h"
#include "libcore/metric/dprime.h"
#include "libcore/metric/r2em.h"
#include "tests/unit/test.h"

static struct vs_moments
moments_of(const int64_t joint[4][4])
{
	struct vs_moments m = { .both = joint[1][1] };

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			m.c += joint[x][y];
			m.p += x * y * joint[x][y];
			m.si += x * joint[x][y];
			m.sj += y * joint[x][y];
			m.qi += x * x * joint[x][y];
			m.qj += y * y * joint[x][y];
		}
	return m;
}

/* Tables that were looked at, and what was wrong. */
struct seen {
	int n, far, turned, beyond;
};

static void
look(struct seen *s, const int64_t joint[4][4])
{
	int64_t swapped[4][4] = { { 0 } }, labels[4][4] = { { 0 } };
	struct vs_moments m = moments_of(joint), a, b;
	const double d = vs_d_value(&m), r2 = vs_r2em_value(&m);
	const double share = vs_dprime_value(&m);

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			swapped[y][x] = joint[x][y];
			labels[2 - x][y] = joint[x][y];
		}
	a = moments_of((const int64_t(*)[4])swapped);
	b = moments_of((const int64_t(*)[4])labels);
	s->n++;
	s->far += !(fabs(d - vs_d_plain(joint)) < 1e-12) ||
		!(fabs(r2 - vs_r2em_plain(joint)) < 1e-12) ||
		!(fabs(share - vs_dprime_plain(joint)) < 1e-12);
	s->turned += vs_d_value(&a) != d || fabs(vs_d_value(&b)) != fabs(d) ||
		vs_r2em_value(&a) != r2 || vs_r2em_value(&b) != r2 ||
		vs_dprime_value(&a) != share || vs_dprime_value(&b) != share;
	s->beyond += !(fabs(d) <= 0.25 && r2 >= 0 && r2 <= 1 && share >= 0 &&
		share <= 1);
}

/* All tables of n samples in the cells from `cell` on. */
static void
fill(struct seen *s, int64_t joint[4][4], int cell, int n)
{
	for (int k = cell < 8 ? 0 : n; k <= n; k++) {
		joint[cell / 3][cell % 3] = k;
		if (cell < 8)
			fill(s, joint, cell + 1, n - k);
		else
			look(s, (const int64_t(*)[4])joint);
	}
}

static void
test_small(void)
{
	int64_t joint[4][4] = { { 0 } };
	struct seen s = { 0 };

	for (int n = 0; n <= 5; n++)
		fill(&s, joint, 0, n);
	T_OK(s.n == 2002 && !s.far && !s.turned && !s.beyond,
		"of all %d tables of up to 5 samples %d are not as defined, "
		"%d depend on order or labels, %d are out of range",
		s.n, s.far, s.turned, s.beyond);
}

static void
test_large(void)
{
	struct seen s = { 0 };
	struct vs_rng rng;

	vs_rng_seed(&rng, 3);
	for (int trial = 0; trial < 2000; trial++) {
		const uint64_t most = 10ull << vs_rng_below(&rng, 17);
		int64_t joint[4][4] = { { 0 } };

		for (int k = 0; k < 9; k++)
			joint[k / 3][k % 3] = (int64_t)vs_rng_below(&rng,
				vs_rng_below(&rng, 2) ? 4 : most);
		look(&s, (const int64_t(*)[4])joint);
	}
	T_OK(!s.far && !s.turned && !s.beyond,
		"of %d large tables %d are not as defined, %d depend on order "
		"or labels, %d are out of range",
		s.n, s.far, s.turned, s.beyond);
}

/*
 * By hand. Known haplotypes 11 and 22 twice each and one sample of either
 * phase: of 6 haplotypes 3 are 11 and 3 are 22, D = 3 / 6 - 1 / 4. And two of
 * each kind with four samples of either phase, where three roots meet at x = 2.
 */
static void
test_hand(void)
{
	const int64_t one[4][4] = { { 1 }, { 0, 1 }, { 0, 0, 1 } };
	const int64_t even[4][4] = { { 1, 0, 1 }, { 0, 4 }, { 1, 0, 1 } };
	struct vs_moments m = moments_of(one), k = moments_of(even);

	T_OK(vs_d_value(&m) == 0.25 && vs_r2em_value(&m) == 1 &&
			vs_dprime_value(&m) == 1,
		"complete, by hand: %.17g", vs_d_value(&m));
	T_OK(vs_d_value(&k) == 0, "a triple root is D = 0: %.17g",
		vs_d_value(&k));
}

int
main(void)
{
	test_small();
	test_large();
	test_hand();
	return T_DONE();
}
