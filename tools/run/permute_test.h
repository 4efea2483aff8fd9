/* SPDX-License-Identifier: BSD-3-Clause */
/* Permutation test: the greatest values of permuted data, and the threshold
 * that they give. */
#ifndef VS_TOOLS_RUN_PERMUTE_TEST_H
#define VS_TOOLS_RUN_PERMUTE_TEST_H

#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"
#include "tools/run/run_kind.h"

#define VS_PERMUTE_TEST_LEAST 19 /* permutations: 1 / 20 is 5 % */

/* The run, planned; all belongs to the caller. */
struct vs_permute_test {
	const struct vs_run_kind *way;
	const struct vs_job *pairs;
	struct vs_packed *packed;
	const char *input;
	int64_t n; /* permutations */
};

/* Refuse what has no permutations. option: for the message. 0; VS_EUSAGE */
int vs_permute_test_check(const struct vs_permute_test *of, const char *option);

/*
 * The strongest value of a permutation, of metrics with cases that of
 * --shuffle-cases SEED, or the threshold where none is stronger.
 * best        receives its vs_metric_strength()
 * returns     0; VS_DONE: stopped by a signal; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_permute_test_search(const struct vs_permute_test *of, uint64_t seed,
	double *best);

/*
 * Find the strongest value of the vectors with their samples permuted, n times,
 * and print the value that a family-wise 5 % of these searches exceed, on
 * stdout. Of metrics with cases their status is permuted, as with seeds 1 to
 * n of --shuffle-cases; of others the samples of each vector by itself.
 * returns     0; VS_EUSAGE: of numbers; VS_EINPUT; VS_EMACHINE, a stop included
 * collective  yes
 */
int vs_permute_test_print(const struct vs_permute_test *of);

#endif
