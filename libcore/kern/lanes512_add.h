/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit-sliced counters of 512 lanes: carry-save addition and conversion to
 * integers.
 */
#ifndef VS_KERN_LANES512_ADD_H
#define VS_KERN_LANES512_ADD_H

#include "libcore/kern/lanes512.h"

/* Counters stay in registers only if loops over planes are fully unrolled. */
#define UNROLL _Pragma("GCC unroll 16")

/*
 * Full adder: add b and d to the plane *s and return the carry. maj(a, b, d) in
 * terms of the new sum, so that no register is copied.
 */
INLINE __m512i
add(__m512i *s, __m512i b, __m512i d)
{
	*s = _mm512_ternarylogic_epi64(*s, b, d, 0x96);
	return _mm512_ternarylogic_epi64(b, *s, d, 0xb2);
}

/* Half adder: add b to the plane *s and return the carry. */
INLINE __m512i
half_add(__m512i *s, __m512i b)
{
	__m512i carry = _mm512_and_si512(*s, b);

	*s = _mm512_xor_si512(*s, b);
	return carry;
}

/* Add three carries to plane k and propagate to the last. */
INLINE void
ripple(__m512i c[PLANES], const int k, const __m512i w[3])
{
	__m512i d = add(&c[k], w[0], w[1]);
	__m512i e = half_add(&c[k], w[2]);

	d = add(&c[k + 1], d, e);
	UNROLL
	for (int x = k + 2; x < PLANES; x++)
		d = half_add(&c[x], d);
}

/*
 * Add entries at plane k; for 16, 32 or 64 entries three carries of plane k +
 * 4, 5 or 6 come back in s. This takes nine tenths of the time, and gcc 12
 * moves and spills registers here, hence the assembler: t0 to t9, u0 and u1 are
 * scratch registers. A carry replaces the first summand; the truth table of the
 * carry is 0xb2, and 0x17 if two summands are complemented. f: offset of the
 * entries in bytes.
 */
#define R_c0 "%[c0]"
#define R_c1 "%[c1]"
#define R_c2 "%[c2]"
#define R_c3 "%[c3]"
#define R_c4 "%[c4]"
#define R_c5 "%[c5]"
#define R_s0 "%[s0]"
#define R_s1 "%[s1]"
#define R_s2 "%[s2]"
#define R_t0 "%%zmm16"
#define R_t1 "%%zmm17"
#define R_t2 "%%zmm18"
#define R_t3 "%%zmm19"
#define R_t4 "%%zmm20"
#define R_t5 "%%zmm21"
#define R_t6 "%%zmm22"
#define R_t7 "%%zmm23"
#define R_t8 "%%zmm24"
#define R_t9 "%%zmm25"
#define ADD(s, x, y, carry)                              \
	"vpternlogq $0x96, " R_##y ", " R_##x ", " R_##s \
		"\n\t"                                   \
		"vpternlogq $" carry ", " R_##y ", " R_##s ", " R_##x "\n\t"
#define ENTRY(f, at, to, low, high)                     \
	"movzwl " #f "+" #at "(%[at]), %k[" #to "]\n\t" \
	"vmovdqa64 (%[rows], %q[" #to "], 8), " R_##low \
		"\n\t"                                  \
		"vmovdqa64 64(%[rows], %q[" #to "], 8), " R_##high "\n\t"
#define KEEP(from, to) "vmovdqa64 " R_##from ", " R_##to "\n\t"
/* Add four entries; the carries go to x, y and z. */
#define ADD4(carry, f, at0, at1, at2, at3, x, y, z, u, v, w) \
	ENTRY(f, at0, a, z, x)                               \
	ENTRY(f, at1, b, u, v)                               \
	ADD(c0, z, u, carry)                                 \
	ADD(c1, x, v, carry)                                 \
	ENTRY(f, at2, a, u, y)                               \
	ENTRY(f, at3, b, v, w)                               \
	ADD(c0, u, v, carry)                                 \
	ADD(c1, y, w, carry)                                 \
	ADD(c1, z, u, "0xb2")
