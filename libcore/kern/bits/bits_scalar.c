/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit matrix product in portable C. */
#define KERNEL scalar
#define KERNEL_CPU VS_CPU_SCALAR
#define KERNEL_COST 6
#define KERNEL_TARGET
#include "libcore/kern/bits/bits_words.h"
