/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triple kernel by byte matrix products in AMX tiles: with y = g - mode of each
 * of two vectors, sum y y' g'' for 16 first vectors and 16 columns at once, 64
 * fields at a time. Fields in which the second vector's y' is 0 are left out:
 * about six in ten in Hardy-Weinberg proportions.
 *
 * Columns are unpacked once per call, a byte per field and four fields of a
 * column side by side. So are the first vectors, which are columns too; they
 * are then transposed into rows of y y'.
 */
#if defined(__x86_64__)
#include "libcore/kern/triple/shared_fields.h"

#define TILES                                                       \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq," \
			      "avx512vbmi,avx512vbmi2,gfni,"        \
			      "avx512vpopcntdq,popcnt,bmi,bmi2,"    \
			      "amx-tile,amx-int8")))

#define SIDE 16                /* rows, and columns, of a tile */
#define DEPTH 64               /* fields of a tile */
#define AT_ONCE (2 * SIDE)     /* first vectors at a time */
#define STRIP (2 * SIDE)       /* columns at a time */
#define STRIPS (LANES / STRIP) /* of a block */
#define MOST 2048              /* fields of a part */
#define TILE (SIDE * DEPTH)
#define STEP (LANES + SIDE)
/*
 * Bytes of a strip in all fields of a part. Like the sizes of a row of first
 * vectors and of a row of sums, no power of two, so that neighbours do not map
 * to the same cache set.
 */
#define OPEN(depth) (STRIP * (depth) + 64)

/* ---- columns ---- */

/*
 * Column layout: a row of 128 bytes for each field, and one of zeros: bits 2 l
 * and 2 l + 1 of byte 16 L + 4 u + i of register r are column 16 (16 r + 4 l +
 * u) + 4 L + i.
 */
static size_t
col_room3(size_t n_col, size_t n_field)
{
	return blocks(n_col) * (n_field + 1) * ROW_BYTES;
}

/*
 * Gather a plane of a field, whose bit 128 L + 64 r + 16 l + 4 u + i is that
 * column by column_of(): word 4 r + l collects those of r and l.
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
	const struct chunking chunking = chunk_fields(n_field, 1);
	char *to = cols;

	for (size_t k = 0; k < blocks(n_col); k++) {
		char *block = (char *)dense + k * block_bytes(&chunking);

		for (size_t f = 0; f < n_field; f++, to += ROW_BYTES) {
			const char *row = field_row(block, &chunking, f);
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

/*
 * A part: some fields in which the second vector's y' is not 0, padded to whole
 * tiles with the row of zeros. Masks of bytes state where y' is 2 or -2, and
 * where it is negative.
 */
struct tiles {
	size_t depth;
	uint32_t field[MOST];
	_Alignas(64) int8_t twice[MOST + 64], turned[MOST + 64];
	/* y y' of rows, and of a padding row */
	_Alignas(64) int8_t first[VS_TRIPLE_ROWS * (MOST + DEPTH)],
		padding[MOST];
	int8_t cols[STRIPS * OPEN(MOST)]; /* of a block */
	/* minimum and maximum of the sums of 32 rows, sixteen each */
	__m512i least[AT_ONCE], most[AT_ONCE];
	/*
	 * rows by columns in the order of tiles; of all rows and blocks, if
	 * there are several parts
	 */
	int32_t sum[];
};

static bool
is_whole(size_t n_field)
{
	return n_field <= MOST;
}

/* Copies of the sums of 32 rows with a block. */
static size_t
n_copies(size_t n_col, size_t n_field)
{
	return is_whole(n_field) ? 1
				 : blocks(n_col) * (VS_TRIPLE_ROWS / AT_ONCE);
}

static size_t
row_room3(size_t n_col, size_t n_field)
{
	return sizeof(struct tiles) +
		n_copies(n_col, n_field) * AT_ONCE * STEP * sizeof(int32_t);
}

/* ---- bytes ---- */

