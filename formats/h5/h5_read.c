/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel reader of chunked HDF5 data sets, row by row. */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/team.h"

/* Rows of a band of chunks: the last one may be short. */
static uint64_t
band_rows(const struct vs_h5_grid *g, uint64_t band)
{
	uint64_t left = g->dim[0] - band * g->chunk[0];

	return left < g->chunk[0] ? left : g->chunk[0];
}

/* Record why a chunk cannot be unpacked. returns  code */
static int
bad_chunk(struct vs_h5_reader_data *d, uint64_t band, uint64_t part, int code,
	const char *why)
{
	if (code == VS_EMACHINE)
		return vs_fail(code, "%s: %s: %s", d->r->path, d->path, why);
	return vs_fail(VS_EINPUT,
		"%s: is damaged: %s: chunk %llu,%llu: %s; "
		"restore it or recreate it",
		d->r->path, d->path, (unsigned long long)band,
		(unsigned long long)part, why);
}

/*
 * Read a stored chunk into a slot. One thread at a time may be in HDF5: the
 * caller is in the section vs_h5_fetch. 0; VS_EINPUT; VS_EMACHINE
 */
static int
fetch_chunk(struct vs_h5_reader_data *d, uint64_t band, uint64_t part,
	struct vs_h5_slot *slot)
{
	const struct vs_h5_grid *g = &d->grid;
	hsize_t offset[VS_H5_MAX_DIMS], stored = 0;
	uint32_t mask = 0;
	int code;

	vs_h5_grid_offset(g, band, part, offset);
	if (H5Dget_chunk_storage_size(d->set, offset, &stored) < 0)
		return vs_h5_fail(VS_EINPUT, d->r->path, "read", d->path);
	if (!stored || stored > vs_codec_bound(d->codec, g->chunk_bytes))
		return bad_chunk(d, band, part, VS_EINPUT,
			stored ? "stored with more bytes than it can have"
			       : "missing");
	code = vs_mem_grow(&slot->bytes, &slot->room, stored, 1, d->path);
	if (code)
		return code;
	slot->n = stored;
	if (H5Dread_chunk(d->set, H5P_DEFAULT, offset, &mask, slot->bytes) < 0)
		return vs_h5_fail(VS_EINPUT, d->r->path, "read", d->path);
	return mask ? bad_chunk(d, band, part, VS_EINPUT,
			      "not packed as its data set says")
		    : 0;
}

/* True if a chunk holds the rows of its band, contiguous. */
static bool
chunk_is_rows(const struct vs_h5_grid *g)
{
	return g->n_part == 1 && g->chunk_bytes == g->chunk[0] * g->row_bytes;
}

/* Rows [lo, hi) of a data set without chunks; likewise. Unfiltered, so HDF5
 * reads it safely. */
static int
read_plain(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi, void *out)
{
	hid_t space = H5Dget_space(d->set), memory = -1,
	      type = H5Dget_type(d->set);
	hsize_t start[VS_H5_MAX_DIMS] = { lo }, n[VS_H5_MAX_DIMS];
	int n_dim = d->grid.n_dim, code = 0;

	n[0] = hi - lo;
	if (n_dim > 1)
		n[n_dim - 1] = d->grid.dim[2];
	if (n_dim > 2)
		n[1] = d->grid.dim[1];
	memory = H5Screate_simple(n_dim, n, NULL);
	if (space < 0 || memory < 0 || type < 0 ||
		H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n,
			NULL) < 0 ||
		H5Dread(d->set, type, memory, space, H5P_DEFAULT, out) < 0)
		code = vs_h5_fail(VS_EINPUT, d->r->path, "read", d->path);
	vs_h5_close(memory);
	vs_h5_close(space);
	vs_h5_close(type);
	return code;
}

/* Check that rows [lo, hi) exist. 0; VS_EINPUT */
static int
check_range(const struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi)
{
	return hi <= d->grid.dim[0] && lo <= hi
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: %s: has %llu rows, row %llu is "
			  "asked for",
			  d->r->path, d->path,
			  (unsigned long long)d->grid.dim[0],
			  (unsigned long long)hi);
}

/* ---- by a thread of its own ---- */

/* Unpack what is stored into the rows of its band; null: leave them in the
 * thread's chunk. */
static int
unpack_one(struct vs_h5_reader_data *d, struct vs_h5_unpacker *u, uint64_t band,
	uint64_t part, uint8_t **rows)
{
	const struct vs_h5_grid *g = &d->grid;
	uint64_t n_rows = band_rows(g, band);
	bool whole = *rows && chunk_is_rows(g) && n_rows == g->chunk[0];
	uint8_t *to = whole ? *rows : u->chunk.bytes;
	const char *why = NULL;
	int code = vs_codec_unpack(u->codec, d->codec, d->shuffle ? g->size : 1,
		u->stored.bytes, u->stored.n, to, g->chunk_bytes, &why);

	if (code)
		return bad_chunk(d, band, part, code, why);
	if (*rows && !whole)
		vs_h5_grid_scatter(g, part, to, *rows, n_rows);
	if (!*rows)
		*rows = to;
	return 0;
}

