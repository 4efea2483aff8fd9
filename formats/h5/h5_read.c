/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel reader of chunked HDF5 data sets, row by row. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/h5/fletcher.h"
#include "formats/h5/h5_chunk.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/thread.h"

/* Features that a file may require. */
static const char known_features[] =
	" bit2 ploidy1 u8 u16 u32 f32 f64 zstd deflate way2 way3 "
	"min_joint row_tiles case_seed ";

#define WORTH (1u << 20) /* bytes of rows that justify a thread */

/* ---- opening ---- */

static int
open_file(struct vs_h5_reader *r)
{
	hid_t access = vs_h5_access();
	int code = 0;

	if (access >= 0)
		r->file = H5Fopen(r->path, H5F_ACC_RDONLY, access);
	if (r->file < 0)
		code = vs_h5_fail(VS_EINPUT, r->path, "open", "the file");
	if (access >= 0)
		H5Pclose(access);
	return code;
}

/* Whole word of a list that begins and ends with a space. */
static bool
knows(const char *word, size_t n)
{
	char padded[64];

	if (n > sizeof(padded) - 3)
		return false;
	snprintf(padded, sizeof(padded), " %.*s ", (int)n, word);
	return strstr(known_features, padded);
}

static int
check_features(struct vs_h5_reader *r)
{
	char *all = NULL, *word, *rest;
	int code = vs_h5_reader_text(r, "/", "required_features", &all);

	if (code)
		return code;
	for (word = strtok_r(all, " ", &rest); word && !code;
		word = strtok_r(NULL, " ", &rest))
		if (!knows(word, strlen(word)))
			code = vs_fail(VS_EINPUT,
				"%s: needs the feature %.40s, which this "
				"version does not know; a newer vsim reads it",
				r->path, word);
	free(all);
	return code;
}

/* The kind that the attributes state; they and the seal must agree. */
static int
check_kind(struct vs_h5_reader *r, unsigned kinds)
{
	enum vs_kind kind = 0;
	char *format = NULL;
	bool has;
	int code = vs_h5_reader_has_attr(r, "/", "format", &has);

	if (code)
		return code;
	if (!has)
		return vs_fail(VS_EINPUT, "%s: is HDF5 but not a file of vsim",
			r->path);
	code = vs_h5_reader_text(r, "/", "format", &format);
	if (code)
		return code;
	for (int k = VS_KIND_VECTORS; k <= VS_KIND_MERGED; k++)
		if (!strcmp(format, vs_h5_format((enum vs_kind)k)))
			kind = (enum vs_kind)k;
	free(format);
	if (!kind || (r->seal.kind && r->seal.kind != kind))
		return vs_fail(VS_EINPUT,
			"%s: is damaged: its format is another than its seal "
			"says",
			r->path);
	if (!(kinds & (1u << kind)))
		return vs_fail(VS_EINPUT, "%s: is %s, which is not wanted here",
			r->path, vs_seal_kind_name(kind));
	r->seal.kind = kind;
	return 0;
}

static int
check_version(struct vs_h5_reader *r)
{
	int32_t version[2];
	int code = vs_h5_reader_i32(r, "/", "format_version", version, 2);

	if (!code && version[0] != VS_H5_MAJOR)
		code = vs_fail(VS_EINPUT,
			"%s: has format version %d.%d, known is %d; a newer "
			"vsim reads it",
			r->path, version[0], version[1], VS_H5_MAJOR);
	return code;
}

/* The content digest and the uuid stated inside are those of the seal. */
static int
check_names(struct vs_h5_reader *r, bool sealed)
{
	char *content = NULL, *uuid = NULL, want[VS_DIGEST_TEXT], want_uuid[37];
	int code = vs_h5_reader_text(r, "/", "content_xxh128", &content);

	if (!code)
		code = vs_h5_reader_text(r, "/", "uuid", &uuid);
	vs_digest_text(r->seal.content, want);
	vs_digest_uuid_text(r->seal.uuid, want_uuid);
	if (!code && sealed &&
		(strcmp(content, want) || strcmp(uuid, want_uuid)))
		code = vs_fail(VS_EINPUT,
			"%s: is damaged: its names are others than its seal "
			"says",
			r->path);
	free(content);
	free(uuid);
	return code;
}

