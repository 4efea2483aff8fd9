/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Association scores of a pair or triple of genotype vectors with the
 * case-control status: from the table n_ic of samples with genotypes i and
 * class c, without samples that miss a call of any of the vectors. With n_i =
 * n_i0 + n_i1, N_c = sum n_ic:
 *
 *   K2   sum ln (n_i + 1)! - ln n_i0! - ln n_i1!
 *   lbf  ln (N + 1)! - ln N_0! - ln N_1! - K2, the log Bayes factor
 *   MI   (sum L(n_i0) + L(n_i1) - L(n_i) - L(N_0) - L(N_1) + L(N)) / N
 *   G    2 N MI,  L(n) = n ln n
 *
 * K2 is -ln of the marginal likelihood of Cooper and Herskovits (1992); with no
 * vector it is ln (N + 1)! - ln N_0! - ln N_1!. Natural logarithms.
 */
#ifndef VS_METRIC_ASSOCIATION_H
#define VS_METRIC_ASSOCIATION_H

#include <math.h>

#include "libcore/base/host_device.h"
#include "libcore/metric/log_tables.h"

/* Cells of a triple's table; genotypes of vector k at 3^k. */
#define VS_ASSOCIATION_CELLS 27

/* Sum over the cells of one[n_i0] + one[n_i1] - both[n_i]; and the samples of
 * each class. */
struct vs_association {
	int64_t sum, n[2];
};

/* The negated sum for the table without genotypes: one cell that has all
 * samples. */
VS_BOTH int64_t
vs_association_whole(const struct vs_log_tables *t, const int64_t n[2])
{
	return t->both[n[0] + n[1]] - t->one[n[0]] - t->one[n[1]];
}

VS_BOTH double
vs_k2_value(const struct vs_log_tables *t, const struct vs_association *a)
{
	return (double)-a->sum * t->unit;
}

VS_BOTH double
vs_lbf_value(const struct vs_log_tables *t, const struct vs_association *a)
{
	return (double)(a->sum + vs_association_whole(t, a->n)) * t->unit;
}

/* N MI, which rounding of the table's entries cannot make negative. */
VS_BOTH double
vs_association_information(const struct vs_log_tables *t,
	const struct vs_association *a)
{
	int64_t sum = a->sum + vs_association_whole(t, a->n);

	return sum > 0 ? (double)sum * t->unit : 0;
}

VS_BOTH double
vs_mi_value(const struct vs_log_tables *t, const struct vs_association *a)
{
	int64_t n = a->n[0] + a->n[1];

	return n ? vs_association_information(t, a) / (double)n : 0;
}

VS_BOTH double
vs_g_value(const struct vs_log_tables *t, const struct vs_association *a)
{
	return 2 * vs_association_information(t, a);
}

/* ---- the inverse: the sum, in units, that a value needs ---- */

static inline double
vs_k2_needed(const struct vs_log_tables *t, const int64_t n[2], double strength)
{
	(void)t;
	(void)n;
	return strength;
}

static inline double
vs_lbf_needed(const struct vs_log_tables *t, const int64_t n[2],
	double strength)
{
	return strength - (double)vs_association_whole(t, n) * t->unit;
}

static inline double
vs_mi_needed(const struct vs_log_tables *t, const int64_t n[2], double strength)
{
	return vs_lbf_needed(t, n, strength * (double)(n[0] + n[1]));
}

static inline double
vs_g_needed(const struct vs_log_tables *t, const int64_t n[2], double strength)
{
	return vs_lbf_needed(t, n, strength / 2);
}

/* ---- plain definitions, which share no code with these ---- */

static inline double
vs_k2_plain(const int64_t (*cell)[2], int n_cell)
{
	double sum = 0;

	for (int i = 0; i < n_cell; i++)
		sum += lgamma((double)(cell[i][0] + cell[i][1] + 2)) -
			lgamma((double)(cell[i][0] + 1)) -
			lgamma((double)(cell[i][1] + 1));
	return sum;
}

static inline double
vs_lbf_plain(const int64_t (*cell)[2], int n_cell)
{
	int64_t all[1][2] = { { 0, 0 } };

	for (int i = 0; i < n_cell; i++)
		for (int c = 0; c < 2; c++)
			all[0][c] += cell[i][c];
	return vs_k2_plain(all, 1) - vs_k2_plain(cell, n_cell);
}

static inline double
vs_mi_plain(const int64_t (*cell)[2], int n_cell)
{
	double of[2] = { 0, 0 }, sum = 0;

	for (int i = 0; i < n_cell; i++)
		for (int c = 0; c < 2; c++)
			of[c] += (double)cell[i][c];
	for (int i = 0; i < n_cell; i++)
		for (int c = 0; c < 2; c++) {
			double n = (double)cell[i][c];
			double row = (double)(cell[i][0] + cell[i][1]);
			double all = of[0] + of[1];

			if (cell[i][c])
				sum += n / all * log(n * all / row / of[c]);
		}
	return sum;
}

static inline double
vs_g_plain(const int64_t (*cell)[2], int n_cell)
{
	int64_t n = 0;

	for (int i = 0; i < n_cell; i++)
		n += cell[i][0] + cell[i][1];
	return 2 * (double)n * vs_mi_plain(cell, n_cell);
}

#endif