/* Set the part that begins at word w; returns the next word. */
AVX512 static size_t
take_fields3(struct tiles *s, const struct vs_panel *a,
	const struct vs_triple_row *v, size_t w)
{
	const size_t n_word = (a->vec.n_field + 63) / 64;
	const uint64_t minus = v->mode == 2 ? ~0ull : 0;
	size_t n = 0;

	for (; w < n_word; w++) {
		uint64_t mask[3];

		take_word(a, v, w, mask);
		if (n + (size_t)__builtin_popcountll(mask[0]) > MOST)
			break;
		_mm512_storeu_si512(s->twice + n,
			_mm512_movm_epi8(_pext_u64(mask[1], mask[0])));
		_mm512_storeu_si512(s->turned + n,
			_mm512_movm_epi8(_pext_u64(mask[2] | minus, mask[0])));
		for (uint64_t left = mask[0]; left; left &= left - 1)
			s->field[n++] = (uint32_t)(64 * w +
				(size_t)__builtin_ctzll(left));
	}
	s->depth = (n + DEPTH - 1) / DEPTH * DEPTH;
	while (n < s->depth)
		s->field[n++] = (uint32_t)a->vec.n_field;
	return w;
}

/*
 * Unpack four fields of 256 columns, side by side: a row of each tile of the
 * wanted strips; two of these share the same two bits.
 */
INLINE void
spread(const char *const row[4], unsigned info, size_t strip, char *to)
{
	const __m512i two_bits = _mm512_set1_epi8(3);
	__m512i x[4], half[4], all[4];

	for (int k = 0; k < 4; k++)
		x[k] = _mm512_load_si512(row[k]);
	for (int k = 0; k < 2; k++) {
		half[k] = _mm512_unpacklo_epi8(x[2 * k], x[2 * k + 1]);
		half[2 + k] = _mm512_unpackhi_epi8(x[2 * k], x[2 * k + 1]);
	}
	for (int k = 0; k < 2; k++) {
		all[2 * k] =
			_mm512_unpacklo_epi16(half[2 * k], half[2 * k + 1]);
		all[2 * k + 1] =
			_mm512_unpackhi_epi16(half[2 * k], half[2 * k + 1]);
	}
	for (unsigned l = 0; l < 4; l++, info >>= 2, to += 2 * strip) {
		if (!(info & 3))
			continue;
		for (int u = 0; u < 4; u++)
			_mm512_store_si512(to + (size_t)(u / 2) * strip +
					u % 2 * TILE,
				_mm512_and_si512(two_bits,
					_mm512_srli_epi16(all[u], 2 * l)));
	}
}

AVX512 static void
spread_block(struct tiles *s, const char *block, unsigned info)
{
	const size_t strip = OPEN(s->depth);

	for (size_t f = 0; f < s->depth; f += 4) {
		char *to = (char *)s->cols + f / DEPTH * 2 * TILE +
			f % DEPTH / 4 * 64;
		const char *row[4];

		for (size_t r = 0; r < 2; r++) {
			for (int k = 0; k < 4; k++)
				row[k] = block + r * 64 +
					s->field[f + (size_t)k] * ROW_BYTES;
			if (info >> (r * STRIPS / 2) & 0xff)
				spread(row, info >> (r * STRIPS / 2), strip,
					to + r * STRIPS / 2 * strip);
		}
	}
}

/* ---- first vectors ---- */