int
vs_h5_reader_begin(struct vs_h5_reader **r, const char *path, unsigned kinds,
	const struct vs_seal *seal, enum vs_kind *kind)
{
	struct vs_h5_reader *p = NULL;
	int code = vs_h5_begin();

	if (!code)
		code = vs_mem_new(&p, 1, sizeof(*p), path);
	if (code)
		return code;
	p->file = -1;
	p->seal = *seal;
	code = vs_mem_copy_text(&p->path, path);
	if (!code)
		code = open_file(p);
	if (!code)
		code = vs_h5_reader_unchanged(p);
	if (!code)
		code = check_kind(p, kinds);
	if (!code)
		code = check_version(p);
	if (!code)
		code = check_features(p);
	if (!code)
		code = check_names(p, seal->kind != 0);
	if (code) {
		vs_h5_reader_close(p);
		return code;
	}
	if (kind)
		*kind = p->seal.kind;
	*r = p;
	return 0;
}

void
vs_h5_reader_close(struct vs_h5_reader *r)
{
	if (!r)
		return;
	if (r->file >= 0)
		H5Fclose(r->file);
	vs_h5_bench_free(&r->bench);
	free(r->path);
	free(r);
}

void
vs_h5_reader_rest(struct vs_h5_reader *r)
{
	vs_h5_bench_free(&r->bench);
}

const char *
vs_h5_reader_path(const struct vs_h5_reader *r)
{
	return r->path;
}

/* ---- attributes and names ---- */

static herr_t
add_name(hid_t group, const char *name, const H5L_info_t *info, void *arg)
{
	(void)group;
	(void)info;
	return vs_text_pool_add(arg, name, strlen(name));
}

int
vs_h5_reader_members(struct vs_h5_reader *r, const char *group,
	struct vs_text_pool *names)
{
	hsize_t at = 0;

	if (H5Literate_by_name(r->file, group, H5_INDEX_NAME, H5_ITER_INC, &at,
		    add_name, names, H5P_DEFAULT) < 0)
		return vs_h5_fail(VS_EINPUT, r->path, "read", group);
	return 0;
}

/* ---- data sets ---- */

static int
odd(struct vs_h5_reader *r, const char *path, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: %s: %s; make the file anew", r->path,
		path, what);
}

/* One of the pipelines of the profile: none, a checksum, [shuffle,] zstd or
 * deflate. */
static int
read_filters(struct vs_h5_reader_data *d, hid_t list)
{
	int n = H5Pget_nfilters(list), at = 0;
	unsigned flags, config;
	char name[32];
	size_t n_cd;

	d->codec = VS_CODEC_NONE;
	d->shuffle = false;
	for (; at < n; at++) {
		H5Z_filter_t f;

		n_cd = 0;
		f = H5Pget_filter2(list, (unsigned)at, &flags, &n_cd, NULL,
			sizeof(name), name, &config);
		if (f == H5Z_FILTER_SHUFFLE && at == 0 && n == 2)
			d->shuffle = true;
		else if (f == VS_H5_ZSTD && at == n - 1)
			d->codec = VS_CODEC_ZSTD;
		else if (f == H5Z_FILTER_DEFLATE && at == n - 1)
			d->codec = VS_CODEC_DEFLATE;
		else if (f == H5Z_FILTER_FLETCHER32 && n == 1)
			d->codec = VS_CODEC_SUMMED;
		else
			return odd(d->r, d->path,
				"is packed by filters that vsim does not use");
	}
	return n < 0 ? odd(d->r, d->path, "its filters cannot be read") : 0;
}

