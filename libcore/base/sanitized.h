/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Macro VS_SANITIZED: 1 in builds with the address or thread sanitizer, which
 * reserve terabytes of address space.
 */
#ifndef VS_BASE_SANITIZED_H
#define VS_BASE_SANITIZED_H

/* gcc defines a macro for each, clang has a test of its own */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VS_SANITIZED 1
#endif
#endif
#ifndef VS_SANITIZED
#define VS_SANITIZED 0
#endif

#endif
