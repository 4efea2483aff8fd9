/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of the values of a row of pairs, from its sums. */
#ifndef VS_ENGINE_PRUNE_ROW_HISTOGRAM_H
#define VS_ENGINE_PRUNE_ROW_HISTOGRAM_H

#include "libcore/engine/histogram/value_histogram.h"

struct vs_row_filter;
/*
 * Histogram of all values of a row of sums, without representatives. may: bit j
 * is set if some cell of column j may pass, judging by its bucket.
 */
void vs_row_histogram(struct vs_value_histogram *b,
	const struct vs_row_filter *t, uint64_t *may);

#endif
