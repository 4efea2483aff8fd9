/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Summaries of the values of all pairs, as exact sums, of the kinds that
 * libcore/metric/summary_rows.h lists.
 *
 * Reals are added in fixed point: each value is rounded to a multiple of 2^-50,
 * and sums of these have 128 bits, so that they do not depend on the order of
 * threads, ranks, tiles or parts.
 */
#ifndef VS_ENGINE_HISTOGRAM_SUMMARY_H
#define VS_ENGINE_HISTOGRAM_SUMMARY_H

#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/plan/wanted.h"

/* Lay out what is asked about n_vec vectors and a metric. 0; VS_EUSAGE: it
 * cannot be had of them; VS_EMACHINE */
int vs_summary_plan_make(struct vs_summary_plan *p,
	const struct vs_summary_ask *ask, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places);
void vs_summary_plan_free(struct vs_summary_plan *p); /* all 0 is accepted */

/*
 * If w has sets, the counters of vectors are in the order of places in w.
 * Reorder a plan that was laid out by row; restore the order of rows in the
 * counters.
 * return  0; VS_EMACHINE
 */
int vs_summary_reorder(struct vs_summary_plan *p, const struct vs_wanted *w);
int vs_summary_restore_rows(const struct vs_summary_plan *p,
	const struct vs_wanted *w, vs_wide *count);

/* The number that a sum's counter stands for; the counter of a number in
 * [-1, 1]. */
double vs_summary_real(vs_wide sum);
vs_wide vs_summary_units(double value);

/* Set the buckets of a part to those for all values of a metric. */
void vs_summary_buckets(struct vs_summary_part *t,
	const struct vs_metric *metric);

/* Add the counters of the summary histogram to an empty histogram of one class,
 * in which undefined values are 0. */
void vs_summary_histogram_to(const struct vs_summary_plan *p,
	const vs_wide *count, struct vs_value_histogram *b);

/* ---- of a tile ---- */

/* Sums of the pairs of one tile by one thread, or by all. */
struct vs_summary {
	const struct vs_summary_plan *plan;
	/* the vectors of the tile's rows and columns: the first, and room for
	 * as many as a block has */
	uint64_t lo[2];
	size_t n[2], room;
	vs_wide *side[2];  /* n_row rows of room */
	vs_wide n_pair[2]; /* and those that share too few fields */
	/* not added up yet: n_row rows of VS_SUMMARY_COLUMNS for the columns
	 * from place `at` of a panel on, added by n_near rows */
	int64_t *near;
	int n_near;
	const struct vs_panel *panel;
	size_t at;
	struct vs_summary_cells *cells[VS_SUMMARY_KINDS]; /* by part, or null */
	struct vs_counted *counted; /* vs_summary_counted() */
};

/* Make room for blocks of up to `room` vectors. 0; VS_EMACHINE */
int vs_summary_new(struct vs_summary **s, const struct vs_summary_plan *plan,
	size_t room);
void vs_summary_free(struct vs_summary *s); /* null is accepted */

/* Set the vectors that the tile has as rows and as columns. */
void vs_summary_tile(struct vs_summary *s, const uint64_t lo[2],
	const uint64_t hi[2]);

/* Forget all sums. */
void vs_summary_clear(struct vs_summary *s);

/* Move all sums of the other, for the same tile, into s. */
void vs_summary_move(struct vs_summary *s, struct vs_summary *other);

/* The sums as counters of the plan, valid until s changes; settled. */
const struct vs_counted *vs_summary_counted(const struct vs_summary *s);

/* True if there are sums and no records. */
static inline bool
vs_summary_alone(const struct vs_summary *s)
{
	return s && !s->plan->ask.records;
}

/* Add the values of a row. */
void vs_summary_add(struct vs_summary *s, const struct vs_summary_row *row);

#endif
