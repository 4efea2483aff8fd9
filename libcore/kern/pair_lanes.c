/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs without population counts. A lane is a bit of a 512-bit register and
 * stands for a column: for each field two registers hold the low and the high
 * bit of g of 512 columns. A row names the fields in which its genotype is not
 * its commonest one, its mode; the columns' registers of those fields are
 * summed by full adders (two VPTERNLOG each) into counters that are bit
 * planes themselves, and a counter is turned into integers once in thousands
 * of fields. With y = g - mode of the row,
 *
 *   sum g g' = mode s' + sum y g'        s' the sum of the column
 *
 * and y is 0 in at least a third of the fields, so the work follows the
 * length of the list: two full adders, 2 cycles on two ports, for an entry
 * and 512 pairs. Of the three genotypes those that are not the mode make two
 * lists:
 *
 *   mode 0: g = 1 counts 1, g = 2 counts 2
 *   mode 2: 2 - g counts instead, g = 1 for 1 and g = 0 for 2; then
 *           sum g g' = 2 s' - sum (2 - g) g'
 *   mode 1: g = 2 counts 1, g = 0 counts -1: the complement of its two bits
 *           is added, 3 - g', and 3 taken off for each in the end
 *
 * A missing call counts as genotype 0 on both sides.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/kern/tally.h"

#define TARGET                                                              \
	target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2," \
	       "gfni,popcnt,bmi,bmi2")
#define AVX512 __attribute__((TARGET))
#define INLINE static inline __attribute__((always_inline, TARGET))

#define LANES 512
#define ROW_BYTES 128 /* of a field: two registers */
#define UNIT 8        /* offsets of rows are told in units of so many bytes */
/*
 * Most fields of a chunk: its registers stay near while all rows pass over it.
 * Fewer than 300 cost more for the ends of lists; up to 1300 makes no
 * difference. Behind the chunk stands a row of zeros, which fills lists up to
 * whole blocks.
 */
#define CHUNK 448
/*
 * A counter has 14 planes. An entry adds at most 4 to it, or at most 3 with a
 * mode of 1, where the filling adds 3 too: 4095 fields fit.
 */
#define PLANES 14
#define TURN_FIELDS 4095
#define TURN 18  /* most chunks of a turn: two chunks or more have 225 fields */
#define BLOCK 16 /* entries that a list is filled up to */

/* How fields are cut: chunks, and turns of chunks between two emptyings. */
struct cut {
	size_t n_field, chunk, n_chunk, turn;
};

static struct cut
cut_fields(size_t n_field)
{
	struct cut k = { .n_field = n_field };
	size_t n = (n_field + CHUNK - 1) / CHUNK;

	k.chunk = (n_field + n * 32 - 1) / (n * 32) * 32;
	k.n_chunk = (n_field + k.chunk - 1) / k.chunk;
	k.turn = TURN_FIELDS / k.chunk < k.n_chunk ? TURN_FIELDS / k.chunk
						   : k.n_chunk;
	return k;
}

static size_t
chunk_bytes(const struct cut *k)
{
	return (k->chunk + 1) * ROW_BYTES;
}

static size_t
blocks(size_t n_col)
{
	return (n_col + LANES - 1) / LANES;
}

/* A block of 512 columns: their sums, then chunk after chunk of fields. */
static size_t
block_bytes(const struct cut *k)
{
	return LANES * sizeof(int32_t) + k->n_chunk * chunk_bytes(k);
}

static size_t
col_room(size_t n_col, size_t n_field)
{
	struct cut k = cut_fields(n_field);

	return blocks(n_col) * block_bytes(&k);
}

/* ---- columns: 512 vectors x fields turned into fields x 512 lanes ---- */

/* 8 x 8 of 64-bit words. */
INLINE void
turn_words(__m512i r[8])
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
 * 8 vectors x 64 fields, a word each, into 64 bytes: byte f holds field f of
 * the 8 vectors. Bytes are brought together by field, and each 8 x 8 bits
 * turned over: as a matrix applied to the unit vectors.
 */
