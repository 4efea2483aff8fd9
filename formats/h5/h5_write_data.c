/* SPDX-License-Identifier: BSD-3-Clause */
/* Data sets of an HDF5 file: rows are buffered, cut into chunks, packed by a
 * team of threads and written in order. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_write.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Rows of a chunk whose shape nobody gave: this many bytes at most. */
#define COLUMN_CHUNK (4u << 20)

/* Bytes of chunks that are packed at once however few threads there are. */
#define LARGE_BATCH (16u << 20)

/* The same of files whose bytes may not depend on threads. */
#define FIXED_BATCH (8u << 20)

/* Chunks of this size that are packed at once. */
static uint64_t
batch_chunks(const struct vs_h5_writer *w, size_t bytes)
{
	uint64_t fixed = FIXED_BATCH / (bytes ? bytes : 1);

	return !w->reproducible ? vs_h5_batch(bytes) : fixed ? fixed : 1;
}

void
vs_h5_writer_data_free(struct vs_h5_writer_data *d)
{
	if (!d)
		return;
	vs_h5_close(d->set);
	vs_digest_free(d->digest);
	free(d->rows);
	free(d->dims);
	free(d->part.path);
	free(d);
}

/* Limit chunks to the size of the data, once the number of rows is known. */
static void
fit_chunks(struct vs_h5_writer_data *d, uint64_t n_rows)
{
	struct vs_h5_writer_shape *s = &d->shape;
	size_t size = vs_h5_size(s->type, s->width), row = size;

	for (int k = 1; k < s->n_dim; k++) {
		if (!s->chunk[k] || s->chunk[k] > s->dim[k])
			s->chunk[k] = s->dim[k];
		row *= s->dim[k];
	}
	if (!s->chunk[0]) {
		s->chunk[0] = VS_H5_CHUNK_ROWS;
		if (s->chunk[0] * row > COLUMN_CHUNK)
			s->chunk[0] =
				COLUMN_CHUNK / row ? COLUMN_CHUNK / row : 1;
	}
	if (s->chunk[0] > n_rows)
		s->chunk[0] = n_rows ? n_rows : 1;
	vs_h5_grid_make(&d->grid, size, s->n_dim, s->dim, s->chunk);
}

int
vs_h5_writer_data(struct vs_h5_writer *w, const char *path,
	const struct vs_h5_writer_shape *shape, struct vs_h5_writer_data **d)
{
	struct vs_h5_writer_data *p = NULL;
	int code = w->code;

	if (!code)
		code = vs_mem_grow(&w->data, &w->room_data, w->n_data + 1,
			sizeof(struct vs_h5_writer_data *), "data sets");
	VS_MEM_NEW(&code, p, 1, path);
	if (code)
		return w->code = code;
	p->w = w;
	p->set = -1;
	p->shape = *shape;
	if (shape->codec.id == VS_CODEC_NONE)
		p->shape.codec.id = VS_CODEC_SUMMED;
	p->part.type = shape->type;
	p->part.width = shape->width;
	p->part.n_dim = shape->n_dim;
	memcpy(p->part.dim, shape->dim, sizeof(p->part.dim));
	p->part.dim[0] = 0;
	fit_chunks(p, shape->dim[0]);
	code = vs_mem_copy_text(&p->part.path, path);
	if (!code && shape->dims)
		code = vs_mem_copy_text(&p->dims, shape->dims);
	if (!code)
		code = vs_digest_new(&p->digest);
	if (!code && shape->type == VS_STR && shape->width > VS_H5_MAX_TEXT)
		code = vs_fail(VS_EINPUT,
			"%s: %s: a text has %zu characters, "
			"%d are the most",
			w->f.path, path, shape->width, VS_H5_MAX_TEXT);
	if (!code && p->grid.chunk_bytes > VS_H5_MAX_CHUNK)
		code = vs_fail(VS_EMACHINE,
			"%s: %s: a chunk of %zu bytes is "
			"too large",
			w->f.path, path, p->grid.chunk_bytes);
	if (code) {
		vs_h5_writer_data_free(p);
		return w->code = code;
	}
	w->data[w->n_data++] = p;
	*d = p;
	return 0;
}

