/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pair kernel with nibble counters, a template for any register width. Each
 * nibble of a register is one column: for each field two registers hold g of
 * LANES columns. A row is delta coded: its list names the fields in which it
 * differs from a base, and the columns' registers of those fields are added up.
 * The base is the row's commonest genotype in all fields, or an earlier row.
 * With y = g - base,
 *
 *   sum g g' = sum base g' + sum y g'
 *
 * and the first sum is a multiple of the column's sum, or the base row's sum. y
 * is 0 in at least a third of the fields, so the work follows the length of the
 * list. It makes four lists, for y = -2, 2, -1 and 1, most of them empty.
 * A missing call counts as genotype 0 on both sides.
 *
 * Seven entries add up to 14 at most, so nibbles do not overflow; such a sum N
 * of nibbles is then added to two registers of bytes and of 16-bit words,
 * s += N and t += N >> 4. With A, B, C, D the totals of the nibbles of a word
 * from the lowest up, each below 256, and all bytes modulo 256,
 *
 *   s = (A + 16 B, C + 16 D)      t = (B + 16 C, D)
 *
 * from which D, C, B and A follow in turn. A register's columns then cost 9
 * instructions in 7 entries. Full adders on bit planes cost 10 per entry for
 * four times as many columns where logic has two inputs, nearly twice as much.
 * To subtract entries, 14 - N is added, and 14 is subtracted at the end.
 */
#ifndef VS_KERN_PAIR_NIBBLES_H
#define VS_KERN_PAIR_NIBBLES_H

#include <string.h>

#ifndef LANES
#define LANES 64   /* columns counted at a time */
#define CHUNK 1024 /* fields, a multiple of 64 */
#define LANES_CPU VS_CPU_SCALAR
#define LANES_TARGET
#endif

#define FN LANES_TARGET static
#define INLINE LANES_TARGET VS_INLINE

#define OWN_DISTANCE
#include "libcore/base/inline.h"
#include "libcore/kern/delta_planes.h"

#define N_REG 2                       /* registers of a field */
#define REG_BYTES (LANES / 2 / N_REG) /* two columns to a byte */
#define ROW_BYTES (LANES / 2)
/*
 * A chunk of fields stays in L1 while all rows pass over it, and its byte
 * offsets fit 16 bits. One more field, all zero, pads lists to whole groups. 28
 * to 40 KB are best; longer chunks are slower.
 */
#define CHUNK_BYTES ((CHUNK + 1) * ROW_BYTES)
#define ZERO_ROW (CHUNK * ROW_BYTES)
/* Entries added up in nibbles, and groups of them in bytes: 2 x 126 < 256. */
#define GROUP 7
#define GROUPS 18
/*
 * Chunks counted before the 16-bit counters are flushed: at most 4 per field.
 */
#define TURN (4096 / CHUNK)

typedef uint8_t bytes __attribute__((vector_size(REG_BYTES), may_alias));
typedef uint16_t halves __attribute__((vector_size(REG_BYTES), may_alias));
typedef uint64_t words __attribute__((vector_size(REG_BYTES), may_alias));
#define N_HALF (REG_BYTES / 2)
#define N_WORD (REG_BYTES / 8)

#define SQUARES words
#define SQUARES_INLINE INLINE
#include "libcore/kern/squares.h"

static size_t
chunks(size_t n_field)
{
	return (n_field + CHUNK - 1) / CHUNK;
}

static size_t
blocks(size_t n_col)
{
	return (n_col + LANES - 1) / LANES;
}

/*
 * ---- columns: a block has their sums, then chunk after chunk of fields ----
 */

static size_t
block_bytes(size_t n_field)
{
	return LANES * sizeof(int32_t) +
		(chunks(n_field) * CHUNK_BYTES + 63) / 64 * 64;
}

static size_t
col_room(size_t n_col, size_t n_field)
{
	return blocks(n_col) * block_bytes(n_field);
}

/* Registers of a field within a block. */
static inline char *
field_row(const char *block, size_t f)
{
	return (char *)block + LANES * sizeof(int32_t) +
		f / CHUNK * CHUNK_BYTES + f % CHUNK * ROW_BYTES;
}

/*
 * Column of nibble n of a field: the four of a 16-bit word are N_HALF columns
 * apart, so that counters come out in column order.
 */
static inline size_t
column(size_t n)
{
	return n / (2 * REG_BYTES) * (2 * REG_BYTES) + n % (2 * REG_BYTES) / 4 +
		n % 4 * N_HALF;
}

