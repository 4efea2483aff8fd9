/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole columns of numbers or texts, written and read in one call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_write.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/team.h"
#include "libcore/base/text.h"

/* Rows are laid out this many bytes at a time. */
#define PIECE (1u << 20)

int
vs_h5_writer_strings(struct vs_h5_writer *w, const char *path,
	const struct vs_text_pool *pool, struct vs_codec codec)
{
	struct vs_h5_writer_shape shape = {
		.type = VS_STR,
		.width = vs_text_pool_widest(pool),
		.n_dim = 1,
		.dim = { pool->n },
		.codec = codec,
	};
	struct vs_h5_writer_data *d = NULL;
	int code = vs_h5_writer_data(w, path, &shape, &d);
	uint64_t n;
	size_t len;

	for (size_t at = 0; at < pool->n && !code; at += n) {
		char *rows;

		n = PIECE / shape.width + 1;
		if (n > pool->n - at)
			n = pool->n - at;
		code = vs_h5_writer_room(d, n, &rows, &n);
		if (code)
			break;
		for (size_t k = 0; k < n; k++) {
			const char *t = vs_text_pool_get(pool, at + k, &len);

			memcpy(rows + k * shape.width, t, len);
			memset(rows + k * shape.width + len, 0,
				shape.width - len);
		}
		code = vs_h5_writer_filled(d, n);
	}
	return w->code = code;
}

int
vs_h5_reader_strings(struct vs_h5_reader *r, const char *path, uint64_t n,
	struct vs_text_pool *pool)
{
	struct vs_h5_reader_data *d = NULL;
	char *rows = NULL;
	size_t width = 0;
	uint64_t most = 0;
	int code = vs_h5_reader_data(r, path, VS_STR, 1, &n, &width, &d);

	if (!code) {
		most = PIECE / width + 1;
		if (most > n)
			most = n;
		code = vs_mem_room(&rows, most, width, path);
	}
	for (uint64_t at = 0; at < n && !code; at += most) {
		uint64_t now = n - at < most ? n - at : most;

		code = vs_h5_reader_rows(d, at, at + now, rows);
		for (uint64_t k = 0; k < now && !code; k++)
			code = vs_text_pool_add(pool, rows + k * width,
				strnlen(rows + k * width, width));
	}
	free(rows);
	vs_h5_reader_data_close(d);
	return code;
}

int
vs_h5_writer_pool(struct vs_h5_writer *w, const char *path,
	const struct vs_text_pool *pool, struct vs_codec codec)
{
	static const int64_t none[1] = { 0 };
	const int64_t *offset = pool->n ? pool->offset : none;
	char name[256];

	vs_h5_writer_group(w, path);
	snprintf(name, sizeof(name), "%s/offset", path);
	vs_h5_writer_column(w, name, VS_I64, offset, pool->n + 1, codec);
	snprintf(name, sizeof(name), "%s/bytes", path);
	return vs_h5_writer_column(w, name, VS_U8,
		pool->bytes ? pool->bytes : "", (uint64_t)offset[pool->n],
		codec);
}

int
vs_h5_reader_pool(struct vs_h5_reader *r, const char *path, uint64_t n,
	struct vs_text_pool *pool)
{
	struct vs_text_pool p = { 0 };
	uint64_t n_offset = n + 1, n_bytes = VS_ROWS_UNKNOWN;
	char name[256];
	int code;

	snprintf(name, sizeof(name), "%s/offset", path);
	code = vs_h5_reader_column(r, name, VS_I64, &n_offset, &p.offset);
	snprintf(name, sizeof(name), "%s/bytes", path);
	if (!code)
		code = vs_h5_reader_column(r, name, VS_U8, &n_bytes, &p.bytes);
	p.n = n;
	p.room_offset = n + 1;
	p.room_bytes = n_bytes;
	for (uint64_t k = 0; k <= n && !code; k++)
		if (p.offset[k] < (k ? p.offset[k - 1] : 0) ||
			(k == 0 && p.offset[0]) ||
			(k == n && (uint64_t)p.offset[n] != n_bytes))
			code = vs_fail(VS_EINPUT,
				"%s: %s: offsets do not fit the texts; "
				"recreate the file",
				vs_h5_reader_path(r), path);
	if (code) {
		vs_text_pool_free(&p);
		return code;
	}
	*pool = p;
	return 0;
}

int
vs_h5_writer_rows(struct vs_h5_writer *w, const char *path,
	const struct vs_h5_writer_shape *shape, const void *rows)
{
	struct vs_h5_writer_data *d = NULL;

	if (!vs_h5_writer_data(w, path, shape, &d))
		w->code = vs_h5_writer_append(d, rows, shape->dim[0]);
	return w->code;
}

int
vs_h5_writer_column(struct vs_h5_writer *w, const char *path, enum vs_type type,
	const void *rows, uint64_t n, struct vs_codec codec)
{
	struct vs_h5_writer_shape shape = {
		.type = type,
		.n_dim = 1,
		.dim = { n },
		.codec = codec,
		.shuffle = type != VS_U8,
	};

	return vs_h5_writer_rows(w, path, &shape, rows);
}
