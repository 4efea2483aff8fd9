/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit-sliced columns and field lists of pair_lanes.c: chunks of fields, columns
 * as fields x 512 lanes, rows as lists.
 */
#ifndef VS_KERN_LANES512_H
#define VS_KERN_LANES512_H

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define TARGET                                                              \
	target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2," \
	       "gfni,avx512vpopcntdq,popcnt,bmi,bmi2")
#define AVX512 __attribute__((TARGET))
#define INLINE __attribute__((TARGET)) VS_INLINE

#define OWN_DISTANCE
#include "libcore/base/inline.h"
#include "libcore/kern/delta_planes.h"

#define LANES 512
#define ROW_BYTES 128 /* of a field: two registers */
#define MARK_BYTES 64 /* of columns of marks: their low bits alone */
#define UNIT 8        /* unit of the row offsets, in bytes */
/*
 * Planes of a counter. A field adds at most 4 to it, or at most 3 where
 * complements are added, including the padding; and the offsets of the chunk's
 * registers fit 16 bits. A row of zeros after a chunk pads lists to whole
 * blocks.
 */
#define PLANES 14
#define CHUNK 4064
#define BLOCK 16 /* lists are padded to a multiple of this */

/* Chunks of fields; a counter is flushed after each chunk. */
struct chunking {
	size_t n_field, chunk, n_chunk, row_bytes;
};

static struct chunking
chunk_fields(size_t n_field, int label)
{
	struct chunking k = { .n_field = n_field,
		.row_bytes = label == VS_MARKS ? MARK_BYTES : ROW_BYTES };
	size_t n = (n_field + CHUNK - 1) / CHUNK;

	k.chunk = (n_field + n * 32 - 1) / (n * 32) * 32;
	k.n_chunk = (n_field + k.chunk - 1) / k.chunk;
	return k;
}

static size_t
chunk_bytes(const struct chunking *k)
{
	return (k->chunk + 1) * k->row_bytes;
}

static size_t
blocks(size_t n_col)
{
	return (n_col + LANES - 1) / LANES;
}

/* Least and most of a block's sums. */
struct extremes {
	_Alignas(64) int32_t least;
	int32_t most;
};

#define BLOCK_HEAD (LANES * sizeof(int32_t) + sizeof(struct extremes))

/*
 * Bytes of a block of 512 columns: their sums, the extremes of these, then
 * chunk after chunk of fields.
 */
static size_t
block_bytes(const struct chunking *k)
{
	return BLOCK_HEAD + k->n_chunk * chunk_bytes(k);
}

static inline struct extremes *
extremes_of(void *block)
{
	return (struct extremes *)((char *)block + LANES * sizeof(int32_t));
}

static inline size_t
col_room(size_t n_col, size_t n_field)
{
	struct chunking k = chunk_fields(n_field, 1);

	return blocks(n_col) * block_bytes(&k);
}

/* ---- columns: 512 vectors x fields turned into fields x 512 lanes ---- */

/* Transpose 8 x 8 of 64-bit words. */
INLINE void
transpose_words(__m512i r[8])
{
	__m512i t[8], u[8];

	for (int k = 0; k < 8; k += 2) {
		t[k] = _mm512_unpacklo_epi64(r[k], r[k + 1]);
		t[k + 1] = _mm512_unpackhi_epi64(r[k], r[k + 1]);
	}
	for (int k = 0; k < 2; k++)
		for (int h = 0; h < 2; h++) {
			u[4 * h + k] = _mm512_shuffle_i64x2(t[4 * h + k],
				t[4 * h + 2 + k], 0x88);
			u[4 * h + 2 + k] = _mm512_shuffle_i64x2(t[4 * h + k],
				t[4 * h + 2 + k], 0xdd);
		}
	for (int k = 0; k < 4; k++) {
		r[k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0x88);
		r[4 + k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0xdd);
	}
}

/*
 * Transpose 8 vectors x 64 fields, a word each, into 64 bytes: byte f holds
 * field f of the 8 vectors. Bytes are grouped by field, and each 8 x 8 bits
 * transposed by an affine product with the unit vectors.
 */
INLINE __m512i
transpose_bits(__m512i v)
{
	const __m512i units = _mm512_set1_epi64(0x8040201008040201);
	const __m512i gather = _mm512_set_epi8(7, 15, 23, 31, 39, 47, 55, 63, 6,
		14, 22, 30, 38, 46, 54, 62, 5, 13, 21, 29, 37, 45, 53, 61, 4,
		12, 20, 28, 36, 44, 52, 60, 3, 11, 19, 27, 35, 43, 51, 59, 2,
		10, 18, 26, 34, 42, 50, 58, 1, 9, 17, 25, 33, 41, 49, 57, 0, 8,
		16, 24, 32, 40, 48, 56);

	return _mm512_gf2p8affine_epi64_epi8(units,
		_mm512_permutexvar_epi8(gather, v), 0);
}

