/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of bytes in tiles. A tile is 16 rows of 64 bytes; one instruction
 * adds to 16 x 16 sums of 32 bits the products of 16 rows and 16 columns over
 * 64 fields, a byte g each. Four such products share the tiles of 32 rows and
 * 32 columns. All fields cost the same, whatever the genotypes: where most of a
 * row's are of one kind, lists of the others are shorter.
 *
 * A tile of columns has the bytes of fields 4 r to 4 r + 3 of 16 columns in its
 * row r. Four tiles of columns are kept in one, two bits a field, and opened in
 * the first cache for all rows of a call; rows come from the second. A missing
 * call counts as genotype 0; past the last field rows hold 0, and columns what
 * there is.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "libcore/kern/tally.h"

#define TARGET                                                               \
	target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,amx-tile,amx-" \
	       "int8")
#define AMX __attribute__((TARGET))
#define INLINE static inline __attribute__((always_inline, TARGET))

#define SIDE 16   /* rows or columns of a tile */
#define STEP 64   /* fields of a tile */
#define TILE 1024 /* bytes */
#define PAIR (2 * SIDE)
#define LANES (2 * PAIR) /* fewer are for population counts */
#define SHUT 4           /* tiles in one, two bits a field */
/* Tiles of 32 columns that the first cache holds open beside the sums of all
 * rows, and of 32 rows in the second, all rows'. */
#define DEPTH 8
#define FAR 64
#define SOON 4 /* rows before a row it is called for */

static size_t
steps(size_t n_field)
{
	return (n_field + STEP - 1) / STEP;
}

static size_t
pairs(size_t n)
{
	return (n + PAIR - 1) / PAIR;
}

/* Shut tiles of a column. */
static size_t
shuts(size_t n_field)
{
	return (steps(n_field) + SHUT - 1) / SHUT;
}

static size_t
col_room(size_t n_col, size_t n_field)
{
	return pairs(n_col) * 2 * shuts(n_field) * TILE;
}

/* What is at hand for a call. */
struct work {
	char *row, *col; /* open tiles: all rows', 32 columns' */
	int32_t *sum;    /* of all rows and 32 columns */
	size_t n;        /* steps of the rows */
};

static size_t
far(size_t n_field)
{
	return steps(n_field) < FAR ? steps(n_field) : FAR;
}

static size_t
row_room(size_t n_row, size_t n_field)
{
	return (pairs(n_row) * far(n_field) + DEPTH) * 2 * TILE +
		pairs(n_row) * PAIR * PAIR * sizeof(int32_t);
}

static void
place(struct work *w, size_t n_row, size_t n_field, void *scratch)
{
	w->col = scratch;
	w->row = w->col + (size_t)DEPTH * 2 * TILE;
	w->sum = (int32_t *)(w->row + pairs(n_row) * far(n_field) * 2 * TILE);
}

/* Bytes g of 64 fields by the words that say where it is 1 and 2. */
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

/* Words [k, k + n) of a vector, that are to be near soon. */
static void
call_for(const struct vs_panel *a, size_t v, size_t k, size_t n)
{
	for (int plane = 0; plane < 2; plane++)
		for (size_t w = 0; w < n; w += 8)
			__builtin_prefetch(
				vs_vec_plane(&a->vec, v, plane) + k + w);
}

/*
 * Steps [k, k + n) of rows, pair after pair of tiles; 0 up to whole pairs.
 */
AMX static void
take_rows(const struct vs_panel *a, size_t row, size_t n_row, int label,
	size_t k, size_t n, char *to)
{
	const uint64_t turn = label ? 0 : ~0ull;
	size_t n_field = a->vec.n_field;

	if (n_row % PAIR)
		memset(to + n_row / PAIR * n * 2 * TILE, 0, n * 2 * TILE);
	for (size_t r = 0; r < n_row; r++) {
		const uint64_t *h = vs_vec_plane(&a->vec, row + r, 0);
		const uint64_t *p = vs_vec_plane(&a->vec, row + r, 1);
		char *at = to + r / PAIR * n * 2 * TILE + r % PAIR * STEP;

		if (r + SOON < n_row)
			call_for(a, row + r + SOON, k, n);
		for (size_t w = k; w < k + n; w++, at += 2 * TILE) {
			uint64_t in = fields_in(n_field, w);

			_mm512_store_si512(at,
				bytes_of(~(h[w] | p[w]) & in,
					h[w] & (p[w] ^ turn) & in));
		}
	}
}

/* ---- columns ---- */

/* Words [w, w + 4) of a column, as far as there are, in the lanes of a tile. */
AMX static void
take_col(const struct vs_panel *b, size_t v, size_t w, int label, char *to)
{
	const __m512i rows = _mm512_set_epi32(240, 224, 208, 192, 176, 160, 144,
		128, 112, 96, 80, 64, 48, 32, 16, 0);
	const uint64_t *h = vs_vec_plane(&b->vec, v, 0);
	const uint64_t *p = vs_vec_plane(&b->vec, v, 1);
	const uint64_t turn = label ? 0 : ~0ull;
	__m512i shut = _mm512_setzero_si512();

	for (size_t k = SHUT; k-- > 0;) {
		shut = _mm512_slli_epi64(shut, 2);
		if (w + k < b->vec.n_word)
			shut = _mm512_or_si512(shut,
				bytes_of(~(h[w + k] | p[w + k]),
					h[w + k] & (p[w + k] ^ turn)));
	}
	_mm512_i32scatter_epi32(to, rows, shut, 4);
}