/* Least bytes that a number of bytes takes once packed. */
static uint64_t
least_packed(enum vs_codec_id codec, uint64_t bytes)
{
	switch (codec) {
	case VS_CODEC_ZSTD: /* 128 KiB, one byte over and over, in 4 */
		return bytes / (128u << 10) * 4 + 1;
	case VS_CODEC_DEFLATE: /* 258 bytes in 2 bits */
		return bytes / 1032 + 1;
	case VS_CODEC_SUMMED:
		return bytes + VS_FLETCHER_BYTES;
	case VS_CODEC_NONE:
		break;
	}
	return bytes;
}

/*
 * All of the rows are in the file: a few bytes cannot state a number of rows
 * that takes memory or hours.
 */
static int
check_storage(const struct vs_h5_reader_data *d, uint64_t bytes)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t n = (g->dim[0] + g->chunk[0] - 1) / g->chunk[0] * g->n_part;
	uint64_t is = H5Dget_storage_size(d->set), least = bytes;

	if (d->chunked &&
		__builtin_mul_overflow(n,
			least_packed(d->codec, g->chunk_bytes), &least))
		least = UINT64_MAX;
	return is >= least && is <= (uint64_t)d->r->seal.stamp.st_size
		? 0
		: odd(d->r, d->path, "has fewer bytes than its rows must have");
}

static int
read_layout(struct vs_h5_reader_data *d, const uint64_t *dim, int n_dim,
	size_t size)
{
	hid_t list = H5Dget_create_plist(d->set);
	hsize_t chunk[VS_H5_MAX_DIMS];
	uint64_t shape[VS_H5_MAX_DIMS], bytes = size;
	H5D_layout_t layout;
	int code = 0;

	if (list < 0)
		return vs_h5_fail(VS_EINPUT, d->r->path, "read", d->path);
	layout = H5Pget_layout(list);
	d->chunked = layout == H5D_CHUNKED;
	for (int k = 0; k < n_dim; k++)
		shape[k] = dim[k] ? dim[k] : 1;
	if (H5Pget_external_count(list) != 0)
		code = odd(d->r, d->path, "has its data in other files");
	else if (!d->chunked && layout != H5D_CONTIGUOUS)
		code = odd(d->r, d->path, "is laid out in an unknown way");
	else
		code = read_filters(d, list);
	if (!code && d->chunked) {
		if (H5Pget_chunk(list, n_dim, chunk) != n_dim)
			code = vs_h5_fail(VS_EINPUT, d->r->path, "read",
				d->path);
		for (int k = 0; k < n_dim && !code; k++) {
			shape[k] = chunk[k];
			if (!chunk[k] ||
				__builtin_mul_overflow(bytes, shape[k],
					&bytes) ||
				bytes > VS_H5_MAX_CHUNK)
				code = odd(d->r, d->path,
					"has chunks too large");
		}
	}
	H5Pclose(list);
	bytes = size;
	for (int k = 0; k < n_dim && !code; k++)
		if (__builtin_mul_overflow(bytes, dim[k], &bytes) ||
			bytes > INT64_MAX)
			code = odd(d->r, d->path, "is too large");
	if (code)
		return code;
	vs_h5_grid_make(&d->grid, size, n_dim, dim, shape);
	return check_storage(d, bytes);
}

static int
check_shape(struct vs_h5_reader *r, const char *path, hid_t set,
	enum vs_type type, int n_dim, uint64_t *dim, size_t *width)
{
	hid_t t = H5Dget_type(set), s = H5Dget_space(set);
	hsize_t is[VS_H5_MAX_DIMS] = { 0 };
	enum vs_type got = VS_U8;
	size_t w = 0;
	int code = 0;

