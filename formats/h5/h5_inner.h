/* SPDX-License-Identifier: BSD-3-Clause */
/* State of an open HDF5 file, private to the h5_*.c files. */
#ifndef VS_FORMATS_H5_H5_INNER_H
#define VS_FORMATS_H5_H5_INNER_H

#include "formats/h5/h5_common.h"

struct vs_h5_reader {
	char *path;
	hid_t file;
	struct vs_seal seal; /* kind is set even without a seal */
	struct vs_h5_bench bench;
};

struct vs_h5_reader_data {
	struct vs_h5_reader *r;
	char *path;
	hid_t set;
	enum vs_type type;
	struct vs_h5_grid grid;
	enum vs_codec_id codec;
	bool shuffle, chunked;
	uint8_t *cache; /* the band last unpacked in part */
	uint64_t cached;
};

/* vs_h5_reader_open() of a file whose seal was checked. */
int vs_h5_reader_begin(struct vs_h5_reader **r, const char *path,
	unsigned kinds, const struct vs_seal *seal, enum vs_kind *kind);

/*
 * Let a child process read a file first, by look(): HDF5 crashes on some
 * damaged files, and loops on others. Its failure and message become ours.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
typedef int vs_h5_look(const char *path, void *arg);
int vs_h5_guard(const char *path, vs_h5_look *look, void *arg);

/* Check each object's kind, type and size, but no data. 0; VS_EINPUT */
int vs_h5_reader_walk(struct vs_h5_reader *r);

#endif
