/* SPDX-License-Identifier: BSD-3-Clause */
/* Result record: the value of one cell of a pair or triple of vectors. */
#ifndef VS_BASE_RECORD_H
#define VS_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/host_device.h"

#define VS_NO_VEC UINT32_MAX /* k of a pair */
#define VS_NO_CELL 15u       /* cell of a metric with one value per pair */

/* More than the vectors of a file, and than the rows of its source. */
#define VS_RECORD_VECTORS UINT32_MAX

/* More than a numerator that is kept. */
#define VS_RECORD_NUM ((int64_t)1 << 59)

/*
 * 32 bytes, two to a cache line: where many pairs pass, a run takes as long as
 * their records are copied and sorted.
 */
struct vs_record {
	uint32_t i, j, k;
	int32_t nvalid;    /* fields present in all; -1 when none is missing */
	double value;      /* an f32 value is widened exactly */
	int64_t num : 60;  /* exact integer numerator r; -1 when not kept */
	uint32_t cell : 4; /* 2a + b, or 4a + 2b + c; or VS_NO_CELL */
};

/* Cell 2a + b of a pair whose vectors are swapped: 2b + a. */
VS_BOTH uint32_t
vs_record_swap_cell(uint32_t cell)
{
	return cell >> 1 | (cell & 1) << 1;
}

/* Record of a pair, the lower vector first: no cell, no counts. */
VS_BOTH struct vs_record
vs_record_pair(uint64_t a, uint64_t b)
{
	struct vs_record pair = { .i = (uint32_t)(a < b ? a : b),
		.j = (uint32_t)(a < b ? b : a),
		.k = VS_NO_VEC,
		.nvalid = -1,
		.value = 0, /* C++ warns of members left out */
		.num = -1,
		.cell = VS_NO_CELL };

	return pair;
}

/*
 * Rename a record of a pair: vectors i and j get the numbers a and b, the lower
 * one first, and the labels that the bits of flip name, 2 of i and 1 of j, are
 * exchanged. Without a branch, since neighbouring records differ in all of it.
 */
VS_BOTH void
vs_record_rename_pair(struct vs_record *rec, uint32_t a, uint32_t b,
	uint32_t flip)
{
	const uint32_t cell = rec->cell ^ flip, swapped = a > b;
	const uint32_t named = swapped ? vs_record_swap_cell(cell) : cell;

	rec->i = swapped ? b : a;
	rec->j = swapped ? a : b;
	rec->cell = rec->cell == VS_NO_CELL ? VS_NO_CELL : named & 3;
}

/* A numerator that a record has room for, as all are but sums of fields that
 * pass a thousand million each. */
VS_BOTH int64_t
vs_record_num(int64_t num)
{
	return num < VS_RECORD_NUM ? num : -1;
}

/* Compare by i, j, k, cell, the order of a merged file: <0, 0, >0. */
int vs_record_compare(const struct vs_record *a, const struct vs_record *b);

/* True if a is before b in this order; without branches. */
static inline bool
vs_record_is_before(const struct vs_record *a, const struct vs_record *b)
{
	const uint64_t x = (uint64_t)a->i << 32 | a->j;
	const uint64_t y = (uint64_t)b->i << 32 | b->j;

	return (x < y) |
		((x == y) &
			(((uint64_t)a->k << 4 | a->cell) <
				((uint64_t)b->k << 4 | b->cell)));
}

/* Orders: by i, j, k, cell; or by value before these. */
enum vs_record_order { VS_BY_PLACE, VS_GREATEST_FIRST, VS_LEAST_FIRST };

/* lower: lower values are stronger */
static inline enum vs_record_order
vs_record_strongest_first(bool lower)
{
	return lower ? VS_LEAST_FIRST : VS_GREATEST_FIRST;
}

int vs_record_compare_in(enum vs_record_order order, const struct vs_record *a,
	const struct vs_record *b);

/*
 * Sort records. It takes vs_record_sort_bytes() of memory, and more time where
 * it gets none.
 */
void vs_record_sort_in(enum vs_record_order order, struct vs_record *rec,
	size_t n);
size_t vs_record_sort_bytes(size_t n);

static inline void
vs_record_sort(struct vs_record *rec, size_t n)
{
	vs_record_sort_in(VS_BY_PLACE, rec, n);
}

/* Sort n records by place to another room, which takes less time; rec is left
 * in any order. */
void vs_record_sort_to(struct vs_record *rec, size_t n, struct vs_record *to);

/*
 * Rename a record to the vectors of the source file: source_row of each vector
 * replaces its row, rows are sorted again, and the bits of cell move with them.
 * Where flip is 1 (label 1 is the source's first allele) the bit of cell is
 * inverted, so that it refers to the source's second allele.
 * source, flip  of vectors i, j and, for a triple, k
 */
void vs_record_rename(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3]);

#endif
