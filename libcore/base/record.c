/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/record.h"

#define DIGIT 11 /* bits of a key sorted at a time */
#define FEW 64   /* so few are sorted by comparing */

int
vs_record_compare(const struct vs_record *a, const struct vs_record *b)
{
	if (a->i != b->i)
		return a->i < b->i ? -1 : 1;
	if (a->j != b->j)
		return a->j < b->j ? -1 : 1;
	if (a->k != b->k)
		return a->k < b->k ? -1 : 1;
	return (a->cell > b->cell) - (a->cell < b->cell);
}

static void
rename_pair(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3])
{
	uint32_t a = (rec->cell >> 1 & 1) ^ flip[0];
	uint32_t b = (rec->cell & 1) ^ flip[1];
	int turned = source[1] < source[0];

	rec->i = (uint64_t)source[turned];
	rec->j = (uint64_t)source[!turned];
	if (rec->cell != VS_NO_CELL)
		rec->cell = turned ? 2 * b + a : 2 * a + b;
}

void
vs_record_rename(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3])
{
	const int n = 3;
	uint64_t v[3];
	uint32_t label[3];

	if (rec->k == VS_NO_VEC) {
		rename_pair(rec, source, flip);
		return;
	}
	for (int x = 0; x < n; x++) {
		v[x] = (uint64_t)source[x];
		label[x] = (rec->cell >> (n - 1 - x) & 1) ^ flip[x];
	}
	for (int x = 1; x < n; x++) /* insertion sort */
		for (int y = x; y && v[y] < v[y - 1]; y--) {
			uint64_t tv = v[y];
			uint32_t tl = label[y];

			v[y] = v[y - 1];
			v[y - 1] = tv;
			label[y] = label[y - 1];
			label[y - 1] = tl;
		}
	rec->i = v[0];
	rec->j = v[1];
	rec->k = v[2];
	if (rec->cell == VS_NO_CELL)
		return;
	rec->cell = label[0];
	for (int x = 1; x < n; x++)
		rec->cell = 2 * rec->cell + label[x];
}

/* ---- sorting ---- */

/* A word for each record, from its highest bits: i, j, cell, its number. */
struct keys {
	uint64_t *key, *other;
	size_t n;
	uint64_t i_lo, j_lo;
	int bits_n, bits_j, bits;
};

static int
by_place(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

static int
width(uint64_t most)
{
	return most ? 64 - __builtin_clzll(most) : 0;
}

/* Do places and numbers of these records fit a word? */
static int
fits(struct keys *k, const struct vs_record *rec)
{
	uint64_t i_hi = rec[0].i, j_hi = rec[0].j, triple = 0;
	uint32_t cell = 0, all = VS_NO_CELL;
	int bits_i;

	k->i_lo = i_hi;
	k->j_lo = j_hi;
	for (size_t r = 0; r < k->n; r++) {
		k->i_lo = rec[r].i < k->i_lo ? rec[r].i : k->i_lo;
		k->j_lo = rec[r].j < k->j_lo ? rec[r].j : k->j_lo;
		i_hi = rec[r].i > i_hi ? rec[r].i : i_hi;
		j_hi = rec[r].j > j_hi ? rec[r].j : j_hi;
		cell |= rec[r].cell;
		all &= rec[r].cell;
		triple |= ~rec[r].k;
	}
	k->bits_n = width(k->n - 1);
	k->bits_j = width(j_hi - k->j_lo);
	bits_i = width(i_hi - k->i_lo);
	k->bits = k->bits_n + 2 + k->bits_j + bits_i;
	return !triple && (cell < 4 || all == VS_NO_CELL) && k->bits <= 64;
}

/* One digit, from the lowest on; those before it stay in order. */
static void
sort_digit(struct keys *k, int shift)
{
	uint32_t at[1 << DIGIT] = { 0 }, sum = 0;
	const uint64_t mask = (1 << DIGIT) - 1;
	uint64_t *t = k->key;

	for (size_t r = 0; r < k->n; r++)
		at[k->key[r] >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		uint32_t many = at[d];

		at[d] = sum;
		sum += many;
	}
	for (size_t r = 0; r < k->n; r++)
		k->other[at[k->key[r] >> shift & mask]++] = k->key[r];
	k->key = k->other;
	k->other = t;
}

void
vs_record_sort(struct vs_record *rec, size_t n)
{
	struct keys k = { .n = n };
	struct vs_record *copy = NULL;
	uint64_t *room = NULL;

	if (n >= FEW && n <= UINT32_MAX && fits(&k, rec)) {
		room = malloc(2 * n * sizeof(*room));
		copy = malloc(n * sizeof(*copy));
	}
	if (!room || !copy) {
		if (n > 1)
			qsort(rec, n, sizeof(*rec), by_place);
		goto out;
	}
	k.key = room;
	k.other = room + n;
	for (size_t r = 0; r < n; r++)
		k.key[r] =
			(((rec[r].i - k.i_lo) << k.bits_j | (rec[r].j - k.j_lo))
					<< 2 |
				(rec[r].cell & 3))
				<< k.bits_n |
			r;
	for (int shift = k.bits_n; shift < k.bits; shift += DIGIT)
		sort_digit(&k, shift);
	for (size_t r = 0; r < n; r++)
		copy[r] = rec[k.key[r] & (((uint64_t)1 << k.bits_n) - 1)];
	memcpy(rec, copy, n * sizeof(*rec));
out:
	free(copy);
	free(room);
}
