/* SPDX-License-Identifier: BSD-3-Clause */
/* Random sample of a run's pairs or triples, counted by its engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rng.h"
#include "libcore/plan/comm.h"
#include "tools/run/estimate_sample.h"
#include "tools/shared/load_vectors.h"

#define PATIENCE 2.0   /* seconds for a sample */
#define CHUNK 65536    /* records that are packed together */
#define MOST_CHUNKS 8  /* of these, */
#define RUN 16384      /* in runs of this many from all that are seen */
#define MOST_PAIRS 4e9 /* seconds for a sample of triples */
#define BLOCKS 64      /* of triples: most vectors in first place, */
#define LEAST_BLOCK 64 /* per this many vectors, which slabs are made for */
#define FIRST_TILES 8  /* tiles of the first of them, initially */

/* ---- random samples ---- */

static int64_t
file_row(const struct vs_estimate_sample *s, uint64_t v)
{
	const int64_t *row = s->of->run->wanted.row;

	return row ? row[v] : (int64_t)v;
}

static enum vs_estimate_part
part_of(const struct vs_estimate_sample *s, uint64_t v)
{
	return v < s->n_part[VS_ESTIMATE_FIRST] ? VS_ESTIMATE_FIRST
		: v < s->n_row_able             ? VS_ESTIMATE_BOTH
						: VS_ESTIMATE_SECOND;
}

/* n_row of those that may be rows, every choice equally likely, ascending. */
static void
draw_rows(struct vs_estimate_sample *s)
{
	uint64_t left = s->n_row;
	struct vs_rng rng;

	vs_rng_seed(&rng, 20261122);
	memset(s->drawn, 0, (s->n_all / 64 + 1) * sizeof(*s->drawn));
	for (uint64_t v = 0; v < s->n_row_able && left; v++)
		if (vs_rng_below(&rng, s->n_row_able - v) < left) {
			s->drawn[v / 64] |= (uint64_t)1 << v % 64;
			left--;
		}
}

/* Drawn vectors come first, then all others in order. */
static void
place_pairs(struct vs_estimate_sample *s)
{
	uint64_t at[2] = { 0, s->n_row };

	draw_rows(s);
	for (uint64_t v = 0; v < s->n_all; v++) {
		bool row = s->drawn[v / 64] >> v % 64 & 1;
		uint64_t p = at[!row]++;

		s->row[p] = file_row(s, v);
		s->part[p] = (uint8_t)part_of(s, v);
	}
}

static void
place_all(struct vs_estimate_sample *s)
{
	for (uint64_t v = 0; v < s->n_all; v++) {
		s->row[v] = file_row(s, v);
		s->part[v] = (uint8_t)part_of(s, v);
	}
}

/* A permutation, all equally likely. */
static void
place_triples(struct vs_estimate_sample *s)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 20261122);
	for (uint64_t v = 0; v < s->n_all; v++) {
		uint64_t k = vs_rng_below(&rng, v + 1);

		s->row[v] = (int64_t)v;
		s->place[v] = s->place[k];
		s->place[k] = (uint32_t)v;
	}
}

/* True if vectors are in random order: for all triples, in memory. */
static bool
is_permuted(const struct vs_estimate_sample *s)
{
	const struct vs_wanted *w = s->of->pairs->wanted;

	return s->way.n == 3 && !vs_wanted_is_by_place(w) &&
		!vs_wanted_is_by_sets(w) && !s->job.stream;
}

/* ---- callbacks of the engine ---- */

static int
by_row(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Load neighbours in the plan, in the order of the file, which is then read
 * once. */
static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const struct vs_estimate_sample *s = ctx;
	const size_t n = (size_t)(hi - lo);
	uint32_t *place = NULL;
	int64_t *row = NULL;
	uint64_t *key = NULL; /* the row, then its place */
	int code = 0;

	VS_MEM_ROOM(&code, row, n, "rows of a sample");
	VS_MEM_ROOM(&code, place, n, "rows of a sample");
	VS_MEM_ROOM(&code, key, n, "rows of a sample");
	for (size_t k = 0; k < n && !code; k++)
		key[k] = (uint64_t)s->row[lo + k] << 32 |
			(is_permuted(s) ? s->place[k] : (uint32_t)k);
	if (!code)
		qsort(key, n, sizeof(*key), by_row);
	for (size_t k = 0; k < n && !code; k++) {
		row[k] = (int64_t)(key[k] >> 32);
		place[k] = (uint32_t)key[k];
	}
	if (!code)
		code = vs_load_vectors_rows(s->of->packed,
			&(struct vs_rows){ row, place, n, lo }, p);
	free(key);
	free(place);
	free(row);
	return code;
}