/*
 * Transpose 8 registers of 64 bytes by field into 8 registers whose word 2 L +
 * h of register m holds the 8 bytes of field 16 L + 2 m + h.
 */
INLINE void
transpose_bytes(__m512i r[8])
{
	__m512i t[8];

	for (int k = 0; k < 8; k += 2) {
		t[k] = _mm512_unpacklo_epi8(r[k], r[k + 1]);
		t[k + 1] = _mm512_unpackhi_epi8(r[k], r[k + 1]);
	}
	for (int k = 0; k < 8; k += 4)
		for (int h = 0; h < 2; h++) {
			r[k + 2 * h] =
				_mm512_unpacklo_epi16(t[k + h], t[k + 2 + h]);
			r[k + 2 * h + 1] =
				_mm512_unpackhi_epi16(t[k + h], t[k + 2 + h]);
		}
	for (int k = 0; k < 4; k++) {
		t[2 * k] = _mm512_unpacklo_epi32(r[k], r[4 + k]);
		t[2 * k + 1] = _mm512_unpackhi_epi32(r[k], r[4 + k]);
	}
	for (int k = 0; k < 8; k++)
		r[k] = t[k];
}

/*
 * Column of bit t of byte g of a plane, in an order that makes the integers of
 * a counter come out in column order, see flush_counter().
 */
static inline size_t
column_of(size_t g, size_t t)
{
	size_t l = g / 16, m = g % 16 / 2, h = g % 2;

	return ((m * 2 + h) * 2 + t / 4) * 16 + l * 4 + t % 4;
}

/*
 * Load 512 fields of 8 vectors: eight registers by field, for each 64 fields.
 */
INLINE void
load_eight(const struct vs_panel *b, size_t lo, size_t n, size_t g, size_t w,
	int label, int high, __m512i to[8])
{
	for (size_t k = 0; k < 8; k++) {
		size_t v = column_of(g, k);
		__m512i h, p;

		to[k] = _mm512_setzero_si512();
		if (v >= n)
			continue;
		h = _mm512_load_si512(vs_vec_plane(&b->vec, lo + v, 0) + w);
		p = _mm512_load_si512(vs_vec_plane(&b->vec, lo + v, 1) + w);
		/*
		 * g = 2: h & p, and h & ~p for the other label; g = 1: neither
		 * h nor p, like the padding of a plane
		 */
		to[k] = !high   ? _mm512_ternarylogic_epi64(h, h, p, 0x11)
			: label ? _mm512_and_si512(h, p)
				: _mm512_andnot_si512(p, h);
	}
	transpose_words(to);
	for (int k = 0; k < 8; k++)
		to[k] = transpose_bits(to[k]);
}

/* Registers of the first field of a chunk within a block. */
static inline char *
chunk_rows(char *block, const struct chunking *k, size_t chunk)
{
	return block + BLOCK_HEAD + chunk * chunk_bytes(k);
}

/* Registers of a field within a block. */
static inline char *
field_row(char *block, const struct chunking *k, size_t f)
{
	return chunk_rows(block, k, f / k->chunk) + f % k->chunk * k->row_bytes;
}

AVX512 static void
take_fields(const struct vs_panel *b, size_t lo, size_t n_col, size_t w,
	int label, int high, const struct chunking *chunking, char *block)
{
	__m512i by_word[8][64], by_lane[8][8];
	size_t n_field = b->vec.n_field;

	for (size_t g = 0; g < 64; g++) {
		__m512i t[8];

		load_eight(b, lo, n_col, g, w, label, high, t);
		for (int k = 0; k < 8; k++)
			by_word[k][g] = t[k];
	}
	for (size_t k = 0; k < 8; k++) {
		size_t first = 64 * (w + k);

		if (first >= n_field)
			break;
		for (int g = 0; g < 8; g++) {
			__m512i t[8];

			memcpy(t, &by_word[k][8 * g], sizeof(t));
			transpose_bytes(t);
			for (int m = 0; m < 8; m++)
				by_lane[m][g] = t[m];
		}
		for (size_t m = 0; m < 8; m++) {
			transpose_words(by_lane[m]);
			for (size_t q = 0; q < 8; q++) {
				size_t f = first + 16 * (q / 2) + 2 * m + q % 2;

				if (f < n_field)
					_mm512_store_si512(
						field_row(block, chunking, f) +
							high * 64,
						by_lane[m][q]);
			}
		}
	}
}

