/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a summary: sums, counts and histograms of pairs of two groups. */
#ifndef VS_ENGINE_HISTOGRAM_SUMMARY_CELLS_H
#define VS_ENGINE_HISTOGRAM_SUMMARY_CELLS_H

#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/kern/value_run.h"

struct vs_summary_cells {
	const struct vs_summary_part *part;
	vs_wide *n; /* vs_summary_part_size(): the part's counters */
	/* n_near pairs not added up yet, by class, whose counters are in near;
	 * without classes one, which has no counters */
	struct vs_value_run *run;
	uint32_t *near;
	uint64_t n_near;
	struct vs_summary_columns columns;
	/* row i has this cell with columns [begin, end) */
	uint64_t i;
	size_t begin, end;
	int64_t cell;
};

/* 0; VS_EMACHINE */
int vs_summary_cells_new(struct vs_summary_cells **c,
	const struct vs_summary_part *part);
void vs_summary_cells_free(struct vs_summary_cells *c); /* null is accepted */

/* Set all counts to 0; add the other to c, and set that one to 0. */
void vs_summary_cells_clear(struct vs_summary_cells *c);
void vs_summary_cells_move(struct vs_summary_cells *c,
	struct vs_summary_cells *other);

/* Add a row; the columns of its panel, from its `at` on, are new. */
void vs_summary_cells_columns(struct vs_summary_cells *c,
	const struct vs_summary_row *row);
void vs_summary_cells_add(struct vs_summary_cells *c,
	const struct vs_summary_row *row, enum vs_cpu cpu);

#endif
