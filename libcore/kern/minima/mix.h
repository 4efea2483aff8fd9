/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving of the lanes of two registers, of BITS bits each, which the
 * including file defines.
 */
#if defined(BITS)
/* Interleave lanes of a and b: of their first halves, or of their second. */
#define MIX_OF_4(a, b, h) \
	__builtin_shufflevector(a, b, h, 4 + (h), 1 + (h), 5 + (h))
#define MIX_OF_8(a, b, h)                                                    \
	__builtin_shufflevector(a, b, h, 8 + (h), 1 + (h), 9 + (h), 2 + (h), \
		10 + (h), 3 + (h), 11 + (h))
#define MIX_OF_16(a, b, h)                                                     \
	__builtin_shufflevector(a, b, h, 16 + (h), 1 + (h), 17 + (h), 2 + (h), \
		18 + (h), 3 + (h), 19 + (h), 4 + (h), 20 + (h), 5 + (h),       \
		21 + (h), 6 + (h), 22 + (h), 7 + (h), 23 + (h))
#if BITS == 512
#define MIX_32 MIX_OF_16
#define MIX_64 MIX_OF_8
#else
#define MIX_32 MIX_OF_8
#define MIX_64 MIX_OF_4
#endif
#endif