static inline void
take_sums(const struct vs_panel *b, size_t lo, size_t n, int label, void *block)
{
	struct extremes *x = extremes_of(block);
	int32_t *sum = block;

	memset(block, 0, BLOCK_HEAD);
	x->least = INT32_MAX;
	for (size_t v = 0; v < n; v++) {
		sum[v] = vs_panel_sum(b, lo + v, label);
		x->least = sum[v] < x->least ? sum[v] : x->least;
		x->most = sum[v] > x->most ? sum[v] : x->most;
	}
}

AVX512 static inline void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	struct chunking chunking = chunk_fields(b->vec.n_field, label);

	for (size_t k = 0; k < blocks(n_col); k++) {
		char *block = (char *)cols + k * block_bytes(&chunking);
		size_t at = k * LANES;
		size_t n = n_col - at < LANES ? n_col - at : LANES;

		take_sums(b, lo + at, n, label, block);
		for (size_t w = 0; w < b->vec.n_word; w += 8)
			for (int high = 0; high < 1 + (label != VS_MARKS);
				high++)
				take_fields(b, lo + at, n, w, label, high,
					&chunking, block);
		for (size_t c = 0; c < chunking.n_chunk; c++)
			memset(chunk_rows(block, &chunking, c + 1) -
					chunking.row_bytes,
				0, chunking.row_bytes);
	}
}

/* ---- rows: lists of the fields that are not what was expected ---- */

/* Base of a row: one genotype in all fields, or an earlier row. */
enum base { ALL_0, ALL_1, ALL_2, EARLIER };

struct row {
	__m512i counter[PLANES];
	enum base base;
	int32_t earlier; /* number of that row */
	int32_t n_not;   /* complements in the counter */
};

/* Kind of a list: entries count once, twice, or by their complements. */
enum way { ONCE, TWICE, NOT };

/*
 * A piece of a list, at most 64 entries. The pieces of all rows are processed
 * in the order of their fields, which keeps the fields' registers in L1.
 */
#define PIECE 64
struct piece {
	uint32_t at;  /* index into the entries of all rows */
	uint16_t row; /* of the call */
	uint8_t way, n_block;
};

#define BACK 16 /* earlier rows that may be a row's base */

/* Most entries of a row in a chunk; a difference of 2 makes two. */
static size_t
entry_room(const struct chunking *k)
{
	return 2 * k->chunk + 2 * BLOCK;
}

static size_t
piece_room(const struct chunking *k)
{
	return entry_room(k) / PIECE + 2;
}

/*
 * Bytes of rows; after them two planes of each: g is 1 or 2, g is 2; the
 * pieces, unsorted and sorted, and their number; the entries.
 */
static inline size_t
row_room(size_t n_row, size_t n_field)
{
	struct chunking k = chunk_fields(n_field, 1);

	/* entries are written a register at a time */
	return n_row *
		(sizeof(struct row) + vs_vec_words(n_field) * 16 +
			2 * piece_room(&k) * sizeof(struct piece) +
			entry_room(&k) * sizeof(uint16_t)) +
		sizeof(size_t) + 128;
}

/* Rows of a call and their lists. */
struct rows {
	struct chunking chunking;
	struct row *row;
	struct planes planes;
	uint16_t *entry;
	struct piece *made, *piece;
	size_t *n_made; /* what a later call finds of n_piece */
	size_t n_row, n_piece;
};

static inline struct rows
lay_out(void *scratch, size_t n_row, const struct vs_vec *vec, int label)
{
	struct rows s = { .chunking = chunk_fields(vec->n_field, label),
		.row = scratch,
		.n_row = n_row };

	s.planes = (struct planes){ (uint64_t *)(s.row + n_row), vec->n_field,
		vec->n_word };
	s.made = (struct piece *)plane_of(&s.planes, n_row, 0);
	s.piece = s.made + n_row * piece_room(&s.chunking);
	s.n_made = (size_t *)(s.piece + n_row * piece_room(&s.chunking));
	s.entry = (uint16_t *)(s.n_made + 1);
	return s;
}

INLINE int64_t
distance(const struct planes *s, size_t r, size_t q, size_t lo, size_t hi)
{
	__m512i n = _mm512_setzero_si512();

	for (int k = 0; k < 2; k++) {
		const uint64_t *a = plane_of(s, r, k), *b = plane_of(s, q, k);

		for (size_t w = lo; w < hi; w += 8)
			n = _mm512_add_epi64(n,
				_mm512_popcnt_epi64(_mm512_xor_si512(
					_mm512_load_si512(a + w),
					_mm512_load_si512(b + w))));
	}
	return _mm512_reduce_add_epi64(n);
}

