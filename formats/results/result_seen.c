/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the records read from a result, beyond the rules of its run. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rising.h"
#include "libcore/bits/record_digest.h"
#include "libcore/plan/tile_bounds.h"

/* A tile that has records. */
struct seen_tile {
	uint64_t first, count; /* rows */
	int32_t bi, bj;
	struct vs_digest_sum stated;
	struct vs_digest_sum sum; /* of those seen */
	/* whether its pairs are tracked by bits, from its first row on, and
	 * whether all were, up to its last */
	bool begun, counted;
};

struct vs_result_seen {
	struct vs_digest_sum sum;
	_Atomic uint64_t counts, n;
	struct vs_plan plan;
	struct seen_tile *tile;
	size_t n_tile;
	int64_t *place;         /* places in the grid; null: their rows */
	_Atomic uint64_t *once; /* a bit for each block seen; or null */
	/* for a shard: the first and last record of each block; whether the
	 * records of some tile do not ascend, or were read in other parts */
	struct vs_record (*edge)[2];
	atomic_bool mixed;
	/* for the dense tile that a single thread is reading, a bit for each
	 * cell of its pairs met; and room in 64-bit words */
	uint64_t *met;
	size_t room;
	uint64_t next; /* row after those that were met */
};

/* Ascending records of a tile in any file of ours, which are written in batches
 * of this size; and most words of bits. */
#define FEW 32768
#define MOST_WORDS (1u << 23)

/* List the tiles that have records. */
static int
take_tiles(struct vs_result_seen *seen, struct vs_result *r)
{
	struct vs_tile_row *row = NULL;
	size_t n = 0;
	int code = vs_mem_new(&seen->edge, r->n_records / VS_RESULT_BLOCK + 1,
		sizeof(*seen->edge), "blocks of records");

	if (!code)
		code = vs_run_plan(&r->run, &seen->plan);

	if (!code)
		code = vs_result_tiles(r, &row, &n);
	VS_MEM_ROOM(&code, seen->tile, n, "tiles");
	for (size_t k = 0; k < n && !code; k++)
		if (row[k].count)
			seen->tile[seen->n_tile++] = (struct seen_tile){
				.first = (uint64_t)row[k].first,
				.count = (uint64_t)row[k].count,
				.bi = row[k].bi,
				.bj = row[k].bj,
				.stated = row[k].sum
			};
	free(row);
	return code;
}

int
vs_result_watch(struct vs_result *r, bool again)
{
	const uint64_t n_block = r->n_records / VS_RESULT_BLOCK + 1;
	struct vs_result_seen *seen = NULL;
	int code = 0;

	if (r->seen)
		return 0;
	code = vs_mem_new(&seen, 1, sizeof(*seen), "sums of records");
	if (again)
		VS_MEM_NEW(&code, seen->once, n_block / 64 + 1,
			"blocks of records");
	if (!code)
		code = vs_wanted_places(&r->run.wanted, &seen->place);
	if (!code && r->kind == VS_KIND_SHARD)
		code = take_tiles(seen, r);
	if (code)
		vs_result_seen_free(seen);
	else
		r->seen = seen;
	return code;
}

void
vs_result_seen_free(struct vs_result_seen *seen)
{
	if (!seen)
		return;
	free(seen->tile);
	free(seen->place);
	free(seen->once);
	free(seen->edge);
	free(seen->met);
	free(seen);
}

/* ---- what is read ---- */

/* Index of the tile that a row belongs to. */
static size_t
tile_at(const struct vs_result_seen *seen, uint64_t row)
{
	return seen->n_tile ? vs_rising_last(&seen->tile->first,
				      sizeof(*seen->tile), seen->n_tile, row)
			    : 0;
}

static inline void
places_of(const int64_t *place, const struct vs_record *rec, uint64_t at[3])
{
	at[0] = rec->i;
	at[1] = rec->j;
	at[2] = rec->k;
	if (place)
		vs_wanted_places_of(place, rec, at);
}

static int
wrong_tile(const struct vs_result *r, const struct seen_tile *t,
	const struct vs_record *rec, uint64_t row)
{
	return vs_fail(VS_EINPUT,
		"%s: /records: row %llu: vectors %u and %u do not belong to "
		"tile %d %d; recreate the file",
		vs_h5_reader_path(r->file), (unsigned long long)row, rec->i,
		rec->j, t->bi, t->bj);
}

