/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernel list for this processor: rows.h without other processors' kernels. An
 * X-macro: include it with any of DENSE, SPARSE, MINIMA, INNER, DOTS, TRIPLE
 * and LANES defined; it undefines them.
 */
#ifndef DENSE
#define DENSE(...)
#endif
#ifndef SPARSE
#define SPARSE(...)
#endif
#ifndef MINIMA
#define MINIMA(...)
#endif
#ifndef INNER
#define INNER(...)
#endif
#ifndef DOTS
#define DOTS(...)
#endif
#ifndef TRIPLE
#define TRIPLE(...)
#endif
#ifndef LANES
#define LANES(...)
#endif
#if defined(__x86_64__)
#define DENSE86(...) DENSE(__VA_ARGS__)
#define SPARSE86(...) SPARSE(__VA_ARGS__)
#define MINIMA86(...) MINIMA(__VA_ARGS__)
#define INNER86(...) INNER(__VA_ARGS__)
#define DOTS86(...) DOTS(__VA_ARGS__)
#define TRIPLE86(...) TRIPLE(__VA_ARGS__)
#define LANES86(...) LANES(__VA_ARGS__)
#else
#define DENSE86(...)
#define SPARSE86(...)
#define MINIMA86(...)
#define INNER86(...)
#define DOTS86(...)
#define TRIPLE86(...)
#define LANES86(...)
#endif
#if defined(__aarch64__)
#define DENSE64(...) DENSE(__VA_ARGS__)
#define SPARSE64(...) SPARSE(__VA_ARGS__)
#else
#define DENSE64(...)
#define SPARSE64(...)
#endif

#include "libcore/kern/rows.h"

#undef DENSE
#undef DENSE86
#undef DENSE64
#undef SPARSE
#undef SPARSE86
#undef SPARSE64
#undef MINIMA
#undef MINIMA86
#undef INNER
#undef INNER86
#undef DOTS
#undef DOTS86
#undef TRIPLE
#undef TRIPLE86
#undef LANES
#undef LANES86
