/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of an HDF5 file and its data sets, as h5_write.c and h5_write_data.c
 * share them. */
#ifndef VS_FORMATS_H5_H5_WRITE_H
#define VS_FORMATS_H5_H5_WRITE_H

#include "formats/h5/h5_common.h"
#include "libcore/base/file.h"
#include "libcore/base/team.h"

struct vs_h5_writer_data {
	struct vs_h5_writer *w;
	struct vs_h5_part part; /* dim[0] counts the rows appended */
	struct vs_h5_writer_shape shape;
	struct vs_h5_grid grid;
	char *dims;
	struct vs_digest *digest;
	hid_t set; /* negative until the first chunk goes out */
	bool endless;
	uint64_t n_out; /* rows that have gone out */
	uint8_t *rows;  /* those that have not */
	size_t room;
	uint64_t n_rows, most;
};

/* A chunk on its way out, of rows that stay where they are meanwhile. */
struct vs_h5_piece {
	struct vs_h5_writer_data *d;
	const uint8_t *rows; /* the band's, as many as there are of it */
	uint64_t n_rows;
	uint64_t band, part;
};

/* Chunks that are packed side by side, of one data set or of several. */
struct vs_h5_pieces {
	struct vs_h5_piece *piece;
	size_t n, room;
	size_t chunk_bytes; /* of the largest */
	struct vs_h5_bench bench;
};

struct vs_h5_writer {
	struct vs_file f;
	struct vs_seal seal;
	char uuid[37];
	hid_t file;
	int theirs; /* HDF5's own descriptor of the file */
	struct vs_h5_writer_data **data;
	size_t n_data, room_data;
	/* one batch is filled, and packed while the one before it is written */
	struct vs_team *team;
	struct vs_h5_pieces batch[2];
	int filling;
	uint8_t *spare; /* rows that are not in work, for the next to come */
	size_t room_spare;
};

/* Free a data set; null is accepted. */
void vs_h5_writer_data_free(struct vs_h5_writer_data *d);

/*
 * Write the rows that all data sets still buffer; their chunks are packed side
 * by side. 0; VS_EMACHINE
 */
int vs_h5_writer_last_rows(struct vs_h5_writer *w);

/* Close a data set and finish its digest. 0; VS_EMACHINE: rows are missing */
int vs_h5_writer_data_end(struct vs_h5_writer_data *d);

#endif
