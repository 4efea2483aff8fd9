/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pair kernel by byte matrix products in AMX tiles. A tile is 16 rows of 64
 * bytes; one instruction adds to 16 x 16 sums of 32 bits the products of 16
 * rows and 16 columns over 64 fields, a byte g each. Four such products, a
 * step, share the tiles of 32 rows and 32 columns, whose sums stay in the other
 * four registers. All fields cost the same, whatever the genotypes; list
 * kernels are faster where most genotypes of a row are equal.
 *
 * A tile of columns has the bytes of fields 4 r to 4 r + 3 of 16 columns in its
 * row r. It is stored packed, two bits a field, and unpacked a few steps ahead
 * into a ring in L1, again for each pair of row tiles: the products leave the
 * other ports of the core free for that. Unpacked rows come from L2. A missing
 * call counts as genotype 0; past the last field rows hold 0 and columns
 * anything.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/amx_tiles.h"
#include "libcore/kern/kernels.h"

#define TARGET                                                               \
	target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,amx-tile,amx-" \
	       "int8")
#define AMX __attribute__((TARGET))
#define INLINE __attribute__((TARGET)) VS_INLINE

#define SIDE 16    /* rows or columns of a tile */
#define STEP 64    /* fields of a tile */
#define TILE 1024  /* bytes */
#define PACKED 256 /* bytes of a packed tile, two bits a field */
#define PAIR (2 * SIDE)
#define LANES (2 * PAIR) /* for fewer columns population counts are faster */
#define RING 4           /* steps in the ring of unpacked columns */
#define PREFETCH 2       /* steps that columns are unpacked ahead */
#define L2_STEPS 80      /* steps whose rows fit L2 */
#define AT_ONCE 8        /* words of a row per pass */

static size_t
words(size_t n_field)
{
	return (n_field + STEP - 1) / STEP;
}

/* Steps of n_field fields, at least AHEAD. */
static size_t
steps(size_t n_field)
{
	size_t n = words(n_field);

	return n < PREFETCH ? PREFETCH : n;
}

static size_t
pairs(size_t n)
{
	return (n + PAIR - 1) / PAIR;
}

/*
 * Steps between columns, also when only a prefix is counted: more than AHEAD.
 */
static size_t
steps_apart(const struct vs_panel *p)
{
	return p->vec.stride;
}

static size_t
col_room(size_t n_col, size_t n_field)
{
	return pairs(n_col) * 2 * vs_vec_words(n_field) * PACKED;
}

/* Number of ranges of steps, all of about the same length. */
static size_t
ranges(size_t n_field)
{
	return (steps(n_field) + L2_STEPS - 1) / L2_STEPS;
}

static size_t
range_at(size_t n_field, size_t k)
{
	return steps(n_field) * k / ranges(n_field);
}

static size_t
row_room(size_t n_row, size_t n_field)
{
	size_t most = steps(n_field) / ranges(n_field) + 1;

	return (RING + pairs(n_row) * most) * 2 * TILE +
		PAIR * PAIR * sizeof(int32_t);
}

/* Unpack: bytes g of 64 fields from the masks of g = 1 and g = 2. */
INLINE __m512i
bytes_of(uint64_t one, uint64_t two)
{
	return _mm512_mask_mov_epi8(
		_mm512_maskz_mov_epi8(one, _mm512_set1_epi8(1)), two,
		_mm512_set1_epi8(2));
}

/* ---- rows ---- */

static inline uint64_t
fields_in(size_t n_field, size_t w)
{
	return n_field >= 64 * w + 64 ? ~0ull
				      : (1ull << (n_field - 64 * w)) - 1;
}

/* Unpack words [k, end) of a row, and prefetch the next ones. */
AMX static void
take_words(const struct vs_panel *a, size_t v, int label, size_t k, size_t end,
	char *to)
{
	const uint64_t turn = label ? 0 : ~0ull;
	const uint64_t *h = vs_vec_plane(&a->vec, v, 0);
	const uint64_t *p = vs_vec_plane(&a->vec, v, 1);

	__builtin_prefetch(h + end);
	__builtin_prefetch(p + end);
	for (size_t w = k; w < end; w++, to += 2 * TILE) {
		uint64_t in = fields_in(a->vec.n_field, w);

		_mm512_store_si512(to,
			bytes_of(~(h[w] | p[w]) & in,
				h[w] & (p[w] ^ turn) & in));
	}
}

/*
 * Unpack steps [k, k + n) of rows, pair after pair of tiles, padded with 0 to
 * whole pairs. A pass takes as many words as a cache line of a vector has, so
 * that tiles stay in L1 until they are full.
 */
AMX static void
take_rows(const struct vs_panel *a, size_t row, size_t n_row, int label,
	size_t k, size_t n, char *to)
{
	size_t n_word = words(a->vec.n_field);
	size_t end = k + n < n_word ? k + n : n_word;
	size_t whole = k + n > n_word ? 0 : n_row / PAIR;

	memset(to + whole * n * 2 * TILE, 0,
		(pairs(n_row) - whole) * n * 2 * TILE);
	for (size_t w = k; w < end; w += AT_ONCE)
		for (size_t r = 0; r < n_row; r++)
			take_words(a, row + r, label, w,
				end - w < AT_ONCE ? end : w + AT_ONCE,
				to + (r / PAIR * n + w - k) * 2 * TILE +
					r % PAIR * STEP);
}

