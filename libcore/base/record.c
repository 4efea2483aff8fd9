/* SPDX-License-Identifier: BSD-3-Clause */
/* Order, radix sort and digest of result records. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/record.h"

#define DIGIT 11       /* bits per pass of the radix sort */
#define RADIX_LEAST 64 /* fewer records are sorted by qsort() */

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

void
vs_record_rename(struct vs_record *rec, const int64_t source[3],
	const uint8_t flip[3])
{
	const int n = 3;
	uint32_t v[3], label[3];

	if (rec->k == VS_NO_VEC) {
		vs_record_rename_pair(rec, (uint32_t)source[0],
			(uint32_t)source[1], 2u * flip[0] | flip[1]);
		return;
	}
	for (int x = 0; x < n; x++) {
		v[x] = (uint32_t)source[x];
		label[x] = (rec->cell >> (n - 1 - x) & 1) ^ flip[x];
	}
	for (int x = 1; x < n; x++) /* insertion sort */
		for (int y = x; y && v[y] < v[y - 1]; y--) {
			uint32_t tv = v[y];
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

/*
 * Sort keys: for each record its fields i, j, k and cell, or two of them, less
 * their minimum, and in the lowest bits_n bits its number. bits is the width of
 * each field's range.
 */
enum { I, J, K, CELL, FIELDS };
struct keys {
	uint64_t *key, *other;
	size_t n;
	uint64_t lo[FIELDS];
	int bits[FIELDS], bits_n;
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

static void
span(uint64_t x, int field, struct keys *k, uint64_t *hi)
{
	k->lo[field] = x < k->lo[field] ? x : k->lo[field];
	hi[field] = x > hi[field] ? x : hi[field];
}

/*
 * Minimum and width of each field; a field equal in all records, like k of
 * pairs, takes 0 bits.
 */
static void
measure(struct keys *k, const struct vs_record *rec)
{
	uint64_t hi[FIELDS] = { 0 };

	for (int f = 0; f < FIELDS; f++)
		k->lo[f] = UINT64_MAX;
	for (size_t r = 0; r < k->n; r++) {
		span(rec[r].i, I, k, hi);
		span(rec[r].j, J, k, hi);
		span(rec[r].k, K, k, hi);
		span(rec[r].cell, CELL, k, hi);
	}
	for (int f = 0; f < FIELDS; f++)
		k->bits[f] = width(hi[f] - k->lo[f]);
	k->bits_n = width(k->n - 1);
}

/* True if the fields first .. last and a record's number fit 64 bits. */
static int
fits(const struct keys *k, int first, int last)
{
	int bits = k->bits_n;

	for (int f = first; f <= last; f++)
		bits += k->bits[f];
	return bits <= 64;
}

/* One pass of a stable LSD radix sort. */
static void
sort_digit(struct keys *k, int shift)
{
	uint32_t at[1 << DIGIT] = { 0 }, sum = 0;
	const uint64_t mask = (1 << DIGIT) - 1;
	uint64_t *t = k->key;

	for (size_t r = 0; r < k->n; r++)
		at[k->key[r] >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t r = 0; r < k->n; r++)
		k->other[at[k->key[r] >> shift & mask]++] = k->key[r];
	k->key = k->other;
	k->other = t;
}

/*
 * Set the keys to these fields; with `again`, of the records in the present
 * order of the keys.
 */
static void
set_keys(struct keys *k, const struct vs_record *rec, int first, int last,
	int again)
{
	const uint64_t number = ((uint64_t)1 << k->bits_n) - 1;
	const uint64_t *lo = k->lo;
	uint64_t mask[FIELDS] = { 0 };
	int shift[FIELDS] = { 0 }, at = k->bits_n;

	for (int f = last; f >= first; f--) {
		shift[f] = at < 64 ? at : 0; /* width 64: the field is empty */
		mask[f] = at < 64 ? UINT64_MAX : 0;
		at += k->bits[f];
	}
	for (size_t r = 0; r < k->n; r++) {
		uint64_t place = again ? k->key[r] & number : r;
		const struct vs_record *x = &rec[place];

		k->key[r] = ((x->i - lo[I]) & mask[I]) << shift[I] |
			((x->j - lo[J]) & mask[J]) << shift[J] |
			((x->k - lo[K]) & mask[K]) << shift[K] |
			((x->cell - lo[CELL]) & mask[CELL]) << shift[CELL] |
			place;
	}
}

static void
sort_keys(struct keys *k, int first, int last)
{
	int bits = k->bits_n;

	for (int f = first; f <= last; f++)
		bits += k->bits[f];
	for (int shift = k->bits_n; shift < bits; shift += DIGIT)
		sort_digit(k, shift);
}

/* Records that are brought into order by way of memory of their own, which the
 * caches hold. */
#define COPIED 65536

/* The records in the order of the keys. */
static void
copy_sorted(const struct keys *k, struct vs_record *rec, struct vs_record *to)
{
	const uint64_t number = ((uint64_t)1 << k->bits_n) - 1;

	for (size_t r = 0; r < k->n; r++)
		to[r] = rec[k->key[r] & number];
	memcpy(rec, to, k->n * sizeof(*rec));
}

#define PREFETCH 6 /* prefetch distance, in records of a cycle */

/*
 * Permute the records into the order of the keys, cycle by cycle; the key of a
 * record that is in place is its own index.
 */
static void
permute(const struct keys *k, struct vs_record *rec)
{
	const uint64_t number = ((uint64_t)1 << k->bits_n) - 1;

	for (size_t r = 0; r < k->n; r++) {
		struct vs_record saved = rec[r];
		size_t at = r, ahead = r, from;

		for (int n = 0; n < PREFETCH && k->key[r] != r; n++)
			ahead = k->key[ahead] & number;
		for (; (from = k->key[at] & number) != r; at = from) {
			ahead = k->key[ahead] & number;
			__builtin_prefetch(&rec[ahead]);
			rec[at] = rec[from];
			k->key[at] = at;
		}
		rec[at] = saved;
		k->key[at] = at;
	}
}

/* Records of vectors that stay in the order of the file often are. */
static bool
is_sorted(const struct vs_record *rec, size_t n)
{
	for (size_t k = 1; k < n; k++)
		if (vs_record_compare(&rec[k - 1], &rec[k]) > 0)
			return false;
	return true;
}

void
vs_record_sort(struct vs_record *rec, size_t n)
{
	struct keys k = { .n = n };
	size_t more = n <= COPIED ? n * sizeof(*rec) : 0;
	uint64_t *room = NULL;
	int once = 0;

	if (is_sorted(rec, n))
		return;
	if (n >= RADIX_LEAST && n <= UINT32_MAX) {
		measure(&k, rec);
		once = fits(&k, I, CELL);
		if (once || (fits(&k, I, J) && fits(&k, K, CELL)))
			room = malloc(2 * n * sizeof(*room) + more);
	}
	if (!room) {
		if (n > 1)
			qsort(rec, n, sizeof(*rec), by_place);
		return;
	}
	k.key = room;
	k.other = room + n;
	set_keys(&k, rec, once ? I : K, CELL, 0);
	sort_keys(&k, once ? I : K, CELL);
	/* two sorts: by k and cell, then, stable, by i and j */
	if (!once) {
		set_keys(&k, rec, I, J, 1);
		sort_keys(&k, I, J);
	}
	if (more)
		copy_sorted(&k, rec, (struct vs_record *)(room + 2 * n));
	else
		permute(&k, rec);
	free(room);
}
