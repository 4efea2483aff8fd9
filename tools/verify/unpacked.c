/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache of unpacked vectors, one byte per genotype. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/metric/plain.h"
#include "tools/verify/unpacked.h"

#define N_LOAD 256 /* vectors at a time */

int
vs_unpacked_new(struct vs_unpacked *u, uint64_t memory)
{
	uint64_t n_vec = u->file->n_vec;
	int code = vs_mem_room(&u->slot, n_vec, sizeof(*u->slot), "vectors");

	u->room = memory / (u->n_byte ? u->n_byte : 1);
	if (u->room < VS_UNPACKED_LEAST)
		u->room = VS_UNPACKED_LEAST;
	if (u->room > n_vec)
		u->room = n_vec;
	if (!code)
		code = vs_mem_room(&u->bytes, u->room, u->n_byte, "vectors");
	if (!code)
		memset(u->slot, 0xff, n_vec * sizeof(*u->slot));
	return code;
}

bool
vs_unpacked_want(struct vs_unpacked *u, uint64_t index)
{
	if (u->slot[index] >= 0)
		return true;
	if (u->n == u->room)
		return false;
	u->slot[index] = (int64_t)u->n++;
	return true;
}

/* Slot of a row of the file. */
static int64_t
slot_of(const struct vs_unpacked *u, uint64_t row)
{
	return u->slot[u->in_source ? (uint64_t)u->source_row[row] : row];
}

static void
unpack(const struct vs_unpacked *u, const struct vs_vec *block, size_t at,
	uint64_t row)
{
	uint8_t *out = u->bytes + (size_t)slot_of(u, row) * u->n_byte;
	bool flip = u->in_source && u->allele1_source &&
		u->allele1_source[row] == VS_ALLELE_FIRST;

	for (size_t q = 0; q < u->n_byte; q++) {
		int x = vs_vec_get(block, at, q);

		/* the one allele of a haploid call counts twice */
		if (x == 1 && u->kind && u->kind[row] && u->sex[q] == 1)
			x = 2;
		out[q] = (uint8_t)(u->presence  ? x == 1
				: flip && x < 3 ? u->file->ploidy - x
						: x);
	}
}

static void
keep_numbers(const struct vs_unpacked *u, const uint8_t *row, uint64_t v)
{
	uint8_t *out = u->bytes + (size_t)slot_of(u, v) * u->n_byte;

	if (u->ranks)
		vs_plain_ranks(u->file->element, row, u->file->n_field,
			(double *)(void *)out);
	else
		memcpy(out, row, u->n_byte);
}

/* Read rows [lo, hi), at most N_LOAD; block or rows has room for them. */
static int
load_block(struct vs_unpacked *u, uint64_t lo, uint64_t hi,
	struct vs_vec *block, uint8_t *rows)
{
	int code = rows ? vs_packed_rows(u->file, lo, hi, rows)
			: vs_packed_read(u->file, lo, hi, block, 0);

	for (uint64_t v = lo; v < hi && !code; v++)
		if (rows)
			keep_numbers(u, rows + (v - lo) * u->file->row_bytes,
				v);
		else
			unpack(u, block, v - lo, v);
	return code;
}

int
vs_unpacked_load(struct vs_unpacked *u)
{
	int64_t there = (int64_t)u->n_loaded;
	struct vs_vec block = { 0 };
	uint8_t *rows = NULL;
	int code = 0;

	if (vs_element_is_number(u->file->element))
		code = vs_mem_new(&rows, N_LOAD, u->file->row_bytes, "vectors");
	else
		code = vs_vec_new(&block, N_LOAD, u->n_byte);
	for (uint64_t lo = 0, hi; lo < u->file->n_vec && !code; lo = hi) {
		hi = lo;
		while (hi < u->file->n_vec && hi - lo < N_LOAD &&
			slot_of(u, hi) >= there)
			hi++;
		if (hi == lo)
			hi++;
		else
			code = load_block(u, lo, hi, &block, rows);
	}
	u->n_loaded = u->n;
	free(rows);
	vs_vec_free(&block);
	return code;
}

void
vs_unpacked_keep(struct vs_unpacked *u, uint64_t n)
{
	for (uint64_t v = 0; v < u->file->n_vec && n < u->n; v++)
		if (u->slot[v] >= (int64_t)n)
			u->slot[v] = -1;
	u->n = n < u->n ? n : u->n;
	u->n_loaded = u->n_loaded < u->n ? u->n_loaded : u->n;
}

const uint8_t *
vs_unpacked_get(const struct vs_unpacked *u, uint64_t index)
{
	return u->bytes + (size_t)u->slot[index] * u->n_byte;
}

void
vs_unpacked_free(struct vs_unpacked *u)
{
	free(u->slot);
	free(u->bytes);
	u->slot = NULL;
	u->bytes = NULL;
}