/* ---- columns ---- */

/*
 * Store a word of a column as its lanes of the four rows of a packed tile, side
 * by side: bits 2 s and 2 s + 1 of row r become those of row 4 s + r.
 */
AMX static void
take_word(uint64_t one, uint64_t two, char *to)
{
	__m512i x = bytes_of(one, two);
	__m128i shut = _mm512_castsi512_si128(x);

	shut = _mm_or_si128(shut,
		_mm_slli_epi64(_mm512_extracti32x4_epi32(x, 1), 2));
	shut = _mm_or_si128(shut,
		_mm_slli_epi64(_mm512_extracti32x4_epi32(x, 2), 4));
	shut = _mm_or_si128(shut,
		_mm_slli_epi64(_mm512_extracti32x4_epi32(x, 3), 6));
	_mm_store_si128((void *)to, shut);
}

/* Transpose tiles whose columns' lanes are side by side, into rows. */
AMX static void
turn_tiles(char *tile, size_t n)
{
	const __m512i first = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 28, 24,
		20, 16, 12, 8, 4, 0);
	__m512i row[4];

	for (size_t k = 0; k < n; k++, tile += PACKED) {
		__m512i *four = (__m512i *)tile;

		for (int r = 0; r < 4; r++) {
			__m512i lane =
				_mm512_add_epi32(first, _mm512_set1_epi32(r));
			__m512i low = _mm512_permutex2var_epi32(four[0], lane,
				four[1]);
			__m512i high = _mm512_permutex2var_epi32(four[2], lane,
				four[3]);

			row[r] = _mm512_inserti64x4(low,
				_mm512_castsi512_si256(high), 1);
		}
		for (int r = 0; r < 4; r++)
			four[r] = row[r];
	}
}

AMX static void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	const uint64_t turn = label ? 0 : ~0ull;
	size_t n_step = steps_apart(b), n_word = words(b->vec.n_field);
	size_t whole = n_word < PREFETCH ? 0 : n_col / PAIR,
	       some = pairs(n_col);

	memset((char *)cols + whole * 2 * n_step * PACKED, 0,
		(some - whole) * 2 * n_step * PACKED);
	for (size_t v = 0; v < n_col; v++) {
		const uint64_t *h = vs_vec_plane(&b->vec, lo + v, 0);
		const uint64_t *p = vs_vec_plane(&b->vec, lo + v, 1);
		char *tiles = (char *)cols + v / SIDE * n_step * PACKED;
		char *to = tiles + v % SIDE * PACKED / SIDE;

		for (size_t w = 0; w < n_word; w++, to += PACKED)
			take_word(~(h[w] | p[w]), h[w] & (p[w] ^ turn), to);
		if (v % SIDE == SIDE - 1 || v + 1 == n_col)
			turn_tiles(tiles, n_word);
	}
}

/* ---- counting ---- */

static const struct vs_amx_config config = VS_AMX_WHOLE;

/* Compiler barrier: instructions do not move across. */
#define IN_ORDER __asm__ volatile("" : : : "memory")

/* Unpack row r of a packed tile into its four rows of unpacked tiles. */
INLINE void
open_row(const char *shut, size_t r, char *to)
{
	const __m512i low = _mm512_set1_epi8(3);
	__m512i x = _mm512_load_si512(shut + r * STEP);

	__asm__ volatile("" : "+v"(x)); /* read once */
	to += r * STEP;
	_mm512_store_si512(to, _mm512_and_si512(x, low));
	_mm512_store_si512(to + 4 * STEP,
		_mm512_and_si512(_mm512_srli_epi64(x, 2), low));
	_mm512_store_si512(to + 8 * STEP,
		_mm512_and_si512(_mm512_srli_epi64(x, 4), low));
	_mm512_store_si512(to + 12 * STEP,
		_mm512_and_si512(_mm512_srli_epi64(x, 6), low));
	IN_ORDER;
}

/*
 * Ring of unpacked columns, for some steps; packed tiles of the later 16
 * columns are `apart`.
 */
struct ring {
	char *open;
	size_t at, apart;
};

static char *
slot(const struct ring *c, size_t ahead)
{
	return c->open + (c->at + ahead) % RING * 2 * TILE;
}

/* Unpack the first steps of 32 columns. */
AMX static void
begin_ring(struct ring *c, const char *shut)
{
	c->at = 0;
	for (size_t k = 0; k < PREFETCH; k++, shut += PACKED)
		for (size_t r = 0; r < 4; r++) {
			open_row(shut, r, slot(c, k));
			open_row(shut + c->apart, r, slot(c, k) + TILE);
		}
}

