/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of counting kernels for pairs, best first: DENSE(name, its struct
 * vs_cost), SPARSE(name); those of x86-64 alone as DENSE86, SPARSE86, of
 * aarch64 as DENSE64, SPARSE64. Costs were measured by `pair_rates costs` on a
 * Xeon of 2023; those of NEON are counted from its instructions.
 */
DENSE86(lanes512, 512, 260, .15, 2.8, .25)
DENSE86(amx, 32, 1, .055, .011, .12)
DENSE86(nibble256, 256, 80, .2, 2.0, .92)
DENSE86(nibble128, 128, 60, .145, 1.6, .85)
DENSE(nibble64, 64, 75, .08, 1.3, .80)
DENSE86(vpopcnt, 32, 12, .195, 0, .03)
DENSE86(avx2, 2, 15, .049, 0, 0)
DENSE86(popcnt, 2, 10, .08, 0, 0)
DENSE64(neon, 2, 10, .055, 0, 0)
DENSE(scalar, 2, 3, .42, 0, 0)
SPARSE86(vpopcnt)
SPARSE86(avx2)
SPARSE86(popcnt)
SPARSE64(neon)
SPARSE(scalar)
/*
 * Minima kernels, best first for each type of numbers: MINIMA(name, type);
 * those of x86-64 alone as MINIMA86.
 */
MINIMA86(vnni, u8)
MINIMA86(avx512, u8)
MINIMA86(avx2, u8)
MINIMA(scalar, u8)
MINIMA86(vnni, u16)
MINIMA86(avx512, u16)
MINIMA86(avx2, u16)
MINIMA(scalar, u16)
MINIMA86(vnni, u32)
MINIMA86(avx512, u32)
MINIMA86(avx2, u32)
MINIMA(scalar, u32)
MINIMA86(avx512, f32)
MINIMA86(avx2, f32)
MINIMA(scalar, f32)
MINIMA86(avx512, f64)
MINIMA86(avx2, f64)
MINIMA(scalar, f64)
/*
 * Kernels of inner products, of reals alone, under the names of those of
 * minima: INNER(name, type), INNER86.
 */
INNER86(avx512, f32)
INNER86(avx2, f32)
INNER(scalar, f32)
INNER86(avx512, f64)
INNER86(avx2, f64)
INNER(scalar, f64)
/* Byte dot product kernels, best first: DOTS86(name). */
DOTS86(amx)
DOTS86(vnni)
DOTS86(avx2)
/* Triple kernels, best first: TRIPLE86(name). */
TRIPLE86(tiles)
TRIPLE86(lanes512)
/* Kernels that add rows of bits vertically, best first: LANES(name). */
LANES86(avx512)
LANES86(avx2)
LANES(scalar)
