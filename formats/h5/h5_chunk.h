/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored chunks of a data set, fetched one by one, unpacked by any thread. */
#ifndef VS_FORMATS_H5_H5_CHUNK_H
#define VS_FORMATS_H5_H5_CHUNK_H

#include "formats/h5/h5_inner.h"

/* Rows of a band of chunks: the last one may be short. */
uint64_t vs_h5_chunk_rows(const struct vs_h5_grid *g, uint64_t band);

/* True if a chunk holds the rows of its band, contiguous. */
bool vs_h5_chunk_are_rows(const struct vs_h5_grid *g);

/* Record why a chunk cannot be unpacked. returns  code */
int vs_h5_chunk_bad(struct vs_h5_reader_data *d, uint64_t band, uint64_t part,
	int code, const char *why);

/*
 * Read a stored chunk into a slot. One thread at a time may be in HDF5: the
 * caller is in the section vs_h5_fetch. 0; VS_EINPUT; VS_EMACHINE
 */
int vs_h5_chunk_fetch(struct vs_h5_reader_data *d, uint64_t band, uint64_t part,
	struct vs_h5_slot *slot);

/* Rows [lo, hi) of a data set without chunks; likewise. */
int vs_h5_chunk_plain(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	void *out);

/* Check that rows [lo, hi) exist. 0; VS_EINPUT */
int vs_h5_chunk_range(const struct vs_h5_reader_data *d, uint64_t lo,
	uint64_t hi);

#endif