/* Transpose 16 x 16 numbers of 32 bits. */
INLINE void
turn_numbers(__m512i r[16])
{
	__m512i t[16];

	for (int k = 0; k < 16; k += 2) {
		t[k] = _mm512_unpacklo_epi32(r[k], r[k + 1]);
		t[k + 1] = _mm512_unpackhi_epi32(r[k], r[k + 1]);
	}
	for (int k = 0; k < 16; k += 4)
		for (int h = 0; h < 2; h++) {
			r[k + 2 * h] =
				_mm512_unpacklo_epi64(t[k + h], t[k + 2 + h]);
			r[k + 2 * h + 1] =
				_mm512_unpackhi_epi64(t[k + h], t[k + 2 + h]);
		}
	for (int k = 0; k < 16; k += 8)
		for (int h = 0; h < 4; h++) {
			t[k + h] = _mm512_shuffle_i32x4(r[k + h], r[k + 4 + h],
				0x88);
			t[k + 4 + h] = _mm512_shuffle_i32x4(r[k + h],
				r[k + 4 + h], 0xdd);
		}
	for (int h = 0; h < 8; h++) {
		r[h] = _mm512_shuffle_i32x4(t[h], t[8 + h], 0x88);
		r[8 + h] = _mm512_shuffle_i32x4(t[h], t[8 + h], 0xdd);
	}
}

/*
 * Transpose 64 fields of 16 vectors, unpacked as a tile of columns, into rows
 * of bytes y y'; modes are those of the vectors.
 */
INLINE void
take_tile(const struct tiles *s, size_t f, const char *tile, __m512i modes,
	int8_t *const to[SIDE])
{
	__m512i r[SIDE];

	for (int k = 0; k < SIDE; k++) {
		int32_t twice, turned;
		__m512i y = _mm512_load_si512(tile + 64 * k), turn;

		memcpy(&twice, s->twice + f + 4 * k, sizeof(twice));
		memcpy(&turned, s->turned + f + 4 * k, sizeof(turned));
		turn = _mm512_set1_epi32(turned);
		y = _mm512_sub_epi8(y, modes);
		y = _mm512_add_epi8(y,
			_mm512_and_si512(y, _mm512_set1_epi32(twice)));
		r[k] = _mm512_sub_epi8(_mm512_xor_si512(y, turn), turn);
	}
	turn_numbers(r);
	for (int k = 0; k < SIDE; k++)
		_mm512_store_si512(to[k] + f, r[k]);
}

/*
 * Rows [lo, hi), whose places are among 16 unpacked first vectors from `at` on.
 */
AVX512 static void
take_sixteen(struct tiles *s, const struct vs_triple_call *call, size_t lo,
	size_t hi, size_t at, const char *open)
{
	_Alignas(64) int32_t mode[SIDE] = { 0 };
	int8_t *to[SIDE];

	for (size_t k = 0; k < SIDE; k++)
		to[k] = s->padding;
	for (; lo < hi; lo++) {
		size_t k = call->first[lo].place - at;

		to[k] = s->first + lo * (s->depth + DEPTH);
		mode[k] = call->first[lo].mode * 0x01010101;
	}
	for (size_t f = 0; f < s->depth; f += DEPTH, open += 2 * TILE)
		take_tile(s, f, open, _mm512_load_si512(mode), to);
}

/* Unpack all rows: their first vectors are columns too. */
static void
take_rows(struct tiles *s, const struct vs_triple_call *call)
{
	const size_t bytes = (call->a->vec.n_field + 1) * ROW_BYTES;
	size_t lo = 0, hi;

	while (lo < call->n_row) {
		size_t k = call->first[lo].place / LANES;
		unsigned info = 0;

		for (hi = lo;
			hi < call->n_row && call->first[hi].place / LANES == k;
			hi++)
			info |= 1u << call->first[hi].place % LANES / STRIP;
		spread_block(s, (const char *)call->firsts + k * bytes, info);
		while (lo < hi) {
			size_t at = call->first[lo].place / SIDE * SIDE;
			size_t t = at % LANES / SIDE, end = lo;

			while (end < hi && call->first[end].place < at + SIDE)
				end++;
			take_sixteen(s, call, lo, end, at,
				(const char *)s->cols + t / 2 * OPEN(s->depth) +
					t % 2 * TILE);
			lo = end;
		}
	}
}

/* ---- products ---- */

struct config {
	uint8_t palette, start, none[14];
	uint16_t width[16];
	uint8_t height[16];
};

/* Configure all eight tiles: 16 rows of 64 bytes. */
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

/*
 * Sums of 32 columns, of rows [row, n_row), whose minimum and maximum are
 * pending.
 */
