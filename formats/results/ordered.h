/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterator over the records of a result in order (i, j, k, cell), sorted if
 * necessary. */
#ifndef VS_FORMATS_RESULTS_ORDERED_H
#define VS_FORMATS_RESULTS_ORDERED_H

#include "formats/results/result.h"

/*
 * One merged result, read in its order, or n shards, sorted in `memory` bytes
 * and beyond that in a file in $TMPDIR. The caller keeps the results open.
 */
struct vs_ordered;
int vs_ordered_new(struct vs_ordered **o, struct vs_result *const *r, size_t n,
	uint64_t memory);

/* 1: *rec is the next one; 0: no more; negative: error */
int vs_ordered_next(struct vs_ordered *o, struct vs_record *rec);
void vs_ordered_free(struct vs_ordered *o); /* null is accepted */

#endif
