/* SPDX-License-Identifier: BSD-3-Clause */
/* Result record: the value of one cell of a pair or triple of vectors. */
#ifndef VS_BASE_RECORD_H
#define VS_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/host_device.h"
#include "libcore/base/strength.h"

#define VS_NO_VEC UINT32_MAX /* k of a pair */
#define VS_NO_CELL 15u       /* cell of a metric with one value per pair */

/* More than the number of vectors of a file or of rows of its source. */
#define VS_RECORD_VECTORS UINT32_MAX

/* Larger than any numerator that is kept. */
#define VS_RECORD_NUM ((int64_t)1 << 59)

/*
 * 32 bytes, two per cache line: where many pairs pass, copying and sorting
 * records determines how long a run takes.
 */
struct vs_record {
	uint32_t i, j, k;
	int32_t nvalid;    /* fields present in all; -1 if none is missing */
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

/* Record of a pair, the lower vector first; no cell and no counts yet. */
VS_BOTH struct vs_record
vs_record_pair(uint64_t a, uint64_t b)
{
	struct vs_record pair = { .i = (uint32_t)(a < b ? a : b),
		.j = (uint32_t)(a < b ? b : a),
		.k = VS_NO_VEC,
		.nvalid = -1,
		.value = 0, /* C++ warns of omitted members */
		.num = -1,
		.cell = VS_NO_CELL };

	return pair;
}

/*
 * Rename a record of a pair: vectors i and j become a and b, the lower one
 * first, and the labels that the bits of flip name, 2 for i and 1 for j, are
 * exchanged. Branch-free, since all of these differ between neighbouring
 * records.
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

/* The numerator, or -1 if a record has no room for it: only sums of fields
 * beyond a thousand million each are that large. */
VS_BOTH int64_t
vs_record_num(int64_t num)
{
	return num < VS_RECORD_NUM ? num : -1;
}

/* Compare by i, j, k, cell, the order of a merged file: <0, 0, >0. */
int vs_record_compare(const struct vs_record *a, const struct vs_record *b);

/* True if a is before b in this order; branch-free. */
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

/* Orders: by i, j, k, cell; or by strength first, then by these. */
enum vs_record_order {
	VS_BY_PLACE,
	VS_GREATEST_FIRST = 1 + VS_STRONG_HIGH,
	VS_LEAST_FIRST = 1 + VS_STRONG_LOW,
	VS_FARTHEST_FIRST = 1 + VS_STRONG_FAR
};

static inline enum vs_record_order
vs_record_strongest_first(enum vs_strong strong)
{
	return (enum vs_record_order)(1 + strong);
}

/* Strength of a record in an order by strength. */
static inline double
vs_record_strength(enum vs_record_order order, const struct vs_record *r)
{
	return vs_strength((enum vs_strong)(order - 1), r->value);
}

int vs_record_compare_in(enum vs_record_order order, const struct vs_record *a,
	const struct vs_record *b);

/* Number of n records in this order that are before x or, with equal, not
 * after. */
size_t vs_record_before(enum vs_record_order order, const struct vs_record *rec,
	size_t n, const struct vs_record *x, bool equal);

/*
 * Sort records. Allocates vs_record_sort_bytes() of memory; slower if that
 * fails.
 */
void vs_record_sort_in(enum vs_record_order order, struct vs_record *rec,
	size_t n);
size_t vs_record_sort_bytes(size_t n);

static inline void
vs_record_sort(struct vs_record *rec, size_t n)
{
	vs_record_sort_in(VS_BY_PLACE, rec, n);
}

/* Sort n records by place into `to`, which is faster; rec is left in any
 * order. */
void vs_record_sort_to(struct vs_record *rec, size_t n, struct vs_record *to);

/* Sort many by place with room for as many, which is faster. */
void vs_record_sort_with(struct vs_record *rec, size_t n,
	struct vs_record *room);

/*
 * Rename a record to the vectors of the source file: source_row of each vector
 * replaces its row, rows are sorted again, and the bits of cell move with them.
 * Where flip is 1 (label 1 is the source's first allele) the bit of cell is
 * inverted, so that it refers to the source's second allele.
 * source, flip  for vectors i, j and, for a triple, k
 */
void vs_record_rename(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3]);

#endif