INLINE __m512i
turn_bits(__m512i v)
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
 * 8 registers of 64 bytes by field into 8 registers whose word 2 L + h of
 * register m holds the 8 bytes of field 16 L + 2 m + h.
 */
INLINE void
turn_bytes(__m512i r[8])
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
 * Which column stands in bit t of byte g of a plane: in the order that leaves
 * the integers of a counter in the order of the columns, see empty().
 */
static inline size_t
column_of(size_t g, size_t t)
{
	size_t l = g / 16, m = g % 16 / 2, h = g % 2;

	return ((m * 2 + h) * 2 + t / 4) * 16 + l * 4 + t % 4;
}

/* 512 fields of 8 vectors: eight registers by field, for each 64 fields. */
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
		/* g = 2: h & p, and h & ~p for the other label;
		 * g = 1: neither h nor p, and so the padding of a plane */
		to[k] = !high   ? _mm512_ternarylogic_epi64(h, h, p, 0x11)
			: label ? _mm512_and_si512(h, p)
				: _mm512_andnot_si512(p, h);
	}
	turn_words(to);
	for (int k = 0; k < 8; k++)
		to[k] = turn_bits(to[k]);
}

/* Where a field's registers stand within a block. */
static inline char *
field_row(char *block, const struct cut *k, size_t f)
{
	return block + LANES * sizeof(int32_t) + f / k->chunk * chunk_bytes(k) +
		f % k->chunk * ROW_BYTES;
}

AVX512 static void
take_fields(const struct vs_panel *b, size_t lo, size_t n_col, size_t w,
	int label, int high, const struct cut *cut, char *block)
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
			turn_bytes(t);
			for (int m = 0; m < 8; m++)
				by_lane[m][g] = t[m];
		}
		for (size_t m = 0; m < 8; m++) {
			turn_words(by_lane[m]);
			for (size_t q = 0; q < 8; q++) {
				size_t f = first + 16 * (q / 2) + 2 * m + q % 2;

				if (f < n_field)
					_mm512_store_si512(
						field_row(block, cut, f) +
							high * 64,
						by_lane[m][q]);
			}
		}
	}
}

AVX512 static void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	struct cut cut = cut_fields(b->vec.n_field);

	for (size_t k = 0; k < blocks(n_col); k++) {
		char *block = (char *)cols + k * block_bytes(&cut);
		size_t at = k * LANES;
		size_t n = n_col - at < LANES ? n_col - at : LANES;

		memset(block, 0, LANES * sizeof(int32_t));
		for (size_t v = 0; v < n; v++)
			((int32_t *)block)[v] =
				vs_panel_sum(b, lo + at + v, label);
		for (size_t w = 0; w < b->vec.n_word; w += 8)
			for (int high = 0; high < 2; high++)
				take_fields(b, lo + at, n, w, label, high, &cut,
					block);
		for (size_t c = 0; c < cut.n_chunk; c++)
			memset(field_row(block, &cut, c * cut.chunk) +
					cut.chunk * ROW_BYTES,
				0, ROW_BYTES);
	}
}

/* ---- rows: lists of the fields that are not the mode ---- */

/* Of a chunk: two lists of whole blocks of entries, one behind the other. */
struct list {
	uint32_t at; /* in the entries of all rows */
	uint16_t n1, n2;
};

struct row {
	__m512i counter[PLANES];
	int32_t mode, extra; /* the extra is to be added to the counter */
	struct list list[TURN];
};

/* Most entries of a row in a turn. */
static size_t
entry_room(const struct cut *k)
{
	return k->turn * (k->chunk + 2 * BLOCK);
}

static size_t
row_room(size_t n_row, size_t n_field)
{
	struct cut k = cut_fields(n_field);

	/* entries are written a register at a time */
	return n_row * (sizeof(struct row) + entry_room(&k) * 2) + 128;
}

