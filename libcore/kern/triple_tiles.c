/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triples by products of matrices of bytes: with y = g - mode of each of two
 * vectors, sum y y' g'' for 16 first vectors and 16 columns at once, 64 fields
 * a time, in the registers of AMX. Fields in which the second vector's y' is 0
 * are left out: six in ten, of genotypes in Hardy-Weinberg proportions.
 *
 * Bytes of columns are made once a call, four fields of a column side by side;
 * those of first vectors, y y', for 32 of them at a time.
 */
#if defined(__x86_64__)
#include "libcore/kern/part.h"

#define TILES                                                       \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq," \
			      "avx512vbmi,avx512vbmi2,gfni,"        \
			      "avx512vpopcntdq,popcnt,bmi,bmi2,"    \
			      "amx-tile,amx-int8")))

#define SIDE 16             /* rows of a tile, and its columns */
#define DEPTH 64            /* fields of one */
#define AT_ONCE (2 * SIDE)  /* first vectors */
#define WIDE (LANES / SIDE) /* tiles of a block of columns */
#define MOST ((PART + DEPTH - 1) / DEPTH * DEPTH)
/* A tile of columns, and a row of first vectors and of sums: none of a size
 * that would put all that is next to each other in the same set of a cache. */
#define TILE (SIDE * DEPTH + 64)
#define STEP (LANES + SIDE)

/* ---- columns ---- */

/*
 * A row of 128 bytes for each field, and one of zeros: bits 2 l and 2 l + 1 of
 * byte 16 L + 4 u + i of register r are column 16 (16 r + 4 l + u) + 4 L + i.
 */
static size_t
col_room3(size_t n_col, size_t n_field)
{
	return blocks(n_col) * (n_field + 1) * ROW_BYTES;
}

/*
 * A plane of a field, whose bit 128 L + 64 r + 16 l + 4 u + i is that column by
 * column_of(): word 4 r + l with those of r and l.
 */
INLINE void
by_word(const char *plane, uint64_t word[8])
{
	const __m512i order = _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29,
		21, 13, 5, 28, 20, 12, 4, 27, 19, 11, 3, 26, 18, 10, 2, 25, 17,
		9, 1, 24, 16, 8, 0);

	_mm512_storeu_si512(word,
		_mm512_permutexvar_epi16(order, _mm512_load_si512(plane)));
}

/* One of a field's two registers, from four words of each plane. */
INLINE __m512i
pack(const uint64_t low[4], const uint64_t high[4])
{
	__m512i all = _mm512_setzero_si512();

	for (size_t l = 4; l--;) {
		__m512i g = _mm512_maskz_set1_epi8(low[l], 1);

		g = _mm512_mask_mov_epi8(g, high[l], _mm512_set1_epi8(2));
		all = _mm512_or_si512(_mm512_slli_epi16(all, 2), g);
	}
	return all;
}

AVX512 static void
take_cols3(const void *dense, size_t n_col, size_t n_field, void *cols)
{
	const struct cut cut = cut_fields(n_field);
	char *to = cols;

	for (size_t k = 0; k < blocks(n_col); k++) {
		char *block = (char *)dense + k * block_bytes(&cut);

		for (size_t f = 0; f < n_field; f++, to += ROW_BYTES) {
			const char *row = field_row(block, &cut, f);
			_Alignas(64) uint64_t low[8], high[8];

			by_word(row, low);
			by_word(row + 64, high);
			_mm512_store_si512(to, pack(low, high));
			_mm512_store_si512(to + 64, pack(low + 4, high + 4));
		}
		memset(to, 0, ROW_BYTES);
		to += ROW_BYTES;
	}
}

/* ---- scratch ---- */