	if (t < 0 || s < 0)
		code = vs_h5_fail(VS_EINPUT, r->path, "read", path);
	else if (!vs_h5_type_of(t, &got, &w) || got != type ||
		w > VS_H5_MAX_TEXT)
		code = odd(r, path, "has a type that it must not have");
	else if (H5Sget_simple_extent_ndims(s) != n_dim ||
		H5Sget_simple_extent_dims(s, is, NULL) != n_dim)
		code = odd(r, path, "has another number of dimensions");
	for (int k = 0; k < n_dim && !code; k++) {
		if (dim[k] != VS_ROWS_UNKNOWN && dim[k] != is[k])
			code = vs_fail(VS_EINPUT,
				"%s: %s: has %llu entries along dimension %d, "
				"must have %llu; make the file anew",
				r->path, path, (unsigned long long)is[k], k,
				(unsigned long long)dim[k]);
		else if (is[k] == 0 && k > 0)
			code = odd(r, path, "has rows without entries");
	}
	for (int k = 0; k < n_dim && !code; k++)
		dim[k] = is[k];
	if (!code && width)
		*width = w;
	if (t >= 0)
		H5Tclose(t);
	if (s >= 0)
		H5Sclose(s);
	return code;
}

int
vs_h5_reader_data(struct vs_h5_reader *r, const char *path, enum vs_type type,
	int n_dim, uint64_t *dim, size_t *width, struct vs_h5_reader_data **d)
{
	struct vs_h5_reader_data *p = NULL;
	size_t w = 0;
	bool has;
	int code = vs_h5_reader_has(r, path, &has);

	if (code)
		return code;
	if (!has)
		return vs_fail(VS_EINPUT, "%s: has no %s; make the file anew",
			r->path, path);
	code = vs_mem_new(&p, 1, sizeof(*p), path);
	if (code)
		return code;
	p->r = r;
	p->type = type;
	p->cached = VS_ROWS_UNKNOWN;
	p->set = H5Dopen2(r->file, path, H5P_DEFAULT);
	if (p->set < 0)
		code = vs_h5_fail(VS_EINPUT, r->path, "open", path);
	if (!code)
		code = vs_mem_copy_text(&p->path, path);
	if (!code)
		code = check_shape(r, path, p->set, type, n_dim, dim, &w);
	if (!code)
		code = read_layout(p, dim, n_dim, vs_h5_size(type, w));
	if (code) {
		vs_h5_reader_data_close(p);
		return code;
	}
	if (width)
		*width = w;
	*d = p;
	return 0;
}

void
vs_h5_reader_data_close(struct vs_h5_reader_data *d)
{
	if (!d)
		return;
	if (d->set >= 0)
		H5Dclose(d->set);
	free(d->cache);
	free(d->path);
	free(d);
}

/* ---- rows ---- */

/* Unpack a slot into the rows of its band; null: leave them in the scratch
 * buffer. */
static int
unpack_one(struct vs_h5_reader_data *d, uint64_t band, uint64_t part,
	const struct vs_h5_slot *slot, uint8_t **rows, const char **why)
{
	const struct vs_h5_grid *g = &d->grid;
	struct vs_h5_bench *b = &d->r->bench;
	size_t t = (size_t)omp_get_thread_num();
	uint64_t n_rows = vs_h5_chunk_rows(g, band);
	bool whole = *rows && vs_h5_chunk_are_rows(g) && n_rows == g->chunk[0];
	uint8_t *to = whole ? *rows : b->scratch[t].bytes;
	int code = vs_codec_unpack(b->chunker[t], d->codec,
		d->shuffle ? g->size : 1, slot->bytes, slot->n, to,
		g->chunk_bytes, why);

	if (!code && *rows && !whole)
		vs_h5_grid_scatter(g, part, to, *rows, n_rows);
	if (!*rows)
		*rows = to;
	return code;
}

