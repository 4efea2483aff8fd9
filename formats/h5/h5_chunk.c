/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored chunks of a data set, fetched one by one, unpacked by any thread. */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_chunk.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

uint64_t
vs_h5_chunk_rows(const struct vs_h5_grid *g, uint64_t band)
{
	uint64_t left = g->dim[0] - band * g->chunk[0];

	return left < g->chunk[0] ? left : g->chunk[0];
}

int
vs_h5_chunk_bad(struct vs_h5_reader_data *d, uint64_t band, uint64_t part,
	int code, const char *why)
{
	if (code == VS_EMACHINE)
		return vs_fail(code, "%s: %s: %s", d->r->path, d->path, why);
	return vs_fail(VS_EINPUT,
		"%s: is damaged: %s: chunk %llu,%llu: %s; "
		"restore it or make it anew",
		d->r->path, d->path, (unsigned long long)band,
		(unsigned long long)part, why);
}

int
vs_h5_chunk_fetch(struct vs_h5_reader_data *d, uint64_t band, uint64_t part,
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
		return vs_h5_chunk_bad(d, band, part, VS_EINPUT,
			stored ? "stored with more bytes than it can have"
			       : "missing");
	code = vs_mem_grow(&slot->bytes, &slot->room, stored, 1, d->path);
	if (code)
		return code;
	slot->n = stored;
	if (H5Dread_chunk(d->set, H5P_DEFAULT, offset, &mask, slot->bytes) < 0)
		return vs_h5_fail(VS_EINPUT, d->r->path, "read", d->path);
	return mask ? vs_h5_chunk_bad(d, band, part, VS_EINPUT,
			      "not packed as its data set says")
		    : 0;
}

bool
vs_h5_chunk_are_rows(const struct vs_h5_grid *g)
{
	return g->n_part == 1 && g->chunk_bytes == g->chunk[0] * g->row_bytes;
}

/* Unfiltered, so HDF5 reads it safely. */
int
vs_h5_chunk_plain(struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi,
	void *out)
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
	if (memory >= 0)
		H5Sclose(memory);
	if (space >= 0)
		H5Sclose(space);
	if (type >= 0)
		H5Tclose(type);
	return code;
}

int
vs_h5_chunk_range(const struct vs_h5_reader_data *d, uint64_t lo, uint64_t hi)
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

struct vs_h5_unpacker {
	struct vs_codec_state *codec;
	struct vs_h5_slot stored, chunk;
};

int
vs_h5_unpacker_new(struct vs_h5_unpacker **u)
{
	struct vs_h5_unpacker *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "chunk");

	if (!code)
		code = vs_codec_new(&p->codec);
	if (code) {
		free(p);
		return code;
	}
	*u = p;
	return 0;
}

void
vs_h5_unpacker_free(struct vs_h5_unpacker *u)
{
	if (!u)
		return;
	vs_codec_free(u->codec);
	free(u->stored.bytes);
	free(u->chunk.bytes);
	free(u);
}

/* Unpack a band whose chunk is its rows: into out or, where that is null, into
 * the chunk of u. */
static int
unpack_band(struct vs_h5_reader_data *d, struct vs_h5_unpacker *u,
	uint64_t band, uint8_t *out)
{
	const struct vs_h5_grid *g = &d->grid;
	const char *why = NULL;
	int code;

#pragma omp critical(vs_h5_fetch)
	code = vs_h5_chunk_fetch(d, band, 0, &u->stored);
	if (!code && !out) {
		code = vs_mem_grow(&u->chunk.bytes, &u->chunk.room,
			g->chunk_bytes, 1, d->path);
		out = u->chunk.bytes;
	}
	if (code)
		return code;
	code = vs_codec_unpack(u->codec, d->codec, d->shuffle ? g->size : 1,
		u->stored.bytes, u->stored.n, out, g->chunk_bytes, &why);
	return code ? vs_h5_chunk_bad(d, band, 0, code, why) : 0;
}

int
vs_h5_unpacker_rows(struct vs_h5_unpacker *u, struct vs_h5_reader_data *d,
	uint64_t lo, uint64_t hi, void *out)
{
	const struct vs_h5_grid *g = &d->grid;
	uint8_t *to = out;
	uint64_t end;
	int code = vs_h5_chunk_range(d, lo, hi);

	if (!code && !d->chunked && lo < hi) {
#pragma omp critical(vs_h5_fetch)
		code = vs_h5_chunk_plain(d, lo, hi, out);
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