/*
 * True if differences to row q fit a counter. An entry adds 3 at most, and the
 * counter is flushed after a chunk of less than 4096 fields, which lies in two
 * stretches of that length.
 */
AVX512 static bool
fits(const struct planes *s, size_t r, size_t q)
{
	const int64_t most = ((1 << PLANES) - 1) / 3 - BLOCK;
	const size_t step = 4096 / 64;

	for (size_t w = 0; w < s->n_word; w += step) {
		size_t end =
			w + 2 * step < s->n_word ? w + 2 * step : s->n_word;

		if (distance(s, r, q, w, end) > most)
			return false;
	}
	return true;
}

/*
 * Planes of row r, vector v, and its base; earlier rows are considered only on
 * request. returns  true if the base is an earlier row
 */
AVX512 static inline bool
take_row(const struct vs_panel *a, size_t v, int label, const struct rows *s,
	size_t r, bool look)
{
	static const enum base bases[3] = { ALL_0, ALL_1, ALL_2 };
	struct row *row = &s->row[r];
	size_t nearest = r;
	int64_t others;

	take_planes(a, v, label, &s->planes, r);
	row->base = bases[mode_of(a, v, label, &others)];
	row->earlier = 0;
	if (look)
		nearest = nearest_row(&s->planes, r, r > BACK ? r - BACK : 0,
			others);
	if (nearest < r && fits(&s->planes, r, nearest)) {
		row->base = EARLIER;
		row->earlier = (int32_t)nearest;
	}
	memset(row->counter, 0, sizeof(row->counter));
	return row->base == EARLIER;
}

/* Write the offsets of the set bits of n_word words; returns their end. */
INLINE uint16_t *
entries(const uint32_t *word, size_t n_word, uint16_t *to)
{
	__m512i at = _mm512_mullo_epi16(_mm512_set_epi16(31, 30, 29, 28, 27, 26,
						25, 24, 23, 22, 21, 20, 19, 18,
						17, 16, 15, 14, 13, 12, 11, 10,
						9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
		_mm512_set1_epi16(ROW_BYTES / UNIT));
	const __m512i step = _mm512_set1_epi16(32 * ROW_BYTES / UNIT);

	for (size_t w = 0; w < n_word; w++) {
		_mm512_storeu_si512(to,
			_mm512_maskz_compress_epi16(word[w], at));
		to += __builtin_popcount(word[w]);
		at = _mm512_add_epi16(at, step);
	}
	return to;
}

/*
 * The two lists of a row in a chunk, as bits, and the entries of the second
 * that count twice.
 */
struct words {
	uint32_t one[CHUNK / 32], two[CHUNK / 32];
	uint32_t one_more[CHUNK / 32], two_more[CHUNK / 32];
	uint32_t more; /* true if any bit of those is set */
};

/*
 * Pad the list [from, to) of row r to whole blocks with the row of zeros, and
 * split it into pieces. returns  its end
 */
INLINE uint16_t *
split_list(struct rows *s, size_t r, enum way way, uint16_t *from, uint16_t *to)
{
	const uint16_t zero = (uint16_t)(s->chunking.chunk * ROW_BYTES / UNIT);
	struct piece piece = { (uint32_t)(from - s->entry), (uint16_t)r, way,
		PIECE / BLOCK };
	size_t left = (size_t)(to - from + BLOCK - 1) / BLOCK;

	_mm256_storeu_si256((__m256i *)to, _mm256_set1_epi16((short)zero));
	to = from + left * BLOCK;
	for (; left; left -= piece.n_block, piece.at += PIECE) {
		if (left < PIECE / BLOCK)
			piece.n_block = (uint8_t)left;
		s->made[s->n_piece++] = piece;
	}
	return to;
}

/* Sort pieces by first field, 64 fields to a bucket. */
static inline void
sort_pieces(struct rows *s)
{
	size_t at[(1 << 16 >> 10) + 1] = { 0 };

	for (size_t k = 0; k < s->n_piece; k++)
		at[(s->entry[s->made[k].at] >> 10) + 1]++;
	for (size_t k = 1; k < sizeof(at) / sizeof(*at); k++)
		at[k] += at[k - 1];
	for (size_t k = 0; k < s->n_piece; k++)
		s->piece[at[s->entry[s->made[k].at] >> 10]++] = s->made[k];
}

#endif