/* Parallel read of chunks; each thread takes some. */
struct reading {
	struct vs_h5_reader_data *d;
	uint64_t lo, next, end; /* first band; chunks by number */
	uint8_t *out;
	vs_h5_reader_sink *sink; /* not null: chunks are rows */
	void *ctx;
	int code;
};

/* Read the next chunk into this thread's slot; false: there are no more. */
static bool
fetch_next(struct reading *r, struct vs_h5_slot *slot, uint64_t *chunk)
{
	uint64_t n_part = r->d->grid.n_part;
	bool more;

	/* HDF5 takes one at a time */
#pragma omp critical(vs_h5_fetch)
	{
		*chunk = r->next;
		if (!r->code && *chunk < r->end)
			r->code = vs_h5_chunk_fetch(r->d, *chunk / n_part,
				*chunk % n_part, slot);
		more = !r->code && r->next++ < r->end;
	}
	return more;
}

static void
read_on(struct reading *r)
{
	const struct vs_h5_grid *g = &r->d->grid;
	struct vs_h5_slot *slot = &r->d->r->bench.slot[omp_get_thread_num()];
	uint64_t chunk;

	while (fetch_next(r, slot, &chunk)) {
		uint64_t band = chunk / g->n_part, part = chunk % g->n_part;
		uint64_t at = band * g->chunk[0];
		uint8_t *rows = r->out
			? r->out + (band - r->lo) * g->chunk[0] * g->row_bytes
			: NULL;
		const char *why = NULL;
		int code = unpack_one(r->d, band, part, slot, &rows, &why);

		if (code)
			code = vs_h5_chunk_bad(r->d, band, part, code, why);
		else if (r->sink)
			code = r->sink(r->ctx, at,
				at + vs_h5_chunk_rows(g, band), rows);
		if (code) {
#pragma omp critical(vs_h5_fetch)
			r->code = code;
		}
	}
}

/* Bands [lo, hi), whole, to where their rows belong; null for what is not
 * asked for. */
static int
read_bands(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi, uint8_t *out,
	vs_h5_reader_sink *sink, void *ctx)
{
	const struct vs_h5_grid *g = &d->grid;
	struct reading r = { d, lo, lo * g->n_part, hi * g->n_part, out, sink,
		ctx, 0 };
	uint64_t n_chunk = r.end - r.next;
	int n = vs_h5_n_thread();

	if ((uint64_t)n > n_chunk)
		n = (int)n_chunk;
	r.code = vs_h5_bench_fit(&d->r->bench, (size_t)n, 0, g->chunk_bytes);
	if (!r.code)
		r.code = vs_thread_try(n);
	if (r.code)
		return r.code;
#pragma omp parallel num_threads(n) if (n > 1)
	read_on(&r);
	return r.code;
}

/* Rows [lo, hi) within one band, by way of the band unpacked last. */
static int
read_within(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi, uint8_t *out)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t band = lo / g->chunk[0];
	int code = 0;

	if (d->cached != band) {
		d->cached = VS_ROWS_UNKNOWN;
		if (!d->cache)
			code = vs_mem_room(&d->cache, g->chunk[0], g->row_bytes,
				d->path);
		if (!code)
			code = read_bands(d, band, band + 1, d->cache, NULL,
				NULL);
		if (code)
			return code;
		d->cached = band;
	}
	memcpy(out, d->cache + (lo - band * g->chunk[0]) * g->row_bytes,
		(hi - lo) * g->row_bytes);
	return 0;
}

