/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wanted pairs and triples: which ones a run compares, whatever their values.
 *
 * Two conditions hold together, and either may be absent.
 *
 * By place: a pair is on one chromosome or on two, and its positions are some
 * distance apart; for a triple this holds for each of its three pairs. Vectors
 * are ranked by chromosome, in order of first occurrence in the input, and
 * there by position or, if no rule concerns positions, by row. The partners of
 * a vector before it, on its chromosome, are then a range of ranks whose ends
 * never decrease: a band.
 *
 * By sets: one vector is in the first set, another in the second; any third. A
 * run that extends an earlier result has the new vectors as one set and all
 * vectors as the other. The sets order the vectors, part after part, see struct
 * vs_between: their places in a plan are not their rows in the file.
 */
#ifndef VS_PLAN_WANTED_H
#define VS_PLAN_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/record.h"
#include "libcore/plan/pair_rules.h"
#include "libcore/plan/plan.h"

/* All zero: every pair and triple. Lists are null without their condition. */
struct vs_wanted {
	uint64_t n_vec;
	int n_way; /* vectors of a combination, 2 or 3 */

	/* by sets: how many vectors each part has */
	bool by_sets;
	struct vs_between of;
	/* by row of the vectors file, [n_vec]: bit 0, the vector is in the
	 * first set, which is the smaller one or, if both are of equal size,
	 * the one with the first row that is in only one of them; bit 1: in the
	 * second */
	uint8_t *in;
	/* rows by place: of the first set only, of both, of the second only,
	 * for triples all others; ascending in each part. Without sets: for
	 * pairs all vectors in an order other than the file's; or null */
	int64_t *row;
	/* rows in an earlier result of the vectors that are in the second set
	 * only, which are all of its vectors; or null */
	int64_t *old;

	/* by place: by row, [n_vec] */
	uint32_t *rank;
	/* by rank, [n_vec]: the first rank of its chromosome,
	 * VS_WANTED_UNPLACED if that is unknown; and the range of earlier ranks
	 * wanted on that chromosome */
	uint32_t *start, *lo, *hi;
	/* by row, [n_vec]: all partners of a row are among rows [near_lo,
	 * near_hi); neither decreases from one row to the next */
	uint32_t *near_lo, *near_hi;
	double n_near;       /* of all rows */
	bool others;         /* pairs of two chromosomes are wanted */
	bool in_order;       /* the rank of each row is the row */
	uint64_t n_unplaced; /* vectors of unknown place, in no pair */
	bool scattered;      /* some follow others on their chromosome */
};
#define VS_WANTED_UNPLACED UINT32_MAX

/* ---- conditions; each call adds one ---- */

/*
 * contig  [n_vec] by row, -1: not known
 * pos     [n_vec] by row, less than 1: unknown; null if no rule needs it
 * cm      [n_vec] by row, in centimorgans, at most 10^6 from 0; NaN: unknown;
 *         null if no rule needs it
 * source  [n_vec] by row, the row of the input
 * returns 0; VS_EINPUT: no vector has a place, or one has fewer centimorgans
 *         than another of a lower position; VS_EMACHINE
 */
int vs_wanted_by_place(struct vs_wanted *w, const struct vs_pair_rules *r,
	const int32_t *contig, const int64_t *pos, const double *cm,
	const int64_t *source);

/*
 * in      [n_vec] by row, bit 0: the vector is in one set, bit 1: in the other
 * returns 0; VS_EMACHINE
 */
int vs_wanted_by_sets(struct vs_wanted *w, const uint8_t *in);

/* All vectors are wanted, in this order; w then owns `order`. */
void vs_wanted_by_order(struct vs_wanted *w, int64_t *row);

void vs_wanted_free(struct vs_wanted *w); /* all zero is accepted */

/* ---- questions, by rows of the file; w may be null: all are wanted ---- */

static inline bool
vs_wanted_is_by_place(const struct vs_wanted *w)
{
	return w && w->rank;
}

static inline bool
vs_wanted_is_by_sets(const struct vs_wanted *w)
{
	return w && w->by_sets;
}

/* True if the vectors have an order other than the file's. */
static inline bool
vs_wanted_is_by_order(const struct vs_wanted *w)
{
	return w && w->row && !w->by_sets;
}

