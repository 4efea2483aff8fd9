/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minima kernels for AVX-512 VNNI, whose instructions add the products of four
 * bytes, or two words, to their lane. Minima of bytes issue on one port of two.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#define KERNEL vnni
#define CPU VS_CPU_AVX512ICL
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define OP(name) _mm512_##name
#define INTS __m512i
#define FLOATS __m512
#define DOUBLES __m512d
#define DOTS
#define BITS 512
#define REGS 4
#include "libcore/kern/minima/minima_lanes.h"
#endif
