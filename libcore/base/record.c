/* SPDX-License-Identifier: BSD-3-Clause */
/* Order, radix sort and digest of result records. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/record.h"

#define DIGIT 11         /* bits per pass of the radix sort */
#define RADIX_MOST 65536 /* more are split first: these fit the caches */
#define RUNS 1024        /* more ascending runs than this are not merged */
#define SHORT 8          /* shorter runs on average are not worth merging */
#define RADIX_LEAST 64   /* fewer records are sorted by qsort() */

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

/* An integer that rises with the sort order of the strengths: their bits,
 * flipped. */
static inline uint64_t
value_key(enum vs_record_order order, const struct vs_record *r)
{
	const double strength =
		vs_record_strength(order, r) + 0.0; /* turns -0 into 0 */
	uint64_t bits;

	memcpy(&bits, &strength, sizeof(bits));
	return ~(bits ^ (bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63));
}

int
vs_record_compare_in(enum vs_record_order order, const struct vs_record *a,
	const struct vs_record *b)
{
	const double x = vs_record_strength(order, a),
		     y = vs_record_strength(order, b);

	return order == VS_BY_PLACE || x == y ? vs_record_compare(a, b)
		: x > y                       ? -1
					      : 1;
}

size_t
vs_record_before(enum vs_record_order order, const struct vs_record *rec,
	size_t n, const struct vs_record *x, bool equal)
{
	size_t lo = 0, hi = n;

	if (n && vs_record_compare_in(order, &rec[n - 1], x) < equal)
		return n;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (vs_record_compare_in(order, &rec[mid], x) < equal)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
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
 * Sort keys: for each record some of its fields (the halves of the value's key,
 * i, j, k and cell), less their minimum, with the record's number in the lowest
 * bits_n bits. bits is the width of each field's range, at most 32.
 */
enum { HIGH, LOW, I, J, K, CELL, FIELDS };
struct keys {
	enum vs_record_order order;
	uint64_t *key, *other;
	size_t n;
	uint64_t lo[FIELDS];
	int bits[FIELDS], bits_n;
};

static int
by_order(const void *a, const void *b, void *order)
{
	return vs_record_compare_in(*(enum vs_record_order *)order, a, b);
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
		k->lo[f] = f < I && k->order == VS_BY_PLACE ? 0 : UINT64_MAX;
	for (size_t r = 0; r < k->n && k->order != VS_BY_PLACE; r++) {
		const uint64_t value = value_key(k->order, &rec[r]);

		span(value >> 32, HIGH, k, hi);
		span((uint32_t)value, LOW, k, hi);
	}
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

/* One pass of a stable LSD radix sort on this many bits. */
static void
sort_digit(struct keys *k, int shift, int n_bit)
{
	uint32_t at[1 << DIGIT], sum = 0;
	const uint64_t mask = ((uint64_t)1 << n_bit) - 1;
	uint64_t *t = k->key;

	memset(at, 0, sizeof(*at) << n_bit);
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
 * Set the keys to these fields; with `again`, for the records in the keys'
 * present order.
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
		uint64_t value = 0;

		if (first <= LOW) {
			const uint64_t key = value_key(k->order, x);

			value = (((key >> 32) - lo[HIGH]) & mask[HIGH])
					<< shift[HIGH] |
				(((uint32_t)key - lo[LOW]) & mask[LOW])
					<< shift[LOW];
		}
		k->key[r] = value | ((x->i - lo[I]) & mask[I]) << shift[I] |
			((x->j - lo[J]) & mask[J]) << shift[J] |
			((x->k - lo[K]) & mask[K]) << shift[K] |
			((x->cell - lo[CELL]) & mask[CELL]) << shift[CELL] |
			place;
	}
}

/* Passes on digits of about equal width: short digits scatter to few places. */
static void
sort_keys(struct keys *k, int first, int last)
{
	int bits = 0, n_pass;

	for (int f = first; f <= last; f++)
		bits += k->bits[f];
	n_pass = (bits + DIGIT - 1) / DIGIT;
	for (int at = k->bits_n, n_bit; n_pass; at += n_bit, bits -= n_bit) {
		n_bit = (bits + n_pass - 1) / n_pass;
		sort_digit(k, at, n_bit);
		n_pass--;
	}
}

/* Copy the records in the order of the keys. */
static void
copy_sorted(const struct keys *k, const struct vs_record *rec,
	struct vs_record *to)
{
	const uint64_t number = ((uint64_t)1 << k->bits_n) - 1;

	for (size_t r = 0; r < k->n; r++)
		to[r] = rec[k->key[r] & number];
}

/* Records are often sorted when the vectors stay in file order. */
static bool
is_sorted(enum vs_record_order order, const struct vs_record *rec, size_t n)
{
	for (size_t k = 1; k < n; k++)
		if (vs_record_compare_in(order, &rec[k - 1], &rec[k]) > 0)
			return false;
	return true;
}

/* Number of parts that large arrays are split into. */
#define PARTS 2048

/* Key to split records by; `by` is the first key in which they differ. */
static inline uint64_t
split_key(enum vs_record_order order, int by, const struct vs_record *r)
{
	switch (by) {
	case LOW:
		return value_key(order, r);
	case I:
		return r->i;
	case J:
		return r->j;
	case K:
		return r->k;
	default:
		return r->cell;
	}
}

static void sort_to(enum vs_record_order order, struct vs_record *rec, size_t n,
	struct vs_record *to);

/*
 * Split records by equal widths of a key and sort each part. With room for n
 * more they stay in order within a part; else in place, an American flag sort.
 */
static void
split(enum vs_record_order order, struct vs_record *rec, size_t n,
	struct vs_record *room)
{
	size_t at[PARTS], end[PARTS] = { 0 };
	uint64_t lo = 0, hi = 0;
	int by, shift = 0;

	for (by = order == VS_BY_PLACE ? I : LOW; by < FIELDS && lo == hi;
		by++) {
		lo = UINT64_MAX;
		hi = 0;
		for (size_t r = 0; r < n; r++) {
			const uint64_t key = split_key(order, by, &rec[r]);

			lo = key < lo ? key : lo;
			hi = key > hi ? key : hi;
		}
	}
	by--;
	while ((hi - lo) >> shift >= PARTS)
		shift++;
	for (size_t r = 0; r < n; r++)
		end[(split_key(order, by, &rec[r]) - lo) >> shift]++;
	for (size_t p = 0, sum = 0; p < PARTS; p++) {
		at[p] = sum;
		end[p] = sum += end[p];
	}
	for (size_t r = 0; r < n && room; r++)
		room[at[(split_key(order, by, &rec[r]) - lo) >> shift]++] =
			rec[r];
	for (size_t p = 0; p < PARTS; p++)
		while (at[p] < end[p]) {
			struct vs_record *x = &rec[at[p]], swapped = *x;
			const size_t to =
				(split_key(order, by, x) - lo) >> shift;

			*x = rec[at[to]];
			rec[at[to]++] = swapped;
		}
	for (size_t p = 0, from = 0; p < PARTS; from = end[p++])
		sort_to(order, (room ? room : rec) + from, end[p] - from,
			rec + from);
}

/* An ascending run of records. */
struct run {
	const struct vs_record *first;
	size_t n;
};

static int
by_first(const void *a, const void *b)
{
	return vs_record_compare(((const struct run *)a)->first,
		((const struct run *)b)->first);
}

/* List the runs of n >= 1 records; 0: they are too many or too short. */
static size_t
list_runs(const struct vs_record *rec, size_t n, struct run run[RUNS])
{
	size_t n_run = 0;

	run[0] = (struct run){ rec, 1 };
	for (size_t k = 1; k < n; k++) {
		if (!vs_record_is_before(&rec[k], &rec[k - 1])) {
			run[n_run].n++;
			continue;
		}
		if (++n_run == RUNS || n_run > SHORT + k / SHORT)
			return 0;
		run[n_run] = (struct run){ &rec[k], 1 };
	}
	return n_run + 1;
}

/*
 * Merge a few runs that hardly overlap, such as the rows of tiles, into another
 * array; false: sorting would be faster.
 */
static bool
merge_runs(const struct vs_record *rec, size_t n, struct vs_record *to)
{
	struct run run[RUNS];
	const size_t n_run = list_runs(rec, n, run);
	const size_t most = SHORT + n / SHORT;
	size_t work = 0, k;

	qsort(run, n_run, sizeof(*run), by_first);
	for (size_t at = 0, now; at < n_run && work <= most;
		to += now, work++) {
		struct run rest = run[at];

		now = at + 1 < n_run ? vs_record_before(VS_BY_PLACE, rest.first,
					       rest.n, run[at + 1].first, true)
				     : rest.n;
		memcpy(to, rest.first, now * sizeof(*to));
		rest.first += now;
		rest.n -= now;
		if (!rest.n) {
			at++;
			continue;
		}
		for (k = at; k + 1 < n_run &&
			vs_record_compare(run[k + 1].first, rest.first) < 0;
			k++)
			run[k] = run[k + 1];
		run[k] = rest;
		work += k - at;
	}
	return n_run && work <= most;
}

/*
 * Sort up to RADIX_MOST records into `to` or, if that is rec, in place.
 * room  vs_record_sort_bytes()
 */
static void
sort_few(enum vs_record_order order, struct vs_record *rec, size_t n,
	uint64_t *room, struct vs_record *to)
{
	struct keys k = { .order = order,
		.n = n,
		.key = room,
		.other = room + n };
	const int begin = order == VS_BY_PLACE ? I : HIGH;
	struct vs_record *there =
		to == rec ? (struct vs_record *)(room + 2 * n) : to;

	if (order == VS_BY_PLACE && merge_runs(rec, n, there)) {
		if (there != to)
			memcpy(to, there, n * sizeof(*to));
		return;
	}
	measure(&k, rec);
	/* stable sorts on as many fields as fit a key, the last fields first */
	for (int last = CELL, first; last >= begin; last = first - 1) {
		first = last;
		while (first > begin && fits(&k, first - 1, last))
			first--;
		set_keys(&k, rec, first, last, last < CELL);
		sort_keys(&k, first, last);
	}
	copy_sorted(&k, rec, there);
	if (there != to)
		memcpy(to, there, n * sizeof(*to));
}

static void
sort_to(enum vs_record_order order, struct vs_record *rec, size_t n,
	struct vs_record *to)
{
	const bool sorted = is_sorted(order, rec, n);
	uint64_t *room = !sorted && n >= RADIX_LEAST && n <= RADIX_MOST
		? malloc(vs_record_sort_bytes(n))
		: NULL;

	if (room) {
		sort_few(order, rec, n, room, to);
		free(room);
		return;
	}
	if (n > RADIX_MOST && !sorted)
		split(order, rec, n, NULL);
	else if (!sorted)
		qsort_r(rec, n, sizeof(*rec), by_order, &order);
	if (to != rec && n)
		memcpy(to, rec, n * sizeof(*to));
}

void
vs_record_sort_in(enum vs_record_order order, struct vs_record *rec, size_t n)
{
	sort_to(order, rec, n, rec);
}

void
vs_record_sort_to(struct vs_record *rec, size_t n, struct vs_record *to)
{
	sort_to(VS_BY_PLACE, rec, n, to);
}

void
vs_record_sort_with(struct vs_record *rec, size_t n, struct vs_record *room)
{
	if (n > RADIX_MOST && !is_sorted(VS_BY_PLACE, rec, n))
		split(VS_BY_PLACE, rec, n, room);
	else
		vs_record_sort(rec, n);
}

size_t
vs_record_sort_bytes(size_t n)
{
	return (n < RADIX_MOST ? n : RADIX_MOST) *
		(2 * sizeof(uint64_t) + sizeof(struct vs_record));
}