/* True if the rules by place want the pair of rows i and j, in any order. */
static inline bool
vs_wanted_near(const struct vs_wanted *w, uint64_t i, uint64_t j)
{
	uint32_t a, b;

	if (!vs_wanted_is_by_place(w))
		return true;
	a = w->rank[i];
	b = w->rank[j];
	if (a > b) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	if (w->start[a] == VS_WANTED_UNPLACED ||
		w->start[b] == VS_WANTED_UNPLACED)
		return false;
	return a < w->start[b] ? w->others : a >= w->lo[b] && a < w->hi[b];
}

/* True if a and b, the bits of two vectors, include both sets, one from
 * each. */
static inline bool
vs_wanted_cross(unsigned a, unsigned b)
{
	return (a & 1 && b & 2) || (a & 2 && b & 1);
}

/* True if a pair or triple is wanted. */
bool vs_wanted_has(const struct vs_wanted *w, const struct vs_record *rec);

/* Number of pairs or triples that are wanted. 0; VS_EMACHINE */
int vs_wanted_count(const struct vs_wanted *w, uint64_t *n);

/* ---- order ---- */

/* The parts of a plan of n_vec vectors. */
static inline struct vs_between
vs_wanted_parts(const struct vs_wanted *w, uint64_t n_vec)
{
	/* all members, since nvcc's C++ warns of omitted ones */
	const struct vs_between all = { 0, n_vec, 0, 0, false };

	return vs_wanted_is_by_sets(w) ? w->of : all;
}

/* The row of a place in the plan. Engines of pairs number vectors by place,
 * those of triples by row. */
static inline uint64_t
vs_wanted_row(const struct vs_wanted *w, uint64_t place)
{
	return w && w->row && w->n_way == 2 ? (uint64_t)w->row[place] : place;
}

/* The place of each row, -1: in no part; null without sets; free with free().
 * 0; VS_EMACHINE */
int vs_wanted_places(const struct vs_wanted *w, int64_t **place);

/* The places of a record's vectors, ascending, with VS_NO_VEC last for a pair;
 * place may be null. */
void vs_wanted_places_of(const int64_t *place, const struct vs_record *rec,
	uint64_t at[3]);

/* Number of the tile that a record belongs to; place may be null. */
uint64_t vs_wanted_tile_of(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *rec);

/* ---- band ---- */

/*
 * True if reading vectors in file order saves work: the pairs wanted are few
 * and lie in a band, even if some vectors are slightly out of order.
 */
bool vs_wanted_is_band(const struct vs_wanted *w);

/* The longest distance, in rows, from a row of a band to its first partner. */
uint64_t vs_wanted_reach(const struct vs_wanted *w);

/* True if each row of a band has so few partners that counting single pairs is
 * faster than counting whole spans; gaps: calls are missing. */
bool vs_wanted_is_narrow(const struct vs_wanted *w, bool gaps);

/* Reduce columns [*lo, *hi) to those that may be partners of a row; all are
 * rows of the file. Empty if *lo is *hi. */
static inline void
vs_wanted_near_of(const struct vs_wanted *w, uint64_t row, uint64_t *lo,
	uint64_t *hi)
{
	*lo = *lo < w->near_lo[row] ? w->near_lo[row] : *lo;
	*hi = *hi > w->near_hi[row] ? w->near_hi[row] : *hi;
	*hi = *hi < *lo ? *lo : *hi;
}

/* True if a row before columns [col, end) of a band is known to want all of
 * them, from its own ends and theirs. */
bool vs_wanted_all(const struct vs_wanted *w, uint64_t row, uint64_t col,
	uint64_t end);

/*
 * The rows [*lo, *hi) that columns [col, end) of a band may want; empty where
 * there are none.
 */
void vs_wanted_band(const struct vs_wanted *w, uint64_t col, uint64_t end,
	uint64_t *lo, uint64_t *hi);

/*
 * Reduce rows [*lo, *hi) to those that may form a pair with [first, end),
 * before, after or among them; *lo is *hi if there are none.
 */
void vs_wanted_reduce(const struct vs_wanted *w, size_t first, size_t end,
	size_t *lo, size_t *hi);

#endif
