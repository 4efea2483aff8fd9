/* SPDX-License-Identifier: BSD-3-Clause */
/* State of an open HDF5 file, private to the h5_*.c files. */
#ifndef VS_FORMATS_H5_H5_INNER_H
#define VS_FORMATS_H5_H5_INNER_H

#include "formats/h5/h5_common.h"

struct vs_h5_reader {
	char *path;
	hid_t file;
	struct vs_seal seal; /* kind is set also where there is no seal */
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
	uint8_t *cache; /* the band unpacked last for a part of it */
	uint64_t cached;
};

/* The file that is being written, and its path for messages; both are w's. */
hid_t vs_h5_writer_file(const struct vs_h5_writer *w);
const char *vs_h5_writer_path(const struct vs_h5_writer *w);

/* Make a child process open the file and visit each object. */
int vs_h5_guard(const char *path, unsigned kinds, unsigned flags);

#endif
