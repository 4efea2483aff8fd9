/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting kernels for pairs, best first. */
#if defined(__x86_64__)
X(pair_avx512)
X(pair_avx2)
X(pair_popcnt)
#endif
X(pair_scalar)