struct tiles {
	struct part part;
	size_t depth;         /* fields of the part, up to whole tiles */
	uint32_t field[MOST]; /* their numbers, and behind them that of the
				      zeros */
	_Alignas(64) int8_t first[VS_TRIPLE_ROWS * (MOST + DEPTH)];
	int8_t cols[MOST / DEPTH * WIDE * TILE]; /* of a block */
	/* least and most of the sums of 32 rows, sixteen each */
	__m512i least[AT_ONCE], most[AT_ONCE];
	/* rows by columns in the order of tiles; of all rows and blocks, where
	 * one part is not all */
	int32_t sum[];
};

static bool
is_whole(size_t n_field)
{
	return n_field <= PART && n_field <= 64 * PART_WORDS;
}

/* Sums of 32 rows with a block are kept how often? */
static size_t
kept(size_t n_col, size_t n_field)
{
	return is_whole(n_field) ? 1
				 : blocks(n_col) * (VS_TRIPLE_ROWS / AT_ONCE);
}

static size_t
row_room3(size_t n_col, size_t n_field)
{
	return sizeof(struct tiles) +
		kept(n_col, n_field) * AT_ONCE * STEP * sizeof(int32_t);
}

/* ---- bytes ---- */

AVX512 static void
list_fields(struct tiles *s, size_t n_field)
{
	const struct part *part = &s->part;
	uint32_t *to = s->field;

	for (size_t w = 0; w < part->n_word; w++)
		for (uint64_t left = part->field[w]; left; left &= left - 1)
			*to++ = (uint32_t)(64 * (part->first + w) +
				(size_t)__builtin_ctzll(left));
	s->depth = (part->n_field + DEPTH - 1) / DEPTH * DEPTH;
	while (to < s->field + s->depth)
		*to++ = (uint32_t)n_field;
}

/* Four fields of a block, side by side: a row of each tile. */
INLINE void
spread(const char *const row[4], char *to)
{
	const __m512i two_bits = _mm512_set1_epi8(3);

	for (size_t r = 0; r < 2; r++) {
		__m512i x[4], half[4], all[4];

		for (int k = 0; k < 4; k++)
			x[k] = _mm512_load_si512(row[k] + 64 * r);
		for (int k = 0; k < 2; k++) {
			half[k] = _mm512_unpacklo_epi8(x[2 * k], x[2 * k + 1]);
			half[2 + k] =
				_mm512_unpackhi_epi8(x[2 * k], x[2 * k + 1]);
		}
		for (int k = 0; k < 2; k++) {
			all[2 * k] = _mm512_unpacklo_epi16(half[2 * k],
				half[2 * k + 1]);
			all[2 * k + 1] = _mm512_unpackhi_epi16(half[2 * k],
				half[2 * k + 1]);
		}
		for (unsigned l = 0; l < 4; l++)
			for (int u = 0; u < 4; u++, to += TILE)
				_mm512_store_si512(to,
					_mm512_and_si512(two_bits,
						_mm512_srli_epi16(all[u],
							2 * l)));
	}
}

AVX512 static void
spread_block(struct tiles *s, const char *block)
{
	for (size_t f = 0; f < s->depth; f += 4) {
		char *to = (char *)s->cols + f / DEPTH * WIDE * TILE +
			f % DEPTH / 4 * 64;
		const char *row[4];

		for (int k = 0; k < 4; k++)
			row[k] = block + s->field[f + (size_t)k] * ROW_BYTES;
		spread(row, to);
	}
}

/* The y y' of a vector in the fields of a part, and zeros behind them. */
INLINE void
take_first(const struct tiles *s, const struct vs_panel *a,
	const struct vs_triple_row *u, bool minus, int8_t *to)
{
	const struct part *part = &s->part;
	const bool odd = u->mode == 1;
	const __m512i none = _mm512_setzero_si512();
	const __m512i one = _mm512_set1_epi8(minus ? -1 : 1);
	const __m512i other =
		odd ? _mm512_sub_epi8(none, one) : _mm512_add_epi8(one, one);
	uint64_t plane[2][PART_WORDS];

	take_planes_of(part, a, u->v, plane);
	for (size_t g = 0; g < part->n_group; g++) {
		uint64_t h = plane[0][g], p = plane[1][g];
		uint64_t high = u->mode == 2 ? h & ~p : h & p;
		__m512i y = _mm512_maskz_mov_epi8(
			odd ? high : part->all[g] & ~h, one);

		y = _mm512_mask_mov_epi8(y, odd ? h & ~p : high, other);
		y = _mm512_mask_add_epi8(y, part->two[g], y, y);
		y = _mm512_mask_sub_epi8(y, part->turned[g], none, y);
		_mm512_storeu_si512(to + (part->offset[g] >> 4), y);
	}
	_mm512_storeu_si512(to + part->n_field, none);
}

