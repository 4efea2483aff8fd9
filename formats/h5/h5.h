/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 reader and writer of sealed files with typed columns, in the profile of
 * vsim-vectors(5) and vsim-results(5). Nothing else includes <hdf5.h>.
 *
 * A file being written lives under a temporary name until vs_h5_writer_finish()
 * has flushed and sealed it; a file being read is checked (seal, size, payload
 * digest) before HDF5 sees it, and this library decodes its chunks itself.
 * threads  one at a time over all files (the library underneath is not
 *          thread-safe); packing and unpacking of chunks run on several
 */
#ifndef VS_FORMATS_H5_H5_H
#define VS_FORMATS_H5_H5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/digest.h"

enum vs_kind {
	VS_KIND_VECTORS = 1,
	VS_KIND_SHARD = 2,
	VS_KIND_MERGED = 3,
};

enum vs_type {
	VS_U8,
	VS_U16,
	VS_U32,
	VS_I32,
	VS_I64,
	VS_U64,
	VS_F32,
	VS_F64,
	VS_STR,
};

/* A compressed chunk ends with a checksum, except in files of earlier
 * versions. */
enum vs_codec_id {
	VS_CODEC_NONE,
	VS_CODEC_ZSTD,
	VS_CODEC_DEFLATE,
	VS_CODEC_SUMMED
};

struct vs_codec {
	enum vs_codec_id id;
	int level;
};

#define VS_H5_MAX_DIMS 3
#define VS_H5_CHUNK_ROWS 65536 /* of columns, where there are as many */
#define VS_ROWS_UNKNOWN UINT64_MAX

/*
 * Attributes and data sets that make up the content of a kind of file, in the
 * order in which content_xxh128 takes them. Null ends each list; empty texts
 * and absent data sets are skipped; "group/" + '*' takes the members of the
 * group in alphabetical order.
 */
struct vs_content {
	const char *const *attrs; /* "/vectors:n_fields" */
	const char *const *data;  /* "/vectors/planes" */
};

/* ---- writing ---- */

struct vs_h5_writer;
struct vs_h5_writer_data;

/*
 * Begin a file of a kind at path; this writes uuid, created, format, version
 * and generator. force replaces an existing file.
 * features  space-separated tokens a reader must know, e.g. "bit2 zstd"; null:
 *           the caller writes the attribute
 * returns   0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_h5_writer_create(struct vs_h5_writer **w, const char *path,
	enum vs_kind kind, const char *features, const char *generator,
	bool force);

/*
 * Make the file reproducible: the uuid is derived from the content digest at
 * the end, the date is SOURCE_DATE_EPOCH or 1970, and chunks are in the same
 * order for any number of threads. Call it before any data set.
 */
void vs_h5_writer_reproducible(struct vs_h5_writer *w);

/* The 36 characters of this file's uuid. */
const char *vs_h5_writer_uuid(const struct vs_h5_writer *w);

/*
 * Failures are sticky: once an object could not be written, nothing more is,
 * and each function below, vs_h5_writer_finish() included, returns that
 * failure. So a sequence of calls needs only one check at the end.
 */
int vs_h5_writer_code(const struct vs_h5_writer *w);

/* Make a group; its parents exist. */
int vs_h5_writer_group(struct vs_h5_writer *w, const char *path);

/* Attributes of a group or data set; n values (n = 1: scalar). */
int vs_h5_writer_text(struct vs_h5_writer *w, const char *object,
	const char *name, const char *text);
int vs_h5_writer_i32(struct vs_h5_writer *w, const char *object,
	const char *name, const int32_t *v, size_t n);
int vs_h5_writer_i64(struct vs_h5_writer *w, const char *object,
	const char *name, const int64_t *v, size_t n);
int vs_h5_writer_u64(struct vs_h5_writer *w, const char *object,
	const char *name, const uint64_t *v, size_t n);
int vs_h5_writer_f64(struct vs_h5_writer *w, const char *object,
	const char *name, const double *v, size_t n);

struct vs_h5_writer_shape {
	enum vs_type type;
	size_t width;                   /* bytes of a VS_STR, else 0 */
	int n_dim;                      /* 1 .. VS_H5_MAX_DIMS */
	uint64_t dim[VS_H5_MAX_DIMS];   /* dim[0] may be VS_ROWS_UNKNOWN */
	uint64_t chunk[VS_H5_MAX_DIMS]; /* all 0: 65536 rows or fewer */
	const char *dims;               /* names, "vector,plane,byte" */
	struct vs_codec codec;
	bool shuffle;
};

/* Begin a data set of this shape. Several may be open at once. */
int vs_h5_writer_data(struct vs_h5_writer *w, const char *path,
	const struct vs_h5_writer_shape *shape, struct vs_h5_writer_data **d);

/* Append n rows, contiguous, row-major; full chunks are packed and written. */
int vs_h5_writer_append(struct vs_h5_writer_data *d, const void *rows,
	uint64_t n);