static hid_t
data_list(const struct vs_h5_writer_shape *s)
{
	hid_t p = H5Pcreate(H5P_DATASET_CREATE);
	unsigned level = (unsigned)s->codec.level;
	hsize_t chunk[VS_H5_MAX_DIMS];
	bool shuffle = s->shuffle && vs_codec_shuffles(s->codec.id);

	for (int k = 0; k < s->n_dim; k++)
		chunk[k] = s->chunk[k];
	if (H5Pset_obj_track_times(p, 0) < 0 ||
		H5Pset_fill_time(p, H5D_FILL_TIME_NEVER) < 0)
		goto fail;
	if (H5Pset_chunk(p, s->n_dim, chunk) < 0 ||
		(shuffle && H5Pset_shuffle(p) < 0) ||
		(s->codec.id == VS_CODEC_SUMMED && H5Pset_fletcher32(p) < 0) ||
		(s->codec.id == VS_CODEC_ZSTD &&
			H5Pset_filter(p, VS_H5_ZSTD, H5Z_FLAG_MANDATORY, 1,
				&level) < 0) ||
		(s->codec.id == VS_CODEC_DEFLATE &&
			H5Pset_deflate(p, level) < 0))
		goto fail;
	return p;
fail:
	H5Pclose(p);
	return -1;
}

/* Create the data set; last: all its rows have been appended. */
static int
make_set(struct vs_h5_writer_data *d, bool last)
{
	struct vs_h5_writer_shape *s = &d->shape;
	hsize_t dim[VS_H5_MAX_DIMS], most[VS_H5_MAX_DIMS];
	hid_t list, space = -1, type = vs_h5_type(s->type, s->width);
	struct vs_h5_writer *w = d->w;
	int code = 0;

	if (s->dim[0] == VS_ROWS_UNKNOWN && last) {
		s->dim[0] = d->part.dim[0];
		fit_chunks(d, s->dim[0]);
	}
	d->endless = s->dim[0] == VS_ROWS_UNKNOWN;
	for (int k = 0; k < s->n_dim; k++)
		dim[k] = most[k] = s->dim[k];
	if (d->endless)
		dim[0] = 0;
	/* HDF5 accepts chunks in an empty data set only if that may grow */
	if (!dim[0])
		most[0] = H5S_UNLIMITED;
	list = data_list(s);
	space = H5Screate_simple(s->n_dim, dim, most);
	if (list >= 0 && space >= 0 && type >= 0)
		d->set = H5Dcreate2(w->file, d->part.path, type, space,
			H5P_DEFAULT, list, H5P_DEFAULT);
	if (d->set < 0)
		code = vs_h5_fail(VS_EMACHINE, w->f.path, "write",
			d->part.path);
	H5Tclose(type);
	vs_h5_close(list);
	vs_h5_close(space);
	if (!code && d->dims)
		code = vs_h5_writer_text(w, d->part.path, "dims", d->dims);
	return code;
}

/* Pack chunk k of a batch into its slot, on one thread. */
static int
pack_one(void *ctx, size_t k, int thread)
{
	struct vs_h5_pieces *batch = ctx;
	const struct vs_h5_piece *p = &batch->piece[k];
	const struct vs_h5_writer_data *d = p->d;
	const struct vs_h5_grid *g = &d->grid;
	struct vs_h5_bench *b = &batch->bench;
	struct vs_h5_slot *slot = &b->slot[k];
	const uint8_t *from = p->rows;
	bool shuffle = d->shape.shuffle && vs_codec_shuffles(d->shape.codec.id);

	if (g->n_part > 1 || p->n_rows < g->chunk[0]) {
		vs_h5_grid_gather(g, p->part, from, p->n_rows,
			b->thread[thread].chunk.bytes);
		from = b->thread[thread].chunk.bytes;
	}
	return vs_codec_pack(b->thread[thread].codec, d->shape.codec,
		shuffle ? g->size : 1, from, g->chunk_bytes, slot->bytes,
		slot->room, &slot->n);
}

