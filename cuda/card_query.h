/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked, as a card takes it. */
#ifndef VS_CUDA_CARD_QUERY_H
#define VS_CUDA_CARD_QUERY_H

#include "cuda/card.h"
#include "libcore/engine/backend.h"

/* Has a card code for the values that are asked for? */
bool vs_card_has(const struct vs_query *q);

/* q is one that a card has code for. */
void vs_card_rule_make(const struct vs_query *q, struct vs_card_rule *r);

/*
 * Fill what the filter and the recipe need of vectors [lo, lo + n), and up to
 * whole tiles what never passes.
 * returns  whether they miss no call
 */
bool vs_card_sides_make(const struct vs_query *q, const struct vs_panel *p,
	size_t lo, size_t n, struct vs_card_side *out);

/*
 * The same for a filter that knows one sum alone, sum g g', where calls are
 * missing. Of that the four sums of a complete pair would follow, here bounds
 * of the r; and c_ij is at least c_i + c_j - n, with l = q->least_present
 * at least c_j / n (n - n (n - c_i) / l): a factor for each of the two.
 */
void vs_card_bounds_make(const struct vs_query *q, size_t n,
	const struct vs_card_side *exact, struct vs_card_side *out);

#endif