/*
 * Load the low and high bits of g of 64 columns, fields from word w on, by
 * field: even[f] has two bits for each even column, odd[f] for each odd one.
 */
INLINE void
load_squares(const struct vs_panel *b, size_t lo, size_t n_col, size_t group,
	size_t w, int label, words even[64], words odd[64])
{
	const words turn = (words){ 0 } - (uint64_t)!label;
	const words low = ~(words){ 0 } / 3;

	for (size_t r = 0; r < 64; r++) {
		/* bit 4 j + k becomes nibble j of 64-bit word k */
		size_t c = column(64 * group + r % 4 * 16 + r / 4);
		words h, p;

		even[r] = odd[r] = (words){ 0 };
		if (c >= n_col)
			continue;
		h = *(const words *)(vs_vec_plane(&b->vec, lo + c, 0) + w);
		p = *(const words *)(vs_vec_plane(&b->vec, lo + c, 1) + w);
		/*
		 * a plane's padding looks like g = 1, but no list contains it
		 */
		even[r] = ~(h | p);
		odd[r] = h & (p ^ turn);
	}
	transpose_bits(even);
	transpose_bits(odd);
	for (size_t r = 0; r < 64; r++) {
		words g1 = even[r], g2 = odd[r];

		even[r] = (g1 & low) | (g2 & low) << 1;
		odd[r] = (g1 >> 1 & low) | (g2 & ~low);
	}
}

/* Store 64 fields of 64 columns, the first of them at to. */
INLINE void
store_square(const words even[64], const words odd[64], size_t square, char *to)
{
	const uint64_t low = ~0ull / 5;

	for (size_t q = 0; q < 64; q++, to += ROW_BYTES) {
		uint64_t e = even[q][square], o = odd[q][square];
		uint64_t *four = (uint64_t *)to;

		four[0] = e & low;
		four[1] = o & low;
		four[2] = e >> 2 & low;
		four[3] = o >> 2 & low;
	}
}

FN void
take_group(const struct vs_panel *b, size_t lo, size_t n_col, size_t group,
	int label, char *block)
{
	words even[64], odd[64];

	for (size_t f = 0; f < b->vec.n_field; f += 64) {
		size_t square = f / 64 % N_WORD;

		if (!square)
			load_squares(b, lo, n_col, group, f / 64, label, even,
				odd);
		store_square(even, odd, square,
			field_row(block, f) + 32 * group);
	}
}

FN void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	size_t n_field = b->vec.n_field;

	for (size_t k = 0; k < blocks(n_col); k++) {
		char *block = (char *)cols + k * block_bytes(n_field);
		size_t at = k * LANES;
		size_t n = n_col - at < LANES ? n_col - at : LANES;

		memset(block, 0, LANES * sizeof(int32_t));
		for (size_t v = 0; v < n; v++)
			((int32_t *)block)[v] =
				vs_panel_sum(b, lo + at + v, label);
		for (size_t g = 0; g < LANES / 64; g++)
			take_group(b, lo + at, n, g, label, block);
		for (size_t c = 0; c < chunks(n_field); c++)
			memset(field_row(block, c * CHUNK) + ZERO_ROW, 0,
				ROW_BYTES);
	}
}

/* ---- rows: lists of the fields that differ from a base ---- */

/* Lists in the order in which they are counted. */
enum { LESS_2, MORE_2, LESS_1, MORE_1, N_LIST };

/* Lists of a chunk: whole groups of entries, one list after the other. */
struct list {
	uint32_t at; /* index into the entries of all rows */
	uint16_t n[N_LIST];
};

struct row {
	uint16_t counter[LANES] __attribute__((aligned(64)));
	int32_t mode; /* genotype of the base, 0 where the base is a row */
	int32_t base; /* number of that row, or -1 */
	int32_t bias; /* excess of the counters */
	struct list list[TURN];
};

#define BACK 8 /* earlier rows that may be a row's base */

/* Rows of a call and their lists. */
struct rows {
	struct row *row;
	struct planes planes;
	uint16_t *entry; /* written eight at a time */
};

static size_t
row_room(size_t n_row, size_t n_field)
{
	size_t turn = chunks(n_field) < TURN ? chunks(n_field) : TURN;

	return n_row * (sizeof(struct row) + vs_vec_words(n_field) * 16) +
		(n_row * turn * (CHUNK + N_LIST * GROUP) + 16) *
		sizeof(uint16_t);
}

