/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram counters of finished tiles, in a file. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/tile_counts.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define GROUP "/histogram"

static const char *const half[2] = { GROUP "/low", GROUP "/high" };

int
vs_tile_counts_like(struct vs_tile_counts *c,
	const struct vs_tile_counts *other)
{
	memset(c, 0, sizeof(*c));
	if (!other || !other->count)
		return 0;
	*c = *other;
	c->count = NULL;
	return vs_mem_new(&c->count, c->n, sizeof(*c->count), "histogram");
}

void
vs_tile_counts_free(struct vs_tile_counts *c)
{
	free(c->count);
	memset(c, 0, sizeof(*c));
}

void
vs_tile_counts_add(struct vs_tile_counts *c, const vs_wide *more)
{
	for (size_t k = 0; c->count && more && k < c->n; k++)
		c->count[k] += more[k];
}

void
vs_tile_counts_clear(struct vs_tile_counts *c)
{
	if (c->count)
		memset(c->count, 0, c->n * sizeof(*c->count));
}

int
vs_tile_counts_write(const struct vs_tile_counts *c, struct vs_h5_writer *w,
	struct vs_codec codec)
{
	uint64_t *part = NULL;
	int code;

	if (!c || !c->count)
		return 0;
	vs_h5_writer_group(w, GROUP);
	vs_h5_writer_i32(w, GROUP, "n_row", &c->n_row, 1);
	vs_h5_writer_i64(w, GROUP, "least", &c->least, 1);
	vs_h5_writer_i64(w, GROUP, "n_bucket", &c->n_bucket, 1);
	code = vs_mem_room(&part, c->n, sizeof(*part), "histogram");
	for (int h = 0; h < 2 && !code; h++) {
		for (size_t k = 0; k < c->n; k++)
			part[k] = (uint64_t)(c->count[k] >> 64 * h);
		code = vs_h5_writer_column(w, half[h], VS_U64, 0, part, c->n,
			codec);
	}
	free(part);
	return code;
}

bool
vs_tile_counts_alike(const struct vs_tile_counts *a,
	const struct vs_tile_counts *b)
{
	return a->n_row == b->n_row && a->least == b->least &&
		a->n_bucket == b->n_bucket && a->n == b->n;
}

int
vs_tile_counts_shape(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has)
{
	int code = vs_h5_reader_has(r, GROUP, has);

	memset(c, 0, sizeof(*c));
	if (code || !*has)
		return code;
	if ((code = vs_h5_reader_i32(r, GROUP, "n_row", &c->n_row, 1)) ||
		(code = vs_h5_reader_i64(r, GROUP, "least", &c->least, 1)) ||
		(code = vs_h5_reader_i64(r, GROUP, "n_bucket", &c->n_bucket,
			 1)))
		return code;
	if (c->n_row < 1 || c->n_bucket < 1 ||
		__builtin_mul_overflow(c->n_row, c->n_bucket, &c->n) ||
		__builtin_add_overflow(c->n, VS_TILE_COUNTS_MORE, &c->n))
		return vs_fail(VS_EINPUT,
			"%s: " GROUP " states a number of buckets that cannot "
			"be; run vsim-run again",
			vs_h5_reader_path(r));
	return 0;
}

int
vs_tile_counts_add_file(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has)
{
	uint64_t *part = NULL, n = c->n;
	struct vs_tile_counts is;
	int code = vs_tile_counts_shape(&is, r, has);

	if (code || !*has)
		return code;
	if (!vs_tile_counts_alike(&is, c))
		return vs_fail(VS_EINPUT,
			"%s: " GROUP " has other buckets than values of the "
			"run; recreate the file",
			vs_h5_reader_path(r));
	for (int h = 0; h < 2 && !code; h++) {
		code = vs_h5_reader_column(r, half[h], VS_U64, NULL, &n, &part);
		for (size_t k = 0; k < c->n && !code; k++)
			c->count[k] += (vs_wide)part[k] << 64 * h;
		free(part);
		part = NULL;
	}
	return code;
}
