/* SPDX-License-Identifier: BSD-3-Clause */
/* zstd compression and decompression of whole frames and of streams. */
#ifndef VS_FORMATS_H5_ZST_H
#define VS_FORMATS_H5_ZST_H

#include <stddef.h>

/* Contexts for packing and unpacking; one thread at a time uses one. */
struct vs_zst;
int vs_zst_new(struct vs_zst **z);
void vs_zst_free(struct vs_zst *z); /* null is accepted */

/* Most bytes that n bytes packed can take. */
size_t vs_zst_bound(size_t n);

/*
 * Pack n bytes into one frame that states its content size and checksum.
 * room     of out, at least vs_zst_bound(n)
 * returns  0; VS_EMACHINE
 */
int vs_zst_pack(struct vs_zst *z, int level, const void *in, size_t n,
	void *out, size_t room, size_t *n_out);

/*
 * Unpack exactly one frame to exactly size bytes; a checksum is checked.
 * *why is set on failure, a few words without a place; nothing is recorded.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_zst_unpack(struct vs_zst *z, const void *in, size_t n, void *out,
	size_t size, const char **why);

/* True if the first n bytes of a stream begin a zstd frame. */
int vs_zst_is(const void *bytes, size_t n);

/*
 * Unpack the bytes that more() supplies: any number of frames, end to end.
 * Bytes read earlier, to identify the format, are passed as head (copied).
 * more  reads up to room bytes into bytes; *got is 0 only at the end; returns 0
 *       or a negative code
 * from  passed to more; the caller keeps it
 * name  for messages, copied
 */
struct vs_zst_stream;
int vs_zst_stream_open(struct vs_zst_stream **s,
	int (*more)(void *from, void *bytes, size_t room, size_t *got),
	void *from, const char *name, const void *head, size_t n_head);

/*
 * Up to room bytes; *got is 0 only at the end.
 * returns  0; VS_EINPUT (damaged, cut short); VS_EMACHINE
 */
int vs_zst_stream_read(struct vs_zst_stream *s, void *out, size_t room,
	size_t *got);
void vs_zst_stream_close(struct vs_zst_stream *s); /* null is accepted */

/* "1.5.4" */
const char *vs_zst_version(void);

#endif
