/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of the values of triples, by sums of a column each. */
#ifndef VS_ENGINE_SLAB_TRIPLE_HISTOGRAM_H
#define VS_ENGINE_SLAB_TRIPLE_HISTOGRAM_H

#include "libcore/engine/histogram/value_histogram.h"

struct vs_triple_data;
/* Vectors u and v with those from w on: sums as in struct vs_sums, by column.
 * Without missing calls sums 0, 2, 4 and 6 are the same for all columns: they
 * are in `same`, and their arrays are null. */
struct vs_triple_histogram {
	size_t u, v, w;
	const int32_t *g[8];
	int32_t same[8];
	const float *e[2]; /* 1 / u_w, by label */
};

/*
 * Count all values of columns [lo, hi). With missing calls may[k] tells whether
 * some value of column k may pass; without, it is not used.
 * returns  whether any may
 */
bool vs_triple_histogram(struct vs_value_histogram *b,
	const struct vs_triple_data *t, const struct vs_triple_histogram *of,
	size_t lo, size_t hi, int32_t *may);

#endif
