/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of 512 lanes in bit planes: what is added to them, and what they
 * hold as integers. */
#ifndef VS_KERN_LANES_ADD_H
#define VS_KERN_LANES_ADD_H

#include "libcore/kern/lanes512.h"

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

/*
 * A counter's bits 7 to 0 by low, those above by high, and it begins anew. A
 * byte of a plane becomes eight bytes, a lane each; with the other byte of a
 * lane and a zero between them these make the integers of the columns in their
 * order, since column_of() has put them so.
 */
INLINE void
turn_counter(__m512i counter[PLANES], __m512i low[8], __m512i high[8])
{
	const __m512i none = _mm512_setzero_si512();

	/* bit 7 of a byte comes first in the matrix: planes in falling order */
	for (int k = 0; k < 8; k++) {
		low[k] = counter[7 - k];
		high[k] = 15 - k < PLANES ? counter[15 - k] : none;
	}
	turn_planes(low);
	turn_planes(high);
	for (int k = 0; k < PLANES; k++)
		counter[k] = none;
}

#endif
