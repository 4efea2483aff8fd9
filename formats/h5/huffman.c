/* SPDX-License-Identifier: BSD-3-Clause */
/* Huffman codes of limited length, as deflate (RFC 1951) has them. */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/huffman.h"

#define MOST_SYMBOLS 288
#define MOST_BITS 15

/* Symbols of the code of code lengths: a length, or a repetition. */
#define N_LENGTH 19
#define REPEAT_LAST 16
#define REPEAT_ZERO 17
#define REPEAT_ZERO_LONG 18

/* A symbol that occurs, by its count and then by its number. */
struct leaf {
	uint32_t count, symbol;
};

static int
by_count(const void *x, const void *y)
{
	const struct leaf *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/*
 * Depths of the leaves of a Huffman tree, in order of rising counts: inner
 * nodes are made with rising counts too, so that two queues do for a heap.
 */
static void
find_depths(const struct leaf *leaf, int n, int *depth)
{
	uint64_t count[2 * MOST_SYMBOLS];
	int parent[2 * MOST_SYMBOLS], next = 0, inner = n;

	for (int k = 0; k < n; k++)
		count[k] = leaf[k].count;
	for (int made = n; made < 2 * n - 1; made++) {
		count[made] = 0;
		for (int child = 0; child < 2; child++) {
			int least = inner == made ||
					(next < n &&
						count[next] <= count[inner])
				? next++
				: inner++;

			count[made] += count[least];
			parent[least] = made;
		}
	}
	parent[2 * n - 2] = 0;
	/* depths from the root down, in the place of the parents */
	for (int k = 2 * n - 3; k >= 0; k--)
		parent[k] = parent[k] == 2 * n - 2 ? 1 : parent[parent[k]] + 1;
	memcpy(depth, parent, (size_t)n * sizeof(*depth));
}

/*
 * Shorten codes to most bits: those that are longer get as many, and others one
 * bit more until all fit. The code is complete again if it was before.
 */
static void
limit_depths(int *n_of, int most)
{
	uint32_t sum = 0, all = 1u << most;
	int bits;

	for (int b = 1; b <= most; b++)
		sum += (uint32_t)n_of[b] << (most - b);
	while (sum > all) {
		/* the longest code below the limit loses least */
		for (bits = most - 1; !n_of[bits]; bits--)
			;
		n_of[bits]--;
		n_of[bits + 1]++;
		sum -= 1u << (most - bits - 1);
	}
	/* and the longest of all gain what was too much */
	while (sum < all) {
		for (bits = most;
			!n_of[bits] || 1u << (most - bits) > all - sum; bits--)
			;
		n_of[bits]--;
		n_of[bits - 1]++;
		sum += 1u << (most - bits);
	}
}

static uint16_t
reverse(uint32_t code, int n)
{
	uint32_t out = 0;

	for (int k = 0; k < n; k++, code >>= 1)
		out = out << 1 | (code & 1);
	return (uint16_t)out;
}

uint64_t
vs_huffman_make(const uint32_t *count, int n, int most,
	struct vs_huffman_code *code)
{
	struct leaf leaf[MOST_SYMBOLS];
	int depth[MOST_SYMBOLS], n_of[MOST_SYMBOLS] = { 0 }, n_leaf = 0;
	uint32_t next[MOST_BITS + 2] = { 0 };
	uint64_t n_bits = 0;

	for (int s = 0; s < n; s++) {
		code[s] = (struct vs_huffman_code){ 0, 0 };
		if (count[s])
			leaf[n_leaf++] = (struct leaf){ count[s], (uint32_t)s };
	}
	if (!n_leaf)
		return 0;
	qsort(leaf, (size_t)n_leaf, sizeof(*leaf), by_count);
	if (n_leaf == 1)
		n_of[1] = 1;
	else
		find_depths(leaf, n_leaf, depth);
	for (int k = 0; k < n_leaf && n_leaf > 1; k++)
		n_of[depth[k] < most ? depth[k] : most]++;
	if (n_leaf > 1)
		limit_depths(n_of, most);
	/* the rarest have the longest */
	for (int bits = most, k = 0; bits >= 1; bits--)
		for (int m = 0; m < n_of[bits]; m++, k++) {
			code[leaf[k].symbol].n = (uint16_t)bits;
			n_bits += (uint64_t)leaf[k].count * (unsigned)bits;
		}
	for (int bits = 1; bits <= most; bits++)
		next[bits + 1] = (next[bits] + (uint32_t)n_of[bits]) << 1;
	for (int s = 0; s < n; s++)
		if (code[s].n)
			code[s].bits = reverse(next[code[s].n]++, code[s].n);
	return n_bits;
}

/* ---- lengths of codes ---- */

struct lengths {
	uint8_t symbol[320], extra[320];
	int n;
	uint32_t count[N_LENGTH];
};

static void
add_length(struct lengths *l, int symbol, int extra)
{
	l->symbol[l->n] = (uint8_t)symbol;
	l->extra[l->n++] = (uint8_t)extra;
	l->count[symbol]++;
}

/* n codes of one length: as a repetition where that is shorter. */
static void
add_lengths(struct lengths *l, int length, int n)
{
	int now;

	if (length && n) {
		add_length(l, length, 0);
		n--;
	}
	for (; n >= 3; n -= now) {
		now = length ? 6 : 138;
		now = n < now ? n : now;
		if (length)
			add_length(l, REPEAT_LAST, now - 3);
		else if (now <= 10)
			add_length(l, REPEAT_ZERO, now - 3);
		else
			add_length(l, REPEAT_ZERO_LONG, now - 11);
	}
	while (n-- > 0)
		add_length(l, length, 0);
}

static void
head_put(struct vs_huffman_head *head, uint32_t bits, int n)
{
	head->item[head->n].bits = bits;
	head->item[head->n++].n = n;
	head->n_bits += (uint64_t)n;
}

void
vs_huffman_head(struct vs_huffman_head *head,
	const struct vs_huffman_code *literal, int n_literal,
	const struct vs_huffman_code *distance, int n_distance)
{
	static const uint8_t order[N_LENGTH] = { 16, 17, 18, 0, 8, 7, 9, 6, 10,
		5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	struct vs_huffman_code code[N_LENGTH];
	uint8_t all[2 * MOST_SYMBOLS];
	struct lengths l = { .n = 0 };
	int n = 0, n_order = N_LENGTH;

	while (n_literal > 257 && !literal[n_literal - 1].n)
		n_literal--;
	while (n_distance > 1 && !distance[n_distance - 1].n)
		n_distance--;
	for (int s = 0; s < n_literal; s++)
		all[n++] = (uint8_t)literal[s].n;
	for (int s = 0; s < n_distance; s++)
		all[n++] = (uint8_t)distance[s].n;
	for (int s = 0, end; s < n; s = end) {
		for (end = s + 1; end < n && all[end] == all[s];)
			end++;
		add_lengths(&l, all[s], end - s);
	}
	vs_huffman_make(l.count, N_LENGTH, 7, code);
	while (n_order > 4 && !code[order[n_order - 1]].n)
		n_order--;
	head->n = 0;
	head->n_bits = 0;
	head_put(head, (uint32_t)n_literal - 257, 5);
	head_put(head, (uint32_t)n_distance - 1, 5);
	head_put(head, (uint32_t)n_order - 4, 4);
	for (int k = 0; k < n_order; k++)
		head_put(head, code[order[k]].n, 3);
	for (int k = 0; k < l.n; k++) {
		int s = l.symbol[k], n_extra = 0;

		if (s >= REPEAT_LAST)
			n_extra = s == REPEAT_LAST ? 2
				: s == REPEAT_ZERO ? 3
						   : 7;
		head_put(head, code[s].bits | (uint32_t)l.extra[k] << code[s].n,
			code[s].n + n_extra);
	}
}
