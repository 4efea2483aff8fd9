/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wanted pairs and triples: which ones a run compares, whatever their values.
 *
 * Two conditions hold together, and either may be absent.
 *
 * By place: a pair is of one chromosome or of two, and its positions are some
 * distance apart; of a triple each of its three pairs is. Vectors are ranked by
 * chromosome, in the order in which these first occur in the input, and there
 * by position, or by their rows where no rule is of positions. The partners of
 * a vector before it, on its chromosome, are then a range of ranks whose ends
 * never fall: a band.
 *
 * By sets: a vector is of one set and another of a second one, and any third.
 * A run that goes on from an earlier result has the set of new vectors, and all
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
	 * first set, which has fewer vectors or, of two with as many, the first
	 * row that is in one alone; bit 1: in the second */
	uint8_t *in;
	/* rows by place: of the first set only, of both, of the second only, of
	 * triples all others; rising in each part. Without sets: of pairs all
	 * vectors in another order than the file's; or null */
	int64_t *row;
	/* rows in an earlier result of the vectors of the second set only,
	 * which are all of its; or null */
	int64_t *old;

	/* by place: by row, [n_vec] */
	uint32_t *rank;
	/* by rank, [n_vec]: the first of its chromosome, VS_WANTED_UNPLACED
	 * where that is not known; and the range of ranks before it that are
	 * wanted of that chromosome */
	uint32_t *start, *lo, *hi;
	/* by row, [n_vec]: all partners of a row are among rows [near_lo,
	 * near_hi), neither of which falls from one row to the next */
	uint32_t *near_lo, *near_hi;
	double n_near;       /* of all rows */
	bool others;         /* pairs of two chromosomes are wanted */
	bool in_order;       /* rank of each row is the row */
	uint64_t n_unplaced; /* of no known place, and in no pair */
};
#define VS_WANTED_UNPLACED UINT32_MAX

/* ---- conditions, each added to what there is ---- */

/*
 * contig  [n_vec] by row, -1: not known
 * pos     [n_vec] by row, less than 1: not known; null where no rule needs it
 * source  [n_vec] by row, the row of the input
 * returns 0; VS_EINPUT: no vector has a place; VS_EMACHINE
 */
int vs_wanted_by_place(struct vs_wanted *w, const struct vs_pair_rules *r,
	const int32_t *contig, const int64_t *pos, const int64_t *source);

/*
 * in      [n_vec] by row, bit 0: the vector is in one set, bit 1: in the other
 * returns 0; VS_EMACHINE
 */
int vs_wanted_by_sets(struct vs_wanted *w, const uint8_t *in);

/* All vectors are wanted, in this order, whose rows it then owns. */
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

/* True if places of all vectors are in an order of their own. */
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

/* True if sets that the bits a and b tell of have a vector each. */
static inline bool
vs_wanted_cross(unsigned a, unsigned b)
{
	return (a & 1 && b & 2) || (a & 2 && b & 1);
}

/* True if a pair or triple is wanted. */
bool vs_wanted_has(const struct vs_wanted *w, const struct vs_record *rec);

/* Pairs or triples that are wanted. 0; VS_EMACHINE */
int vs_wanted_count(const struct vs_wanted *w, uint64_t *n);

/* ---- order ---- */

/* The parts of a plan of n_vec vectors. */
static inline struct vs_between
vs_wanted_parts(const struct vs_wanted *w, uint64_t n_vec)
{
	/* all members, as C++ of nvcc wants them */
	const struct vs_between all = { 0, n_vec, 0, 0, false };

	return vs_wanted_is_by_sets(w) ? w->of : all;
}

/* The row of a place in the plan, as engines of pairs call vectors; those of
 * triples call them by their rows. */
static inline uint64_t
vs_wanted_row(const struct vs_wanted *w, uint64_t place)
{
	return w && w->row && w->n_way == 2 ? (uint64_t)w->row[place] : place;
}

/* The place of each row, -1: in no part; null without sets; free with free().
 * 0; VS_EMACHINE */
int vs_wanted_places(const struct vs_wanted *w, int64_t **place);

/* The places of a record's vectors, rising, and of a pair VS_NO_VEC behind
 * them; place may be null. */
void vs_wanted_places_of(const int64_t *place, const struct vs_record *rec,
	uint64_t at[3]);

/* The tile that a record belongs to, by its number; place may be null. */
uint64_t vs_wanted_tile_of(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *rec);

/* ---- band ---- */

/*
 * True if reading vectors in file order saves work: the pairs wanted are few
 * and lie in a band, even if some vectors are slightly out of order.
 */
bool vs_wanted_is_band(const struct vs_wanted *w);

/* True if each row of a band has so few partners that it is quicker to count
 * pairs one by one than all of whole spans; gaps: calls are missing. */
bool vs_wanted_is_narrow(const struct vs_wanted *w, bool gaps);

/* Reduce columns [*lo, *hi) to those that may be partners of a row; rows of the
 * file all of them. Empty: *lo is *hi. */
static inline void
vs_wanted_near_of(const struct vs_wanted *w, uint64_t row, uint64_t *lo,
	uint64_t *hi)
{
	*lo = *lo < w->near_lo[row] ? w->near_lo[row] : *lo;
	*hi = *hi > w->near_hi[row] ? w->near_hi[row] : *hi;
	*hi = *hi < *lo ? *lo : *hi;
}

/* True if a row before columns [col, end) of a band is known to want all of
 * them, by its own ends and theirs. */
bool vs_wanted_all(const struct vs_wanted *w, uint64_t row, uint64_t col,
	uint64_t end);

/*
 * The rows [*lo, *hi) that columns [col, end) of a band may want; empty where
 * there are none.
 */
void vs_wanted_band(const struct vs_wanted *w, uint64_t col, uint64_t end,
	uint64_t *lo, uint64_t *hi);

/*
 * Reduce rows [*lo, *hi) to those that may be in a pair with [first, end),
 * before or behind these or among them; *lo is *hi where none is.
 */
void vs_wanted_reduce(const struct vs_wanted *w, size_t first, size_t end,
	size_t *lo, size_t *hi);

#endif