/* Fetch and unpack a band whose chunk is its rows. */
static int
unpack_band(struct vs_h5_reader_data *d, struct vs_h5_unpacker *u,
	uint64_t band, uint8_t *rows)
{
	int code = vs_h5_unpacker_fit(u, d->grid.chunk_bytes);

	if (code)
		return code;
#pragma omp critical(vs_h5_fetch)
	code = fetch_chunk(d, band, 0, &u->stored);
	return code ? code : unpack_one(d, u, band, 0, &rows);
}

int
vs_h5_unpacker_rows(struct vs_h5_unpacker *u, struct vs_h5_reader_data *d,
	uint64_t lo, uint64_t hi, void *out)
{
	const struct vs_h5_grid *g = &d->grid;
	uint8_t *to = out;
	uint64_t end;
	int code = check_range(d, lo, hi);

	if (!code && !d->chunked && lo < hi) {
#pragma omp critical(vs_h5_fetch)
		code = read_plain(d, lo, hi, out);
		return code;
	}
	for (; lo < hi && !code; to += (end - lo) * g->row_bytes, lo = end) {
		uint64_t band = lo / g->chunk[0], first = band * g->chunk[0];
		bool whole = lo == first && first + g->chunk[0] <= hi;

		end = first + g->chunk[0] < hi ? first + g->chunk[0] : hi;
		code = unpack_band(d, u, band, whole ? to : NULL);
		if (!code && !whole)
			memcpy(to, u->chunk.bytes + (lo - first) * g->row_bytes,
				(end - lo) * g->row_bytes);
	}
	return code;
}

#define WORTH (1u << 20) /* bytes of rows that justify a thread */

/* Parallel read of chunks; each thread takes some. */
struct reading {
	struct vs_h5_reader_data *d;
	uint64_t lo, next, end; /* first band; chunks by number */
	uint8_t *out;
	vs_h5_reader_sink *sink; /* not null: chunks are rows */
	void *ctx;
	int code;
};

/* Read the next chunk into a slot. Returns false if none is left. */
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
			r->code = fetch_chunk(r->d, *chunk / n_part,
				*chunk % n_part, slot);
		more = !r->code && r->next++ < r->end;
	}
	return more;
}

static int
read_on(void *reading, size_t k, int thread)
{
	struct reading *r = reading;
	const struct vs_h5_grid *g = &r->d->grid;
	struct vs_h5_unpacker *u = &r->d->r->bench.thread[k];
	uint64_t chunk;

	(void)thread;
	while (fetch_next(r, &u->stored, &chunk)) {
		uint64_t band = chunk / g->n_part, part = chunk % g->n_part;
		uint64_t at = band * g->chunk[0];
		uint8_t *rows = r->out
			? r->out + (band - r->lo) * g->chunk[0] * g->row_bytes
			: NULL;
		int code = unpack_one(r->d, u, band, part, &rows);

		if (!code && r->sink)
			code = r->sink(r->ctx, at, at + band_rows(g, band),
				rows);
		if (code) {
#pragma omp critical(vs_h5_fetch)
			r->code = code;
		}
	}
	return 0;
}

/* Run n parts, by the reader's threads if there are several. */
static int
run_parts(struct vs_h5_bench *b, vs_team_part *part, void *ctx, size_t n)
{
	int code = 0;

	if (n > 1 && !b->team)
		code = vs_team_new(&b->team, vs_h5_n_thread());
	if (code || n < 2)
		return code ? code : part(ctx, 0, 0);
	vs_team_start(b->team, part, ctx, n);
	return vs_team_wait(b->team);
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
	int n = vs_h5_n_thread(), code;

	if ((uint64_t)n > n_chunk)
		n = (int)n_chunk;
	code = vs_h5_bench_fit(&d->r->bench, 0, 0, g->chunk_bytes);
	if (!code)
		code = run_parts(&d->r->bench, read_on, &r, (size_t)n);
	return code ? code : r.code;
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
	int code = check_range(d, lo, hi);

	if (code || lo == hi)
		return code;
	if (!d->chunked)
		return read_plain(d, lo, hi, out);
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

/* Rows in memory, passed on one by one, in parts of `step`. */
struct passing {
	uint64_t lo, hi, step;
	const uint8_t *rows;
	size_t bytes;
	vs_h5_reader_sink *sink;
	void *ctx;
};

static int
pass_part(void *passing, size_t k, int thread)
{
	const struct passing *p = passing;
	uint64_t v = p->lo + k * p->step,
		 end = p->hi - v < p->step ? p->hi : v + p->step;
	int code = 0;

	(void)thread;
	for (; v < end && code >= 0; v++)
		code = p->sink(p->ctx, v, v + 1,
			p->rows + (v - p->lo) * p->bytes);
	return code < 0 ? code : 0;
}

static int
pass_rows(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	const uint8_t *rows, vs_h5_reader_sink *sink, void *ctx)
{
	size_t bytes = d->grid.row_bytes;
	uint64_t step = (hi - lo) * bytes > WORTH ? 64 : hi - lo;
	struct passing p = { lo, hi, step, rows, bytes, sink, ctx };

	return run_parts(&d->r->bench, pass_part, &p,
		step ? (hi - lo + step - 1) / step : 0);
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
	int code = check_range(d, lo, hi);

	if (d->chunked && chunk_is_rows(g)) {
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
	uint64_t *n, void *out)
{
	struct vs_h5_reader_data *d = NULL;
	void *rows = NULL;
	int code = vs_h5_reader_data(r, path, type, 1, n, NULL, &d);

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
