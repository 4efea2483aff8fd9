/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nibble-counter pair kernel for 128-bit registers, in portable C: runs on any
 * CPU.
 */
#include "libcore/kern/pair/nibbles.h"