/* Offsets of a plane's set bits, filled up with a row of zeros. */
INLINE unsigned
entries(const uint32_t *plane, size_t n_word, uint16_t zero, uint16_t *to)
{
	__m512i at = _mm512_mullo_epi16(_mm512_set_epi16(31, 30, 29, 28, 27, 26,
						25, 24, 23, 22, 21, 20, 19, 18,
						17, 16, 15, 14, 13, 12, 11, 10,
						9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
		_mm512_set1_epi16(ROW_BYTES / UNIT));
	const __m512i step = _mm512_set1_epi16(32 * ROW_BYTES / UNIT);
	uint16_t *end = to;

	for (size_t w = 0; w < n_word; w++) {
		_mm512_storeu_si512(end,
			_mm512_maskz_compress_epi16(plane[w], at));
		end += __builtin_popcount(plane[w]);
		at = _mm512_add_epi16(at, step);
	}
	_mm256_storeu_si256((__m256i *)end, _mm256_set1_epi16((short)zero));
	return (unsigned)((end - to + BLOCK - 1) / BLOCK);
}

/* Lists of chunk c of a vector; returns their end. */
AVX512 static uint16_t *
make_list(const uint64_t *h, const uint64_t *p, int label, int mode,
	const struct cut *cut, size_t c, struct list *list, uint16_t *to)
{
	size_t first = c * cut->chunk / 32;
	size_t left = cut->n_field - c * cut->chunk;
	size_t n = left < cut->chunk ? left : cut->chunk;
	size_t n_word = (n + 31) / 32;
	uint16_t zero = (uint16_t)(cut->chunk * ROW_BYTES / UNIT);
	uint32_t one[CHUNK / 32], two[CHUNK / 32];

	for (size_t w = 0; w < n_word; w++) {
		uint32_t a = ((const uint32_t *)h)[first + w];
		uint32_t b = ((const uint32_t *)p)[first + w];
		uint32_t in = n - 32 * w < 32 ? (1u << (n - 32 * w)) - 1 : ~0u;
		uint32_t g2 = a & (label ? b : ~b), g1 = ~(a | b) & in,
			 g0 = ~(g1 | g2) & in;

		one[w] = mode == 1 ? g2 : g1;
		two[w] = mode == 0 ? g2 : g0;
	}
	list->n1 = (uint16_t)entries(one, n_word, zero, to);
	to += list->n1 * BLOCK;
	list->n2 = (uint16_t)entries(two, n_word, zero, to);
	return to + list->n2 * BLOCK;
}

/* The commonest genotype, missing counted as 0, from the sum and the bits. */
AVX512 static int
mode_of(const struct vs_panel *a, size_t v, int label)
{
	const uint64_t *h = vs_vec_plane(&a->vec, v, 0);
	const uint64_t *p = vs_vec_plane(&a->vec, v, 1);
	int64_t n = (int64_t)a->vec.n_field, n2 = 0, n1, n0;

	for (size_t w = 0; w < a->vec.n_word; w++)
		n2 += __builtin_popcountll(h[w] & (label ? p[w] : ~p[w]));
	n1 = vs_panel_sum(a, v, label) - 2 * n2;
	n0 = n - n1 - n2;
	return n0 >= n1 && n0 >= n2 ? 0 : n2 >= n1 ? 2 : 1;
}

/* ---- counting ---- */

/* Add b and d to the plane *s; the carry comes back. maj(a, b, d) in terms
 * of the new sum, so that no register is copied. */
INLINE __m512i
add(__m512i *s, __m512i b, __m512i d)
{
	*s = _mm512_ternarylogic_epi64(*s, b, d, 0x96);
	return _mm512_ternarylogic_epi64(b, *s, d, 0xb2);
}

/* Add b alone. */
INLINE __m512i
bump(__m512i *s, __m512i b)
{
	__m512i carry = _mm512_and_si512(*s, b);

	*s = _mm512_xor_si512(*s, b);
	return carry;
}

/* Three carries into plane k and on to the last. */
INLINE void
ripple(__m512i c[PLANES], const int k, const __m512i w[3])
{
	__m512i d = add(&c[k], w[0], w[1]);
	__m512i e = bump(&c[k], w[2]);

	d = add(&c[k + 1], d, e);
	for (int x = k + 2; x < PLANES; x++)
		d = bump(&c[x], d);
}

/*
 * Sixteen entries at plane k; three carries at plane k + 4 come back. This is
 * nine tenths of the time, and gcc 12 lets it move and spill registers for 6 %
 * more, hence the assembler. %[t0] to %[t9] are registers to use, %[a] and
 * %[b] offsets; a carry takes the place of the first summand. The carry of the
 * complements of two summands is 0x17, else it is 0xb2.
 */
#define ADD(s, x, y, carry)                                     \
	"vpternlogq $0x96, %[" #y "], %[" #x "], %[" #s "]\n\t" \
	"vpternlogq $" carry ", %[" #y "], %[" #s "], %[" #x "]\n\t"
#define ENTRY(at, to, low, high)                               \
	"movzwl " #at "(%[at]), %k[" #to "]\n\t"               \
	"vmovdqa64 (%[rows], %q[" #to "], 8), %[" #low "]\n\t" \
	"vmovdqa64 64(%[rows], %q[" #to "], 8), %[" #high "]\n\t"
/* The carries of four stand in x, y and z. */
#define ADD4(carry, at0, at1, at2, at3, x, y, z, u, v, w) \
	ENTRY(at0, a, z, x)                               \
	ENTRY(at1, b, u, v)                               \
	ADD(c0, z, u, carry)                              \
	ADD(c1, x, v, carry)                              \
	ENTRY(at2, a, u, y)                               \
	ENTRY(at3, b, v, w)                               \
	ADD(c0, u, v, carry)                              \
	ADD(c1, y, w, carry)                              \
	ADD(c1, z, u, "0xb2")
/* Of sixteen: t0, t3, t4. */
#define ADD16(carry)                                        \
	ADD4(carry, 0, 2, 4, 6, t0, t1, t2, t3, t4, t5)     \
	ADD(c2, t0, t1, "0xb2")                             \
	ADD4(carry, 8, 10, 12, 14, t1, t3, t4, t5, t6, t7)  \
	ADD(c2, t2, t1, "0xb2")                             \
	ADD(c2, t3, t4, "0xb2")                             \
	ADD(c3, t0, t2, "0xb2")                             \
	ADD4(carry, 16, 18, 20, 22, t1, t2, t4, t5, t6, t7) \
	ADD(c2, t1, t2, "0xb2")                             \
	ADD4(carry, 24, 26, 28, 30, t2, t5, t6, t7, t8, t9) \
	ADD(c2, t4, t2, "0xb2")                             \
	ADD(c2, t5, t6, "0xb2")                             \
	ADD(c3, t3, t1, "0xb2")                             \
	ADD(c3, t4, t5, "0xb2")
#define SIXTEEN(text)                                                        \
	__asm__(text                                                         \
		: [c0] "+v"(c[k]), [c1] "+v"(c[k + 1]), [c2] "+v"(c[k + 2]), \
		[c3] "+v"(c[k + 3]), [t0] "=&v"(w[0]), [t3] "=&v"(w[1]),     \
		[t4] "=&v"(w[2]), [t1] "=&v"(t[0]), [t2] "=&v"(t[1]),        \
		[t5] "=&v"(t[2]), [t6] "=&v"(t[3]), [t7] "=&v"(t[4]),        \
		[t8] "=&v"(t[5]), [t9] "=&v"(t[6]), [a] "=&r"(offset[0]),    \
		[b] "=&r"(offset[1])                                         \
		: [rows] "r"(rows), [at] "r"(at),                            \
		"m"(*(const char(*)[(CHUNK + 1) * ROW_BYTES]) rows),         \
		"m"(*(const uint16_t(*)[16])at))

INLINE void
add16(__m512i c[PLANES], const int k, const int not, const char *rows,
	const uint16_t *at, __m512i w[3])
{
	size_t offset[2];
	__m512i t[7];

	_Static_assert(UNIT == 8, "as the addresses have it");
	if (not )
		SIXTEEN(ADD16("0x17"));
	else
		SIXTEEN(ADD16("0xb2"));
}

/* Twice as many entries leave three carries one plane up. */
#define DOUBLE(twice, once, n, plane)                                    \
	INLINE void twice(__m512i c[PLANES], const int k, const int not, \
		const char *rows, const uint16_t *at, __m512i w[3])      \
	{                                                                \
		__m512i a[3], b[3];                                      \
                                                                         \
		once(c, k, not, rows, at, a);                            \
		w[0] = add(&c[k + plane], a[0], a[1]);                   \
		once(c, k, not, rows, at + n, b);                        \
		w[1] = add(&c[k + plane], a[2], b[0]);                   \
		w[2] = add(&c[k + plane], b[1], b[2]);                   \
	}
DOUBLE(add32, add16, 16, 4)
DOUBLE(add64, add32, 32, 5)

/* A list of n whole blocks, each entry counting 2^k; not: its complement. */
INLINE void
add_list(__m512i c[PLANES], const int k, const int not, const char *rows,
	const uint16_t *at, unsigned n)
{
	__m512i w[3];

	for (; n >= 4; n -= 4, at += 64) {
		add64(c, k, not, rows, at, w);
		ripple(c, k + 6, w);
	}
	if (n & 2) {
		add32(c, k, not, rows, at, w);
		ripple(c, k + 5, w);
		at += 32;
	}
	if (n & 1) {
		add16(c, k, not, rows, at, w);
		ripple(c, k + 4, w);
	}
}

AVX512 static void
count_chunk(struct row *r, const struct list *list, const uint16_t *entry,
	const char *rows)
{
	const uint16_t *one = entry + list->at, *two = one + list->n1 * BLOCK;
	__m512i c[PLANES];

	for (int k = 0; k < PLANES; k++)
		c[k] = r->counter[k];
	add_list(c, 0, 0, rows, one, list->n1);
	if (r->mode == 1)
		add_list(c, 0, 1, rows, two, list->n2);
	else
		add_list(c, 1, 0, rows, two, list->n2);
	for (int k = 0; k < PLANES; k++)
		r->counter[k] = c[k];
}

/* ---- counters into integers ---- */

/*
 * 8 planes of 512 lanes into 512 bytes, in register m the lanes of bytes
 * 16 L + 2 m and 16 L + 2 m + 1 of each 16 of a plane.
 */
INLINE void
turn_planes(__m512i r[8])
{
	const __m512i units = _mm512_set1_epi64(0x8040201008040201);

	turn_bytes(r);
	for (int k = 0; k < 8; k++)
		r[k] = _mm512_gf2p8affine_epi64_epi8(units, r[k], 0);
}

/* Sixteen integers v of a counter into the sums p; s: those of the columns. */
INLINE void
put(const int mode, const int first, __m512i extra, __m512i v, const int32_t *s,
	int32_t *p)
{
	__m512i sum = _mm512_load_si512(s), so_far = _mm512_setzero_si512();

	if (!first)
		so_far = _mm512_loadu_si512(p);
	else if (mode)
		so_far = mode == 1 ? sum : _mm512_add_epi32(sum, sum);
	if (mode == 1)
		v = _mm512_add_epi32(v, extra);
	_mm512_storeu_si512(p,
		mode == 2 ? _mm512_sub_epi32(so_far, v)
			  : _mm512_add_epi32(so_far, v));
}

/*
 * The planes of low hold the bits 7 to 0, those of high 13 to 8. A byte of a
 * plane becomes eight bytes, a lane each; with the other byte of a lane and a
 * zero between them these make the integers of the columns in their order,
 * since column_of() has put them so.
 */
INLINE void
empty_as(struct row *r, const int mode, const int first, const int32_t *s,
	int32_t *p)
{
	const __m512i none = _mm512_setzero_si512();
	__m512i extra = _mm512_set1_epi32(r->extra);
	__m512i low[8], high[8];

	/* bit 7 of a byte comes first in the matrix: planes in falling order */
	for (int k = 0; k < 8; k++) {
		low[k] = r->counter[7 - k];
		high[k] = 15 - k < PLANES ? r->counter[15 - k] : none;
	}
	turn_planes(low);
	turn_planes(high);
	for (int m = 0; m < 8; m++, s += 64, p += 64) {
		__m512i v = _mm512_unpacklo_epi8(low[m], high[m]);
		__m512i u = _mm512_unpackhi_epi8(low[m], high[m]);

		put(mode, first, extra, _mm512_unpacklo_epi16(v, none), s, p);
		put(mode, first, extra, _mm512_unpackhi_epi16(v, none), s + 16,
			p + 16);
		put(mode, first, extra, _mm512_unpacklo_epi16(u, none), s + 32,
			p + 32);
		put(mode, first, extra, _mm512_unpackhi_epi16(u, none), s + 48,
			p + 48);
	}
	for (int k = 0; k < PLANES; k++)
		r->counter[k] = none;
}

/*
 * Counter of a row into 512 sums: at first beside what the mode alone gives,
 * later on to those there.
 */
AVX512 static void
empty(struct row *r, bool first, const int32_t *s, int32_t *p)
{
	if (r->mode == 0 && first)
		empty_as(r, 0, 1, s, p);
	else if (r->mode == 0)
		empty_as(r, 0, 0, s, p);
	else if (r->mode == 1 && first)
		empty_as(r, 1, 1, s, p);
	else if (r->mode == 1)
		empty_as(r, 1, 0, s, p);
	else if (first)
		empty_as(r, 2, 1, s, p);
	else
		empty_as(r, 2, 0, s, p);
}

/* Lists of a row for the chunks [c0, c1); returns the end of its entries. */
AVX512 static uint16_t *
make_lists(const struct vs_panel *a, size_t v, int label, const struct cut *cut,
	size_t c0, size_t c1, struct row *r, uint16_t *entry, uint16_t *to)
{
	r->extra = 0;
	for (size_t c = c0; c < c1; c++) {
		struct list *list = &r->list[c - c0];

		list->at = (uint32_t)(to - entry);
		to = make_list(vs_vec_plane(&a->vec, v, 0),
			vs_vec_plane(&a->vec, v, 1), label, r->mode, cut, c,
			list, to);
		r->extra -= 3 * BLOCK * list->n2;
	}
	return to;
}

AVX512 static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	const struct cut cut = cut_fields(a->vec.n_field);
	struct row *rows = scratch;
	uint16_t *entry = (uint16_t *)(rows + n_row);

	for (size_t r = 0; r < n_row; r++) {
		memset(rows[r].counter, 0, sizeof(rows[r].counter));
		rows[r].mode = mode_of(a, row + r, label);
	}
	for (size_t c0 = 0; c0 < cut.n_chunk; c0 += cut.turn) {
		size_t left = cut.n_chunk - c0;
		size_t c1 = c0 + (left < cut.turn ? left : cut.turn);
		uint16_t *to = entry;

		for (size_t r = 0; r < n_row; r++)
			to = make_lists(a, row + r, label, &cut, c0, c1,
				&rows[r], entry, to);
		for (size_t b = col / LANES; b < blocks(n_col); b++) {
			char *block = (char *)cols + b * block_bytes(&cut);

			for (size_t c = c0; c < c1; c++)
				for (size_t r = 0; r < n_row; r++)
					count_chunk(&rows[r],
						&rows[r].list[c - c0], entry,
						field_row(block, &cut,
							c * cut.chunk));
			for (size_t r = 0; r < n_row; r++)
				empty(&rows[r], !c0, (const int32_t *)block,
					p + r * ld + b * LANES);
		}
	}
}

extern const struct vs_dense vs_dense_lanes512;
const struct vs_dense vs_dense_lanes512 = { "lanes512", VS_CPU_AVX512ICL, LANES,
	col_room, take_cols, row_room, count };
#endif
