/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fast deflate encoder for shuffled columns, and a reader of streams of zlib
 * and of gzip.
 */
#ifndef VS_FORMATS_H5_DEFLATE_H
#define VS_FORMATS_H5_DEFLATE_H

#include <stddef.h>

/* State of one thread. */
struct vs_deflate;
int vs_deflate_new(struct vs_deflate **d);
void vs_deflate_free(struct vs_deflate *d); /* null is accepted */

/* Room in which n bytes are packed in any case; with less, it may fail. */
size_t vs_deflate_bound(size_t n);

/*
 * Pack n bytes, below 2^31, into a zlib stream (RFC 1950). Level 1 is several
 * times as fast as level 2: in a shuffled column the bytes of one place of all
 * numbers are adjacent, and each 64 KiB get the coding that suits them.
 * level    1 to 9
 * n_out    its bytes
 * returns  0; VS_EMACHINE
 */
int vs_deflate_pack(struct vs_deflate *d, int level, const void *in, size_t n,
	void *out, size_t room, size_t *n_out);

/*
 * Unpack the n bytes of a zlib stream, from any encoder, to exactly size.
 * returns  0; VS_EINPUT; VS_EMACHINE (no memory); nothing is recorded
 */
int vs_deflate_unpack(struct vs_deflate *d, const void *in, size_t n, void *out,
	size_t size);

/* The same for one member of gzip (RFC 1952). */
int vs_deflate_unpack_gzip(struct vs_deflate *d, const void *in, size_t n,
	void *out, size_t size);

/*
 * Pack n bytes, below 2^31, into one member of gzip, the same for the same
 * bytes; free *out with free().
 * returns  0; VS_EMACHINE
 */
int vs_deflate_pack_gzip(const void *in, size_t n, char **out, size_t *size);

#endif