/* Add 16 entries; the carries are in t0, t3, t4. */
#define ADD16(carry, f)                                        \
	ADD4(carry, f, 0, 2, 4, 6, t0, t1, t2, t3, t4, t5)     \
	ADD(c2, t0, t1, "0xb2")                                \
	ADD4(carry, f, 8, 10, 12, 14, t1, t3, t4, t5, t6, t7)  \
	ADD(c2, t2, t1, "0xb2")                                \
	ADD(c2, t3, t4, "0xb2")                                \
	ADD(c3, t0, t2, "0xb2")                                \
	ADD4(carry, f, 16, 18, 20, 22, t1, t2, t4, t5, t6, t7) \
	ADD(c2, t1, t2, "0xb2")                                \
	ADD4(carry, f, 24, 26, 28, 30, t2, t5, t6, t7, t8, t9) \
	ADD(c2, t4, t2, "0xb2")                                \
	ADD(c2, t5, t6, "0xb2")                                \
	ADD(c3, t3, t1, "0xb2")                                \
	ADD(c3, t4, t5, "0xb2")
/* Add 32 entries; the carries are in s0, s1, t3. */
#define ADD32(carry)            \
	ADD16(carry, 0)         \
	ADD(c4, t0, t3, "0xb2") \
	KEEP(t0, s0)            \
	KEEP(t4, s1)            \
	ADD16(carry, 32)        \
	ADD(c4, s1, t0, "0xb2") \
	ADD(c4, t3, t4, "0xb2")
#define ONES(carry) ADD16(carry, 0) KEEP(t0, s0) KEEP(t3, s1) KEEP(t4, s2)
#define TWOS(carry) ADD32(carry) KEEP(t3, s2)
#define FOURS(carry)            \
	ADD32(carry)            \
	ADD(c5, s0, s1, "0xb2") \
	KEEP(t3, s1)            \
	ADD16(carry, 64)        \
	ADD(c4, t0, t3, "0xb2") \
	ADD(c5, s1, t0, "0xb2") \
	KEEP(t4, s2)            \
	ADD16(carry, 96)        \
	ADD(c4, s2, t0, "0xb2") \
	ADD(c4, t3, t4, "0xb2") \
	ADD(c5, s2, t3, "0xb2")
#define ASSEMBLE(text)                                                         \
	__asm__(text                                                           \
		: [c0] "+v"(c[k]), [c1] "+v"(c[k + 1]), [c2] "+v"(c[k + 2]),   \
		[c3] "+v"(c[k + 3]), [c4] "+v"(c[k + 4]), [c5] "+v"(c[k + 5]), \
		[s0] "=&v"(s[0]), [s1] "=&v"(s[1]), [s2] "=&v"(s[2]),          \
		[a] "=&r"(offset[0]), [b] "=&r"(offset[1])                     \
		: [rows] "r"(rows), [at] "r"(at),                              \
		"m"(*(const char(*)[(CHUNK + 1) * ROW_BYTES]) rows),           \
		"m"(*(const uint16_t(*)[PIECE])at)                             \
		: "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",        \
		"xmm22", "xmm23", "xmm24", "xmm25")

/*
 * Add n blocks of entries, at most a piece, at plane k; not: their complements.
 */
INLINE void
add_piece(__m512i c[PLANES], const int k, const int not, const char *rows,
	const uint16_t *at, unsigned n)
{
	size_t offset[2];
	__m512i s[3];

	_Static_assert(UNIT == 8, "as the addresses have it");
	if (n == PIECE / BLOCK) {
		if (not )
			ASSEMBLE(FOURS("0x17"));
		else
			ASSEMBLE(FOURS("0xb2"));
		ripple(c, k + 6, s);
		return;
	}
	if (n & 2) {
		if (not )
			ASSEMBLE(TWOS("0x17"));
		else
			ASSEMBLE(TWOS("0xb2"));
		ripple(c, k + 5, s);
		at += 2 * BLOCK;
	}
	if (n & 1) {
		if (not )
			ASSEMBLE(ONES("0x17"));
		else
			ASSEMBLE(ONES("0xb2"));
		ripple(c, k + 4, s);
	}
}

/*
 * The same for columns of marks, without high bits: a tree of full adders for
 * the 16 entries of a block.
 */