AMX static void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	size_t n_shut = shuts(b->vec.n_field);

	memset((char *)cols + n_col / PAIR * 2 * n_shut * TILE, 0,
		(pairs(n_col) - n_col / PAIR) * 2 * n_shut * TILE);
	for (size_t v = 0; v < n_col; v++) {
		char *to = (char *)cols + v / SIDE * n_shut * TILE +
			v % SIDE * sizeof(int32_t);

		for (size_t k = 0; k < n_shut; k++)
			take_col(b, lo + v, k * SHUT, label, to + k * TILE);
	}
}

/* Open n tiles of 16 columns, each second one of those at to. */
AMX static void
open_tiles(const char *shut, size_t n, char *to)
{
	const __m512i low = _mm512_set1_epi8(3);

	for (size_t k = 0; k < n; k++, shut += TILE, to += SHUT * 2 * TILE)
		for (size_t r = 0; r < TILE; r += STEP) {
			__m512i x = _mm512_load_si512(shut + r);

			for (size_t s = 0; s < SHUT; s++) {
				_mm512_store_si512(to + s * 2 * TILE + r,
					_mm512_and_si512(x, low));
				x = _mm512_srli_epi64(x, 2);
			}
		}
}

/* ---- counting ---- */

/* All eight tiles whole. */
static const struct config {
	uint8_t palette, start, none[14];
	uint16_t row_bytes[16];
	uint8_t n_row[16];
} config = { 1, 0, { 0 }, { STEP, STEP, STEP, STEP, STEP, STEP, STEP, STEP },
	{ SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE } };

/* Sums in memory, rows ld apart. */
struct sums {
	int32_t *p;
	size_t ld;
};

/* n steps of 32 rows and 32 columns, added to some sums, or to none. */
AMX static void
add_steps(const char *row, const char *col, size_t n, const struct sums *from,
	const struct sums *to)
{
	size_t stride = to->ld * sizeof(*to->p);
	int32_t *q = to->p + SIDE * to->ld;

	if (from) {
		int32_t *f = from->p + SIDE * from->ld;
		size_t apart = from->ld * sizeof(*f);

		_tile_loadd(0, from->p, apart);
		_tile_loadd(1, from->p + SIDE, apart);
		_tile_loadd(2, f, apart);
		_tile_loadd(3, f + SIDE, apart);
	} else {
		_tile_zero(0);
		_tile_zero(1);
		_tile_zero(2);
		_tile_zero(3);
	}
	for (size_t k = 0; k < n; k++, row += 2 * TILE, col += 2 * TILE) {
		_tile_loadd(4, row, STEP);
		_tile_loadd(6, col, STEP);
		_tile_loadd(7, col + TILE, STEP);
		_tile_dpbuud(0, 4, 6);
		_tile_dpbuud(1, 4, 7);
		_tile_loadd(5, row + TILE, STEP);
		_tile_dpbuud(2, 5, 6);
		_tile_dpbuud(3, 5, 7);
	}
	_tile_stored(0, to->p, stride);
	_tile_stored(1, to->p + SIDE, stride);
	_tile_stored(2, q, stride);
	_tile_stored(3, q + SIDE, stride);
}

static void
copy_sums(const struct sums *from, size_t row, size_t n_row,
	const struct sums *to)
{
	for (size_t r = row; r < n_row; r++)
		memcpy(to->p + r * to->ld, from->p + r * from->ld,
			PAIR * sizeof(*to->p));
}

/*
 * All rows, and 32 columns whose shut tiles are n_shut apart, added to the sums
 * that are there, or to none. Sums stay near until the last step.
 */
static void
add_columns(const struct work *w, size_t n_row, const char *shut, size_t n_shut,
	bool add, struct sums out)
{
	const struct sums near = { w->sum, PAIR };
	size_t whole = n_row / PAIR * PAIR;

	if (add)
		copy_sums(&out, 0, n_row, &near);
	for (size_t k = 0; k < w->n; k += DEPTH) {
		size_t n = w->n - k < DEPTH ? w->n - k : DEPTH;
		const char *row = w->row + k * 2 * TILE;

		for (size_t half = 0; half < 2; half++)
			open_tiles(shut + (half * n_shut + k / SHUT) * TILE,
				(n + SHUT - 1) / SHUT, w->col + half * TILE);
		for (size_t r = 0; r < n_row; r += PAIR) {
			struct sums at = { near.p + r * PAIR, PAIR };
			struct sums to = { out.p + r * out.ld, out.ld };
			bool last = k + n == w->n && r < whole;

			add_steps(row, w->col, n, k || add ? &at : NULL,
				last ? &to : &at);
			row += w->n * 2 * TILE;
		}
	}
	copy_sums(&near, whole, n_row, &out);
}

AMX static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	size_t n_step = steps(a->vec.n_field), n_shut = shuts(a->vec.n_field);
	struct work w;

	place(&w, n_row, a->vec.n_field, scratch);
	_tile_loadconfig(&config);
	for (size_t k = 0; k < n_step; k += FAR) {
		w.n = n_step - k < FAR ? n_step - k : FAR;
		take_rows(a, row, n_row, label, k, w.n, w.row);
		for (size_t c = col / PAIR * PAIR; c < n_col; c += PAIR)
			add_columns(&w, n_row,
				(const char *)cols +
					(c / SIDE * n_shut + k / SHUT) * TILE,
				n_shut, k, (struct sums){ p + c, ld });
	}
	_tile_release();
}

extern const struct vs_dense vs_dense_amx;
const struct vs_dense vs_dense_amx = { "amx", VS_CPU_AMX, LANES, col_room,
	take_cols, row_room, count };
#endif