static int
pack(struct vs_estimate_sample *s)
{
	double started = vs_clock();
	int code = vs_result_packed(s->of->run, s->of->codec, s->rec, s->n_rec,
		&s->packed_bytes);

	s->packed_records += s->n_rec;
	s->packing += vs_clock() - started;
	s->n_rec = 0;
	s->n_chunk++;
	return code;
}

/* The bucket of a value by its strength; the first and the last take what is
 * beyond them. */
static size_t
bucket_of(const struct vs_query *q, double value)
{
	double at = (vs_query_strength(q, value) + 1) * VS_ESTIMATE_PER_UNIT;

	return at < 1 ? 0
		: at < (double)VS_ESTIMATE_N_BUCKET - 1
		? (size_t)at
		: VS_ESTIMATE_N_BUCKET - 1;
}

bool
vs_estimate_sample_is_all(const struct vs_estimate_sample *s)
{
	return s->way.n == 2 && s->n_row == s->n_row_able;
}

/* Count a record by its parts; false: its pair is not wanted. */
static bool
see(struct vs_estimate_sample *s, const struct vs_record *r)
{
	if (s->way.n == 3) {
		s->seen[0][0]++;
		return true;
	}
	if (vs_estimate_sample_is_all(s)) {
		s->seen[VS_ESTIMATE_FIRST][VS_ESTIMATE_BOTH]++;
		return true;
	}
	if (!vs_wanted_near(s->of->pairs->wanted, (uint64_t)s->row[r->i],
		    (uint64_t)s->row[r->j]))
		return false;
	s->seen[s->part[r->i]][s->part[r->j]]++;
	s->by_row[r->i < s->n_row ? r->i : r->j]++;
	return true;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct vs_estimate_sample *s = ctx;
	int code = 0;

	for (size_t k = 0; k < tile->n; k++) {
		const struct vs_record *r = &tile->rec[k];

		if (!see(s, r))
			continue;
		if (s->value)
			s->value[bucket_of(&s->query, r->value)]++;
		if (s->n_seen++ / RUN % s->one_run_of ||
			s->n_chunk >= MOST_CHUNKS || code)
			continue;
		s->rec[s->n_rec++] = *r;
		if (s->n_rec == CHUNK)
			code = pack(s);
	}
	return code;
}

static bool
stop(void *ctx)
{
	const struct vs_estimate_sample *s = ctx;

	return vs_clock() - s->began > s->patience;
}

/* ---- a sample ---- */

static int
plan_pairs(struct vs_estimate_sample *s)
{
	const struct vs_job *real = s->of->pairs;
	uint64_t rest = s->n_all - s->n_row;
	int64_t tile = real->plan->tile / s->smaller;

	if (s->n_row == s->n_row_able) {
		/* all, as in the run */
		s->job.wanted = real->wanted;
		place_all(s);
	} else {
		/* a sample drops unwanted pairs itself, as it renames
		 * vectors */
		s->wanted.of = (struct vs_between){ .n_first = s->n_row,
			.n_second = rest };
		s->job.wanted = &s->wanted;
		place_pairs(s);
	}
	return vs_run_kind_plan(&s->way, &s->job, &s->plan, NULL, s->n_all,
		tile > 1 ? tile : 1, s->of->way->memory);
}

