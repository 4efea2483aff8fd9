/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of summaries: which counters they have, and what a pair adds. */
#ifndef VS_ENGINE_HISTOGRAM_SUMMARY_KIND_H
#define VS_ENGINE_HISTOGRAM_SUMMARY_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/counted.h"
#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/summary_ask.h"

/* Chromosomes and positions of n_vec vectors, null if no kind needs them, and
 * n_annotation annotations of each, [n_vec][n_annotation]. */
struct vs_summary_places {
	const int32_t *contig; /* -1: unknown */
	const int64_t *pos;    /* less than 1: unknown */
	const double *annotated;
	size_t n_annotation;
};

#define VS_SUMMARY_ROWS 256 /* most rows of a part */

#define VS_SUMMARY_BINS 128    /* most ranges of distance */
#define VS_SUMMARY_EIGHTHS 256 /* of powers of two */

/*
 * One of the summaries asked for. It has n_row rows of n_vec counters by
 * vector, or n_cell sums, as many counts of pairs, and for each of n_class
 * classes of cells a histogram of n_bucket buckets, as struct
 * vs_value_histogram has them.
 */
struct vs_summary_part {
	const struct vs_summary_kind *kind;
	enum vs_summary_which which;
	const struct vs_summary_numbers *of;
	size_t at;            /* of its counters among all */
	int n_row, first_row; /* the first among the rows of all parts */
	size_t n_cell, n_class, n_bucket;
	int64_t least;
	/* the group of each vector, which selects the cell; -1: none */
	int32_t *group;
	size_t n_group;
	/* bin k of distances begins at edge[k], the last has no end; pos, the
	 * positions of vectors, is null without bins */
	double *pos, edge[VS_SUMMARY_BINS];
	int n_edge;
	uint8_t bin[VS_SUMMARY_EIGHTHS]; /* where to search for a distance */
	/* LD scores by annotation, null without: what a partner's annotations
	 * weigh, [n_row][n_vec], in [-1, 1]: in units of scale, by row, which
	 * is a power of two */
	double *weight, *scale;
};

/*
 * Layout of the counters of n_vec vectors: part after part; last the number of
 * pairs, and of those that share too few fields.
 */
struct vs_summary_plan {
	struct vs_summary_ask ask;
	uint64_t n_vec;
	struct vs_summary_part part[VS_SUMMARY_KINDS];
	int n_part, n_row;
	bool ranges; /* some part has cells of ranges, see below */
	size_t n;    /* counters of all parts */
	/* and after these: pairs; with a histogram, those that share too few
	 * fields */
	int n_total;
	enum vs_strong strong; /* values that pass a threshold of degrees */
	enum vs_cpu cpu;
};

/* Counters of a part with cells. */
static inline size_t
vs_summary_part_size(const struct vs_summary_part *t)
{
	return 2 * t->n_cell + t->n_class * t->n_bucket;
}

/* The cell of two groups of a grid, in any order. */
static inline size_t
vs_summary_between(size_t a, size_t b)
{
	return a < b ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b;
}

/* Number of all counters. */
static inline uint64_t
vs_summary_size(const struct vs_summary_plan *p)
{
	return p->n + (size_t)p->n_total;
}

/* Columns that may be added together, and most columns of a row. */
#define VS_SUMMARY_BLOCK 512
#define VS_SUMMARY_COLUMNS 8192

/*
 * The values of a row i of a panel and n columns, at most VS_SUMMARY_BLOCK,
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

/*
 * Groups and positions of columns from a place of a panel on, in ranges of one
 * group, in which positions rise. A position x of range r is found from place
 * k = lo + (x - pos[lo]) scale on: place[k].
 */
struct vs_summary_columns {
	size_t n_range;
	struct vs_summary_range {
		size_t lo, hi;
		double scale;
	} range[VS_SUMMARY_COLUMNS + 1];
	int32_t group[VS_SUMMARY_COLUMNS];
	double pos[VS_SUMMARY_COLUMNS];
	uint16_t of[VS_SUMMARY_COLUMNS]; /* the range */
	uint16_t place[VS_SUMMARY_COLUMNS];
};

/* Values as units, see libcore/kern/value_run.h. */
union vs_summary_units {
	double x[VS_SUMMARY_BLOCK];
	int64_t bits[VS_SUMMARY_BLOCK];
};

/*
 * lay_out  describe n_row, or n_cell and what follows it; 0, VS_EUSAGE,
 *          VS_EMACHINE
 * add      of a part with rows: add the values of a row to `near` of its
 *          columns, by part row of VS_SUMMARY_COLUMNS, and store their own sum
 *          in `sum`, by part row
 * cell     of a part with cells: that of a row and column k, -1: none. *end
 *          is the first of the next columns that may have another cell
 * ranges   cells are ranges of positions, so that runs of one cell are longest
 *          in the order of the file
 */
struct vs_summary_kind {
	int (*lay_out)(struct vs_summary_part *t, uint64_t n_vec,
		const struct vs_metric *metric,
		const struct vs_summary_places *places);
	void (*add)(const struct vs_summary_plan *p,
		const struct vs_summary_part *t,
		const struct vs_summary_row *row, int64_t *near, int64_t *sum);
	int64_t (*cell)(const struct vs_summary_part *t, uint64_t i,
		const struct vs_summary_columns *columns, size_t k,
		size_t *end);
	bool ranges;
};

#define SUMMARY(name, ...) \
	extern const struct vs_summary_kind vs_summary_##name;
#include "libcore/metric/summary_rows.h"
#undef SUMMARY

#endif
