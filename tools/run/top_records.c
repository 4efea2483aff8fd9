/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the N strongest records over all ranks: option --top. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/result_seen.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"
#include "tools/run/options.h"
#include "tools/run/top_records.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"

struct vs_top_records {
	struct vs_strongest best;
	bool f32;
	double shared_threshold;
	/* tiles taken, or searched above a number, without records; may contain
	 * duplicates */
	struct vs_tile_done *tile;
	size_t n_tile, room_tile;
	struct vs_tile_counts counts; /* the histogram of those taken */
	struct vs_vector_names_map map;
	struct vs_text_pool old; /* files whose tiles are all among these */
	double saved;            /* when the last file was made */
};

static int
make(struct vs_top_records **out, uint64_t n, bool f32, enum vs_strong strong,
	const struct vs_tile_counts *counts, struct vs_packed *vectors)
{
	struct vs_top_records *s = NULL;
	int code = vs_mem_new(&s, 1, sizeof(*s), "strongest records");

	if (code)
		return code;
	s->best.most = (size_t)n;
	s->best.order = vs_record_strongest_first(strong);
	s->f32 = f32;
	s->shared_threshold = -INFINITY;
	s->saved = vs_clock();
	code = vs_vector_names_map_read(&s->map, vectors);
	if (!code)
		code = vs_tile_counts_like(&s->counts, counts);
	if (code)
		vs_top_records_free(s);
	else
		*out = s;
	return code;
}

/*
 * A value below the weakest of the strongest is out; an equal one may rank
 * before it. If values are rounded to float, even a lower one may be.
 */
void
vs_top_records_raise(double *threshold, struct vs_strongest *best, bool f32)
{
	const struct vs_record *last;
	double weakest;

	if (best->n >= best->most && !vs_strongest_weakest(best))
		vs_strongest_trim(best);
	last = vs_strongest_weakest(best);
	if (!last)
		return;
	weakest = vs_record_strength(best->order, last);
	weakest = f32 ? (double)nextafterf((float)weakest, -INFINITY)
		      : nextafter(weakest, -INFINITY);
	vs_query_raise_threshold(threshold, weakest);
}

int
vs_top_records_begin(struct vs_top_records **s,
	const struct vs_tile_counts *counts, struct vs_setup *ask)
{
	int code = make(s, (uint64_t)vs_options.top,
		!strcmp(vs_options.value, "f32"), vs_query_strong(&ask->query),
		counts, ask->packed);

	if (code)
		return code;
	ask->query.shared_threshold = vs_top_records_rising(*s);
	ask->query.n_strongest = (uint64_t)vs_options.top;
	snprintf(ask->run.selection, sizeof(ask->run.selection), "top %lld",
		(long long)vs_options.top);
	return 0;
}

void
vs_top_records_free(struct vs_top_records *s)
{
	if (!s)
		return;
	vs_strongest_free(&s->best);
	free(s->tile);
	vs_tile_counts_free(&s->counts);
	vs_vector_names_map_free(&s->map);
	vs_text_pool_free(&s->old);
	free(s);
}

double *
vs_top_records_rising(struct vs_top_records *s)
{
	return &s->shared_threshold;
}

/* Order by tile; within a tile a complete entry comes first, then the one that
 * was searched down to the lowest value. */
static int
by_tile(const void *a, const void *b)
{
	const struct vs_tile_done *x = a, *y = b;

	if (x->bi != y->bi || x->bj != y->bj)
		return x->bi != y->bi ? x->bi < y->bi ? -1 : 1
				      : (x->bj > y->bj) - (x->bj < y->bj);
	if (x->last != y->last)
		return y->last - x->last;
	return (x->above > y->above) - (x->above < y->above);
}

/* Sort the tiles and drop duplicates. */
static void
sort_tiles(struct vs_top_records *s)
{
	size_t n = 0;

	if (s->n_tile)
		qsort(s->tile, s->n_tile, sizeof(*s->tile), by_tile);
	for (size_t k = 0; k < s->n_tile; k++)
		if (!n || s->tile[k].bi != s->tile[n - 1].bi ||
			s->tile[k].bj != s->tile[n - 1].bj)
			s->tile[n++] = s->tile[k];
	s->n_tile = n;
}

static int
list_tile(struct vs_top_records *s, const struct vs_tile_done *tile)
{
	int code;

	if (s->n_tile == s->room_tile)
		sort_tiles(s);
	code = vs_mem_grow(&s->tile, &s->room_tile,
		s->n_tile + s->n_tile / 2 + 1, sizeof(*s->tile),
		"list of tiles");
	if (code)
		return code;
	s->tile[s->n_tile++] = (struct vs_tile_done){ .bi = tile->bi,
		.bj = tile->bj,
		.last = tile->last,
		.above = tile->above,
		.evaluated = tile->evaluated,
		.seconds = tile->seconds };
	return 0;
}

