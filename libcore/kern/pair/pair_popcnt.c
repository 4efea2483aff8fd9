/* SPDX-License-Identifier: BSD-3-Clause */
/* Population-count pair kernel on 64-bit words, for the POPCNT instruction. */
#if defined(__x86_64__)
#define KERNEL popcnt
#define KERNEL_CPU VS_CPU_POPCNT
#define KERNEL_TARGET __attribute__((target("popcnt")))
#include "libcore/kern/pair/counts.h"
#endif
