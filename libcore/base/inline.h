/* SPDX-License-Identifier: BSD-3-Clause */
/* Function attribute that forces inlining, in every build and at every call. */
#ifndef VS_BASE_INLINE_H
#define VS_BASE_INLINE_H

/*
 * For a function that is compiled into callers of several instruction sets, or
 * whose loops are specialised by constant arguments.
 */
#define VS_INLINE static inline __attribute__((always_inline))

#endif
