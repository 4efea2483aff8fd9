/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Population-count pair kernel on 128-bit words, for NEON, which counts the
 * bits of each byte.
 */
#if defined(__aarch64__)
#include <arm_neon.h>

#define KERNEL neon
#define KERNEL_CPU VS_CPU_SCALAR
#define KERNEL_TARGET
#define STEPS 31 /* at most 8 per byte */
typedef uint8_t word __attribute__((vector_size(16), may_alias));
typedef uint8x16_t part;

static inline part
bits_of(word w)
{
	return vcntq_u8((uint8x16_t)w);
}

static inline int32_t
total(part n)
{
	return vaddlvq_u8(n);
}

#include "libcore/kern/pair/counts.h"
#endif
