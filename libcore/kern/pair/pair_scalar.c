/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Population-count pair kernel on 64-bit words in portable C: the reference for
 * all other kernels.
 */
#include "libcore/kern/pair/counts.h"
