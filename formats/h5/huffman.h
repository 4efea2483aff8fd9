/* SPDX-License-Identifier: BSD-3-Clause */
/* Huffman codes of limited length, as deflate (RFC 1951) has them. */
#ifndef VS_FORMATS_H5_HUFFMAN_H
#define VS_FORMATS_H5_HUFFMAN_H

#include <stdint.h>

struct vs_huffman_code {
	uint16_t bits; /* the first in the lowest */
	uint16_t n;    /* 0: the symbol does not occur */
};

/*
 * Make the codes of n symbols, at most 288, that occur count[] times.
 * most     bits of the longest code, at most 15 and at least log2(n)
 * code     out; a single symbol that occurs has one bit
 * returns  bits of all occurrences
 */
uint64_t vs_huffman_make(const uint32_t *count, int n, int most,
	struct vs_huffman_code *code);

/* The lengths of both codes of a block, packed: what follows its type. */
struct vs_huffman_head {
	struct {
		uint32_t bits;
		int n;
	} item[3 + 19 + 2 * 320];
	int n;
	uint64_t n_bits;
};

/* Codes of n_literal and n_distance symbols; zeros at their ends are left
 * out. */
void vs_huffman_head(struct vs_huffman_head *head,
	const struct vs_huffman_code *literal, int n_literal,
	const struct vs_huffman_code *distance, int n_distance);

#endif
