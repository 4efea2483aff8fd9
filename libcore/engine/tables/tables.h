/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contingency tables of many pairs or triples side by side, and their scores:
 * all counts of a cell are one array.
 */
#ifndef VS_ENGINE_TABLES_TABLES_H
#define VS_ENGINE_TABLES_TABLES_H

#include "libcore/engine/hits.h"
#include "libcore/engine/tables/counted_table.h"
#include "libcore/engine/tables/lane_counts.h"
#include "libcore/engine/tables/table_bound.h"

#define VS_TABLES VS_LANES_TAKEN           /* tables with scores at a time */
#define VS_TABLES_WIDE VS_TABLE_BOUND_WIDE /* tables whose counts are kept */
#define VS_TABLES_CELLS 27
#define VS_TABLES_KNOWN 64 /* counts of a class that are looked up separately */

/* Terms of the bound for tables with n samples by class, for the threshold used
 * in this round. */
struct vs_tables_known {
	int32_t n[2];
	uint32_t round;
	struct vs_table_bound_terms terms;
};

/*
 * Scores of up to VS_TABLES tables of n_cell cells, in parts of VS_TABLES_WIDE:
 * count[k][x][c] samples of class k are in cell x of table c of the part.
 * Genotypes are those of the planes of struct vs_class_rows, the first vector's
 * most significant.
 */
struct vs_tables {
	_Alignas(64) int32_t count[2][VS_TABLES_CELLS][VS_TABLES_WIDE];
	/* for each table: the sum of the metric's entries or, if it needs the
	 * whole table, its value; samples by class */
	int64_t sum[VS_TABLES];
	double value[VS_TABLES];
	int32_t n[2][VS_TABLES];
	/* of a trait, also the part's sums by cell, and of squares */
	int64_t trait[VS_TABLES_CELLS][VS_TABLES_WIDE], squares[VS_TABLES_WIDE];
	int n_cell;
	double threshold; /* threshold that the bound was set for */
	struct vs_table_bound bound;
	/* the bound's terms if calls are missing, by samples of both classes */
	struct vs_tables_known known[VS_TABLES_KNOWN * VS_TABLES_KNOWN];
	uint32_t round; /* of thresholds asked for */
};

/* Planes of the class rows of a query's vectors: 3 if calls are missing, or for
 * a trait, whose sums are taken of all cells. */
static inline int
vs_tables_planes(const struct vs_query *q)
{
	return q->has_missing || q->trait ? 3 : 2;
}

void vs_tables_init(struct vs_tables *t);

/* Set up sums of the query's trait beside the counts: of its values and, if
 * tables differ in their samples, of its squares. */
static inline void
vs_tables_lay_sums(struct vs_lane_counts *counts, const struct vs_query *q,
	struct vs_layout *l)
{
	if (q->trait)
		vs_lane_counts_lay_sums(counts, q->trait,
			q->has_missing ? VS_TRAIT_WEIGHTS : 1, l);
}

/* Take the sums of a row's lanes [lane, lane + VS_TABLES_WIDE) for the part. */
void vs_tables_take_sums(struct vs_tables *t,
	const struct vs_lane_counts *counts, size_t row, size_t lane);

/*
 * Tables [at + lo, at + hi) that pass, of the part that begins with `at`; their
 * sums and samples are set, those of others need not be.
 * column   receives them
 * returns  how many
 */
size_t vs_tables_passing(struct vs_tables *t, const struct vs_query *q,
	size_t at, size_t lo, size_t hi, uint16_t *column);

/* Value of a table that passes, and its number of samples. */
double vs_tables_value(const struct vs_tables *t, const struct vs_query *q,
	size_t c, int64_t *joint);

/* Set the value and the fields shared in the record of a table that passes. */
void vs_tables_record(const struct vs_tables *t, const struct vs_query *q,
	size_t c, struct vs_record *rec);

/*
 * Append the records that pass from tables counted elsewhere, the same as if
 * the tables were counted here.
 * memory  null before the first call, to be freed by free() after the last
 * add     provides the record of a table, except what vs_tables_record() sets
 * returns 0; VS_EMACHINE; what add() says
 */
int vs_tables_counted(void **memory, const struct vs_query *q, int n_cell,
	const struct vs_counted_table *from, size_t n,
	int (*add)(void *ctx, const struct vs_counted_table *x,
		struct vs_record **rec),
	void *ctx);

/* The same for pairs. first: the vectors from which places i and j count */
int vs_tables_counted_pairs(void **memory, const struct vs_query *q,
	const struct vs_two *first, const struct vs_counted_table *from,
	size_t n, struct vs_hits *found);

#endif
