/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting kernels for pairs, best first. */
X86(pair_avx512)
X86(pair_avx2)
X86(pair_popcnt)
X(pair_scalar)
