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
#ifdef __x86_64__
#define X86(kind, ...) kind(__VA_ARGS__)
#else
#define X86(...)
#endif
#ifdef __aarch64__
#define ARM(kind, ...) kind(__VA_ARGS__)
#else
#define ARM(...)
#endif

#include "libcore/kern/rows.h"

#undef X86
#undef ARM
#undef DENSE
#undef SPARSE
#undef MINIMA
#undef INNER
#undef DOTS
#undef TRIPLE
#undef LANES
