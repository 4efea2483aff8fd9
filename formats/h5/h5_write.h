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
	hid_t set; /* negative until the first chunk is written */
	bool endless;
	uint64_t n_out; /* rows handed to batches */
	uint8_t *rows;  /* rows buffered */
	size_t room;
	uint64_t n_rows, most;
};

/* A chunk to be packed; its rows stay in place until then. */
struct vs_h5_piece {
	struct vs_h5_writer_data *d;
	const uint8_t *rows; /* of the band, as many as it has */
	uint64_t n_rows;
	uint64_t band, part;
};

/* Chunks that are packed in parallel, of one data set or of several. */
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
	int code;   /* of the first object that could not be written */
	bool reproducible;
	struct vs_h5_writer_data **data;
	size_t n_data, room_data;
	/* two batches: one is filled, one packed and written */
	struct vs_team *team;
	struct vs_h5_pieces batch[2];
	int filling;
	uint8_t *free_rows; /* spare row buffer */
	size_t room_free;
};

/* Free a data set; null is accepted. */
void vs_h5_writer_data_free(struct vs_h5_writer_data *d);

/*
 * Write the rows that all data sets still buffer; their chunks are packed side
 * by side. 0; VS_EMACHINE
 */
int vs_h5_writer_last_rows(struct vs_h5_writer *w);

/*
 * Write what is buffered and close the temporary file, for others to open it;
 * and open it again. 0; VS_EMACHINE
 */
int vs_h5_writer_lend(struct vs_h5_writer *w);
int vs_h5_writer_reclaim(struct vs_h5_writer *w);

/* Write a text over one of the same length. 0; VS_EMACHINE */
int vs_h5_writer_retext(struct vs_h5_writer *w, const char *object,
	const char *name, const char *text);

/* Close a data set and finish its digest. 0; VS_EMACHINE: rows are missing */
int vs_h5_writer_data_end(struct vs_h5_writer_data *d);

#endif
