/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a data set from genotype counts, before any vector is read. */
#ifndef VS_ENGINE_PRUNE_DATASET_STATS_H
#define VS_ENGINE_PRUNE_DATASET_STATS_H

#include "libcore/engine/backend.h"

#define VS_DATASET_STATS_PARTS 64 /* of a file, alike in number */

struct vs_dataset_stats {
	struct vs_query *q;
	uint64_t n_vec, n; /* to be taken, and taken */
	uint64_t alive;    /* may pass */
	int64_t balance;   /* homozygotes of label 1, less those of label 0 */
	double listed[2];  /* shares, added up, by the label that is counted */
	double squares,
		part[VS_DATASET_STATS_PARTS]; /* of the rarer frequencies */
	uint64_t *dead;
};

/*
 * Begin with a query whose metric, threshold, prune and n_field are set;
 * take the counts of all n_vec vectors, in the order of the file, as packed
 * files have them: fields with 0, 1, 2 copies of label 1's allele and without a
 * call.
 * dead  bits of all n_vec vectors: set for those that pass with none, where no
 *       call is missing; elsewhere by vs_dataset_stats_dead()
 */
void vs_dataset_stats_begin(struct vs_dataset_stats *s, struct vs_query *q,
	uint64_t n_vec, uint64_t *dead);
void vs_dataset_stats_take(struct vs_dataset_stats *s,
	const int64_t (*count)[4], size_t n);

/* Fill has_missing, least_present, lead, listed and rounds of the query. */
void vs_dataset_stats_end(struct vs_dataset_stats *s);

/* Set bits [lo, hi) of the vectors that by their counts pass with none. */
void vs_dataset_stats_dead(const struct vs_query *q, const int64_t (*count)[4],
	uint64_t lo, uint64_t hi, uint64_t *dead);

#endif