/*
 * Append without a copy: set *rows (a pointer) to room for *n_room <= n rows;
 * fill them from the first on, then pass the number filled to
 * vs_h5_writer_filled().
 */
int vs_h5_writer_room(struct vs_h5_writer_data *d, uint64_t n, void *rows,
	uint64_t *n_room);
int vs_h5_writer_filled(struct vs_h5_writer_data *d, uint64_t n);

/*
 * Append a whole chunk of VS_H5_CHUNK_ROWS rows of one dimension, packed as in
 * a file, to a data set with an unknown number of rows; no chunk may follow
 * loose rows. The digest of all chunks' rows is given once, becomes that of the
 * data set, and any loose rows after them are added to it.
 */
int vs_h5_writer_chunk(struct vs_h5_writer_data *d, const void *packed,
	size_t n);
void vs_h5_writer_digest(struct vs_h5_writer_data *d, struct vs_digest *digest);

/* A data set of shape->dim[0] rows in one call. */
int vs_h5_writer_rows(struct vs_h5_writer *w, const char *path,
	const struct vs_h5_writer_shape *shape, const void *rows);

/* A 1-D column of numbers in one call. */
int vs_h5_writer_column(struct vs_h5_writer *w, const char *path,
	enum vs_type type, const void *rows, uint64_t n, struct vs_codec codec);

/* A column of texts of one width, that of the longest; a group if they vary. */
struct vs_text_pool;
int vs_h5_writer_strings(struct vs_h5_writer *w, const char *path,
	const struct vs_text_pool *pool, struct vs_codec codec);
/* The same as a group of path/offset and path/bytes. */
int vs_h5_writer_pool(struct vs_h5_writer *w, const char *path,
	const struct vs_text_pool *pool, struct vs_codec codec);

/*
 * Write what is buffered, store the content digest, close, seal, fsync, rename.
 * On failure nothing is left behind. *w is freed and null either way.
 * content_hex  may be null; receives the content digest
 */
int vs_h5_writer_finish(struct vs_h5_writer **w,
	const struct vs_content *content, char content_hex[VS_DIGEST_TEXT]);

/* Remove the unfinished file; null is accepted. */
void vs_h5_writer_abandon(struct vs_h5_writer *w);

/* ---- writing together ---- */

/*
 * Columns that ranks write together, by collective calls of parallel HDF5,
 * which packs the chunks: without it, vs_h5_is_parallel() is false and no rank
 * may call the others. All are collective. If a call of HDF5 fails on one rank,
 * all ranks are ended, by vs_comm_give_up(): others may be waiting within it.
 *
 * open   w: the first rank's writer, which may do nothing else until the end;
 *        null on the others. column: data sets of one dimension, whose number
 *        of rows it knows; null: none. Of codes before it, 0 on all ranks.
 * write  rows [lo, lo + n) of each column. Each call appends the rows of all
 *        ranks, in order of rank; lo is a multiple of VS_H5_CHUNK_ROWS; n may
 *        be 0
 * close  the first rank's writer goes on
 */
#define VS_H5_JOINT_MOST 8 /* columns */
struct vs_h5_joint;
bool vs_h5_is_parallel(void);
int vs_h5_joint_open(struct vs_h5_joint **joint, struct vs_h5_writer *w,
	struct vs_h5_writer_data *const *column, int n);
void vs_h5_joint_write(struct vs_h5_joint *joint, uint64_t lo, uint64_t n,
	void *const *rows);
int vs_h5_joint_close(struct vs_h5_joint *joint); /* null is accepted */

/* ---- reading ---- */

struct vs_h5_reader;
struct vs_h5_reader_data;

enum {
	VS_H5_UNSEALED = 1, /* accept a file rewritten by h5repack */
	VS_H5_FAST = 2,     /* skip the payload digest: seal and size only */
	VS_H5_TRUSTED = 4,  /* written or checked by us: no child opens it */
	VS_H5_OURS = 8,     /* this process may replace the file */
	VS_H5_HEAD = 16,    /* other bytes follow the HDF5 file */
};

/*
 * Open a sealed file of one of the kinds (1 << kind, ored); *kind says which. A
 * child process opens and walks the file first, once per process: a file made
 * to break HDF5 is refused even if its seal is right. Refuses, with the reason,
 * a file that is not regular, not ours, unsealed, truncated, changed, of an
 * unknown major version or with an unknown required feature.
 * returns  0; VS_EINPUT; VS_EMACHINE (no such file is VS_EINPUT)
 */
int vs_h5_reader_open(struct vs_h5_reader **r, const char *path, unsigned kinds,
	unsigned flags, enum vs_kind *kind);
void vs_h5_reader_close(struct vs_h5_reader *r); /* null is accepted */

/*
 * Let one child open and walk many files, separated by NULs, up to the first
 * that is refused or kills it: opening those before it then needs no child.
 * returns  0; VS_EMACHINE
 */
int vs_h5_reader_look(const struct vs_text_pool *files, unsigned kinds,
	unsigned flags);

