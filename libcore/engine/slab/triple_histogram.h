/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of the values of triples, by sums of a column each. */
#ifndef VS_ENGINE_SLAB_TRIPLE_HISTOGRAM_H
#define VS_ENGINE_SLAB_TRIPLE_HISTOGRAM_H

#include "libcore/engine/histogram/value_histogram.h"

struct vs_triple_data;
/* Vectors u and v with those from w on, by column; no call is missing. */
struct vs_triple_histogram {
	size_t u, v, w;
	int32_t uv; /* sum g_u g_v */
	const int32_t *p, *gu, *gv,
		*s;        /* sum g_u g_v g_w, g_u g_w, g_v g_w, g_w */
	const float *e[2]; /* 1 / u_w, by label */
};

/* All values of columns [lo, hi). */
void vs_triple_histogram(struct vs_value_histogram *b,
	const struct vs_triple_data *t, const struct vs_triple_histogram *of,
	size_t lo, size_t hi);

/* The same with missing calls: sums as in struct vs_sums, by column. */
struct vs_triple_histogram_joint {
	size_t u, v, w;
	const int32_t *g[8];
	const float *e[2];
};

/* All values of columns [lo, hi); may[k]: some value of column k may pass.
 * returns  whether any may */
bool vs_triple_histogram_joint(struct vs_value_histogram *b,
	const struct vs_triple_data *t,
	const struct vs_triple_histogram_joint *of, size_t lo, size_t hi,
	int32_t *may);

#endif