/* ---- products ---- */

struct config {
	uint8_t palette, start, none[14];
	uint16_t width[16];
	uint8_t height[16];
};

/* All eight tiles of 16 rows of 64 bytes. */
TILES static void
begin_tiles(void)
{
	struct config c = { .palette = 1 };

	for (int k = 0; k < 8; k++) {
		c.width[k] = 64;
		c.height[k] = SIDE;
	}
	_tile_loadconfig(&c);
}

/* The least and the most of sums of 32 columns of some rows. */
INLINE void
note(const int32_t *sum, size_t n_row, __m512i least[AT_ONCE],
	__m512i most[AT_ONCE])
{
	for (size_t r = 0; r < n_row; r++, sum += STEP) {
		__m512i a = _mm512_load_si512(sum);
		__m512i b = _mm512_load_si512(sum + SIDE);

		least[r] = _mm512_min_epi32(least[r], _mm512_min_epi32(a, b));
		most[r] = _mm512_max_epi32(most[r], _mm512_max_epi32(a, b));
	}
}

/* Products of 16 or 32 first vectors and 32 columns. */
TILES static inline void
multiply_tiles(const int8_t *a, const int8_t *b, size_t depth, bool both)
{
	const size_t wide = depth + DEPTH;

	for (const int8_t *end = a + depth; a < end;
		a += DEPTH, b += WIDE * TILE) {
		_tile_loadd(4, a, wide);
		_tile_loadd(6, b, DEPTH);
		_tile_dpbssd(0, 4, 6);
		_tile_loadd(7, b + TILE, DEPTH);
		_tile_dpbssd(1, 4, 7);
		if (!both)
			continue;
		_tile_loadd(5, a + SIDE * wide, wide);
		_tile_dpbssd(2, 5, 6);
		_tile_dpbssd(3, 5, 7);
	}
}

/* Up to 32 first vectors with a block but for tiles [out[0], out[1]), two by
 * two; more: to the sums that are there. */
TILES static void
multiply(struct tiles *s, const int8_t *first, size_t n_row,
	const size_t out[2], bool more, int32_t *sum)
{
	const size_t step = 4 * STEP;
	const bool both = n_row > SIDE;

	for (size_t r = 0; r < AT_ONCE; r++) {
		s->least[r] = _mm512_set1_epi32(INT32_MAX);
		s->most[r] = _mm512_set1_epi32(INT32_MIN);
	}
	for (size_t t = 0; t < WIDE; t += 2) {
		const int8_t *b = s->cols + t * TILE;
		int32_t *to = sum + t * SIDE;

		_tile_zero(0);
		_tile_zero(1);
		_tile_zero(2);
		_tile_zero(3);
		if (t < out[0] || t >= out[1]) {
			if (more) {
				_tile_loadd(0, to, step);
				_tile_loadd(1, to + SIDE, step);
				_tile_loadd(2, to + SIDE * STEP, step);
				_tile_loadd(3, to + SIDE * STEP + SIDE, step);
			}
			if (both)
				multiply_tiles(first, b, s->depth, true);
			else
				multiply_tiles(first, b, s->depth, false);
		}
		/* while these are being worked on */
		if (t && (t - 2 < out[0] || t - 2 >= out[1]))
			note(to - 2 * SIDE, n_row, s->least, s->most);
		_tile_stored(0, to, step);
		_tile_stored(1, to + SIDE, step);
		_tile_stored(2, to + SIDE * STEP, step);
		_tile_stored(3, to + SIDE * STEP + SIDE, step);
	}
	if (WIDE - 2 < out[0] || WIDE - 2 >= out[1])
		note(sum + (WIDE - 2) * SIDE, n_row, s->least, s->most);
}

