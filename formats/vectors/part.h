/* SPDX-License-Identifier: BSD-3-Clause */
/* Part K of N of an input, which one of N processes packs. */
#ifndef VS_FORMATS_VECTORS_PART_H
#define VS_FORMATS_VECTORS_PART_H

#include <stdbool.h>
#include <stdint.h>

#define VS_PART_MOST 1000000

/*
 * Share of an input: rows [lo, hi) of all, or the lines that begin in bytes
 * (lo, hi] of a file of all bytes; the first part includes byte 0.
 */
struct vs_part {
	int64_t k, n; /* k from 1; n is 0: the whole input */
	uint64_t lo, hi, all;
	bool bytes;
};

/* End of part k of n about equal parts of n_all. */
static inline uint64_t
vs_part_end(uint64_t n_all, int64_t k, int64_t n)
{
	return (uint64_t)((unsigned __int128)n_all * (uint64_t)k / (uint64_t)n);
}

/* Fill in a part's share of n_row rows. */
static inline void
vs_part_rows(struct vs_part *p, uint64_t n_row)
{
	p->all = n_row;
	p->lo = vs_part_end(n_row, p->k - 1, p->n);
	p->hi = vs_part_end(n_row, p->k, p->n);
}

#endif
