/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 64-bit words in plain C: the reference that the other kernels are held to.
 */
#include "libcore/kern/pair/counts.h"