/*
 * Free the buffers in which chunks are unpacked; the next read reallocates
 * them.
 */
void vs_h5_reader_rest(struct vs_h5_reader *r);

/*
 * Whether the file is still the one whose seal was checked. If so, everything
 * read before the call may be used.
 * returns  0; VS_EINPUT: it was changed meanwhile; VS_EMACHINE
 */
int vs_h5_reader_unchanged(struct vs_h5_reader *r);

const char *vs_h5_reader_path(const struct vs_h5_reader *r);

/* Number of bytes sealed: what follows does not belong to the file. */
uint64_t vs_h5_reader_size(const struct vs_h5_reader *r);

/*
 * Whether an object or an attribute of one exists, in this file itself and not
 * through a link to another.
 * returns  0; VS_EINPUT or VS_EMACHINE: that cannot be determined
 */
int vs_h5_reader_has(struct vs_h5_reader *r, const char *path, bool *has);
int vs_h5_reader_has_attr(struct vs_h5_reader *r, const char *object,
	const char *name, bool *has);

/* Text attribute; *text is the caller's to free(). */
int vs_h5_reader_text(struct vs_h5_reader *r, const char *object,
	const char *name, char **text);
/* Exactly n values of exactly this type. */
int vs_h5_reader_i32(struct vs_h5_reader *r, const char *object,
	const char *name, int32_t *v, size_t n);
int vs_h5_reader_i64(struct vs_h5_reader *r, const char *object,
	const char *name, int64_t *v, size_t n);
int vs_h5_reader_u64(struct vs_h5_reader *r, const char *object,
	const char *name, uint64_t *v, size_t n);
int vs_h5_reader_f64(struct vs_h5_reader *r, const char *object,
	const char *name, double *v, size_t n);

/*
 * Open a data set that must have this type and n_dim; dims out. A dim given
 * as VS_ROWS_UNKNOWN in dim[] takes any size, any other must match.
 * width  of VS_STR, out; may be null otherwise
 */
int vs_h5_reader_data(struct vs_h5_reader *r, const char *path,
	enum vs_type type, int n_dim, uint64_t *dim, size_t *width,
	struct vs_h5_reader_data **d);
void vs_h5_reader_data_close(
	struct vs_h5_reader_data *d); /* null is accepted */

/*
 * Read rows [lo, hi) of a data set into out, row-major. Reading forward in
 * pieces unpacks each chunk only once.
 */
int vs_h5_reader_rows(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	void *out);

/*
 * Read rows and pass them to take() while they are in the caches: some rows
 * [lo, hi) at a time, on any thread, in any order.
 * out      may be null if only take() uses the rows
 * returns  also the first nonzero code of take()
 */
typedef int vs_h5_reader_sink(void *ctx, uint64_t lo, uint64_t hi,
	const void *rows);
int vs_h5_reader_each(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	void *out, vs_h5_reader_sink *sink, void *ctx);

/*
 * Readers for several threads at once, each with an unpacker of its own, while
 * no other function is called on this file: they read rows [lo, hi) of a
 * one-dimensional data set into out. Chunks are not kept, so whole ones are
 * fastest.
 */
struct vs_h5_unpacker;
int vs_h5_unpacker_new(struct vs_h5_unpacker **u);
void vs_h5_unpacker_free(struct vs_h5_unpacker *u); /* null is accepted */
int vs_h5_unpacker_rows(struct vs_h5_unpacker *u, struct vs_h5_reader_data *d,
	uint64_t lo, uint64_t hi, void *out);

/*
 * Whole 1-D column; *out is the caller's to free(). *n as in vs_h5_reader_data.
 */
int vs_h5_reader_column(struct vs_h5_reader *r, const char *path,
	enum vs_type type, uint64_t *n, void *out);

/*
 * Read texts written by vs_h5_writer_strings and vs_h5_writer_pool into an
 * empty pool.
 */
int vs_h5_reader_strings(struct vs_h5_reader *r, const char *path, uint64_t n,
	struct vs_text_pool *pool);
int vs_h5_reader_pool(struct vs_h5_reader *r, const char *path, uint64_t n,
	struct vs_text_pool *pool);

/* Names of the members of a group, alphabetical. */
int vs_h5_reader_members(struct vs_h5_reader *r, const char *group,
	struct vs_text_pool *names);

/*
 * Level 1 and 2 of vsim-verify: walk all objects against the profile, unpack
 * every chunk, recompute the content digest.
 * content_hex  the digest found
 */
int vs_h5_reader_check(struct vs_h5_reader *r, const struct vs_content *content,
	char content_hex[VS_DIGEST_TEXT]);

/* Set the number of threads that pack and unpack chunks; default: all that
 * OpenMP offers. */
void vs_h5_threads(int n);
int vs_h5_n_thread(void);

/* "HDF5 1.10.8" and the version of the packing library, for --version. */
const char *vs_h5_version(void);

#endif