int
vs_result_comes_twice(const struct vs_result *r, const struct vs_record *rec)
{
	return vs_fail(VS_EINPUT,
		"%s: /records: pair %u %u cell %u comes twice; restore the "
		"shard or recreate it",
		vs_h5_reader_path(r->file), rec->i, rec->j, rec->cell);
}

/* Set up bits for a tile with these bounds, if it is dense and these are its
 * rows in order. */
static int
begin_met(struct vs_result_seen *seen, struct seen_tile *t,
	const struct vs_tile_bounds *of, uint64_t row, bool *bits)
{
	const uint64_t words = of->n[0] * of->n[1] / 16 + 1;
	int code = 0;

	*bits = t->count > FEW && words <= MOST_WORDS &&
		(row == t->first || (t->begun && row == seen->next));
	if (!*bits || row != t->first)
		return 0;
	code = vs_mem_grow(&seen->met, &seen->room, words, sizeof(*seen->met),
		"bits of pairs");
	if (!code)
		memset(seen->met, 0, words * sizeof(*seen->met));
	t->begun = !code;
	return code;
}

/* Check that pairs of a tile are met for the first time. */
static int
check_met(const struct vs_result *r, struct seen_tile *t,
	const struct vs_tile_bounds *of, const struct vs_record *rec,
	uint64_t row, size_t n)
{
	const uint64_t first = of->lo[0], second = of->lo[1],
		       n_second = of->n[1];
	struct vs_result_seen *seen = r->seen;
	const int64_t *place = seen->place;
	uint64_t *met = seen->met, at[3];

	for (size_t k = 0; k < n; k++) {
		uint64_t bit, mask;

		places_of(place, &rec[k], at);
		bit = ((at[0] - first) * n_second + (at[1] - second)) * 4 +
			(rec[k].cell & 3);
		mask = 1ull << bit % 64;
		if (met[bit / 64] & mask)
			return vs_result_comes_twice(r, &rec[k]);
		met[bit / 64] |= mask;
	}
	seen->next = row + n;
	t->counted = seen->next == t->first + t->count;
	return 0;
}

/* Check that the records from their first row on belong to the tile. */
static int
check_tile(const struct vs_result *r, struct seen_tile *t,
	const struct vs_record *rec, uint64_t row, size_t n, bool alone)
{
	bool bits = false;
	int code = 0;
	struct vs_result_seen *seen = r->seen;
	struct vs_tile_bounds of;
	const int64_t *place = seen->place;
	uint64_t at[3];
	bool all = true, rise = true;

	vs_tile_bounds_make(&of, &seen->plan, t->bi, t->bj, r->run.n_way);
	for (size_t k = 0; k < n; k++) {
		places_of(place, &rec[k], at);
		all &= vs_tile_bounds_has(&of, at[0], at[1], at[2]);
	}
	for (size_t k = 0; k < n && !all; k++) {
		places_of(place, &rec[k], at);
		if (!vs_tile_bounds_has(&of, at[0], at[1], at[2]))
			return wrong_tile(r, t, &rec[k], row + k);
	}
	if (alone && r->run.n_way == 2)
		code = begin_met(seen, t, &of, row, &bits);
	if (!code && bits)
		return check_met(r, t, &of, rec, row, n);
	for (size_t k = 1; k < n; k++)
		rise &= vs_record_is_before(&rec[k - 1], &rec[k]);
	if (!rise)
		seen->mixed = true;
	return code;
}

static int
check_sets(const struct vs_result *r, const struct vs_record *rec, uint64_t row,
	size_t n)
{
	for (size_t k = 0; k < n && r->seen->place; k++)
		if (!vs_wanted_has(&r->run.wanted, &rec[k]))
			return vs_fail(VS_EINPUT,
				"%s: /records: row %llu: vectors %u and %u are "
				"not of two sets; recreate the file",
				vs_h5_reader_path(r->file),
				(unsigned long long)(row + k), rec[k].i,
				rec[k].j);
	return 0;
}

