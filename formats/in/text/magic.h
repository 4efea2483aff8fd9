/* SPDX-License-Identifier: BSD-3-Clause */
/* Magic numbers of files that another program has to unpack. */
#ifndef VS_FORMATS_IN_TEXT_MAGIC_H
#define VS_FORMATS_IN_TEXT_MAGIC_H

#include <stddef.h>

/* Leading bytes that identify all of them. */
#define VS_MAGIC_BYTES 264

/* In a message, precedes a command that writes the input to standard output. */
#define VS_MAGIC_COMMAND "; try: "

/*
 * Refuse an input that another program has to unpack, judging by its first
 * bytes, unpacked if it is packed by gzip or zstd.
 *
 * path     as given; "-" is standard input
 * returns  0; VS_EINPUT
 */
int vs_magic_check(const char *path, const void *bytes, size_t n);

/* Refuse a URL, which names no file. 0; VS_EINPUT */
int vs_magic_check_url(const char *path);

#endif
