/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoint of an HDF5 file that is being written: where its chunks are, and
 * the rows that are in none, are kept in the file itself, so that another
 * program can read them without HDF5, whose own lists are whole at the end
 * alone.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/h5_saved.h"
#include "formats/h5/h5_write.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"

#define SET "/saved"

/* Elements of a chunk of SET as stated: sizes up to four bytes have room in the
 * index then. A chunk takes what is written into it. */
#define STEP (1u << 24)

/* Before it there is no way to ask for the place of a chunk. */
#define CAN_ASK H5_VERSION_GE(1, 10, 5)

static int
cannot(const struct vs_h5_writer *w)
{
	return vs_h5_fail(VS_EMACHINE, w->f.path, "write", SET);
}

/* Place of a chunk as HDF5 counts; versions differ in whether the seal before
 * it counts. */
static int
ask_place(const struct vs_h5_writer *w, hid_t set, hsize_t row,
	struct vs_h5_saved_chunk *c)
{
#if CAN_ASK
	haddr_t at = HADDR_UNDEF;
	hsize_t size = 0;
	unsigned mask = 0;

	if (H5Dget_chunk_info_by_coord(set, &row, &mask, &at, &size) < 0 ||
		at == HADDR_UNDEF)
		return cannot(w);
	*c = (struct vs_h5_saved_chunk){ (uint64_t)at + w->saved.base, size };
	return 0;
#else
	(void)set;
	(void)row;
	(void)c;
	return cannot(w);
#endif
}

static int
make_set(struct vs_h5_writer *w)
{
	hsize_t none = 0, most = H5S_UNLIMITED, step = STEP;
	hid_t list = H5Pcreate(H5P_DATASET_CREATE);
	hid_t space = H5Screate_simple(1, &none, &most);

	if (list >= 0 && space >= 0 && H5Pset_obj_track_times(list, 0) >= 0 &&
		H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
		H5Pset_chunk(list, 1, &step) >= 0 &&
		/* with a filter, chunks have sizes of their own */
		H5Pset_fletcher32(list) >= 0)
		w->saved.set = H5Dcreate2(w->file, SET, H5T_STD_U8LE, space,
			H5P_DEFAULT, list, H5P_DEFAULT);
	if (list >= 0)
		H5Pclose(list);
	if (space >= 0)
		H5Sclose(space);
	return w->saved.set < 0 ? cannot(w) : 0;
}

static int
put_bytes(struct vs_h5_writer *w, const void *bytes, size_t n,
	struct vs_h5_saved_chunk *c)
{
	hsize_t row = w->saved.n * STEP, rows = row + STEP;

	w->saved.n++;
	if (H5Dset_extent(w->saved.set, &rows) < 0 ||
		H5Dwrite_chunk(w->saved.set, H5P_DEFAULT, 0, &row, n, bytes) <
			0)
		return cannot(w);
	return ask_place(w, w->saved.set, row, c);
}

/* Find by bytes that are nowhere else whether the seal counts. */
static int
find_base(struct vs_h5_writer *w, bool *found)
{
	uint8_t probe[64], seen[64];
	struct vs_h5_saved_chunk c;
	int code = 0;

	for (size_t k = 0; k < sizeof(probe) && !code; k += 16)
		code = vs_digest_uuid_make(probe + k);
	w->saved.base = 0;
	if (!code)
		code = put_bytes(w, probe, sizeof(probe), &c);
	*found = false;
	for (int k = 0; k < 2 && !code && !*found; k++) {
		w->saved.base = (uint64_t)k * VS_SEAL_BYTES;
		*found = pread(w->f.fd, seen, sizeof(seen),
				 (off_t)(c.at + w->saved.base)) ==
				(ssize_t)sizeof(seen) &&
			!memcmp(seen, probe, sizeof(seen));
	}
	return code;
}

/* Rows of one dimension whose number is not known: records. */
static bool
is_saved(const struct vs_h5_writer_data *d)
{
	return d->shape.dim[0] == VS_ROWS_UNKNOWN && d->shape.n_dim == 1;
}

/* Write all rows that fill chunks. */
static int
write_chunks(struct vs_h5_writer *w)
{
	int code = 0;

	for (size_t k = 0; k < w->n_data && !code; k++)
		if (is_saved(w->data[k]))
			code = vs_h5_writer_whole_chunks(w->data[k]);
	if (!code)
		code = vs_h5_writer_batches(w);
	for (size_t k = 0; k < w->n_data && !code; k++)
		if (is_saved(w->data[k]))
			vs_h5_writer_drop_chunks(w->data[k]);
	return code;
}