struct pending {
	const int32_t *sum;
	size_t row, n_row;
	/*
	 * unwanted columns begin at column lo of the strip and end at each
	 * row's `out`, in columns of the call, of which the strip's first is
	 * `at`; null: none
	 */
	const struct vs_triple_row *out;
	size_t lo, at;
};

/* Columns of the strip that row r wants, as bits. */
INLINE uint32_t
wanted_columns(const struct pending *x, size_t r)
{
	const size_t hi = x->out[r].out > x->at ? x->out[r].out - x->at : 0;

	return ~(_bzhi_u32(~0u, hi < STRIP ? (unsigned)hi : STRIP) &
		~_bzhi_u32(~0u, (unsigned)x->lo));
}

#define SOME 4 /* rows per step of products, whose latency hides them */

INLINE void
note(struct tiles *s, struct pending *x)
{
	for (size_t r = x->row; r < x->row + SOME; r++) {
		const uint32_t in =
			x->out && r < x->n_row ? wanted_columns(x, r) : ~0u;

		for (int k = 0; k < 2; k++) {
			const __mmask16 m = (__mmask16)(in >> (16 * k));
			__m512i v = _mm512_load_si512(
				x->sum + r * STEP + (size_t)k * SIDE);

			s->least[r] = _mm512_mask_min_epi32(s->least[r], m,
				s->least[r], v);
			s->most[r] = _mm512_mask_max_epi32(s->most[r], m,
				s->most[r], v);
		}
	}
	x->row += SOME;
}

/*
 * Multiply 16 or 32 first vectors by a strip; pending minima and maxima are
 * taken meanwhile.
 */
TILES static inline void
multiply_tiles(struct tiles *s, const int8_t *a, const int8_t *b, bool both,
	struct pending *x)
{
	const size_t wide = s->depth + DEPTH;

	for (const int8_t *end = a + s->depth; a < end;
		a += DEPTH, b += 2 * TILE) {
		_tile_loadd(4, a, wide);
		_tile_loadd(6, b, DEPTH);
		_tile_dpbssd(0, 4, 6);
		_tile_loadd(7, b + TILE, DEPTH);
		_tile_dpbssd(1, 4, 7);
		if (both) {
			_tile_loadd(5, a + SIDE * wide, wide);
			_tile_dpbssd(2, 5, 6);
			_tile_dpbssd(3, 5, 7);
		}
		if (x->row < x->n_row)
			note(s, x);
	}
}

/* Sums of rows [lo, lo + n_row) with the strip of columns from `at` on. */
static struct pending
pending_sums(const struct vs_triple_call *call, size_t lo, size_t n_row,
	size_t at, const int32_t *sum)
{
	struct pending x = { sum, 0, n_row, NULL, 0, at };
	size_t end = 0;

	for (size_t r = lo; r < lo + n_row; r++)
		end = call->first[r].out > end ? call->first[r].out : end;
	if (at < end && at + STRIP > call->out) {
		x.out = call->first + lo;
		x.lo = call->out > at ? call->out - at : 0;
	}
	return x;
}

/*
 * Multiply rows [lo, lo + n_row), up to 32, by the wanted strips of block k;
 * more: add to the present sums.
 */