static int
plan_triples(struct vs_estimate_sample *s)
{
	bool all = s->n_row == s->n_block, first = !s->n_row;
	uint64_t tile = (s->n_all + s->n_block - 1) / s->n_block, n_tile;
	const struct vs_plan *real = s->of->pairs->plan;
	int code;

	s->job.wanted = s->of->pairs->wanted;
	code = vs_run_kind_plan(&s->way, &s->job, &s->plan, NULL, s->n_all,
		all && !real->row_tiles ? real->tile : (int64_t)tile,
		s->of->way->memory);

	if (code)
		return code;
	n_tile = vs_plan_n_tile(&s->plan);
	if (is_permuted(s))
		place_triples(s);
	else
		place_all(s);
	free(s->done);
	s->done = NULL;
	code = vs_mem_new(&s->done, n_tile / 64 + 1, sizeof(*s->done), "tiles");
	for (int64_t bi = 0; bi < s->plan.n_block && !code && !all; bi++)
		for (int64_t bj = bi;
			bj < s->plan.n_block && vs_plan_has(&s->plan, bi, bj);
			bj++) {
			bool in = first ? !bi && bj < FIRST_TILES
					: bi < (int64_t)s->n_row;

			if (!in)
				vs_plan_mark(&s->plan, s->done, bi, bj);
		}
	s->job.done = s->done;
	return code;
}

/*
 * The fraction of a sample's pairs that were counted. The rest are assumed to
 * be like them: they are left out as tiles of columns.
 */
static double
share_counted(const struct vs_estimate_sample *s)
{
	bool filter = vs_wanted_is_by_place(s->job.wanted);
	double all =
		filter ? s->n_work : (double)vs_run_kind_all(&s->way, &s->plan);

	return s->stopped && all > (double)s->did.pairs
		? (double)s->did.pairs / all
		: 1;
}

int
vs_estimate_sample_count(struct vs_estimate_sample *s, uint64_t n_row)
{
	char text[sizeof(s->of->run->compute)];
	uint64_t load_of_rank;
	double stopped;
	int code;

	/* as many as in the rows before, if there were any */
	s->one_run_of = 1 +
		(uint64_t)((double)s->n_seen * (double)n_row /
			fmax((double)s->n_row, 1) / (MOST_CHUNKS * CHUNK));
	s->n_row = n_row;
	s->n_seen = 0;
	s->n_chunk = 0;
	s->n_rec = 0;
	s->packed_bytes = s->packed_records = 0;
	s->packing = 0;
	memset(s->seen, 0, sizeof(s->seen));
	memset(s->by_row, 0, s->n_all * sizeof(*s->by_row));
	memset(&s->did, 0, sizeof(s->did));
	if (s->value)
		memset(s->value, 0, VS_ESTIMATE_N_BUCKET * sizeof(*s->value));
	code = s->way.n == 3 ? plan_triples(s) : plan_pairs(s);
	code = vs_comm_agree(code);
	s->began = vs_clock();
	if (!code)
		code = vs_comm_agree(vs_run_kind_begin(&s->way, &s->job,
			&s->did, text, sizeof(text), &load_of_rank));
	s->fixed = s->did.seconds_compute;
	if (!code)
		code = vs_run_kind_run(&s->way, &s->did);
	vs_run_kind_end(&s->way);
	stopped = code == VS_DONE;
	if (code == VS_DONE)
		code = 0;
	if (!code && s->n_rec && !s->n_chunk)
		code = pack(s);
	code = vs_comm_agree(code);
	vs_comm_sum_u64(&s->seen[0][0],
		VS_ESTIMATE_N_PART * VS_ESTIMATE_N_PART);
	if (s->way.n == 2 && !vs_estimate_sample_is_all(s))
		vs_comm_sum_u64(s->by_row, (int)n_row);
	if (s->value)
		vs_comm_sum_u64(s->value, VS_ESTIMATE_N_BUCKET);
	vs_comm_sum_u64(&s->did.pairs, 1);
	vs_comm_sum_u64(&s->packed_records, 1);
	vs_comm_sum_u64(&s->packed_bytes, 1);
	s->fixed = s->way.n == 3 ? s->fixed : 0;
	s->seconds = s->did.seconds_compute - s->fixed;
	vs_comm_max_f64(&s->seconds, 1);
	vs_comm_share(&s->seconds, sizeof(s->seconds));
	vs_comm_max_f64(&s->fixed, 1);
	vs_comm_max_f64(&s->packing, 1);
	vs_comm_max_f64(&stopped, 1);
	vs_comm_share(&stopped, sizeof(stopped));
	s->stopped = stopped > 0;
	s->counted = share_counted(s);
	return code;
}

