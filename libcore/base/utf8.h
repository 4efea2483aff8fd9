/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 decoder. */
#ifndef VS_BASE_UTF8_H
#define VS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at s, of at most len bytes; len may be 4 where a NUL
 * ends the text. returns its bytes; 0: is none, as of a surrogate, beyond
 * 0x10ffff or longer than it needs to be
 */
size_t vs_utf8_decode(const char *s, size_t len, uint32_t *out);

#endif