/* ---- sums ---- */

/* Rows [lo, lo + 32) with block k. */
AVX512 static void
end_rows(const struct tiles *s, const struct vs_triple_call *call, size_t lo,
	size_t k, const int32_t *sum)
{
	for (size_t r = 0; r < AT_ONCE && lo + r < call->n_row;
		r++, sum += STEP) {
		const struct vs_range *in =
			&call->range[(lo + r) * blocks(call->n_col) + k];

		if (!(_mm512_cmplt_epi32_mask(s->least[r],
			      _mm512_set1_epi32(in->lo)) |
			    _mm512_cmpgt_epi32_mask(s->most[r],
				    _mm512_set1_epi32(in->hi))))
			continue;
		memcpy(call->d + (lo + r) * call->ld + k * LANES, sum,
			LANES * sizeof(*sum));
		call->wanted[lo + r] |= 1ull << k;
	}
}

AVX512 static void
take_rows(struct tiles *s, const struct vs_triple_call *call)
{
	for (size_t r = 0; r < call->n_row; r++)
		take_first(s, call->a, &call->first[r],
			(call->first[r].mode == 2) != (call->second->mode == 2),
			s->first + r * (s->depth + DEPTH));
}

/* Which tiles of block k nobody asks for: two by two, and those behind the last
 * column not among them. */
static void
tiles_out(const struct vs_triple_call *call, size_t k, size_t out[2])
{
	const size_t two = 2 * SIDE, at = k * LANES;
	size_t lo = call->out.lo > at ? call->out.lo - at : 0;
	size_t hi = call->out.hi > at ? call->out.hi - at : 0;

	lo = lo < LANES ? lo : LANES;
	hi = hi < LANES ? hi : LANES;
	out[0] = (lo + two - 1) / two * 2;
	out[1] = hi / two * 2;
}

/* All rows with block k in the fields of a part. */
static void
count_block(struct tiles *s, const struct vs_triple_call *call, size_t k,
	const size_t out[2], bool last)
{
	const bool whole = is_whole(call->a->vec.n_field);
	int32_t *sum = s->sum;

	if (!whole)
		sum += k * VS_TRIPLE_ROWS * STEP;
	for (size_t lo = 0; lo < call->n_row; lo += AT_ONCE) {
		size_t n = call->n_row - lo;

		multiply(s, s->first + lo * (s->depth + DEPTH),
			n < AT_ONCE ? n : AT_ONCE, out, s->part.first > 0, sum);
		if (last)
			end_rows(s, call, lo, k, sum);
		if (!whole)
			sum += AT_ONCE * STEP;
	}
}

TILES static void
count3(const struct vs_triple_call *call)
{
	const size_t n_field = call->a->vec.n_field;
	const size_t n_word = (n_field + 63) / 64;
	const char *cols = call->cols;
	struct tiles *s = call->scratch;

	memset(call->wanted, 0, call->n_row * sizeof(*call->wanted));
	begin_tiles();
	for (size_t w = 0; w < n_word; w += s->part.n_word) {
		take_part(&s->part, call->a, call->second, w);
		list_fields(s, n_field);
		take_rows(s, call);
		for (size_t k = 0; k < blocks(call->n_col); k++) {
			size_t out[2];

			tiles_out(call, k, out);
			spread_block(s, cols + k * (n_field + 1) * ROW_BYTES);
			count_block(s, call, k, out,
				w + s->part.n_word == n_word);
		}
	}
	_tile_release();
}

extern const struct vs_triple vs_triple_tiles;
const struct vs_triple vs_triple_tiles = { "tiles", "lanes512", VS_CPU_AMX,
	LANES, col_room3, take_cols3, row_room3, count3,
	{ 200, 130, .94f, 0, 25 } };
#endif
