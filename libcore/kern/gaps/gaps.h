/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over missing calls: what two vectors lose in the fields that the other
 * one misses, by lists of these fields. The work goes with the number of
 * missing calls, not with that of the fields.
 */
#ifndef VS_KERN_GAPS_GAPS_H
#define VS_KERN_GAPS_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

#define VS_GAPS_LANES 64          /* vectors side by side */
#define VS_GAPS_MOST_FIELDS 32768 /* of the vectors; lists are of 16 bits */

/*
 * Genotypes of some vectors by field, a byte each, in squares of VS_GAPS_LANES
 * vectors, and the fields that each of them misses.
 */
struct vs_gaps {
	size_t n, n_field;
	uint8_t *copies; /* of an allele, 0 where the call is missing */
	uint8_t *lost;   /* 1 where it is missing; null: not wanted */
	uint32_t *begin; /* of each vector's list; n + 1 */
	uint16_t *field;
	size_t longest; /* list */
};

/* Longest lists whose sums are bytes. */
#define VS_GAPS_BYTE_LIST 127

/* Bytes of copies or lost, of begin, and of lists for n vectors: a quarter of
 * their calls may be missing. */
size_t vs_gaps_square_bytes(size_t n, size_t n_field);
size_t vs_gaps_begin_bytes(size_t n);
size_t vs_gaps_list_bytes(size_t n, size_t n_field);

/*
 * Fill g with vectors [lo, lo + n) of a panel, copies of the allele labelled 0
 * or 1; its arrays have room for them.
 * returns  false: more calls are missing than the lists have room for
 */
bool vs_gaps_take(enum vs_cpu cpu, const struct vs_panel *p, size_t lo,
	size_t n, int label, struct vs_gaps *g);

/*
 * Losses of pairs of rows i and columns j: copies of i in fields that j misses,
 * of j in those that i misses, and fields that both miss. Row r begins r ld
 * numbers on, with the first column, a multiple of VS_GAPS_LANES; there is room
 * for whole ones. The numbers are of uint8_t or of int32_t.
 */
struct vs_gaps_sums {
	void *i, *j, *both;
	size_t ld;
	bool bytes;
};

/* All rows against columns [col, end), `lost` of which is there. bytes: the
 * longest lists are of VS_GAPS_BYTE_LIST fields */
void vs_gaps_count(enum vs_cpu cpu, const struct vs_gaps *rows,
	const struct vs_gaps *cols, size_t col, size_t end,
	const struct vs_gaps_sums *out);

#endif
