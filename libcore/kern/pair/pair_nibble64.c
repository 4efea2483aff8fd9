/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of 128 bits, which any CPU has or its compiler can do without. */
#include "libcore/kern/pair/nibbles.h"
