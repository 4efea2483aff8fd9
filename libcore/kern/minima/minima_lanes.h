/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minima kernels of a register width, one for each type of numbers. A lane of
 * 32 bits sums four bytes, two words or one 32-bit integer; if a lane cannot
 * hold the sum of such integers, another lane sums their top bytes. The
 * including file defines
 *
 *   KERNEL, CPU, TARGET  as in minima_kernel.h
 *   OP(name)             an instruction of these registers
 *   INTS, FLOATS, DOUBLES  the registers; BITS, their size
 *   REGS                 registers of columns; 6 times as many hold sums
 *   DOTS                 the CPU sums products of a lane's bytes and words;
 *                        reals are left to the kernel of the lower level
 */
#include <stdint.h>
#include <string.h>

#if defined(KERNEL)
#include "libcore/kern/minima/mix.h"

#define OP_BITS_(name, bits) OP(name##_si##bits)
#define OP_BITS(name, bits) OP_BITS_(name, bits)

/* Up to 4 bytes, or 2 words, as one lane; the missing ones are 0. */
static inline uint32_t
pack_bytes(const uint8_t *v, size_t n)
{
	uint32_t lane = 0;

	memcpy(&lane, v, n);
	return lane;
}

/* Load a lane's bits, unaligned. */
static inline int
lane_at(const char *p)
{
	int lane;

	memcpy(&lane, p, sizeof(lane));
	return lane;
}

/*
 * Words are multiplied as signed ones, so they are shifted to -32768 to 32767;
 * START() adds back what that takes from the sums.
 */
static inline uint32_t
pack_words(const uint16_t *v, size_t n)
{
	uint32_t lane = 0;

	memcpy(&lane, v, n * sizeof(*v));
	return lane ^ 0x80008000;
}

/*
 * The sum of a run from its last 32 bits in one lane and the sum of all first
 * bytes in another: the other bytes sum to less than 2^32.
 */
static inline double
whole(uint32_t sum, uint32_t top)
{
	return (double)top * (1 << 24) + (double)(sum - (top << 24));
}

#define TAKE_INTS(p) OP_BITS(loadu, BITS)((const INTS *)(p))

#if defined(DOTS)
#define ADD_BYTES(s, a) OP(dpbusd_epi32)(s, a, OP(set1_epi8)(1))
#define ADD_WORDS(s, a) OP(dpwssd_epi32)(s, a, OP(set1_epi16)(1))
#define ADD_TOP(s, a) OP(dpbusd_epi32)(s, a, OP(set1_epi32)(1 << 24))
#define TOGETHER(s) (s)
/* Sums are stored half as often; columns then come from L2. */
#define RUN_OF_INTS 256
#else
#define ADD_BYTES(s, a) OP(add_epi16)(s, OP(maddubs_epi16)(a, OP(set1_epi8)(1)))
#define ADD_WORDS(s, a) OP(add_epi32)(s, OP(madd_epi16)(a, OP(set1_epi16)(1)))
#define ADD_TOP(s, a) OP(add_epi32)(s, OP(srli_epi32)(a, 24))
/* Bytes are summed in words, which hold those of a run: at most 65280. */
#define RUN_OF_INTS 128
#define TOGETHER(s)   \
	OP(add_epi32) \
	(OP(srli_epi32)(s, 16), OP_BITS(and, BITS)(s, OP(set1_epi32)(65535)))
#endif

#define TYPE u8
#define ELEMENT VS_NUM_U8
#define NUMBER uint8_t
#define UNIT uint32_t
#define AS_IS
#define GROUP 4
#define PACK(v, n) pack_bytes(v, n)
#define VEC INTS
#define LANES (BITS / 32)
#define LOAD(p) OP_BITS(load, BITS)((const INTS *)(p))
#define FILL(p) OP(set1_epi32)(lane_at(p))
#define START(n) OP_BITS(setzero, BITS)()
#define ADD(s, a, b) ADD_BYTES(s, OP(min_epu8)(a, b))
#define RUN RUN_OF_INTS
#define SUM int32_t
#define STORE(p, s) OP_BITS(store, BITS)((INTS *)(p), TOGETHER(s))
#define TAKE(p) TAKE_INTS(p)
#define MIX MIX_32
#define N_ROW 6
#define N_REG REGS
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE u16
#define ELEMENT VS_NUM_U16
#define NUMBER uint16_t
#define UNIT uint32_t
#define GROUP 2
#define PACK(v, n) pack_words(v, n)
#define VEC INTS
#define LANES (BITS / 32)
#define LOAD(p) OP_BITS(load, BITS)((const INTS *)(p))
#define FILL(p) OP(set1_epi32)(lane_at(p))
#define START(n) OP(set1_epi32)((int)(n)*65536)
#define ADD(s, a, b) ADD_WORDS(s, OP(min_epi16)(a, b))
#define RUN RUN_OF_INTS
#define SUM int32_t
#define STORE(p, s) OP_BITS(store, BITS)((INTS *)(p), s)
#define TAKE(p) OP_BITS(xor, BITS)(TAKE_INTS(p), OP(set1_epi16)(-32768))
#define MIX MIX_32
#define N_ROW 6
#define N_REG REGS
#include "libcore/kern/minima/minima_kernel.h"

#define TYPE u32
#define ELEMENT VS_NUM_U32
#define NUMBER uint32_t
#define UNIT uint32_t
#define AS_IS
#define VEC INTS
#define LANES (BITS / 32)
#define LOAD(p) OP_BITS(load, BITS)((const INTS *)(p))
#define FILL(p) OP(set1_epi32)(lane_at(p))
#define START(n) OP_BITS(setzero, BITS)()
#define ADD(s, a, b) OP(add_epi32)(s, OP(min_epu32)(a, b))
#define RUN 128
#define SUM uint32_t
#define STORE(p, s) OP_BITS(store, BITS)((INTS *)(p), s)
#define TAKE(p) TAKE_INTS(p)
#define MIX MIX_32
#define NARROW (UINT32_MAX / RUN)
#define TOP(t, a, b) ADD_TOP(t, OP(min_epu32)(a, b))
#define WHOLE(sum, top) whole(sum, top)
#define N_ROW 6
#define N_REG REGS
#include "libcore/kern/minima/minima_kernel.h"

#if !defined(DOTS)
/* Numbers of 0 or more have the order of their bits, and minima of floats would
 * take the ports of additions on Zen. */
#define ADD_PS(s, a, b) \
	OP(add_ps)(s, (FLOATS)OP(min_epi32)((INTS)(a), (INTS)(b)))
#define ADD_PD(s, a, b) OP(add_pd)(s, OP(min_pd)(a, b))
#include "libcore/kern/minima/real_lanes.h"
#endif
#endif