/* True if all rows of a block have been seen before. */
static bool
again(const struct vs_result *r, const struct vs_record *rec, uint64_t row,
	size_t n)
{
	const uint64_t block = row / VS_RESULT_BLOCK, bit = 1ull << block % 64;
	const bool whole = row % VS_RESULT_BLOCK == 0 &&
		(n == VS_RESULT_BLOCK || row + n == r->n_records);
	struct vs_result_seen *seen = r->seen;

	if (whole && seen->once &&
		atomic_fetch_or(&seen->once[block / 64], bit) & bit)
		return true;
	if (whole && seen->edge) {
		seen->edge[block][0] = rec[0];
		seen->edge[block][1] = rec[n - 1];
	} else {
		seen->mixed = true;
	}
	return false;
}

int
vs_result_see(const struct vs_result *r, const struct vs_record *rec,
	uint64_t row, size_t n, bool alone)
{
	struct vs_result_seen *seen = r->seen;
	struct vs_digest_sum all = { { 0, 0 } };
	int code = 0;

	if (!n || again(r, rec, row, n))
		return 0;
	code = check_sets(r, rec, row, n);
	if (r->has_counts)
		seen->counts += vs_digest_counts(rec, n, r->run.has_num,
			r->run.has_nvalid);
	seen->n += n;
	if (!seen->n_tile)
		vs_record_digest_sum(&all, rec, n);
	for (size_t t = tile_at(seen, row), now; n && seen->n_tile && !code;
		t++, rec += now, row += now, n -= now) {
		uint64_t end = t + 1 < seen->n_tile ? seen->tile[t + 1].first
						    : r->n_records;
		struct vs_digest_sum sum = { { 0, 0 } };

		now = end - row < n ? (size_t)(end - row) : n;
		code = check_tile(r, &seen->tile[t], rec, row, now, alone);
		vs_record_digest_sum(&sum, rec, now);
		vs_digest_sum_add_shared(&seen->tile[t].sum, &sum);
		vs_digest_sum_add(&all, &sum);
	}
	vs_digest_sum_add_shared(&seen->sum, &all);
	return code;
}

/* ---- the sums ---- */

static bool
is_sum(const struct vs_digest_sum *found, const struct vs_digest_sum *stated,
	uint64_t times)
{
	return found->h[0] == times * stated->h[0] &&
		found->h[1] == times * stated->h[1];
}

int
vs_result_seen_check(const struct vs_result *r)
{
	const struct vs_result_seen *seen = r->seen;
	/* records read twice count twice in the sum */
	uint64_t times = seen && r->n_records ? seen->n / r->n_records : 0;
	const char *path = vs_h5_reader_path(r->file);

	if (!seen || seen->n != times * r->n_records)
		return vs_h5_reader_unchanged(r->file);
	if (!is_sum(&seen->sum, &r->sum, times) ||
		(r->has_counts && seen->counts != times * r->counts))
		return vs_fail(VS_EINPUT,
			"%s: is damaged: its records do not have the sum it "
			"states; restore it or recreate it",
			path);
	for (size_t t = 0; t < seen->n_tile; t++)
		if (!is_sum(&seen->tile[t].sum, &seen->tile[t].stated, times))
			return vs_fail(VS_EINPUT,
				"%s: is damaged: the records of tile %d %d do "
				"not have the sum it states; restore the file "
				"or recreate it",
				path, seen->tile[t].bi, seen->tile[t].bj);
	return vs_h5_reader_unchanged(r->file);
}

bool
vs_result_seen_once(const struct vs_result *r)
{
	const struct vs_result_seen *seen = r->seen;

	if (!seen || !seen->edge || seen->mixed || seen->n != r->n_records)
		return false;
	for (size_t t = 0; t < seen->n_tile; t++)
		if (seen->tile[t].begun && !seen->tile[t].counted)
			return false;
	for (uint64_t row = VS_RESULT_BLOCK; row < r->n_records;
		row += VS_RESULT_BLOCK) {
		const struct seen_tile *t = &seen->tile[tile_at(seen, row)];
		const struct vs_record(*edge)[2] =
			&seen->edge[row / VS_RESULT_BLOCK];

		if (t->first != row && !t->counted &&
			!vs_record_is_before(&edge[-1][1], &edge[0][0]))
			return false;
	}
	return true;
}
