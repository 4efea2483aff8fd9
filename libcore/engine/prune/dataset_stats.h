/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a data set from genotype counts, before any vector is read. */
#ifndef VS_ENGINE_PRUNE_DATASET_STATS_H
#define VS_ENGINE_PRUNE_DATASET_STATS_H

#include "libcore/engine/backend.h"

#define VS_DATASET_STATS_PARTS 64 /* parts of a file, about equally large */

/*
 * Sums over vectors, which are the same in any order and for any partition:
 * shares are in units of 2^-31. A vector is alive if it may pass.
 */
struct vs_dataset_sums {
	uint64_t alive;
	uint64_t balance;   /* homozygotes of label 1, less those of label 0 */
	uint64_t listed[2]; /* shares, by the label that is counted */
	uint64_t squares,
		part[VS_DATASET_STATS_PARTS]; /* sum of the rarer frequencies */
};

struct vs_dataset_stats {
	struct vs_query *q;
	uint64_t n_vec, at; /* number of vectors; the next one to be taken */
	struct vs_dataset_sums sums;
	uint64_t *dead;
};

/*
 * Begin with a query whose metric, threshold, prune and n_field are set. Then
 * take the counts of all n_vec vectors, in file order from `at` on, initially
 * 0, as packed files have them: fields with 0, 1, 2 copies of label 1's allele
 * and without a call.
 * dead  bits of all n_vec vectors: set for those that pass with none if no call
 *       is missing; else vs_dataset_stats_dead() sets them
 */
void vs_dataset_stats_begin(struct vs_dataset_stats *s, struct vs_query *q,
	uint64_t n_vec, uint64_t *dead);
void vs_dataset_stats_take(struct vs_dataset_stats *s,
	const int64_t (*count)[4], size_t n);

/* Add up the sums of all ranks, each of which read a part, and combine the
 * query's has_missing and least_present. Collective. */
void vs_dataset_stats_share(struct vs_dataset_stats *s);

/* Fill has_missing, least_present, lead, listed and rounds of the query. */
void vs_dataset_stats_end(struct vs_dataset_stats *s);

/* Blocks per rank, if there are several, for n_vec vectors sorted by
 * frequency. */
int vs_dataset_stats_rounds(uint64_t n_vec, uint64_t alive);

/* Set bits [lo, hi) for the vectors that by their counts pass with none. */
void vs_dataset_stats_dead(const struct vs_query *q, const int64_t (*count)[4],
	uint64_t lo, uint64_t hi, uint64_t *dead);

#endif
