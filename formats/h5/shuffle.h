/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte shuffle of HDF5, which makes similar bytes adjacent. */
#ifndef VS_FORMATS_H5_SHUFFLE_H
#define VS_FORMATS_H5_SHUFFLE_H

#include <stddef.h>

/*
 * Shuffle n bytes of elements of `width` bytes each, and back. An incomplete
 * last element keeps its place. in and out do not overlap.
 */
void vs_shuffle_bytes(size_t width, const void *in, size_t n, void *out);
void vs_shuffle_undo(size_t width, const void *in, size_t n, void *out);

#endif
