/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contingency tables of many pairs or triples side by side, and their scores:
 * all counts of a cell are one array.
 */
#ifndef VS_ENGINE_TABLES_H
#define VS_ENGINE_TABLES_H

#include "libcore/bits/class_rows.h"
#include "libcore/engine/hits.h"
#include "libcore/kern/bits/bits.h"

#define VS_TABLES VS_BITS_MOST /* at a time */
#define VS_TABLES_CELLS 27

/*
 * Tables of n_cell cells, at most VS_TABLES: samples of class k in cell x of
 * table c are count[k][x][c]. Genotypes are those of the planes of struct
 * vs_class_rows, the first vector's most significant.
 */
struct vs_tables {
	_Alignas(64) int32_t count[2][VS_TABLES_CELLS][VS_TABLES];
	/* of each table: sum of the metric's entries, samples by class */
	int64_t sum[VS_TABLES];
	int32_t n[2][VS_TABLES];
	int n_cell;
};

/* Planes of the class rows of a query's vectors: 3 where calls are missing. */
static inline int
vs_tables_planes(const struct vs_query *q)
{
	return q->has_missing ? 3 : 2;
}

/* n vectors of the class rows from row lo on, as a side of a bit product. */
static inline struct vs_bits_side
vs_tables_side(const struct vs_class_rows *r, int of, size_t lo, size_t n)
{
	return (struct vs_bits_side){ vs_class_rows_at(r, of, 0, lo), n,
		r->most * r->n_word[of], r->n_word[of] };
}

/* Sums of tables [lo, hi) and, where calls are missing, their samples. */
void vs_tables_sum(struct vs_tables *t, const struct vs_query *q, size_t lo,
	size_t hi);

/*
 * Tables of [lo, hi) whose value passes, once their sums are there.
 * column   receives them
 * returns  how many
 */
size_t vs_tables_passing(const struct vs_tables *t, const struct vs_query *q,
	size_t lo, size_t hi, uint16_t *column);

/* The value of a table. */
double vs_tables_value(const struct vs_tables *t, const struct vs_query *q,
	size_t c);

/* Set value and fields shared of a table's record. */
void vs_tables_record(const struct vs_tables *t, const struct vs_query *q,
	size_t c, struct vs_record *rec);

#endif
