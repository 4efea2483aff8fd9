/* SPDX-License-Identifier: BSD-3-Clause */
/* Permutation test: the greatest values of permuted data, and the threshold
 * that they imply. */
#ifndef VS_TOOLS_RUN_PERMUTATIONS_H
#define VS_TOOLS_RUN_PERMUTATIONS_H

#include "formats/results/shard_writer.h"
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

/*
 * Find the strongest value of the vectors with their samples permuted, n times,
 * and print to stdout the threshold that at most 5 % of these searches exceed.
 * For metrics with cases, the case status is permuted, as with seeds 1 to n of
 * --shuffle-cases; for others, the samples of each vector separately.
 * returns     0; VS_EINPUT; VS_EMACHINE, a stop included
 * collective  yes
 */
int vs_permutations_print(const struct vs_permute_test *of);

struct vs_permutations {
	struct vs_permute_test test;
	const struct vs_shard_writer_plan *to; /* the shards of the run */
	struct vs_run *run;       /* the search completes its null_maxima */
	_Atomic int64_t n_sealed; /* by all stages and runs, to resume from */
};

/*
 * Search the permutations of the run's stage that have no strongest value yet,
 * each a search of all of its pairs or triples; stage K/N does every N-th from
 * the K-th on. Results are saved at intervals, in a shard without tiles.
 * returns     0; VS_EINPUT; VS_EMACHINE, a stop included
 * collective  yes
 */
int vs_permutations_search(struct vs_permutations *p);

/*
 * Report, on any thread, that the run was stopped, and how many permutations
 * are sealed. False: none is, and nothing is reported
 */
bool vs_permutations_say(const struct vs_permutations *p);

/* Remove what was saved, once it is in the run's shards. */
void vs_permutations_end(const struct vs_permutations *p);

#endif