static int
add_pending(struct vs_text *t, const struct vs_h5_writer_data *d,
	struct vs_h5_saved_data *s, struct vs_codec_state *codec)
{
	const size_t n = d->n_rows * d->grid.size;
	const size_t most = vs_codec_bound(d->shape.codec.id, n);
	uint8_t *packed = NULL;
	size_t n_packed = 0;
	int code = vs_mem_room(&packed, most, 1, d->part.path);

	if (!code && n)
		code = vs_codec_pack(codec, d->shape.codec,
			s->shuffle ? s->size : 1, d->rows, n, packed, most,
			&n_packed);
	s->n_bytes = n_packed;
	if (!code && n)
		code = vs_text_put(t, (const char *)packed, n_packed);
	free(packed);
	return code;
}

static int
add_data(struct vs_text *t, struct vs_h5_writer_data *d,
	struct vs_codec_state *codec)
{
	const uint64_t step = d->grid.chunk[0], end = d->n_out / step;
	struct vs_h5_saved_data s = { .codec = d->shape.codec.id,
		.level = (uint32_t)d->shape.codec.level,
		.size = (uint32_t)d->grid.size,
		.shuffle = d->shape.shuffle &&
			vs_codec_shuffles(d->shape.codec.id),
		.chunk_rows = step,
		.n_chunk = end - d->n_saved,
		.n_rows = d->n_rows };
	const size_t at = t->len;
	struct vs_h5_saved_chunk c;
	int code = vs_text_put(t, (const char *)&s, sizeof(s));

	for (uint64_t k = d->n_saved; k < end && !code; k++) {
		code = ask_place(d->w, d->set, k * step, &c);
		if (!code)
			code = vs_text_put(t, (const char *)&c, sizeof(c));
	}
	if (!code)
		code = add_pending(t, d, &s, codec);
	strncpy(s.path, d->part.path, sizeof(s.path) - 1);
	if (!code)
		memcpy(t->bytes + at, &s, sizeof(s));
	d->n_saved = end;
	return code;
}

static int
say(struct vs_h5_writer *w, const void *words, size_t n, struct vs_text *t)
{
	struct vs_h5_saved_head head = { .before = w->seal.saved,
		.n_words = n };
	struct vs_codec_state *codec = NULL;
	int code = vs_codec_new(&codec);

	memcpy(head.magic, VS_H5_SAVED_MAGIC, sizeof(head.magic));
	for (size_t k = 0; k < w->n_data; k++)
		head.n_data += is_saved(w->data[k]);
	if (!code)
		code = vs_text_put(t, (const char *)&head, sizeof(head));
	for (size_t k = 0; k < w->n_data && !code; k++)
		if (is_saved(w->data[k]))
			code = add_data(t, w->data[k], codec);
	if (!code)
		code = vs_text_put(t, words, n);
	vs_codec_free(codec);
	return code;
}

static int
flush(struct vs_h5_writer *w)
{
	return fsync(w->f.fd)
		? vs_fail_errno(VS_EMACHINE, "%s: cannot flush", w->f.path)
		: 0;
}

/* The bytes first, then the seal that names them: one sector of a disk. */
static int
state(struct vs_h5_writer *w, const struct vs_text *t)
{
	struct vs_h5_saved_chunk c;
	struct vs_seal seal = w->seal;
	int code = put_bytes(w, t->bytes, t->len, &c);

	if (!code)
		code = flush(w);
	if (code)
		return code;
	seal.saved = (struct vs_seal_saved){ c.at, t->len,
		vs_digest_64(t->bytes, t->len) };
	code = vs_seal_open(w->f.fd, w->f.path, &seal);
	if (!code)
		code = flush(w);
	if (code)
		return code;
	w->seal.saved = seal.saved;
	if (w->f.kept)
		return 0;
	vs_file_keep(&w->f);
	return vs_file_sync_dir(w->f.path);
}

int
vs_h5_writer_save(struct vs_h5_writer *w, const void *words, size_t n,
	bool *done)
{
	struct vs_text t = { 0 };
	int code = w->code;

	*done = false;
	if (code || !CAN_ASK || w->saved.unable)
		return code;
	if (w->saved.set < 0) {
		bool found = false;

		code = make_set(w);
		if (!code)
			code = find_base(w, &found);
		w->saved.unable = !found;
	}
	if (!code && !w->saved.unable) {
		code = write_chunks(w);
		if (!code)
			code = say(w, words, n, &t);
		if (!code)
			code = state(w, &t);
		*done = !code;
	}
	vs_text_free(&t);
	return w->code = code;
}

int
vs_h5_writer_save_end(struct vs_h5_writer *w)
{
	hid_t set = w->saved.set;

	w->saved.set = -1;
	if (set < 0)
		return 0;
	return H5Dclose(set) < 0 || H5Ldelete(w->file, SET, H5P_DEFAULT) < 0
		? cannot(w)
		: 0;
}
