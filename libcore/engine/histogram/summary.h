/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Summaries of the values of all pairs, as exact sums: LD scores, and partners
 * above thresholds, of each vector. They are kept instead of records.
 *
 * Reals are added in fixed point: each value is rounded to a multiple of 2^-50,
 * and sums of these have 128 bits, so that they do not depend on the order of
 * threads, ranks, tiles or parts.
 */
#ifndef VS_ENGINE_HISTOGRAM_SUMMARY_H
#define VS_ENGINE_HISTOGRAM_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/counted.h"
#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/summary_ask.h"

/*
 * Layout of the counters of n_vec vectors: n_row rows of n_vec, first LD
 * scores, then one row per threshold; after them the number of pairs.
 */
struct vs_summary_plan {
	struct vs_summary_ask ask;
	uint64_t n_vec;
	int n_row;
	bool lower; /* values below a threshold are stronger */
	enum vs_cpu cpu;
};

/* Lay out what is asked about n_vec vectors and a metric. */
void vs_summary_plan(struct vs_summary_plan *p,
	const struct vs_summary_ask *ask, uint64_t n_vec,
	const struct vs_metric *metric);

/* Number of all counters. */
uint64_t vs_summary_size(const struct vs_summary_plan *p);

/* The number that a sum's counter stands for; the counter of 1. */
double vs_summary_real(vs_wide sum);
vs_wide vs_summary_one(void);

/* ---- of a tile ---- */

/* Columns that may be added together, and most columns of a row. */
#define VS_SUMMARY_BLOCK 512
#define VS_SUMMARY_COLUMNS 8192

/* Sums of the pairs of one tile by one thread, or by all. */
struct vs_summary {
	const struct vs_summary_plan *plan;
	/* the vectors of the tile's rows and columns: the first, and room for
	 * as many as a block has */
	uint64_t lo[2];
	size_t n[2], room;
	vs_wide *side[2]; /* n_row rows of room */
	vs_wide n_pair;
	/* not added up yet: n_row rows of VS_SUMMARY_COLUMNS for the columns
	 * from place `at` of a panel on, added by n_near rows */
	int64_t *near;
	int n_near;
	const struct vs_panel *panel;
	size_t at;
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

/*
 * Add the values of a row i of a panel and n columns, at most VS_SUMMARY_BLOCK,
 * from place at + from of another panel on; up to VS_SUMMARY_COLUMNS columns
 * begin at `at`.
 */
struct vs_summary_row {
	const struct vs_panel *pi, *pj;
	size_t i, at, from, n;
	const double *value; /* NaN: left out */
	const double *joint; /* fields present in both; null: `every` for all */
	double every;
};

void vs_summary_add(struct vs_summary *s, const struct vs_summary_row *row);

#endif