static int
write_batch(const struct vs_h5_writer *w, const struct vs_h5_pieces *batch)
{
	hsize_t offset[VS_H5_MAX_DIMS];

	for (size_t k = 0; k < batch->n; k++) {
		const struct vs_h5_slot *slot = &batch->bench.slot[k];
		const struct vs_h5_piece *p = &batch->piece[k];

		vs_h5_grid_offset(&p->d->grid, p->band, p->part, offset);
		if (H5Dwrite_chunk(p->d->set, H5P_DEFAULT, 0, offset, slot->n,
			    slot->bytes) < 0)
			return vs_h5_fail(VS_EMACHINE, w->f.path, "write",
				p->d->part.path);
	}
	/* start writing to disk now, so that less is left at the end */
	if (batch->n)
		sync_file_range(w->f.fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	return 0;
}

/* Allocate slots for all chunks of a batch, whatever their codec. */
static int
fit_batch(struct vs_h5_pieces *batch)
{
	size_t bytes = 0;

	for (size_t k = 0; k < batch->n; k++) {
		const struct vs_h5_writer_data *d = batch->piece[k].d;
		size_t most =
			vs_codec_bound(d->shape.codec.id, d->grid.chunk_bytes);

		bytes = most > bytes ? most : bytes;
	}
	return vs_h5_bench_fit(&batch->bench, batch->n, bytes,
		batch->chunk_bytes);
}

/*
 * Have what has been filled packed, and write the batch before it meanwhile,
 * whose rows are free afterwards.
 */
static int
next_batch(struct vs_h5_writer *w)
{
	struct vs_h5_pieces *next = &w->batch[w->filling];
	struct vs_h5_pieces *last = &w->batch[!w->filling];
	int code = vs_team_wait(w->team);

	if (!code && next->n && !w->team)
		code = vs_team_new(&w->team, vs_h5_n_thread());
	if (!code && next->n)
		code = fit_batch(next);
	if (code)
		next->n = last->n = 0;
	if (next->n)
		vs_team_start(w->team, pack_one, next, next->n);
	if (!code)
		code = write_batch(w, last);
	last->n = last->chunk_bytes = 0;
	w->filling = !w->filling;
	return code;
}

/* Write all that was filled. */
static int
all_batches(struct vs_h5_writer *w)
{
	int code = next_batch(w);

	return code ? code : next_batch(w);
}

/* One chunk more to those that are filled; full batches are packed. Small
 * chunks of several columns take different times; many of them balance the
 * threads. */
static int
add_piece(struct vs_h5_writer *w, const struct vs_h5_piece *piece)
{
	struct vs_h5_pieces *b = &w->batch[w->filling];
	size_t bytes = piece->d->grid.chunk_bytes;
	int code = 0;

	bytes = bytes > b->chunk_bytes ? bytes : b->chunk_bytes;
	if (b->n && b->n >= batch_chunks(w, bytes) &&
		b->n * bytes >= LARGE_BATCH) {
		code = next_batch(w);
		b = &w->batch[w->filling];
		bytes = piece->d->grid.chunk_bytes;
	}
	if (!code)
		code = vs_mem_grow(&b->piece, &b->room, b->n + 1,
			sizeof(*b->piece), "chunks");
	if (code)
		return code;
	b->piece[b->n++] = *piece;
	b->chunk_bytes = bytes;
	return 0;
}

/* The chunks of n_rows rows, whole bands unless they are the last. */
static int
add_rows(struct vs_h5_writer_data *d, const uint8_t *rows, uint64_t n_rows)
{
	const struct vs_h5_grid *g = &d->grid;
	struct vs_h5_piece piece = { .d = d, .band = d->n_out / g->chunk[0] };
	hsize_t dim[VS_H5_MAX_DIMS];
	int code = 0;

	if (d->endless) {
		for (int k = 0; k < d->shape.n_dim; k++)
			dim[k] = d->shape.dim[k];
		dim[0] = d->n_out + n_rows;
		if (H5Dset_extent(d->set, dim) < 0)
			code = vs_h5_fail(VS_EMACHINE, d->w->f.path, "write",
				d->part.path);
	}
	d->n_out += n_rows;
	for (; n_rows && !code; n_rows -= piece.n_rows, piece.band++) {
		piece.rows = rows;
		piece.n_rows = n_rows < g->chunk[0] ? n_rows : g->chunk[0];
		for (piece.part = 0; piece.part < g->n_part && !code;
			piece.part++)
			code = add_piece(d->w, &piece);
		rows += piece.n_rows * g->row_bytes;
	}
	return code;
}

/* Pack the buffered rows; further rows are buffered meanwhile. */
static int
flush(struct vs_h5_writer_data *d)
{
	struct vs_h5_writer *w = d->w;
	uint8_t *rows = d->rows;
	size_t room = d->room;
	int code = 0;

	if (d->set < 0)
		code = make_set(d, false);
	if (!code)
		code = add_rows(d, rows, d->n_rows);
	if (!code)
		code = next_batch(w);
	if (!code) {
		d->rows = w->free_rows;
		d->room = w->room_free;
		w->free_rows = rows;
		w->room_free = room;
	}
	d->n_rows = 0;
	return code;
}

/* Rows that are collected before chunks are packed side by side. */
static uint64_t
batch_rows(const struct vs_h5_writer_data *d)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t bands = batch_chunks(d->w, g->chunk_bytes) / g->n_part;

	return (bands ? bands : 1) * g->chunk[0];
}

