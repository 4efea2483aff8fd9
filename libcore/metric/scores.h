/* SPDX-License-Identifier: BSD-3-Clause */
/* All scores of one contingency table. */
#ifndef VS_METRIC_SCORES_H
#define VS_METRIC_SCORES_H

#include <stdbool.h>

#include "libcore/metric/association.h"
#include "libcore/metric/regression.h"

/*
 * A table, genotypes of the first vector most significant, and its scores:
 * named like the metrics, with degrees of freedom and the upper tail of
 * chi-square.
 */
struct vs_scores {
	int64_t cell[VS_ASSOCIATION_CELLS][2];
	int n_way;
	double k2, lbf, mi, g, p, inter, inter_p, alpha, beta;
	int df, inter_df;
	/* of a trait: the F test sets p, df and df2 */
	int64_t squares; /* in units of the trait */
	int df2;
	double permuted; /* share of permuted tables as strong */
	/* of n_refit samples, the effect of the product of the genotypes in a
	 * regression, and as an odds ratio; NaN: none */
	struct vs_regression refit;
	double odds_ratio;
	int n_refit;
};

/* Set all members but cell, n_way and permuted; inter only if it is to be
 * fitted. logs: indexed by enum vs_log_kind */
void vs_scores_set(struct vs_scores *s, const struct vs_log_tables *logs,
	bool fit);

/*
 * Share of n random tables with the same margins, this one included, whose G is
 * at least as large: cases are drawn from the samples of each cell without
 * replacement. The cost grows only with the square root of the number of
 * samples.
 */
double vs_scores_permute(const struct vs_scores *s,
	const struct vs_log_tables *logs, int64_t n, uint64_t seed);

#endif
