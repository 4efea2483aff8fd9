/* SPDX-License-Identifier: BSD-3-Clause */
/* Nibble-counter pair kernel for AVX2, 128 columns at a time. */
#if defined(__x86_64__)
#define LANES 128
#define CHUNK 448
#define LANES_CPU VS_CPU_AVX2
#define LANES_TARGET __attribute__((target("avx2,popcnt")))
#include "libcore/kern/pair/nibbles.h"
#endif