static struct rows
lay_out(void *scratch, size_t n_row, const struct vs_vec *vec)
{
	struct rows s = { .row = scratch };

	s.planes = (struct planes){ (uint64_t *)(s.row + n_row), vec->n_field,
		vec->n_word };
	s.entry = (uint16_t *)plane_of(&s.planes, n_row, 0);
	return s;
}

/* Population count of each byte. */
INLINE words
bits_in_bytes(words w)
{
	const words all = ~(words){ 0 };

	w -= w >> 1 & all / 3;
	w = (w & all / 5) + (w >> 2 & all / 5);
	return (w + (w >> 4)) & all / 17;
}

INLINE int64_t
distance(const struct planes *s, size_t r, size_t q, size_t lo, size_t hi)
{
	int64_t sum = 0;

	for (int k = 0; k < 2; k++) {
		const words *a = (const words *)(plane_of(s, r, k) + lo);
		const words *b = (const words *)(plane_of(s, q, k) + lo);
		size_t n = (hi - lo) / N_WORD;

		for (size_t w = 0; w < n;) {
			/* at most 8 per byte */
			size_t end = n - w < 31 ? n : w + 31;
			words in = { 0 };
			halves in_two;

			for (; w < end; w++)
				in += bits_in_bytes(a[w] ^ b[w]);
			in_two = ((halves)in & 255) + ((halves)in >> 8);
			for (size_t x = 0; x < N_HALF; x++)
				sum += in_two[x];
		}
	}
	return sum;
}

/* Table: for each byte the offsets of its set bits, rising, in 16 bits each. */
#define BIT(b, k) ((offsets)((b) >> (k)&1))
#define PUT(b, k, rest) ((rest) << 16 * BIT(b, k) | k * ROW_BYTES * BIT(b, k))
#define HIGH(b) PUT(b, 4, PUT(b, 5, PUT(b, 6, PUT(b, 7, (offsets)0))))
#define BYTE(b) PUT(b, 0, PUT(b, 1, PUT(b, 2, PUT(b, 3, HIGH(b)))))
#define BYTES4(b) BYTE(b), BYTE(b + 1), BYTE(b + 2), BYTE(b + 3)
#define BYTES16(b) BYTES4(b), BYTES4(b + 4), BYTES4(b + 8), BYTES4(b + 12)
#define BYTES64(b) BYTES16(b), BYTES16(b + 16), BYTES16(b + 32), BYTES16(b + 48)
typedef unsigned __int128 offsets;
static const offsets bits_of[256] = { BYTES64(0), BYTES64(64), BYTES64(128),
	BYTES64(192) };

typedef uint16_t eight __attribute__((vector_size(16), may_alias));

/* Prefix sums of the population counts of the bytes. */
INLINE uint64_t
running_counts(uint64_t w)
{
	w -= w >> 1 & ~0ull / 3;
	w = (w & ~0ull / 5) + (w >> 2 & ~0ull / 5);
	return ((w + (w >> 4)) & ~0ull / 17) * (~0ull / 255);
}

/* Write the offsets of the set bits of n_word words, padded to whole groups. */
INLINE uint16_t
entries(const uint64_t *word, size_t n_word, uint16_t *to)
{
	eight at = { 0 };
	uint16_t *end = to;

	for (size_t w = 0; w < n_word; w++) {
		uint64_t n = running_counts(word[w]) << 8;

		for (int k = 0; k < 8; k++) {
			const offsets *from = &bits_of[word[w] >> 8 * k & 255];
			eight next = *(const eight *)from + at;

			memcpy(end + (n >> 8 * k & 255), &next, sizeof(next));
			at += 8 * ROW_BYTES;
		}
		end += running_counts(word[w]) >> 56;
	}
	at = (eight){ 0 } + ZERO_ROW;
	memcpy(end, &at, sizeof(at));
	return (uint16_t)((end - to + GROUP - 1) / GROUP);
}

/*
 * Planes of row r, vector v, and its base; earlier rows are considered only on
 * request. returns  true if the base is an earlier row
 */
FN bool
take_row(const struct vs_panel *a, size_t v, int label, const struct rows *s,
	size_t r, bool look)
{
	struct row *row = &s->row[r];
	size_t nearest = r;
	int64_t others;

	take_planes(a, v, label, &s->planes, r);
	row->mode = mode_of(a, v, label, &others);
	row->base = -1;
	if (look)
		nearest = nearest_row(&s->planes, r, r > BACK ? r - BACK : 0,
			others);
	if (nearest < r) {
		row->base = (int32_t)nearest;
		row->mode = 0;
	}
	memset(row->counter, 0, sizeof(row->counter));
	row->bias = 0;
	return row->base >= 0;
}

