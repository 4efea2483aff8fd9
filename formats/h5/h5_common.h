/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the h5_*.c files: HDF5 types, errors, content digests, chunk
 * grids. */
#ifndef VS_FORMATS_H5_H5_COMMON_H
#define VS_FORMATS_H5_H5_COMMON_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/h5/codec.h"
#include "formats/h5/h5.h"
#include "formats/h5/seal.h"

#define VS_H5_VERSION \
	{             \
		1, 0  \
	} /* major, minor version written */
#define VS_H5_MAJOR 1
#define VS_H5_ZSTD 32015
#define VS_H5_MAX_CHUNK (64u << 20)
#define VS_H5_MAX_TEXT 4096 /* longest attribute text, widest string column */
#define VS_H5_MAX_ATTR 16   /* values of an attribute */

/* Initialise HDF5 once: no messages, no plugins, zstd registered. */
int vs_h5_begin(void);

/*
 * Record "path: what object: why" with the reason from HDF5 or the system. code
 * becomes VS_EMACHINE if errno shows that the machine failed.
 */
int vs_h5_fail(int code, const char *path, const char *what,
	const char *object);

/* Close what a handle stands for; a negative one is passed over. */
static inline void
vs_h5_close(hid_t id)
{
	if (id >= 0)
		H5Idec_ref(id);
}

/* HDF5 file type of our type; the caller closes it. Negative: failure. */
hid_t vs_h5_type(enum vs_type type, size_t width);
size_t vs_h5_size(enum vs_type type, size_t width);

/* "u8", as in the content digest. */
const char *vs_h5_type_name(enum vs_type type);

/* "vsim-vectors" */
const char *vs_h5_format(enum vs_kind kind);

/* A data set's part in the content digest. */
struct vs_h5_part {
	char *path;
	enum vs_type type;
	size_t width;
	int n_dim;
	uint64_t dim[VS_H5_MAX_DIMS];
	uint8_t digest[16];
};

/*
 * Type and dimensions of the data set p->path, which a vsim file may have.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_h5_shape(hid_t set, const char *path, struct vs_h5_part *p);

/* An attribute that a vsim file may have; width: of a text. */
struct vs_h5_attr {
	hid_t id, stored; /* stored: its type in the file */
	enum vs_type type;
	size_t width;
	int n;
};

/* Open one of an object; the caller closes both handles in either case. */
int vs_h5_attr_open(hid_t file, const char *path, const char *object,
	const char *name, struct vs_h5_attr *a);
int vs_h5_attr_wrong(const char *path, const char *object, const char *name);
void vs_h5_attr_close(struct vs_h5_attr *a);

/* The parts named by content, in its order, out of n given parts. */
int vs_h5_content(hid_t file, const char *path,
	const struct vs_content *content, const struct vs_h5_part *part,
	size_t n, uint8_t out[16]);

/*
 * A data set as chunks. Any number of dimensions is treated as three: rows,
 * middle, last; missing ones are 1.
 */
struct vs_h5_grid {
	size_t size;     /* bytes of an element */
	uint64_t dim[3]; /* dim[0]: rows known so far */
	uint64_t chunk[3];
	int n_dim;
	uint64_t n_part; /* chunks side by side in one band of chunk[0] rows */
	size_t row_bytes, chunk_bytes;
};

void vs_h5_grid_make(struct vs_h5_grid *g, size_t size, int n_dim,
	const uint64_t *dim, const uint64_t *chunk);

/* Offset in elements of chunk `part` of a band, for H5Dread_chunk. */
void vs_h5_grid_offset(const struct vs_h5_grid *g, uint64_t band, uint64_t part,
	hsize_t *offset);

/*
 * Copy chunk part of a band between the rows of that band and the chunk.
 * Elements past the edges are zeroed in the chunk.
 */
void vs_h5_grid_gather(const struct vs_h5_grid *g, uint64_t part,
	const uint8_t *rows, uint64_t n_rows, uint8_t *chunk);
void vs_h5_grid_scatter(const struct vs_h5_grid *g, uint64_t part,
	const uint8_t *chunk, uint8_t *rows, uint64_t n_rows);

/* Chunks processed at once: some for each thread, bounded in memory. */
size_t vs_h5_batch(size_t chunk_bytes);

/* A stored chunk in memory. */
struct vs_h5_slot {
	uint8_t *bytes; /* as stored */
	size_t room, n;
};

/* Memory of one thread that packs or unpacks: a chunk, and one as stored. */
struct vs_h5_unpacker {
	struct vs_codec_state *codec;
	struct vs_h5_slot stored, chunk;
};

/* Make room for a chunk; the bytes before are lost. */
int vs_h5_unpacker_fit(struct vs_h5_unpacker *u, size_t chunk_bytes);

/* Slots of chunks that are packed together, and the threads' own memory. */
struct vs_h5_bench {
	struct vs_h5_slot *slot;
	struct vs_h5_unpacker *thread;
	size_t n_slot, n_thread;
	struct vs_team *team; /* of a reader, once it has use for it */
};

/* Allocate n_slot slots of at least bytes, and a chunk for each thread. */
int vs_h5_bench_fit(struct vs_h5_bench *b, size_t n_slot, size_t bytes,
	size_t chunk_bytes);
void vs_h5_bench_free(struct vs_h5_bench *b);

/*
 * Whether an object, or an attribute of one, exists in the file at path.
 * returns  0; VS_EINPUT or VS_EMACHINE: that cannot be determined
 */
int vs_h5_has(hid_t file, const char *file_path, const char *object, bool *has);
int vs_h5_has_attr(hid_t file, const char *file_path, const char *object,
	const char *name, bool *has);

/* File access property list with our settings; the caller closes it. */
hid_t vs_h5_access(void);

#endif
