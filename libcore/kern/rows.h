/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting kernels for pairs, best first: DENSE(name), SPARSE(name); those of
 * x86-64 alone as DENSE86, SPARSE86, of aarch64 as DENSE64, SPARSE64.
 */
DENSE86(lanes512)
DENSE86(nibble256)
DENSE86(nibble128)
DENSE(nibble64)
DENSE86(vpopcnt)
DENSE86(avx2)
DENSE86(popcnt)
DENSE64(neon)
DENSE(scalar)
SPARSE86(vpopcnt)
SPARSE86(avx2)
SPARSE86(popcnt)
SPARSE64(neon)
SPARSE(scalar)
