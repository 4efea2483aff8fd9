/* SPDX-License-Identifier: BSD-3-Clause */
/* 128-bit words, whose bits are counted in bytes by an instruction. */
#if defined(__aarch64__)
#include <arm_neon.h>

#define KERNEL neon
#define KERNEL_CPU VS_CPU_SCALAR
#define KERNEL_TARGET
#define STEPS 31 /* of at most 8 a byte */
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