/* Bits of a chunk by list, and which lists have an entry. */
struct differences {
	uint64_t word[N_LIST][CHUNK / 64];
	uint64_t any[N_LIST];
};

INLINE void
differ(const struct rows *s, size_t r, size_t c, struct differences *d)
{
	const struct row *row = &s->row[r];
	const uint64_t *some = plane_of(&s->planes, r, 0),
		       *two = plane_of(&s->planes, r, 1);
	size_t q = row->base < 0 ? r : (size_t)row->base;
	const uint64_t *old_some = plane_of(&s->planes, q, 0);
	const uint64_t *old_two = plane_of(&s->planes, q, 1);

	memset(d->any, 0, sizeof(d->any));
	for (size_t k = 0; k < CHUNK / 64; k++) {
		size_t w = c * (CHUNK / 64) + k;
		uint64_t in = fields_in(s->planes.n_field, w);
		uint64_t b1, b2, up1, up2, down1, down2;

		if (!in)
			break;
		b1 = row->base >= 0 ? old_some[w] : row->mode > 0 ? in : 0;
		b2 = row->base >= 0 ? old_two[w] : row->mode > 1 ? in : 0;
		up1 = some[w] & ~b1;
		up2 = two[w] & ~b2;
		down1 = b1 & ~some[w];
		down2 = b2 & ~two[w];
		d->any[LESS_2] |= d->word[LESS_2][k] = down1 & down2;
		d->any[MORE_2] |= d->word[MORE_2][k] = up1 & up2;
		d->any[LESS_1] |= d->word[LESS_1][k] = down1 ^ down2;
		d->any[MORE_1] |= d->word[MORE_1][k] = up1 ^ up2;
	}
}

/* Write the lists of chunk c of row r to `to`; returns their end. */
FN uint16_t *
make_list(const struct rows *s, size_t r, size_t c, uint16_t *to)
{
	struct list *list = &s->row[r].list[c % TURN];
	size_t left = s->planes.n_field - c * CHUNK;
	size_t n_word = ((left < CHUNK ? left : CHUNK) + 63) / 64;
	struct differences d;

	differ(s, r, c, &d);
	list->at = (uint32_t)(to - s->entry);
	for (int k = 0; k < N_LIST; k++) {
		list->n[k] = 0;
		if (d.any[k])
			list->n[k] = entries(d.word[k], n_word, to);
		to += list->n[k] * GROUP;
	}
	return to;
}

/* ---- counting ---- */

/* Add the columns' registers of n groups of entries to s and t. */
INLINE void
add_groups(bytes s[N_REG], bytes t[N_REG], const char *rows, const uint16_t *at,
	unsigned n, const bool less)
{
	const bytes most = (bytes){ 0 } + 14 * 17;

	for (; n; n--, at += GROUP)
		for (int k = 0; k < N_REG; k++) {
			const char *from = rows + k * REG_BYTES;
			bytes sum = *(const bytes *)(from + at[0]);

			for (int e = 1; e < GROUP; e++)
				sum += *(const bytes *)(from + at[e]);
			if (less)
				sum = most - sum;
			s[k] += sum;
			t[k] += (bytes)((halves)sum >> 4);
		}
}

/* Add s and t to the counters. */
INLINE void
widen(uint16_t *counter, const bytes s[N_REG], const bytes t[N_REG])
{
	for (int k = 0; k < N_REG; k++) {
		halves *to = (halves *)counter + 4 * k;
		halves x = (halves)s[k], y = (halves)t[k];
		halves d = y >> 8, c = ((x >> 8) - (d << 4)) & 255;
		halves b = (y - (c << 4)) & 255, a = (x - (b << 4)) & 255;

		to[0] += a;
		to[1] += b;
		to[2] += c;
		to[3] += d;
	}
}

/* Double the sums: entries so far count 2 each. */
INLINE void
double_sums(bytes s[N_REG], bytes t[N_REG])
{
	for (int k = 0; k < N_REG; k++) {
		s[k] += s[k];
		t[k] += t[k];
	}
}

/*
 * Add as many of the next n groups, at *at, as there is room for; returns the
 * number left.
 */
