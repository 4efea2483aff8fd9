/* SPDX-License-Identifier: BSD-3-Clause */
/* Hit buffer of a worker: pairs that pass, before they are stored. */
#ifndef VS_ENGINE_HITS_H
#define VS_ENGINE_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/base/record.h"
#include "libcore/engine/query.h"
#include "libcore/engine/strip.h"

struct vs_summary;         /* libcore/engine/histogram/summary.h */
struct vs_value_histogram; /* libcore/engine/histogram/value_histogram.h */
struct vs_wanted;          /* libcore/plan/wanted.h */

/*
 * Records found, in any order; one per worker, used again. Every
 * VS_HITS records or so, drain() takes them and sets n back to 0.
 */
#define VS_HITS 16384
struct vs_hits {
	struct vs_record *rec;
	size_t n, room;
	double fields_skipped; /* of pairs begun and given up */
	double inferred; /* pairs not counted, decided by their leaders' sums */
	struct vs_value_histogram
		*histogram; /* count all values, also those; or null */
	/* sums of all values, or null; if set, no records or histogram */
	struct vs_summary *summary;
	const struct vs_wanted *wanted; /* of these; or null: of all */
	/* rows of the strip from here on are left to be done, its end unless a
	 * device says less */
	size_t upto;
	int (*drain)(struct vs_hits *found);
	/* drain() is due at this many records; 0: at VS_HITS */
	size_t most;
	/* is drain() to be called at once, however few there are, since what is
	 * looked for may not be wanted any more? Null: never */
	bool (*due)(const struct vs_hits *found);
};

/* True if each value is asked for, not only those that pass. */
static inline bool
vs_hits_wants_all(const struct vs_hits *found)
{
	return found->histogram || found->summary;
}

static inline bool
vs_hits_full(const struct vs_hits *found)
{
	return found->n >= (found->most ? found->most : VS_HITS);
}

/* True when drain() is to be called; checked every few rows. */
static inline bool
vs_hits_due(const struct vs_hits *found)
{
	return vs_hits_full(found) || (found->due && found->due(found));
}

/*
 * Records after which the threshold of the strongest ones may rise, so that
 * drain() is worth its lock: as many as are wanted, 16 at least.
 */
static inline size_t
vs_hits_most(const struct vs_query *q)
{
	return !q->shared_threshold || q->n_strongest >= VS_HITS ? VS_HITS
		: q->n_strongest < 16                            ? 16
				      : (size_t)q->n_strongest;
}

/* Room for one record more, which the caller fills. 0; VS_EMACHINE */
int vs_hits_more(struct vs_hits *found, struct vs_record **rec);

/*
 * The record of row i of the strip's panel i and row j of its panel j, which
 * have one value, for the caller to fill in, and no counts. 0; VS_EMACHINE
 */
int vs_hits_pair(struct vs_hits *found, const struct vs_strip *s, size_t i,
	size_t j, struct vs_record **rec);

/*
 * The records of row i of the strip and n columns, counted from its first, of
 * those values that pass; without missing calls and counts. 0; VS_EMACHINE
 */
int vs_hits_row(struct vs_hits *found, const struct vs_query *q,
	const struct vs_strip *s, size_t i, const uint16_t *column,
	const double *value, size_t n);

/* Vectors i of panel pi and j of panel pj. */
struct vs_two {
	const struct vs_panel *pi, *pj;
	size_t i, j;
};

/* True if a histogram or summary includes the pair. */
bool vs_hits_wants(const struct vs_hits *found, const struct vs_two *pair);

/*
 * The records of the cells of a pair that pass by the metric's exact recipe,
 * which gives the same bits whichever vector comes first. 0; VS_EMACHINE
 *
 * r  exact sums by cell, 2a + b
 * c  fields present in both
 */
int vs_hits_cells(struct vs_hits *found, const struct vs_query *q,
	const struct vs_two *pair, const int32_t r[4], int32_t c);

/* Drop what no longer passes. */
void vs_hits_drop(struct vs_hits *found, const struct vs_query *q);

#endif
