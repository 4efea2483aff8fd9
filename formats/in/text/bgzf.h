/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BGZF, the blocks of bgzip: members of gzip of at most 64 KiB each, which
 * state their length, so that threads unpack several at once.
 */
#ifndef VS_FORMATS_IN_TEXT_BGZF_H
#define VS_FORMATS_IN_TEXT_BGZF_H

#include <stdbool.h>
#include <stddef.h>

/* Number of leading bytes that identify the format. */
#define VS_BGZF_HEAD 18

/* True if the first n bytes of a file begin a block. */
bool vs_bgzf_is(const void *bytes, size_t n);

/*
 * Unpack the bytes that more() supplies. Bytes read earlier, to identify the
 * format, are passed as head (copied).
 * more     reads up to room bytes into bytes; *got is 0 only at the end;
 *          returns 0 or a negative code
 * from     passed to more; the caller keeps it
 * name     for messages; the caller keeps it, too
 * threads  number that unpack, including the caller
 */
struct vs_bgzf;
int vs_bgzf_open(struct vs_bgzf **b,
	int (*more)(void *from, void *bytes, size_t room, size_t *got),
	void *from, const char *name, const void *head, size_t n_head,
	int threads);

/* The bytes that more() supplies need not end in a file's empty block. */
void vs_bgzf_within(struct vs_bgzf *b);

/* Packed length of a block that begins with these VS_BGZF_HEAD bytes. */
size_t vs_bgzf_length(const void *bytes);

/*
 * Up to room bytes; *got is 0 only at the end. Blocks are read ahead.
 * returns  0; VS_EINPUT: damaged or truncated, even if only the final empty
 *          block is missing; VS_EMACHINE
 */
int vs_bgzf_read(struct vs_bgzf *b, void *out, size_t room, size_t *got);
void vs_bgzf_close(struct vs_bgzf *b); /* null is accepted */

#endif