/*
 * n steps of 32 rows and 32 columns; the first steps are unpacked at entry,
 * those of `next` at return. The instructions between the products run while
 * the products are being computed.
 */
AMX static void
add_steps(const char *row, struct ring *ring, const char *shut,
	const char *next, size_t n)
{
	struct ring c = *ring;

	shut += PREFETCH * PACKED;
	for (size_t k = 0; k < n;
		k++, row += 2 * TILE, shut += PACKED, c.at++) {
		const char *col = slot(&c, 0);
		char *to = slot(&c, PREFETCH);

		if (k + PREFETCH == n)
			shut = next;
		_tile_loadd(4, row, STEP);
		open_row(shut, 0, to);
		_tile_loadd(6, col, STEP);
		open_row(shut, 1, to);
		_tile_dpbuud(0, 4, 6);
		_tile_loadd(7, col + TILE, STEP);
		open_row(shut, 2, to);
		_tile_dpbuud(1, 4, 7);
		open_row(shut, 3, to);
		_tile_loadd(5, row + TILE, STEP);
		open_row(shut + c.apart, 0, to + TILE);
		_tile_dpbuud(2, 5, 6);
		open_row(shut + c.apart, 1, to + TILE);
		open_row(shut + c.apart, 2, to + TILE);
		_tile_dpbuud(3, 5, 7);
		open_row(shut + c.apart, 3, to + TILE);
	}
	ring->at = c.at;
}

/* Sums in memory, rows at distance ld. */
struct sums {
	int32_t *p;
	size_t ld;
};

AMX static void
load_sums(const struct sums *from)
{
	size_t stride = from->ld * sizeof(*from->p);
	const int32_t *later = from->p + SIDE * from->ld;

	IN_ORDER;
	_tile_loadd(0, from->p, stride);
	_tile_loadd(1, from->p + SIDE, stride);
	_tile_loadd(2, later, stride);
	_tile_loadd(3, later + SIDE, stride);
}

AMX static void
store_sums(const struct sums *to)
{
	size_t stride = to->ld * sizeof(*to->p);
	int32_t *later = to->p + SIDE * to->ld;

	_tile_stored(0, to->p, stride);
	_tile_stored(1, to->p + SIDE, stride);
	_tile_stored(2, later, stride);
	_tile_stored(3, later + SIDE, stride);
}

static void
copy_sums(const struct sums *from, size_t n_row, const struct sums *to)
{
	for (size_t r = 0; r < n_row; r++)
		memcpy(to->p + r * to->ld, from->p + r * from->ld,
			PAIR * sizeof(*to->p));
}

/* State of a range of steps. */
struct work {
	const char *row;     /* unpacked tiles */
	struct ring ring;    /* of columns, alternating */
	struct sums padding; /* of padding rows */
	size_t n_row, n;
	bool add; /* add to the present sums */
};

/*
 * Count all rows and 32 columns; the first steps are unpacked of these at
 * entry, of the next columns at return.
 */
AMX static void
add_columns(struct work *w, const char *shut, const char *next, struct sums out)
{
	for (size_t r = 0; r < w->n_row; r += PAIR, out.p += PAIR * out.ld) {
		size_t left = w->n_row - r;
		const struct sums *at = left < PAIR ? &w->padding : &out;

		if (w->add && left < PAIR)
			copy_sums(&out, left, at);
		if (w->add) {
			load_sums(at);
		} else {
			_tile_zero(0);
			_tile_zero(1);
			_tile_zero(2);
			_tile_zero(3);
		}
		add_steps(w->row + r * w->n * STEP, &w->ring, shut,
			left > PAIR ? shut : next, w->n);
		store_sums(at);
		if (left < PAIR)
			copy_sums(at, left, &out);
	}
}

AMX static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	size_t n_field = a->vec.n_field, apart = steps_apart(a) * PACKED;
	char *open = scratch, *padding = open + RING * 2 * TILE;
	char *rows = padding + PAIR * PAIR * sizeof(int32_t);
	struct work w = { .row = rows,
		.ring = { open, 0, apart },
		.padding = { (int32_t *)padding, PAIR },
		.n_row = n_row };

	_tile_loadconfig(&config);
	for (size_t k = 0; k < ranges(n_field); k++) {
		size_t from = range_at(n_field, k);
		const char *shut =
			(const char *)cols + col / SIDE * apart + from * PACKED;

		w.n = range_at(n_field, k + 1) - from;
		w.add = k > 0;
		take_rows(a, row, n_row, label, from, w.n, rows);
		begin_ring(&w.ring, shut);
		for (size_t c = col; c < n_col; c += PAIR) {
			bool more = n_col - c > PAIR;
			const char *next = more ? shut + 2 * apart : shut;

			add_columns(&w, shut, next, (struct sums){ p + c, ld });
			shut = next;
		}
	}
	_tile_release();
}

extern const struct vs_dense vs_dense_amx;
const struct vs_dense vs_dense_amx = { "amx", VS_CPU_AMX, LANES, col_room,
	take_cols, row_room, count, true, NULL };
#endif