int
vs_h5_reader_rows(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	void *out)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t edge, whole;
	uint8_t *to = out;
	int code = vs_h5_chunk_range(d, lo, hi);

	if (code || lo == hi)
		return code;
	if (!d->chunked)
		return vs_h5_chunk_plain(d, lo, hi, out);
	/* to the end of a band that was begun */
	edge = (lo + g->chunk[0] - 1) / g->chunk[0] * g->chunk[0];
	if (edge > lo) {
		if (edge > hi)
			edge = hi;
		code = read_within(d, lo, edge, to);
		to += (edge - lo) * g->row_bytes;
		lo = edge;
	}
	/* whole bands; the last one of all may be short */
	whole = hi == g->dim[0] ? (hi + g->chunk[0] - 1) / g->chunk[0]
				: hi / g->chunk[0];
	if (!code && lo < hi && lo / g->chunk[0] < whole) {
		code = read_bands(d, lo / g->chunk[0], whole, to, NULL, NULL);
		edge = whole * g->chunk[0] < hi ? whole * g->chunk[0] : hi;
		to += (edge - lo) * g->row_bytes;
		lo = edge;
	}
	if (!code && lo < hi)
		code = read_within(d, lo, hi, to);
	return code;
}

/* Pass rows in memory to take(), one by one. */
static int
pass_rows(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	const uint8_t *rows, vs_h5_reader_sink *sink, void *ctx)
{
	size_t bytes = d->grid.row_bytes;
	bool worth = (hi - lo) * bytes > WORTH;
	int n = worth ? vs_h5_n_thread() : 1, code = vs_thread_try(n);

	if (code)
		return code;
#pragma omp parallel for num_threads(n) reduction(min : code) if (worth)
	for (uint64_t v = lo; v < hi; v++) {
		int got = code < 0
			? code
			: sink(ctx, v, v + 1, rows + (v - lo) * bytes);

		code = got < code ? got : code;
	}
	return code;
}

/* Rows that are a part of their band or that chunks cut, some of them at a
 * time. */
static int
each_part(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi, uint8_t *out,
	vs_h5_reader_sink *sink, void *ctx)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t step = d->chunked ? g->chunk[0] : WORTH / g->row_bytes + 1;
	uint8_t *own = NULL, *to;
	int code = 0;

	for (uint64_t end; lo < hi && !code; lo = end) {
		end = (lo / step + 1) * step;
		end = end < hi ? end : hi;
		if (!out && !own)
			code = vs_mem_room(&own, step, g->row_bytes, d->path);
		to = out ? out : own;
		if (!code)
			code = vs_h5_reader_rows(d, lo, end, to);
		if (!code)
			code = pass_rows(d, lo, end, to, sink, ctx);
		out += out ? (end - lo) * g->row_bytes : 0;
	}
	free(own);
	return code;
}

int
vs_h5_reader_each(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	void *out, vs_h5_reader_sink *sink, void *ctx)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t step = g->chunk[0], first = hi, end = hi;
	uint8_t *to = out;
	int code = vs_h5_chunk_range(d, lo, hi);

	if (d->chunked && vs_h5_chunk_are_rows(g)) {
		first = (lo + step - 1) / step * step;
		first = first < hi ? first : hi;
		end = hi == g->dim[0] ? hi : hi / step * step;
		end = end > first ? end : first;
	}
	if (!code)
		code = each_part(d, lo, first, to, sink, ctx);
	if (!code && first < end)
		code = read_bands(d, first / step, (end + step - 1) / step,
			to ? to + (first - lo) * g->row_bytes : NULL, sink,
			ctx);
	if (!code)
		code = each_part(d, end, hi,
			to ? to + (end - lo) * g->row_bytes : NULL, sink, ctx);
	return code;
}

int
vs_h5_reader_column(struct vs_h5_reader *r, const char *path, enum vs_type type,
	size_t *width, uint64_t *n, void *out)
{
	struct vs_h5_reader_data *d = NULL;
	void *rows = NULL;
	int code = vs_h5_reader_data(r, path, type, 1, n, width, &d);

	if (!code)
		code = vs_mem_room(&rows, *n, d->grid.size, path);
	if (!code)
		code = vs_h5_reader_rows(d, 0, *n, rows);
	vs_h5_reader_data_close(d);
	if (code) {
		free(rows);
		return code;
	}
	memcpy(out, &rows, sizeof(rows));
	return 0;
}
