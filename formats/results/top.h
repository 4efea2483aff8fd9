/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection of the K strongest records of every vector, or of all, in two
 * passes over the records in any order: collect, then query each. Of equal
 * values the one that comes first by (i, j, k, cell) is the stronger, so the
 * answer depends on nothing but the set of records.
 */
#ifndef VS_FORMATS_RESULTS_TOP_H
#define VS_FORMATS_RESULTS_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/record.h"

struct vs_top;

/*
 * Selection of the strongest for each of n_vec vectors; n_vec 0: of all. lower:
 * lower values are stronger. k > 0;
 * memory grows to 48 bytes x k for each vector with k records or more.
 */
int vs_top_new(struct vs_top **t, uint64_t n_vec, size_t k, bool lower);
int vs_top_see(struct vs_top *t, const struct vs_record *rec);

/* The record is among the K strongest, of one of its vectors at least. */
bool vs_top_keeps(struct vs_top *t, const struct vs_record *rec);

void vs_top_free(struct vs_top *t); /* null is accepted */

#endif
