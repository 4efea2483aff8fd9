/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of a data set for reading: its shape, filters and storage. */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

static int
odd(struct vs_h5_reader *r, const char *path, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: %s: %s; recreate the file", r->path,
		path, what);
}

/* One of the filter pipelines of the profile: none, a checksum, [shuffle,] zstd
 * or deflate. */
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

/* Fewest bytes to which a number of bytes can be packed. */
static uint64_t
least_packed(enum vs_codec_id codec, uint64_t bytes)
{
	switch (codec) {
	case VS_CODEC_ZSTD: /* 128 KiB of one repeated byte in 4 */
		return bytes / (128u << 10) * 4 + 1;
	case VS_CODEC_DEFLATE: /* 258 bytes in 2 bits */
		return bytes / 1032 + 1;
	case VS_CODEC_SUMMED:
		return bytes + VS_CODEC_SUM_BYTES;
	case VS_CODEC_NONE:
		break;
	}
	return bytes;
}

/*
 * Check that all rows can be in the file: a few bytes cannot claim a number of
 * rows that would take much memory or hours.
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

/* Check type and dimensions, of which some may be asked for. */
static int
check_shape(struct vs_h5_reader_data *d, int n_dim, uint64_t *dim,
	size_t *width)
{
	struct vs_h5_part is = { .path = d->path };
	int code = vs_h5_shape(d->set, d->r->path, &is);

	if (code)
		return code;
	if (is.type != d->type || is.width > VS_H5_MAX_TEXT)
		return odd(d->r, d->path, "has a type that it must not have");
	if (is.n_dim != n_dim)
		return odd(d->r, d->path, "has another number of dimensions");
	for (int k = 0; k < n_dim; k++) {
		if (dim[k] != VS_ROWS_UNKNOWN && dim[k] != is.dim[k])
			return vs_fail(VS_EINPUT,
				"%s: %s: has %llu entries along dimension %d, "
				"must have %llu; recreate the file",
				d->r->path, d->path,
				(unsigned long long)is.dim[k], k,
				(unsigned long long)dim[k]);
		if (is.dim[k] == 0 && k > 0)
			return odd(d->r, d->path, "has rows without entries");
	}
	memcpy(dim, is.dim, (size_t)n_dim * sizeof(*dim));
	*width = is.width;
	return 0;
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
		return vs_fail(VS_EINPUT, "%s: has no %s; recreate the file",
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
		code = check_shape(p, n_dim, dim, &w);
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
	vs_h5_close(d->set);
	free(d->cache);
	free(d->path);
	free(d);
}
