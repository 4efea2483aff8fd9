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
 * Where a row is much like one shortly before it, as neighbours on a chromosome
 * are, that one takes the mode's place, field by field: the fields in which the
 * two differ make the lists, with
 *
 *   sum g g' = (the same of the row before) + sum (g - its g) g'
 *
 * A missing call counts as genotype 0 on both sides.
 */
#if defined(__x86_64__)
#include "libcore/kern/lanes512.h"

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

/* n blocks of entries, at most a piece, at plane k; not: their complements. */
INLINE void
add_piece(__m512i c[PLANES], const int k, const int not, const char *rows,
	const uint16_t *at, unsigned n)
{
	__m512i w[3];

	if (n == PIECE / BLOCK) {
		add64(c, k, not, rows, at, w);
		ripple(c, k + 6, w);
		return;
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

/* All pieces against the fields of a chunk of a block of columns. */
AVX512 static void
count_pieces(const struct rows *s, const char *fields)
{
	for (size_t x = 0; x < s->n_piece; x++) {
		const struct piece *piece = &s->piece[x];
		__m512i *counter = s->row[piece->row].counter, c[PLANES];
		const uint16_t *at = s->entry + piece->at;

		for (int k = 0; k < PLANES; k++)
			c[k] = counter[k];
		if (piece->way == ONCE)
			add_piece(c, 0, 0, fields, at, piece->n_block);
		else if (piece->way == TWICE)
			add_piece(c, 1, 0, fields, at, piece->n_block);
		else
			add_piece(c, 0, 1, fields, at, piece->n_block);
		for (int k = 0; k < PLANES; k++)
			counter[k] = c[k];
	}
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

/* When a counter is emptied: after the first chunk, the last one. */
struct when {
	bool first, last;
};

/*
 * Sixteen integers v of a counter into the sums p, those of the columns being
 * s and of the earlier row old. That row's are complete after the last chunk.
 */
INLINE void
put(const enum base base, struct when when, __m512i extra, __m512i v,
	const int32_t *s, const int32_t *old, int32_t *p)
{
	__m512i sum = _mm512_load_si512(s), so_far = _mm512_setzero_si512();

	if (!when.first)
		so_far = _mm512_loadu_si512(p);
	else if (base == ALL_1)
		so_far = sum;
	else if (base == ALL_2)
		so_far = _mm512_add_epi32(sum, sum);
	if (base == EARLIER && when.last)
		so_far = _mm512_add_epi32(so_far, _mm512_loadu_si512(old));
	if (base == ALL_1 || base == EARLIER)
		v = _mm512_add_epi32(v, extra);
	_mm512_storeu_si512(p,
		base == ALL_2 ? _mm512_sub_epi32(so_far, v)
			      : _mm512_add_epi32(so_far, v));
}

/*
 * The planes of low hold the bits 7 to 0, those of high 13 to 8. A byte of a
 * plane becomes eight bytes, a lane each; with the other byte of a lane and a
 * zero between them these make the integers of the columns in their order,
 * since column_of() has put them so.
 */
INLINE void
empty_as(struct row *r, const enum base base, struct when when,
	const int32_t *s, const int32_t *old, int32_t *p)
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
	for (int m = 0; m < 8; m++) {
		__m512i pair[2] = { _mm512_unpacklo_epi8(low[m], high[m]),
			_mm512_unpackhi_epi8(low[m], high[m]) };

		for (int k = 0; k < 2; k++, s += 32, old += 32, p += 32) {
			put(base, when, extra,
				_mm512_unpacklo_epi16(pair[k], none), s, old,
				p);
			put(base, when, extra,
				_mm512_unpackhi_epi16(pair[k], none), s + 16,
				old + 16, p + 16);
		}
	}
	for (int k = 0; k < PLANES; k++)
		r->counter[k] = none;
}

/* Counter of a row into 512 sums p. */
AVX512 static void
empty(struct row *r, struct when when, const int32_t *s, const int32_t *old,
	int32_t *p)
{
	switch (r->base) {
	case ALL_0:
		empty_as(r, ALL_0, when, s, old, p);
		break;
	case ALL_1:
		empty_as(r, ALL_1, when, s, old, p);
		break;
	case ALL_2:
		empty_as(r, ALL_2, when, s, old, p);
		break;
	case EARLIER:
		empty_as(r, EARLIER, when, s, old, p);
	}
}

AVX512 static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	struct rows s = lay_out(scratch, n_row, &a->vec);
	const struct cut *cut = &s.cut;
	size_t n_alike = 0;

	/* where the first rows are not alike, the others are not looked at */
	for (size_t r = 0; r < n_row; r++)
		n_alike += take_row(a, row + r, label, &s, r,
			r <= BACK || n_alike);
	for (size_t c = 0; c < cut->n_chunk; c++) {
		struct when when = { c == 0, c + 1 == cut->n_chunk };

		make_pieces(&s, c);
		for (size_t b = col / LANES; b < blocks(n_col); b++) {
			char *block = (char *)cols + b * block_bytes(cut);
			int32_t *sums = p + b * LANES;

			count_pieces(&s, field_row(block, cut, c * cut->chunk));
			for (size_t r = 0; r < n_row; r++)
				empty(&s.row[r], when, (int32_t *)block,
					sums + (size_t)s.row[r].earlier * ld,
					sums + r * ld);
		}
	}
}

extern const struct vs_dense vs_dense_lanes512;
const struct vs_dense vs_dense_lanes512 = { "lanes512", VS_CPU_AVX512ICL, LANES,
	col_room, take_cols, row_room, count };
#endif
