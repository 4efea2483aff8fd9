/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit matrix product by the POPCNT instruction, a word at a time. */
#if defined(__x86_64__)
#define KERNEL popcnt
#define KERNEL_CPU VS_CPU_POPCNT
#define KERNEL_COST 1
#define KERNEL_TARGET __attribute__((target("popcnt")))
#include "libcore/kern/bits/bits_words.h"
#endif
