/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * F test of interaction for a quantitative trait: the model with a mean for
 * each combination of genotypes that occurs against a model without
 * interaction, both by least squares over the samples that have the trait and
 * all calls.
 *
 *   main effects  a mean, and for each vector effects of its genotypes
 *   additive      a mean, and for each vector an effect of a copy of an allele
 *
 * With N samples, C combinations that occur and R the rank of the model without
 * interaction on these, F = ((RSS_R - RSS_C) / (C - R)) / (RSS_C / (N - C)) has
 * C - R and N - C degrees of freedom: for a pair with all nine combinations 4
 * and N - 9 against main effects, 6 and N - 9 against the additive model; for a
 * triple 20 or 23 and N - 27. The same as R's anova(lm(y ~ a + b), lm(y ~
 * factor(a) * factor(b))), where a and b are factors or copies.
 *
 * F is 0 where there is nothing to test: C = R, N = C, or a constant trait.
 * RSS_C is taken to be at least 2^-36 of the sum of squares, so that F is
 * finite where the combinations leave no variance.
 */
#ifndef VS_METRIC_TRAIT_TEST_H
#define VS_METRIC_TRAIT_TEST_H

#include <stdbool.h>
#include <stdint.h>

#define VS_TRAIT_TEST_LEFT 0x1p-36

struct vs_trait_test {
	double f;
	int df1;
	int64_t df2;
};

/*
 * cell      samples by cell and the sum of their trait about its mean;
 *           genotypes of the first vector most significant; 3^n_way cells
 * squares   sum of the squares of all samples, in squared units of the sums
 * returns   the same to the bit for any order of the vectors and labels of the
 *           alleles, on any machine
 */
struct vs_trait_test vs_trait_test(const int64_t (*cell)[2], double squares,
	int n_way, bool additive);

/* The value of a metric. */
double vs_trait_f(const int64_t (*cell)[2], double squares, int n_way);
double vs_trait_fadd(const int64_t (*cell)[2], double squares, int n_way);

/* Probability that F with these degrees of freedom is at least f; 1 if there
 * are none. Relative error below 1e-12. */
double vs_trait_test_p(const struct vs_trait_test *t);

/*
 * The slow definition, which shares no code with these: Gram-Schmidt
 * orthogonalisation of the models' columns over n_cell cells.
 * mean    of the trait by cell
 * within  sum of squared deviations from these means
 * all     receives that from the mean of all
 */
double vs_trait_plain(const int64_t *n, const double *mean, double within,
	int n_way, bool additive, double *all);

#endif