int
vs_top_records_add(struct vs_top_records *s, const struct vs_tile_done *tile)
{
	int code = 0;

	for (size_t k = 0; k < tile->n && !code; k++)
		if (vs_record_strength(s->best.order, &tile->rec[k]) >
			s->shared_threshold)
			code = vs_strongest_add(&s->best, &tile->rec[k]);
	if (code)
		return code;
	vs_top_records_raise(&s->shared_threshold, &s->best, s->f32);
	if (tile->last)
		vs_tile_counts_add(&s->counts, tile->counts);
	return tile->last || tile->searched ? list_tile(s, tile) : 0;
}

/* ---- over all ranks ---- */

/* A record of the rank that gives one, on all ranks. */
static struct vs_record
share(const struct vs_record *rec)
{
	uint64_t word[sizeof(*rec) / 8] = { 0 };
	struct vs_record shared;

	if (rec)
		memcpy(word, rec, sizeof(word));
	vs_comm_sum_u64(word, sizeof(word) / 8);
	memcpy(&shared, word, sizeof(word));
	return shared;
}

/*
 * Keep the strongest of all ranks: all records before `lo`, `left` of those up
 * to hi, and none after. The middle one of the rank with most in between
 * decides about half of these; all ranks take the same steps.
 */
static void
agree(struct vs_top_records *s)
{
	struct vs_strongest *of = &s->best;
	const int size = vs_comm_size(), rank = vs_comm_rank();
	uint64_t all = of->n, left = of->most;
	size_t lo = 0, hi = of->n;

	vs_comm_sum_u64(&all, 1);
	while (left && all > left) {
		const double mine = (double)(hi - lo) * size + rank;
		double most = mine;
		struct vs_record middle;
		size_t at[2];
		uint64_t n[2]; /* records before it, and with it */

		vs_comm_max_f64(&most, 1);
		middle = share(
			most == mine ? &of->rec[lo + (hi - lo) / 2] : NULL);
		for (int with = 0; with < 2; with++) {
			at[with] = lo +
				vs_record_before(of->order, of->rec + lo,
					hi - lo, &middle, with);
			n[with] = at[with] - lo;
		}
		vs_comm_sum_u64(n, 2);
		if (n[0] >= left) {
			hi = at[0];
			all = n[0];
		} else {
			lo = at[1];
			all -= n[1];
			left -= n[1] < left ? n[1] : left;
		}
	}
	of->n = of->n_sorted = left ? hi : lo;
}

/* ---- tile by tile ---- */

struct placed {
	int64_t bi, bj;
	const struct vs_record *rec;
};

static struct placed
find_tile(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *r)
{
	struct placed p = { .rec = r };

	vs_plan_tile_of(plan, vs_wanted_tile_of(plan, place, r), &p.bi, &p.bj);
	return p;
}

static int
by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->bi != y->bi    ? x->bi < y->bi ? -1 : 1
		: x->bj != y->bj ? x->bj < y->bj ? -1 : 1
				 : vs_record_compare(x->rec, y->rec);
}

static void
sum(struct vs_tile_done *t, const struct vs_vector_names_map *map)
{
	for (size_t k = 0; k < t->n; k++) {
		struct vs_record r = t->rec[k];

		vs_digest_sum_record(&t->sum, r.i, r.j, r.k, r.cell, r.value);
		vs_run_record_to_source(&r, map->row, map->allele1);
		vs_digest_sum_record(&t->renamed, r.i, r.j, r.k, r.cell,
			r.value);
	}
}

static bool
before(const struct placed *x, const struct vs_tile_done *t)
{
	return x->bi != t->bi ? x->bi < t->bi : x->bj < t->bj;
}

/* Tiles that are complete if above is null, else those searched above a
 * number. */
static bool
is_such(const struct vs_tile_done *t, const double *above)
{
	return above ? !t->last && t->above == *above : t->last;
}

/* Tiles and records are in the same order. */
static int
give(struct vs_top_records *s, const double *above, const struct placed *at,
	struct vs_record *sorted, struct vs_record_sink *to)
{
	/* the records of all complete tiles, with the first tile */
	struct vs_counted list[2];
	const struct vs_counted *counts =
		above ? NULL : vs_tile_counts_all(&s->counts, list);
	size_t next = 0;
	int code = 0;

