/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of finished tiles, in a file. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/tile_counts.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct group {
	const char *group, *half[2];
};

static const struct group groups[VS_TILE_KINDS] = {
	[VS_TILE_HISTOGRAM] = { "/histogram",
		{ "/histogram/low", "/histogram/high" } },
	[VS_TILE_SUMMARY] = { "/summary", { "/summary/low", "/summary/high" } },
};

int
vs_tile_counts_like(struct vs_tile_counts *c,
	const struct vs_tile_counts *other)
{
	memset(c, 0, sizeof(*c));
	if (!other || !other->count)
		return 0;
	*c = *other;
	c->count = NULL;
	return vs_mem_new(&c->count, c->n, sizeof(*c->count), "counters");
}

void
vs_tile_counts_free(struct vs_tile_counts *c)
{
	free(c->count);
	memset(c, 0, sizeof(*c));
}

void
vs_tile_counts_add(struct vs_tile_counts *c, const struct vs_counted *more)
{
	for (; c->count && more && more->n; more++)
		for (size_t k = 0; k < more->n; k++)
			c->count[more->at + k] += more->count[k];
}

const struct vs_counted *
vs_tile_counts_all(const struct vs_tile_counts *c, struct vs_counted list[2])
{
	list[0] = (struct vs_counted){ c->count, 0, c->n };
	list[1] = (struct vs_counted){ 0 };
	return c->count ? list : NULL;
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
	const struct group *g;
	uint64_t *part = NULL;
	int code;

	if (!c || !c->count)
		return 0;
	g = &groups[c->kind];
	vs_h5_writer_group(w, g->group);
	vs_h5_writer_i32(w, g->group, "n_row", &c->n_row, 1);
	vs_h5_writer_i64(w, g->group, "least", &c->least, 1);
	vs_h5_writer_i64(w, g->group, "n_bucket", &c->n_bucket, 1);
	code = vs_mem_room(&part, c->n, sizeof(*part), "counters");
	for (int h = 0; h < 2 && !code; h++) {
		for (size_t k = 0; k < c->n; k++)
			part[k] = (uint64_t)(c->count[k] >> 64 * h);
		code = vs_h5_writer_column(w, g->half[h], VS_U64, part, c->n,
			codec);
	}
	free(part);
	return code;
}

bool
vs_tile_counts_alike(const struct vs_tile_counts *a,
	const struct vs_tile_counts *b)
{
	return a->kind == b->kind && a->n_row == b->n_row &&
		a->least == b->least && a->n_bucket == b->n_bucket &&
		a->n == b->n;
}

int
vs_tile_counts_shape(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has)
{
	const char *group = NULL;
	int code = 0;

	memset(c, 0, sizeof(*c));
	*has = false;
	for (int k = 0; k < VS_TILE_KINDS && !code && !*has; k++) {
		c->kind = k;
		group = groups[k].group;
		code = vs_h5_reader_has(r, group, has);
	}
	if (code || !*has)
		return code;
	if ((code = vs_h5_reader_i32(r, group, "n_row", &c->n_row, 1)) ||
		(code = vs_h5_reader_i64(r, group, "least", &c->least, 1)) ||
		(code = vs_h5_reader_i64(r, group, "n_bucket", &c->n_bucket,
			 1)))
		return code;
	if (c->n_row < 1 || c->n_bucket < 1 ||
		__builtin_mul_overflow(c->n_row, c->n_bucket, &c->n) ||
		__builtin_add_overflow(c->n, vs_tile_counts_more(c->kind),
			&c->n))
		return vs_fail(VS_EINPUT,
			"%s: %s states a number of buckets that cannot be; run "
			"vsim-run again",
			vs_h5_reader_path(r), group);
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
			"%s: %s has other buckets than values of the run; "
			"recreate the file",
			vs_h5_reader_path(r), groups[is.kind].group);
	for (int h = 0; h < 2 && !code; h++) {
		code = vs_h5_reader_column(r, groups[c->kind].half[h], VS_U64,
			&n, &part);
		for (size_t k = 0; k < c->n && !code; k++)
			c->count[k] += (vs_wide)part[k] << 64 * h;
		free(part);
		part = NULL;
	}
	return code;
}
