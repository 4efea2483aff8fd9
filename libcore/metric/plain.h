/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference implementation of all metrics, slow and straight from their
 * definitions: the oracle of kernels and recipes, with which it shares no code.
 */
#ifndef VS_METRIC_PLAIN_H
#define VS_METRIC_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/element.h"

/* All four cells of a pair; cell = 2 a + b for labels a of i, b of j. */
struct vs_plain_pair {
	int64_t nvalid;  /* fields present in both, c_ij */
	int64_t num[4];  /* r_ij(a, b), exact */
	double value[4]; /* 0 for 0/0 */
};

/* All eight cells of a triple; cell = 4 a + 2 b + c. */
struct vs_plain_triple {
	int64_t nvalid;  /* fields present in all three, c_ijk */
	int64_t num[8];  /* r_ijk(a, b, c), exact */
	double value[8]; /* 0 for 0/0 */
};

/*
 * Parameters of the family of CCC: vectors whose entries are 0 to ploidy, 1 or
 * 2.
 */
struct vs_plain_recipe {
	int ploidy;
	/* multiplier mp / mq, gamma gp / gq, both in lowest terms */
	int64_t mp, mq, gp, gq;
};

/*
 * multiplier f_ij (1 - gamma f_i) (1 - gamma f_j) of two vectors of n_field
 * entries, a byte each, 3 for missing.
 *
 * units    few enough fields, and small enough fractions, for the products of
 *          all integers to fit 128 bits
 * threads  safe
 */
void vs_plain_alleles(const struct vs_plain_recipe *how, const uint8_t *i,
	const uint8_t *j, size_t n_field, struct vs_plain_pair *out);
void vs_plain_alleles3(const struct vs_plain_recipe *how,
	const uint8_t *const v[3], size_t n_field, struct vs_plain_triple *out);

/*
 * Value of n vectors with s copies of the cell's allele in c present fields
 * each; r over the fields present in all.
 */
double vs_plain_value(const struct vs_plain_recipe *how, int n, int64_t r,
	int64_t both, const int64_t *s, const int64_t *c);

/* joint[x][y]: fields where i has genotype x and j genotype y, 3 for
 * missing. */
void vs_plain_joint(const uint8_t *i, const uint8_t *j, size_t n_field,
	int64_t joint[4][4]);

/*
 * Proportional Similarity, 2 sum min(u, v) / (sum u + sum v), of two vectors of
 * n_field numbers. Integers exactly; reals in runs of 128 fields, each run in
 * the type of the numbers, and their sums in f64.
 * num  the sum of minima; -1 for reals
 */
void vs_plain_ps(enum vs_element element, const void *u, const void *v,
	size_t n_field, int64_t *num, double *value);

/*
 * Proportional Similarity of three vectors, 3/2 (sum min(u,v) + sum min(u,w) +
 * sum min(v,w) - sum min(u,v,w)) / (sum u + sum v + sum w). Reals: sums as
 * above; combined by size: the two smaller pair sums plus (the largest less the
 * minima of all three); the two smaller totals first; a value above 1 becomes
 * 1.
 */
void vs_plain_ps3(enum vs_element element, const void *const v[3],
	size_t n_field, int64_t *num, double *value);

/*
 * Correlation, or cosine if not centred, of two vectors of n_field numbers, as
 * libcore/metric/inner.h defines it: for bytes, and for words of at most 2^21
 * fields, about the whole numbers nearest to their means, with exact sums; for
 * others about their means, with products added by fused multiply-add over runs
 * of 128 fields, f32 in f32, and the sums of the runs in f64.
 */
double vs_plain_inner(enum vs_element element, bool centred, const void *u,
	const void *v, size_t n_field);

/*
 * The same of vectors with missing entries, NaN, over the n_both fields that
 * both have, as libcore/metric/inner.h defines it too.
 */
double vs_plain_inner_missing(enum vs_element element, bool centred,
	const void *u, const void *v, size_t n_field, int64_t *n_both);

/* Ranks of n numbers, for Spearman's correlation: half of (numbers below +
 * numbers not above + 1), so that equal numbers share the mean. A missing
 * number, NaN, gets NaN and does not count. */
void vs_plain_ranks(enum vs_element element, const void *x, size_t n,
	double *rank);

/* Euclidean distance of two vectors of n_field numbers, as
 * libcore/kern/dots/distance.h defines it. */
double vs_plain_distance(enum vs_element element, const void *u, const void *v,
	size_t n_field);

#endif
