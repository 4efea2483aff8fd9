/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of inner products for AVX2 and FMA: 16 registers hold 12 sums. */
#if defined(__x86_64__)
#include <immintrin.h>

#define KERNEL avx2
#define CPU VS_CPU_AVX2
#define TARGET __attribute__((target("avx2,fma")))
#define OP(name) _mm256_##name
#define FLOATS __m256
#define DOUBLES __m256d
#define BITS 256
#define REGS 2
#define PRODUCTS
#define ADD_PS(s, a, b) OP(fmadd_ps)(a, b, s)
#define ADD_PD(s, a, b) OP(fmadd_pd)(a, b, s)
#include "libcore/kern/minima/real_lanes.h"
#endif