	for (size_t k = 0; k < s->best.n; k++)
		sorted[k] = *at[k].rec;
	for (size_t k = 0; k < s->n_tile && !code; k++) {
		struct vs_tile_done t = s->tile[k];

		if (!is_such(&t, above))
			continue;
		t.last = true;
		/* those of an unfinished tile are left out */
		while (next < s->best.n && before(&at[next], &t))
			next++;
		t.rec = sorted + next;
		for (; next < s->best.n && at[next].bi == t.bi &&
			at[next].bj == t.bj;
			next++)
			t.n++;
		sum(&t, &s->map);
		t.counts = counts;
		counts = NULL;
		code = vs_record_sink_add(to, &t);
	}
	return code;
}

/* Pass each such tile to a sink with its records at once. */
static int
give_tiles(struct vs_top_records *s, const double *above,
	const struct vs_top_records_place *of, struct vs_record_sink *to)
{
	struct vs_record *sorted = NULL;
	struct placed *at = NULL;
	int code =
		vs_mem_room(&at, s->best.n, sizeof(*at), "strongest records");

	if (!code)
		code = vs_mem_room(&sorted, s->best.n, sizeof(*sorted),
			"strongest records");
	if (code)
		goto out;
	for (size_t k = 0; k < s->best.n; k++)
		at[k] = find_tile(of->plan, of->place, &s->best.rec[k]);
	if (s->best.n)
		qsort(at, s->best.n, sizeof(*at), by_place);
	sort_tiles(s);
	code = give(s, above, at, sorted, to);
out:
	free(at);
	free(sorted);
	return code;
}

/* ---- saved state: shards from which a run resumes ---- */

/* Remove what was saved or loaded, once all of it is sealed elsewhere. */
static void
forget(struct vs_top_records *s)
{
	for (size_t k = 0; k < s->old.n; k++)
		unlink(vs_text_pool_string(&s->old, k));
	vs_text_pool_free(&s->old);
}

/* Write those tiles into a shard, and add its path to the list. */
static int
save_some(struct vs_top_records *s, const double *above,
	const struct vs_top_records_place *to, struct vs_text_pool *saved)
{
	struct vs_record_sink h = { 0 };
	struct vs_shard_writer_plan one = *to->to;
	struct vs_run of = *to->run;
	const char *path;
	size_t n;
	int code;

	if (above)
		vs_shard_writer_set_above(&of, *above);
	n = strlen(of.selection);
	snprintf(of.selection + n, sizeof(of.selection) - n, "%s",
		VS_SHARD_WRITER_UNFINISHED);
	/* sealed all at once */
	one.commit_seconds = INFINITY;
	one.aside = true;
	code = vs_record_sink_begin(&h, &one, &of);
	if (!code)
		code = give_tiles(s, above, to, &h);
	if (!code)
		code = vs_shard_writer_settle(h.shards);
	path = code ? NULL : vs_shard_writer_path(h.shards);
	if (path)
		code = vs_text_pool_add(saved, path, strlen(path) + 1);
	vs_record_sink_abandon(&h);
	return code;
}

/* The greatest number below `below` above which tiles are searched. */
static bool
next_above(const struct vs_top_records *s, double below, double *above)
{
	*above = -INFINITY;
	for (size_t k = 0; k < s->n_tile; k++)
		if (!s->tile[k].last && s->tile[k].above < below)
			*above = fmax(*above, s->tile[k].above);
	return *above > -INFINITY;
}

static int
save(struct vs_top_records *s, const struct vs_top_records_place *to,
	struct vs_text_pool *saved)
{
	bool whole = false;
	double above = INFINITY;
	int code = 0;

	vs_strongest_trim(&s->best);
	sort_tiles(s);
	for (size_t k = 0; k < s->n_tile && !whole; k++)
		whole = s->tile[k].last;
	if (whole)
		code = save_some(s, NULL, to, saved);
	while (!code && next_above(s, above, &above))
		code = save_some(s, &above, to, saved);
	return code;
}

int
vs_top_records_save(struct vs_top_records *s,
	const struct vs_top_records_place *to)
{
	struct vs_text_pool saved = { 0 };
	int code;

	s->saved = vs_clock();
	if (!s->n_tile)
		return 0;
	code = save(s, to, &saved);
	/* the new file has everything that the others have */
	if (!code) {
		forget(s);
		s->old = saved;
	} else {
		vs_text_pool_free(&saved);
	}
	s->saved = vs_clock();
	return code;
}

