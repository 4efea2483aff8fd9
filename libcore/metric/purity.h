/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gini purity of the genotypes of a pair or triple: the probability that two
 * samples with the same combination of genotypes, drawn with replacement, have
 * the same case-control status. With n_ic as in association.h:
 *
 *   beta   sum (n_i0^2 + n_i1^2) / n_i / N = 1 - 2 S / N,
 *          S = sum n_i0 n_i1 / n_i
 *   alpha  beta less that of the best subset with one vector fewer
 *
 * (Bayat et al., BitEpi, Scientific Reports 11, 2021). The subsets are
 * evaluated on the samples that all vectors call.
 *
 * By Pinsker's inequality the mutual information is at least beta - (N_0^2 +
 * N_1^2) / N^2, and alpha is at most that difference: so a value above a
 * threshold needs mutual information.
 */
#ifndef VS_METRIC_PURITY_H
#define VS_METRIC_PURITY_H

#include "libcore/metric/association.h"

/* 3^n_way cells; least is not used. Bit-identical for any order of the vectors
 * and of their genotypes. 0 without samples. */
double vs_purity_beta(const int64_t (*cell)[2], int n_way, double least);
double vs_purity_alpha(const int64_t (*cell)[2], int n_way, double least);

/* The sum of association.h, in units, that a value needs. */
double vs_purity_beta_needed(const struct vs_log_tables *t, const int64_t n[2],
	double beta);
static inline double
vs_purity_alpha_needed(const struct vs_log_tables *t, const int64_t n[2],
	double alpha)
{
	return vs_mi_needed(t, n, alpha);
}

/* The slow definitions, which share no code with these. */
double vs_purity_beta_plain(const int64_t (*cell)[2], int n_cell);
double vs_purity_alpha_plain(const int64_t (*cell)[2], int n_cell);

#endif
