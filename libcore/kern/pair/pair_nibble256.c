/* SPDX-License-Identifier: BSD-3-Clause */
/* Nibble-counter pair kernel for AVX-512, 256 columns at a time. */
#if defined(__x86_64__)
#define LANES 256
#define CHUNK 320
#define LANES_CPU VS_CPU_AVX512
#define LANES_TARGET                                                \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq," \
			      "popcnt")))
#include "libcore/kern/pair/nibbles.h"
#endif
