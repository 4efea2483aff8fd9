/* SPDX-License-Identifier: BSD-3-Clause */
/* Permutation test: the greatest values of permuted data, and the threshold
 * that they imply. */
#ifndef VS_TOOLS_RUN_PERMUTE_TEST_H
#define VS_TOOLS_RUN_PERMUTE_TEST_H

#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"
#include "tools/run/run_kind.h"

#define VS_PERMUTE_TEST_LEAST 19 /* fewest permutations: 1 / 20 is 5 % */

/* The run, planned; the caller owns everything. */
struct vs_permute_test {
	const struct vs_run_kind *way;
	const struct vs_job *pairs;
	struct vs_packed *packed;
	const char *input;
	int64_t n; /* permutations */
};

/* Refuse data that have no permutations. option: for the message. 0;
 * VS_EUSAGE */
int vs_permute_test_check(const struct vs_permute_test *of, const char *option);

/*
 * The strongest value for a permutation, or the threshold if none is stronger;
 * for metrics with cases the permutation is that of --shuffle-cases SEED.
 * best        receives its strength
 * returns     0; VS_DONE: stopped by a signal; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_permute_test_search(const struct vs_permute_test *of, uint64_t seed,
	double *best);

/*
 * Find the strongest value of the vectors with their samples permuted, n times,
 * and print to stdout the threshold that at most 5 % of these searches exceed.
 * For metrics with cases, the case status is permuted, as with seeds 1 to n of
 * --shuffle-cases; for others, the samples of each vector separately.
 * returns     0; VS_EUSAGE: vectors of numbers; VS_EINPUT; VS_EMACHINE, a stop
 *             included
 * collective  yes
 */
int vs_permute_test_print(const struct vs_permute_test *of);

#endif
