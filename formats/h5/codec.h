/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs of HDF5 chunks: shuffle with zstd or deflate, byte for byte as HDF5's
 * filters do. */
#ifndef VS_FORMATS_H5_CODEC_H
#define VS_FORMATS_H5_CODEC_H

#include <stddef.h>

#include "formats/h5/h5.h"

#define VS_CODEC_SUM_BYTES 4 /* Fletcher-32 after a chunk, low byte first */

/* State for one thread: contexts and scratch. */
struct vs_codec_state;
int vs_codec_new(struct vs_codec_state **c);
void vs_codec_free(struct vs_codec_state *c); /* null is accepted */

/* True if the codec works better on shuffled bytes. */
bool vs_codec_shuffles(enum vs_codec_id id);

/* Most bytes of a packed chunk of n bytes. */
size_t vs_codec_bound(enum vs_codec_id id, size_t n);

/*
 * Pack a chunk of n bytes.
 * width    element size for the shuffle before packing; 1: no shuffle
 * room     of out, at least vs_codec_bound()
 * returns  0; VS_EMACHINE
 */
int vs_codec_pack(struct vs_codec_state *c, struct vs_codec codec, size_t width,
	const void *in, size_t n, void *out, size_t room, size_t *n_out);

/*
 * Unpack n bytes to exactly size. On failure *why gives the reason in a few
 * words; nothing is recorded, so that several threads may call it.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_codec_unpack(struct vs_codec_state *c, enum vs_codec_id id, size_t width,
	const void *in, size_t n, void *out, size_t size, const char **why);

#endif
