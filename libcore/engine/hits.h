/* SPDX-License-Identifier: BSD-3-Clause */
/* Hit buffer of a worker: pairs that pass, before they are stored. */
#ifndef VS_ENGINE_HITS_H
#define VS_ENGINE_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/base/record.h"
#include "libcore/engine/query.h"
#include "libcore/engine/strip.h"

struct vs_value_histogram; /* libcore/engine/histogram/value_histogram.h */
struct vs_pair_filter;     /* libcore/plan/pair_filter.h */

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
	/* with a histogram: the pairs that it is of, by rows of the file, which
	 * number[] gives of a pair between two sets; or null: all */
	const struct vs_pair_filter *filter;
	const int64_t *number;
	/* rows of the strip from here on are left to be done, its end unless a
	 * device says less */
	size_t upto;
	int (*drain)(struct vs_hits *found);
	/* is drain() to be called at once, however few there are, since what is
	 * looked for may not be wanted any more? Null: never */
	bool (*due)(const struct vs_hits *found);
};

/* True when drain() is to be called; checked every few rows. */
static inline bool
vs_hits_due(const struct vs_hits *found)
{
	return found->n >= VS_HITS || (found->due && found->due(found));
}

/* Room for one record more, which the caller fills. 0; VS_EMACHINE */
int vs_hits_more(struct vs_hits *found, struct vs_record **rec);

/*
 * The record of row i of the strip's panel i and row j of its panel j, which
 * have one value, for the caller to fill in, and no counts. 0; VS_EMACHINE
 */
int vs_hits_pair(struct vs_hits *found, const struct vs_strip *s, size_t i,
	size_t j, struct vs_record **rec);

/* Vectors i of panel pi and j of panel pj. */
struct vs_two {
	const struct vs_panel *pi, *pj;
	size_t i, j;
};

/* True if a histogram is of the pair. */
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
