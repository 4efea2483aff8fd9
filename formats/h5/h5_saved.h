/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of what a file that is being written says of itself, vsim-results(5):
 * a head, each data set with its chunks and the rows that are in none yet, and
 * the words of the caller.
 */
#ifndef VS_FORMATS_H5_H5_SAVED_H
#define VS_FORMATS_H5_H5_SAVED_H

#include "formats/h5/seal.h"

#define VS_H5_SAVED_MAGIC "vsimsave"
#define VS_H5_SAVED_PATH 40

struct vs_h5_saved_head {
	char magic[8];
	struct vs_seal_saved before; /* size 0: this is the first */
	uint64_t n_data, n_words;
};

struct vs_h5_saved_data {
	char path[VS_H5_SAVED_PATH];
	uint32_t codec, level, size, shuffle; /* size: of an element */
	uint64_t chunk_rows;
	uint64_t n_chunk;         /* since the one before */
	uint64_t n_rows, n_bytes; /* behind all chunks, packed as one */
};

struct vs_h5_saved_chunk {
	uint64_t at, size; /* in the file */
};

#endif
