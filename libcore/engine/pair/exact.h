/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact decision on a pair of genotype vectors that a filter leaves. */
#ifndef VS_ENGINE_PAIR_EXACT_H
#define VS_ENGINE_PAIR_EXACT_H

#include "libcore/engine/pair_sums.h"
#include "libcore/engine/prune/row_filter.h"

/* Sums of one pair of genotype vectors, counted on its own. */
struct vs_pair_sums vs_exact_sums(const struct vs_sparse *sparse,
	size_t n_field, const struct vs_two *pair);

/*
 * Among all pairs that the leaders of the row and of each of its n columns
 * represent, append the records that pass by the metric's exact recipe. 0;
 * VS_EMACHINE
 */
int vs_exact_row(const struct vs_row_filter *t, const uint16_t *column,
	size_t n, struct vs_hits *found);

#endif
