/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of inner products for AVX-512, whose 32 registers hold 24 sums. */
#if defined(__x86_64__)
#include <immintrin.h>

#define KERNEL avx512
#define CPU VS_CPU_AVX512
#define TARGET __attribute__((target("avx512f,avx512bw")))
#define OP(name) _mm512_##name
#define FLOATS __m512
#define DOUBLES __m512d
#define BITS 512
#define REGS 4
#define PRODUCTS
#define ADD_PS(s, a, b) OP(fmadd_ps)(a, b, s)
#define ADD_PD(s, a, b) OP(fmadd_pd)(a, b, s)
#include "libcore/kern/minima/real_lanes.h"
#endif