INLINE void
add_marks(__m512i c[PLANES], const int k, const int not, const char *rows,
	const uint16_t *at, unsigned n)
{
	for (unsigned b = 0; b < n; b++, at += BLOCK) {
		__m512i x[BLOCK];

		UNROLL
		for (int e = 0; e < BLOCK; e++) {
			x[e] = _mm512_load_si512(rows +
				(size_t)at[e] *
					(UNIT * MARK_BYTES / ROW_BYTES));
			if (not )
				x[e] = ~x[e];
			/* a carry of each 2, 4, 8 and 16 */
			if (e % 2 == 1)
				x[e] = add(&c[k], x[e - 1], x[e]);
			if (e % 4 == 3)
				x[e] = add(&c[k + 1], x[e - 2], x[e]);
			if (e % 8 == 7)
				x[e] = add(&c[k + 2], x[e - 4], x[e]);
		}
		x[0] = add(&c[k + 3], x[7], x[15]);
		UNROLL
		for (int p = k + 4; p < PLANES; p++)
			x[0] = half_add(&c[p], x[0]);
	}
}

/* ---- counters into integers ---- */

/*
 * Transpose 8 planes of 512 lanes into 512 bytes; register m has the lanes of
 * bytes 16 L + 2 m and 16 L + 2 m + 1 of each 16 of a plane.
 */
INLINE void
transpose_planes(__m512i r[8])
{
	const __m512i units = _mm512_set1_epi64(0x8040201008040201);

	transpose_bytes(r);
	UNROLL
	for (int k = 0; k < 8; k++)
		r[k] = _mm512_gf2p8affine_epi64_epi8(units, r[k], 0);
}

INLINE void
clear_counter(__m512i counter[PLANES])
{
	UNROLL
	for (int k = 0; k < PLANES; k++)
		_mm512_store_si512(&counter[k], _mm512_setzero_si512());
}

/*
 * Convert a counter to integers and clear it: low from its bits 7 to 0, high
 * from those above. A byte of a plane becomes eight bytes, one per lane; with
 * the other byte of a lane and a zero between them these make the integers of
 * the columns, in the order that column_of() arranges.
 */
INLINE void
counter_to_integers(__m512i counter[PLANES], __m512i low[8], __m512i high[8])
{
	const __m512i none = _mm512_setzero_si512();

	/* bit 7 of a byte comes first in the matrix: planes in falling order */
	UNROLL
	for (int k = 0; k < 8; k++) {
		low[k] = counter[7 - k];
		high[k] = 15 - k < PLANES ? counter[15 - k] : none;
	}
	transpose_planes(low);
	transpose_planes(high);
	clear_counter(counter);
}

#define COUNTER_MOST ((1 << PLANES) - 1)

/* The digits of n from the lowest on, each in all bits of a number. */
INLINE void
spread_digits(int32_t n, int32_t to[16])
{
	const __m512i digit = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7,
		6, 5, 4, 3, 2, 1, 0);
	const __m512i up = _mm512_sub_epi32(_mm512_set1_epi32(31), digit);

	_mm512_store_si512(to,
		_mm512_srai_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(n), up),
			31));
}

/* Whether the counter of some column is above hi, which is 0 or more. From the
 * lowest digit on: the highest digit that differs decides. */
INLINE bool
counter_above(const __m512i c[PLANES], int32_t hi)
{
	__m512i above = _mm512_setzero_si512();
	_Alignas(64) int32_t not_hi[16];

	spread_digits(~hi, not_hi);
	UNROLL
	for (int k = 0; k < PLANES; k++)
		above = _mm512_ternarylogic_epi32(above, c[k],
			_mm512_set1_epi32(not_hi[k]), 0xe8);
	return _mm512_test_epi64_mask(above, above);
}

/* Whether one is below lo, which is above 0. */
INLINE bool
counter_below(const __m512i c[PLANES], int32_t lo)
{
	__m512i below = _mm512_setzero_si512();
	_Alignas(64) int32_t is_lo[16];

	spread_digits(lo, is_lo);
	UNROLL
	for (int k = 0; k < PLANES; k++)
		below = _mm512_ternarylogic_epi32(below, c[k],
			_mm512_set1_epi32(is_lo[k]), 0xb2);
	return _mm512_test_epi64_mask(below, below);
}

/* True if the counter of some column is out of [lo, hi]. */
INLINE bool
counter_leaves(const __m512i c[PLANES], int32_t lo, int32_t hi)
{
	if (lo > hi || hi < 0 || lo > COUNTER_MOST)
		return true;
	return (hi < COUNTER_MOST && counter_above(c, hi)) ||
		(lo > 0 && counter_below(c, lo));
}

#endif