int
vs_h5_writer_room(struct vs_h5_writer_data *d, uint64_t n, void *rows,
	uint64_t *n_room)
{
	uint64_t most = batch_rows(d);
	uint8_t *at;
	int code;

	if (n > most - d->n_rows)
		n = most - d->n_rows;
	/* for all rows to come: growing would copy, and touch more memory */
	if (most > d->shape.dim[0])
		most = d->shape.dim[0];
	if (most < d->n_rows + n)
		most = d->n_rows + n;
	code = vs_mem_grow(&d->rows, &d->room, most * d->grid.row_bytes, 1,
		d->part.path);
	if (code)
		return code;
	at = d->rows + d->n_rows * d->grid.row_bytes;
	memcpy(rows, &at, sizeof(at));
	*n_room = n;
	return 0;
}

static int
count_rows(struct vs_h5_writer_data *d, const void *rows, uint64_t n)
{
	d->part.dim[0] += n;
	if (d->shape.dim[0] != VS_ROWS_UNKNOWN &&
		d->part.dim[0] > d->shape.dim[0])
		return vs_fail(VS_EMACHINE,
			"%s: %s: more rows than were announced", d->w->f.path,
			d->part.path);
	vs_digest_add(d->digest, rows, n * d->grid.row_bytes);
	return 0;
}

int
vs_h5_writer_filled(struct vs_h5_writer_data *d, uint64_t n)
{
	int code = count_rows(d, d->rows + d->n_rows * d->grid.row_bytes, n);

	if (code)
		return code;
	d->n_rows += n;
	return d->n_rows == batch_rows(d) ? flush(d) : 0;
}

int
vs_h5_writer_append(struct vs_h5_writer_data *d, const void *rows, uint64_t n)
{
	const uint8_t *from = rows;
	uint64_t batch = batch_rows(d), did;
	void *to;
	int code = 0;

	while (n && !code) {
		if (!d->n_rows && n >= batch) {
			/* directly from the caller's memory */
			did = n / batch * batch;
			code = count_rows(d, from, did);
			if (!code && d->set < 0)
				code = make_set(d, false);
			if (!code)
				code = add_rows(d, from, did);
			if (!code)
				code = all_batches(d->w);
		} else {
			code = vs_h5_writer_room(d, n, &to, &did);
			if (code)
				break;
			memcpy(to, from, did * d->grid.row_bytes);
			code = vs_h5_writer_filled(d, did);
		}
		from += did * d->grid.row_bytes;
		n -= did;
	}
	return code;
}

int
vs_h5_writer_last_rows(struct vs_h5_writer *w)
{
	int code = 0;

	for (size_t k = 0; k < w->n_data && !code; k++) {
		struct vs_h5_writer_data *d = w->data[k];

		if (d->set < 0)
			code = make_set(d, true);
		if (!code)
			code = add_rows(d, d->rows, d->n_rows);
		d->n_rows = 0;
	}
	return code ? code : all_batches(w);
}

int
vs_h5_writer_chunk(struct vs_h5_writer_data *d, const void *packed, size_t n)
{
	const hsize_t row = d->n_out, rows = row + VS_H5_CHUNK_ROWS;
	int code = d->set < 0 ? make_set(d, false) : 0;

	if (code)
		return code;
	d->n_out = d->part.dim[0] = rows;
	return H5Dset_extent(d->set, &rows) < 0 ||
			H5Dwrite_chunk(d->set, H5P_DEFAULT, 0, &row, n,
				packed) < 0
		? vs_h5_fail(VS_EMACHINE, d->w->f.path, "write", d->part.path)
		: 0;
}

void
vs_h5_writer_digest(struct vs_h5_writer_data *d, struct vs_digest *digest)
{
	vs_digest_free(d->digest);
	d->digest = digest;
}

int
vs_h5_writer_data_end(struct vs_h5_writer_data *d)
{
	int code = 0;

	if (d->part.dim[0] != d->shape.dim[0] && !d->endless)
		code = vs_fail(VS_EMACHINE,
			"%s: %s: fewer rows than were announced", d->w->f.path,
			d->part.path);
	if (!code && H5Dclose(d->set) < 0)
		code = vs_h5_fail(VS_EMACHINE, d->w->f.path, "write",
			d->part.path);
	else if (!code)
		d->set = -1;
	vs_digest_get(d->digest, d->part.digest);
	return code;
}
