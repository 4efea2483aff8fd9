/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of counting kernels for pairs, best first: DENSE(name, its struct
 * vs_cost), SPARSE(name); here and below X86(DENSE, ...) if only x86-64 has it,
 * ARM(DENSE, ...) if only aarch64 has. Costs were measured by `pair_rates
 * costs` on a Xeon of 2023; those of NEON are counted from its instructions.
 */
X86(DENSE, lanes512, 512, 260, .15, 2.8, .25)
X86(DENSE, amx, 32, 1, .055, .011, .12)
X86(DENSE, nibble256, 256, 80, .2, 2.0, .92)
X86(DENSE, nibble128, 128, 60, .145, 1.6, .85)
DENSE(nibble64, 64, 75, .08, 1.3, .80)
X86(DENSE, vpopcnt, 32, 12, .195, 0, .03)
X86(DENSE, avx2, 2, 15, .049, 0, 0)
X86(DENSE, popcnt, 2, 10, .08, 0, 0)
ARM(DENSE, neon, 2, 10, .055, 0, 0)
DENSE(scalar, 2, 3, .42, 0, 0)
X86(SPARSE, vpopcnt)
X86(SPARSE, avx2)
X86(SPARSE, popcnt)
ARM(SPARSE, neon)
SPARSE(scalar)
/*
 * Minima kernels, best first for each type of numbers: MINIMA(name, type).
 */
X86(MINIMA, avx2, bit)
X86(MINIMA, popcnt, bit)
X86(MINIMA, vnni, u8)
X86(MINIMA, avx512, u8)
X86(MINIMA, avx2, u8)
MINIMA(scalar, u8)
X86(MINIMA, vnni, u16)
X86(MINIMA, avx512, u16)
X86(MINIMA, avx2, u16)
MINIMA(scalar, u16)
X86(MINIMA, vnni, u32)
X86(MINIMA, avx512, u32)
X86(MINIMA, avx2, u32)
MINIMA(scalar, u32)
X86(MINIMA, avx512, f32)
X86(MINIMA, avx2, f32)
MINIMA(scalar, f32)
X86(MINIMA, avx512, f64)
X86(MINIMA, avx2, f64)
MINIMA(scalar, f64)
/*
 * Kernels of inner products, of reals alone, under the names of those of
 * minima: INNER(name, type).
 */
X86(INNER, avx512, f32)
X86(INNER, avx2, f32)
INNER(scalar, f32)
X86(INNER, avx512, f64)
X86(INNER, avx2, f64)
INNER(scalar, f64)
/* Byte dot product kernels, best first: DOTS(name). */
X86(DOTS, amx)
X86(DOTS, vnni)
X86(DOTS, avx2)
/* Triple kernels, best first: TRIPLE(name). */
X86(TRIPLE, tiles)
X86(TRIPLE, lanes512)
/* Kernels that add rows of bits vertically, best first: LANES(name). */
X86(LANES, avx512)
X86(LANES, avx2)
LANES(scalar)
