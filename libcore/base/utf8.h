/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 decoder. */
#ifndef VS_BASE_UTF8_H
#define VS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at s, of at most len bytes; len may be 4 if a NUL ends
 * the text. returns its length in bytes; 0: not valid UTF-8, such as a
 * surrogate, a code point above 0x10ffff or an overlong form
 */
size_t vs_utf8_decode(const char *s, size_t len, uint32_t *out);

#endif
