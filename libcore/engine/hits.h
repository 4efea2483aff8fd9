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
 * Records found, in any order; one buffer per worker, reused. Every VS_HITS
 * records or so, drain() takes them and sets n back to 0.
 */
#define VS_HITS 16384
struct vs_hits {
	struct vs_record *rec;
	size_t n, room;
	double fields_skipped; /* for pairs begun and then given up */
	double inferred;       /* pairs decided by their leaders' sums */
	struct vs_value_histogram *histogram; /* counts all values; or null */
	struct vs_summary *summary; /* takes the sums of all values; or null */
	const struct vs_wanted *wanted; /* pairs wanted; or null: all */
	/* first row of the strip that is left to be done; its end, unless a
	 * device sets less */
	size_t upto;
	int (*drain)(struct vs_hits *found);
	/* call drain() at this many records; 0: at VS_HITS */
	size_t most;
	/* true if drain() is to be called at once, however few records there
	 * are, because what is searched for may no longer be wanted. Null:
	 * never */
	bool (*due)(const struct vs_hits *found);
};

/* True if every value is asked for, not only those that pass. */
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

/* True if drain() is due; checked every few rows. */
static inline bool
vs_hits_due(const struct vs_hits *found)
{
	return vs_hits_full(found) || (found->due && found->due(found));
}

/*
 * Records after which the threshold of the strongest ones may rise, so that
 * drain() is worth taking its lock: as many as are wanted, but at least 16.
 */
static inline size_t
vs_hits_most(const struct vs_query *q)
{
	return !q->shared_threshold || q->n_strongest >= VS_HITS ? VS_HITS
		: q->n_strongest < 16                            ? 16
				      : (size_t)q->n_strongest;
}

/* Make room for one more record, which the caller fills. 0; VS_EMACHINE */
int vs_hits_more(struct vs_hits *found, struct vs_record **rec);

/*
 * Record for row i of the strip's panel i and row j of its panel j, with one
 * value, which the caller fills in, and no counts. 0; VS_EMACHINE
 */
int vs_hits_pair(struct vs_hits *found, const struct vs_strip *s, size_t i,
	size_t j, struct vs_record **rec);

/*
 * Append records for row i of the strip and n columns, counted from its first,
 * whose values pass; no missing calls. num: numerators, by column; or null. 0;
 * VS_EMACHINE
 */
int vs_hits_row(struct vs_hits *found, const struct vs_query *q,
	const struct vs_strip *s, size_t i, const uint16_t *column,
	const int32_t *num, const double *value, size_t n);

/* Vectors i of panel pi and j of panel pj. */
struct vs_two {
	const struct vs_panel *pi, *pj;
	size_t i, j;
};

/* True if a histogram or summary includes the pair. */
bool vs_hits_wants(const struct vs_hits *found, const struct vs_two *pair);

/*
 * Append records of the cells of a pair that pass by the metric's exact recipe,
 * which gives the same bits whichever vector comes first. 0; VS_EMACHINE
 *
 * r  exact sums by cell, 2a + b
 * c  fields present in both
 */
int vs_hits_cells(struct vs_hits *found, const struct vs_query *q,
	const struct vs_two *pair, const int32_t r[4], int32_t c);

/* Drop the records that no longer pass. */
void vs_hits_drop(struct vs_hits *found, const struct vs_query *q);

#endif