TILES static void
multiply(struct tiles *s, const struct vs_triple_call *call, size_t lo,
	size_t n_row, size_t k, unsigned info, bool more, int32_t *sum)
{
	const size_t step = 4 * STEP;
	const int8_t *first = s->first + lo * (s->depth + DEPTH);
	struct pending pending = { .n_row = 0 };

	for (size_t r = 0; r < AT_ONCE; r++) {
		s->least[r] = _mm512_set1_epi32(INT32_MAX);
		s->most[r] = _mm512_set1_epi32(INT32_MIN);
	}
	for (; info; info &= info - 1) {
		size_t t = (size_t)__builtin_ctz(info);
		const int8_t *b = s->cols + t * OPEN(s->depth);
		int32_t *to = sum + t * STRIP;

		if (more) {
			_tile_loadd(0, to, step);
			_tile_loadd(1, to + SIDE, step);
			_tile_loadd(2, to + SIDE * STEP, step);
			_tile_loadd(3, to + SIDE * STEP + SIDE, step);
		} else {
			_tile_zero(0);
			_tile_zero(1);
			_tile_zero(2);
			_tile_zero(3);
		}
		if (n_row > SIDE)
			multiply_tiles(s, first, b, true, &pending);
		else
			multiply_tiles(s, first, b, false, &pending);
		while (pending.row < pending.n_row)
			note(s, &pending);
		_tile_stored(0, to, step);
		_tile_stored(1, to + SIDE, step);
		_tile_stored(2, to + SIDE * STEP, step);
		_tile_stored(3, to + SIDE * STEP + SIDE, step);
		pending = pending_sums(call, lo, n_row, k * LANES + t * STRIP,
			to);
	}
	while (pending.row < pending.n_row)
		note(s, &pending);
}

/* ---- sums ---- */

/* Unwanted strips become 0. */
static void
copy_row(const int32_t *sum, unsigned info, int32_t *to)
{
	const size_t bytes = STRIP * sizeof(*to);

	for (size_t t = 0; t < STRIPS; t++, sum += STRIP, to += STRIP)
		if (info >> t & 1)
			memcpy(to, sum, bytes);
		else
			memset(to, 0, bytes);
}

/* Finish rows [lo, lo + 32) with the wanted strips of block k. */
AVX512 static void
end_rows(const struct tiles *s, const struct vs_triple_call *call, size_t lo,
	size_t k, unsigned info, const int32_t *sum)
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
		copy_row(sum, info, call->d + (lo + r) * call->ld + k * LANES);
		call->wanted[lo + r] |= 1ull << k;
	}
}

/* Strips of block k that rows [lo, hi) want, as bits. */
static unsigned
strips_of(const struct vs_triple_call *call, size_t lo, size_t hi, size_t k)
{
	const size_t from = k * LANES, n = call->n_col - from;
	unsigned info = 0;
	size_t out = call->n_col;

	for (size_t r = lo; r < hi; r++)
		out = call->first[r].out < out ? call->first[r].out : out;
	for (size_t t = 0; t < STRIPS && t * STRIP < n; t++) {
		size_t at = from + t * STRIP;

		if (at < call->out || at + STRIP > out)
			info |= 1u << t;
	}
	return info;
}

/* Count all rows with block k in the fields of a part. */
static void
count_block(struct tiles *s, const struct vs_triple_call *call, size_t k,
	bool begun, bool last)
{
	const bool whole = is_whole(call->a->vec.n_field);
	int32_t *sum = s->sum;

	if (!whole)
		sum += k * VS_TRIPLE_ROWS * STEP;
	for (size_t lo = 0; lo < call->n_row; lo += AT_ONCE) {
		size_t n =
			call->n_row - lo < AT_ONCE ? call->n_row - lo : AT_ONCE;
		unsigned info = strips_of(call, lo, lo + n, k);

		multiply(s, call, lo, n, k, info, begun, sum);
		if (last)
			end_rows(s, call, lo, k, info, sum);
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
	for (size_t from = 0, to; from < n_word; from = to) {
		to = take_fields3(s, call->a, call->second, from);
		take_rows(s, call);
		for (size_t k = 0; k < blocks(call->n_col); k++) {
			spread_block(s, cols + k * (n_field + 1) * ROW_BYTES,
				strips_of(call, 0, call->n_row, k));
			count_block(s, call, k, from > 0, to == n_word);
		}
	}
	_tile_release();
}

extern const struct vs_triple vs_triple_tiles;
const struct vs_triple vs_triple_tiles = { "tiles", "lanes512", VS_CPU_AMX,
	LANES, col_room3, take_cols3, row_room3, count3,
	{ 200, 130, .94f, 0, 25 } };
#endif