/*
 * Refuse samples that take too long: for triples, the vectors of the first
 * block are paired with all others before the sample can be stopped.
 */
static int
check_size(const struct vs_estimate_sample *s)
{
	double pairs = (double)s->n_all / (double)s->n_block * (double)s->n_all;

	if (s->way.n != 3 || pairs <= MOST_PAIRS)
		return 0;
	return vs_fail(VS_EMACHINE,
		"even the smallest sample of triples of %llu vectors takes "
		"minutes",
		(unsigned long long)s->n_all);
}

int
vs_estimate_sample_begin(struct vs_estimate_sample *s,
	const struct vs_estimate_of *of)
{
	const struct vs_between b =
		vs_wanted_parts(of->pairs->wanted, of->packed->n_vec);
	int code;

	s->of = of;
	s->smaller = 1;
	s->patience = PATIENCE;
	s->way = (struct vs_run_kind){ .n = of->way->n,
		.has_cells = of->way->has_cells,
		.what = of->way->what };
	s->query = *of->pairs->query;
	s->query.shared_threshold = NULL;
	s->job = (struct vs_job){ .query = &s->query,
		.backend = of->pairs->backend,
		.n_thread = of->pairs->n_thread,
		.load = load,
		.sink = sink,
		.stop = stop,
		.ctx = s };
	s->n_part[VS_ESTIMATE_FIRST] = b.n_first;
	s->n_part[VS_ESTIMATE_BOTH] = b.n_both;
	s->n_part[VS_ESTIMATE_SECOND] = b.n_second + b.n_rest;
	s->n_row_able =
		s->n_part[VS_ESTIMATE_FIRST] + s->n_part[VS_ESTIMATE_BOTH];
	s->wanted = (struct vs_wanted){ .n_vec = of->packed->n_vec,
		.n_way = 2,
		.by_sets = true };
	s->n_all = s->n_row_able + s->n_part[VS_ESTIMATE_SECOND];
	s->n_block = s->n_all / LEAST_BLOCK;
	s->n_block = s->n_block < 1   ? 1
		: s->n_block > BLOCKS ? BLOCKS
				      : s->n_block;
	/* memory may have room for no larger blocks */
	if (of->pairs->stream && s->way.n == 3)
		s->n_block = vs_max_size(s->n_block,
			(s->n_all + (uint64_t)of->pairs->plan->tile - 1) /
				(uint64_t)of->pairs->plan->tile);
	s->n_work = s->way.n == 2
		? vs_tile_split_work(of->pairs)
		: (double)vs_run_kind_all(of->way, of->pairs->plan);
	code = check_size(s);
	if (!code)
		code = vs_mem_new(&s->drawn, s->n_all / 64 + 1,
			sizeof(*s->drawn), "a sample");
	if (!code)
		code = vs_mem_new(&s->row, s->n_all + 1, sizeof(*s->row),
			"a sample");
	if (!code)
		code = vs_mem_new(&s->place, s->n_all + 1, sizeof(*s->place),
			"a sample");
	if (!code)
		code = vs_mem_new(&s->part, s->n_all + 1, 1, "a sample");
	if (!code)
		code = vs_mem_new(&s->by_row, s->n_all + 1, sizeof(*s->by_row),
			"a sample");
	if (!code && of->top)
		code = vs_mem_new(&s->value, VS_ESTIMATE_N_BUCKET,
			sizeof(*s->value), "a sample");
	if (!code)
		code = vs_mem_room(&s->rec, CHUNK, sizeof(*s->rec), "a sample");
	return code;
}

void
vs_estimate_sample_free(struct vs_estimate_sample *s)
{
	free(s->drawn);
	free(s->row);
	free(s->place);
	free(s->part);
	free(s->by_row);
	free(s->done);
	free(s->rec);
	free(s->value);
}