bool
vs_top_records_is_due(const struct vs_top_records *s, double seconds)
{
	return vs_clock() - s->saved >= seconds;
}

/* A tile and its records. */
static int
load_tile(struct vs_top_records *s, struct vs_result *r,
	const struct vs_tile_row *row, const double *above)
{
	struct vs_tile_done tile = { .bi = row->bi,
		.bj = row->bj,
		.n = (size_t)row->count,
		.last = !above,
		.searched = above,
		.above = above ? *above : 0,
		.evaluated = (uint64_t)row->evaluated,
		.seconds = row->seconds };
	struct vs_record *rec = NULL;
	int code = vs_mem_room(&rec, tile.n, sizeof(*rec), "records");

	if (!code)
		code = vs_result_read(r, (uint64_t)row->first,
			(uint64_t)(row->first + row->count), rec);
	tile.rec = rec;
	if (!code)
		code = vs_top_records_add(s, &tile);
	free(rec);
	return code;
}

/* A rank takes the complete tiles of its files, and of the others those that it
 * resumes. */
static int
load_file(struct vs_top_records *s, const char *path,
	const struct vs_run_kind *way, bool own, bool *begun)
{
	struct vs_tile_row *row = NULL;
	struct vs_result *r = NULL;
	double above;
	size_t n = 0;
	bool is_begun = false, has;
	int code = vs_result_open_tiles(&r, path, VS_H5_OURS | VS_H5_TRUSTED,
		&row, &n);

	if (!code)
		code = vs_result_watch(r, false);
	if (!code)
		is_begun = vs_shard_writer_above(&r->run, &above);
	if (!code && own && !is_begun && s->counts.count)
		code = vs_tile_counts_add_file(&s->counts, r->file, &has);
	for (size_t k = 0; k < n && !code; k++)
		if (is_begun ? vs_run_kind_has(way, row[k].bi, row[k].bj) : own)
			code = load_tile(s, r, &row[k],
				is_begun ? &above : NULL);
	if (!code)
		code = vs_result_seen_check(r);
	*begun |= is_begun;
	free(row);
	vs_result_close(r);
	return code;
}

static int
load_files(struct vs_top_records *s, const char *dir,
	const struct vs_run_kind *way, bool *begun)
{
	struct vs_text_pool all = { 0 };
	size_t rank = (size_t)vs_comm_rank(), size = (size_t)vs_comm_size();
	int code = vs_run_shards(dir, &all);

	for (size_t k = 0; k < all.n && !code; k++) {
		const char *path = vs_text_pool_string(&all, k);
		bool own = k % size == rank;

		code = load_file(s, path, way, own, begun);
		if (!code && own)
			code = vs_text_pool_add(&s->old, path,
				strlen(path) + 1);
	}
	vs_text_pool_free(&all);
	return code;
}

int
vs_top_records_load(struct vs_top_records *s,
	const struct vs_top_records_place *to, const struct vs_run_kind *way)
{
	struct vs_text_pool saved = { 0 };
	bool begun = false;
	int code = load_files(s, to->to->dir, way, &begun);

	code = vs_comm_agree(code);
	if (code || !begun)
		return code;
	vs_tool_say("tiles that were searched above a threshold are gone on "
		    "with below it");
	/* a file with tiles of several ranks stays until all have theirs in
	 * files of their own */
	code = vs_comm_agree(save(s, to, &saved));
	if (!code) {
		forget(s);
		s->old = saved;
	} else {
		vs_text_pool_free(&saved);
	}
	return code;
}

int
vs_top_records_finish(struct vs_top_records *s,
	const struct vs_top_records_place *to, struct vs_record_sink *h,
	int code)
{
	uint64_t stopped = code != 0;

	if (code == VS_DONE && !h->table) {
		vs_tool_phase(VS_PHASE_SAVE);
		code = vs_top_records_save(s, to);
		vs_tool_phase(VS_PHASE_LATE);
		code = code ? code : VS_DONE;
	}
	vs_comm_sum_u64(&stopped, 1);
	/* unfinished runs are resumed */
	if (stopped && !code) {
		code = h->table ? 0 : vs_top_records_save(s, to);
		code = code ? code : VS_DONE;
	}
	if (code)
		return code;
	vs_strongest_trim(&s->best);
	agree(s);
	code = give_tiles(s, NULL, to, h);
	/* saved files are removed after all ranks have sealed their shards */
	if (!code && !h->table)
		code = vs_shard_writer_settle(h->shards);
	code = vs_comm_agree(code);
	if (!code)
		forget(s);
	return vs_comm_agree(code) ? VS_EMACHINE : 0;
}
