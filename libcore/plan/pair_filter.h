/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pair filter: which pairs of vectors a run compares, by their chromosomes and
 * by their distance on these.
 *
 * Vectors are ranked by chromosome, in the order in which these first occur in
 * the input, and there by position, or by their rows where no rule is of
 * positions. The partners of a vector before it, on its chromosome, are then a
 * range of ranks whose ends never fall, so that a run has a band of pairs to
 * compare.
 */
#ifndef VS_PLAN_PAIR_FILTER_H
#define VS_PLAN_PAIR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/plan/pair_rules.h"

struct vs_pair_filter {
	uint64_t n_vec;
	uint64_t n_pair;     /* wanted */
	bool others;         /* pairs of two chromosomes are wanted */
	bool in_order;       /* rank of each row is the row */
	uint64_t n_unplaced; /* of no known place, and in no pair */
	/* by row of the vectors file, [n_vec] */
	uint32_t *rank;
	/* by rank, [n_vec]: the first of its chromosome, VS_PAIR_UNPLACED where
	 * that is not known; and the range of ranks before it that are wanted
	 * of that chromosome */
	uint32_t *start, *lo, *hi;
	/* by row, [n_vec]: all partners of a row are among rows [near_lo,
	 * near_hi), neither of which falls from one row to the next */
	uint32_t *near_lo, *near_hi;
	double n_near; /* of all rows */
};
#define VS_PAIR_UNPLACED UINT32_MAX

/*
 * contig  [n_vec] by row, -1: not known
 * pos     [n_vec] by row, less than 1: not known; null where no rule needs it
 * source  [n_vec] by row, the row of the input
 * returns 0; VS_EINPUT: no vector has a place; VS_EMACHINE. Free it in any case
 */
int vs_pair_filter_make(struct vs_pair_filter *f, const struct vs_pair_rules *r,
	uint64_t n_vec, const int32_t *contig, const int64_t *pos,
	const int64_t *source);
void vs_pair_filter_free(struct vs_pair_filter *f); /* all zero is accepted */

/* True if the pair of rows i and j, in any order, is wanted. */
static inline bool
vs_pair_filter_wants(const struct vs_pair_filter *f, uint64_t i, uint64_t j)
{
	uint32_t a = f->rank[i], b = f->rank[j];

	if (a > b) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	if (f->start[a] == VS_PAIR_UNPLACED || f->start[b] == VS_PAIR_UNPLACED)
		return false;
	return a < f->start[b] ? f->others : a >= f->lo[b] && a < f->hi[b];
}

/*
 * Pairs wanted that are between two sets.
 * in  [n_vec] by row, a bit for each set that the vector is in
 * returns  0; VS_EMACHINE
 */
int vs_pair_filter_between(const struct vs_pair_filter *f, const uint8_t *in,
	uint64_t *n_pair);

/* Triples whose three pairs are wanted. 0; VS_EMACHINE */
int vs_pair_filter_triples(const struct vs_pair_filter *f, uint64_t *n_triple);

/*
 * True if work falls when a run goes through the vectors in the order of the
 * file: the pairs wanted are few and lie in a band, though some vectors may
 * stand a little before or behind their places.
 */
bool vs_pair_filter_is_band(const struct vs_pair_filter *f);

/*
 * The rows [*lo, *hi) that columns [col, end) of a band may want; empty where
 * there are none.
 */
void vs_pair_filter_rows(const struct vs_pair_filter *f, uint64_t col,
	uint64_t end, uint64_t *lo, uint64_t *hi);

/*
 * Reduce rows [*lo, *hi) to those that may be in a pair with [first, end),
 * before or behind these or among them; *lo is *hi where none is.
 */
void vs_pair_filter_near(const struct vs_pair_filter *f, size_t first,
	size_t end, size_t *lo, size_t *hi);

#endif
