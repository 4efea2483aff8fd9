/* SPDX-License-Identifier: BSD-3-Clause */
/* Query in the form of the device: thresholds, recipe and filter terms. */
#ifndef VS_CUDA_CARD_QUERY_H
#define VS_CUDA_CARD_QUERY_H

#include "cuda/card.h"
#include "libcore/engine/backend.h"

/* True if the device has code for the query's metric. */
bool vs_card_has(const struct vs_query *q);

/* The same of triples. */
bool vs_card_has_triples(const struct vs_query *q);

/* True if calls are missing and one sum bounds the others. */
VS_INLINE bool
vs_card_is_bounded(const struct vs_query *q)
{
	return q->alleles && q->has_missing && q->least_present > 0 &&
		q->threshold > 0;
}

/* Make the rule of a query that the device has code for. */
void vs_card_rule_make(const struct vs_query *q, bool triples,
	struct vs_card_rule *r);

/* Set the query's present threshold; except for pairs of alleles. */
void vs_card_rule_raise(const struct vs_query *q, struct vs_card_rule *r);

/*
 * Set the terms of the bound of tables with n[0] controls and n[1] cases that
 * need this sum, see metric.h, in nats. entropy: for n ln n, else for
 * factorials.
 */
void vs_card_chi_make(const int64_t n[2], double need, bool entropy,
	struct vs_card_chi *to);

/* Change those for triples of samples of which some are not called. */
void vs_card_chi_called(const int64_t n[2], enum vs_device_code table,
	struct vs_card_chi *to);

/*
 * Lay out the segments of a part of tables, one for each class; for triples of
 * alleles, all samples are in the first.
 * returns  words of a plane, in whole tiles; the last may be in no segment
 */
size_t vs_card_segments_make(const struct vs_query *q, struct vs_card_part *p);

/* Fields of the segments, for all places of a part's words. */
void vs_card_fields_make(const struct vs_query *q, const struct vs_card_part *p,
	uint32_t *field);

/*
 * Set the filter and recipe terms of vectors [lo, lo + n); padding up to whole
 * tiles never passes.
 * returns  true if no call is missing
 */
bool vs_card_sides_make(const struct vs_query *q, const struct vs_panel *p,
	size_t lo, size_t n, struct vs_card_side *out);

/*
 * Terms for a filter that knows only the sum g g', if calls are missing. For a
 * complete pair the four sums would follow from it; here it bounds the r. c_ij
 * is at least c_i + c_j - n, with l = q->least_present at least c_j / n (n - n
 * (n - c_i) / l): a factor for each of the two.
 */
void vs_card_bounds_make(const struct vs_query *q, size_t n,
	const struct vs_card_side *exact, struct vs_card_side *out);

#endif
