/* SPDX-License-Identifier: BSD-3-Clause */
/* Null distribution of a run's strongest value: option --permutations. */
#ifndef VS_TOOLS_RUN_PERMUTATIONS_H
#define VS_TOOLS_RUN_PERMUTATIONS_H

#include "formats/results/shard_writer.h"
#include "tools/run/permute_test.h"

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
 * returns     0; VS_EUSAGE: vectors of numbers; VS_EINPUT; VS_EMACHINE, a stop
 *             included
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
