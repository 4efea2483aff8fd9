/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection of the K strongest records of every vector, or of all, in two
 * passes over the records in any order: collect, then query each. Equal values
 * are ranked by (i, j, k, cell), first is stronger, so the answer depends only
 * on the set of records.
 */
#ifndef VS_FORMATS_RESULTS_TOP_H
#define VS_FORMATS_RESULTS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/record.h"

struct vs_top;

/*
 * Selection of the k > 0 strongest for each of n_vec vectors; n_vec 0: of all
 * records. lower: lower values are stronger. Memory grows to 48 bytes x k for
 * each vector with k records or more.
 */
int vs_top_new(struct vs_top **t, uint64_t n_vec, size_t k, bool lower);
int vs_top_see(struct vs_top *t, const struct vs_record *rec);

/* True if the record is among the K strongest of at least one of its
 * vectors. */
bool vs_top_keeps(struct vs_top *t, const struct vs_record *rec);

void vs_top_free(struct vs_top *t); /* null is accepted */

#endif