INLINE unsigned
add_some(bytes s[N_REG], bytes t[N_REG], const char *rows, const uint16_t **at,
	unsigned n, unsigned *room, const bool less)
{
	unsigned some = n < *room ? n : *room;

	add_groups(s, t, rows, *at, some, less);
	*at += some * GROUP;
	*room -= some;
	return n - some;
}

/* Count a chunk; bytes are widened whenever they are full. */
FN void
count_chunk(struct row *r, const struct list *list, const uint16_t *entry,
	const char *rows)
{
	const uint16_t *at = entry + list->at;
	unsigned less2 = list->n[LESS_2], more2 = list->n[MORE_2];
	unsigned less1 = list->n[LESS_1], more1 = list->n[MORE_1];

	r->bias += 14 * (int32_t)(2 * less2 + less1);
	while (less2 | more2 | less1 | more1) {
		bytes s[N_REG] = { 0 }, t[N_REG] = { 0 };
		unsigned room = GROUPS / 2;

		if (less2 | more2) {
			less2 = add_some(s, t, rows, &at, less2, &room, true);
			more2 = add_some(s, t, rows, &at, more2, &room, false);
			double_sums(s, t);
		}
		room *= 2;
		less1 = add_some(s, t, rows, &at, less1, &room, true);
		more1 = add_some(s, t, rows, &at, more1, &room, false);
		widen(r->counter, s, t);
	}
}

/*
 * Flush the counters of a row: add them as integers to the row's sums, which
 * start with the mode's share and end with the base row's sums.
 */
FN void
flush_counters(struct row *r, const int32_t *sums, bool first,
	const int32_t *base, int32_t *p)
{
	int32_t mode = r->mode, bias = r->bias;
	halves *counter = (halves *)r->counter;

	for (int k = 0; k < LANES; k++) {
		int32_t v = first ? mode * sums[k] : p[k];

		v += (int32_t)r->counter[k] - bias;
		p[k] = base ? v + base[k] : v;
	}
	/* memset() would be a string instruction, which starts slowly */
	for (int k = 0; k < LANES / N_HALF; k++)
		counter[k] = (halves){ 0 };
	r->bias = 0;
}

/* Count all rows against a block of columns, its chunks [c0, c1). */
FN void
count_block(const struct rows *s, size_t n_row, const char *block, size_t c0,
	size_t c1, int32_t *p, size_t ld)
{
	const int32_t *sums = (const int32_t *)block;
	bool last = c1 == chunks(s->planes.n_field);

	for (size_t c = c0; c < c1; c++) {
		const char *at = field_row(block, c * CHUNK);

		/* short lists would load it in no order */
		for (size_t k = 0; k < (n_row < 8 ? 0 : CHUNK_BYTES); k += 64)
			__builtin_prefetch(at + k);
		for (size_t r = 0; r < n_row; r++)
			count_chunk(&s->row[r], &s->row[r].list[c - c0],
				s->entry, at);
	}
	for (size_t r = 0; r < n_row; r++) {
		int32_t base = s->row[r].base;

		flush_counters(&s->row[r], sums, !c0,
			last && base >= 0 ? p + (size_t)base * ld : NULL,
			p + r * ld);
	}
}

FN void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	const struct rows s = lay_out(scratch, n_row, &a->vec);
	size_t n_chunk = chunks(s.planes.n_field), n_alike = 0;

	/*
	 * earlier rows are searched only if the first rows resemble each other
	 */
	for (size_t r = 0; r < n_row; r++)
		n_alike += take_row(a, row + r, label, &s, r,
			r < 2 * BACK || n_alike);
	for (size_t c0 = 0; c0 < n_chunk; c0 += TURN) {
		size_t c1 = n_chunk - c0 < TURN ? n_chunk : c0 + TURN;
		uint16_t *to = s.entry;

		for (size_t c = c0; c < c1; c++)
			for (size_t r = 0; r < n_row; r++)
				to = make_list(&s, r, c, to);
		for (size_t b = col / LANES; b < blocks(n_col); b++)
			count_block(&s, n_row,
				(const char *)cols +
					b * block_bytes(s.planes.n_field),
				c0, c1, p + b * LANES, ld);
	}
}

#define NAME(lanes) NAME_(lanes)
#define NAME_(lanes) vs_dense_nibble##lanes
#define TEXT(lanes) TEXT_(lanes)
#define TEXT_(lanes) "nibble" #lanes
extern const struct vs_dense NAME(LANES);
const struct vs_dense NAME(LANES) = { TEXT(LANES), LANES_CPU, LANES, col_room,
	take_cols, row_room, count, false, NULL };

#endif
