/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of a run's records, bytes and time from a sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/plan/comm.h"
#include "tools/run/estimate.h"
#include "tools/shared/load_vectors.h"

#define SECONDS 0.4       /* that the sample is to take, about */
#define ALL_SECONDS 0.8   /* for which all is counted */
#define MOST_SECONDS 2.0  /* after which it is ended */
#define FIRST_ROWS 8      /* vectors of the first sample */
#define CHUNK 65536       /* records that are packed together */
#define MOST_CHUNKS 8     /* of them, */
#define RUN 16384         /* in such runs from all that are seen */
#define FIXED_BYTES 20000 /* of a shard without records */
#define MOST_PAIRS 4e9    /* for a sample of triples, some seconds */
#define BLOCKS 64         /* of triples: vectors in the first place, at most, */
#define LEAST_BLOCK 64    /* of this many vectors, which slabs are made for, */
#define SMALLER 8         /* in edges, where that takes too long; */
#define FIRST_TILES 8     /* and tiles of the first of them, at first */
/* core seconds to sort, sum, copy and write a record, packing apart */
#define HANDLING 1.5e-7
/* --top: buckets of values per unit, and units from -1 on */
#define PER_UNIT 2000
#define UNITS 7
#define N_BUCKET ((size_t)PER_UNIT * UNITS)

/* Membership of a vector: in the set that rows are drawn from, in both sets, in
 * the other one. Without sets all vectors are in both. */
enum part { FIRST, BOTH, SECOND, N_PART };

struct sample {
	const struct vs_estimate_of *of;
	struct vs_query query;
	struct vs_job job;
	struct vs_plan plan;
	struct vs_between between;
	struct vs_run_kind way;
	struct vs_job_stats did;
	uint64_t n_part[N_PART], n_row_able, n_all;
	uint64_t n_block; /* of triples */
	uint64_t n_row;   /* vectors drawn; pairs: they stand in front */
	uint64_t *drawn;  /* bits, by the place among the sets */
	int64_t *row;     /* of the file, by place in the sample's plan */
	uint32_t *place;  /* triples: of each row of the file */
	uint8_t *part;    /* by place in the sample's plan */
	uint64_t *by_row; /* records, by a drawn vector's place */
	double n_work;    /* pairs of the run that are counted, about */
	uint64_t *done;   /* tiles of triples that are left out */
	/* records of pairs by the parts of row and column; of triples [0][0] */
	uint64_t seen[N_PART][N_PART];
	uint64_t *value; /* --top: records by bucket of their value, or null */
	uint64_t n_seen, one_run_of; /* by this rank; those that are packed */
	struct vs_record *rec;
	size_t n_rec;
	int n_chunk, code;
	uint64_t packed_records, packed_bytes;
	double packing; /* seconds */
	double began, seconds;
	double fixed; /* of the seconds, before the first triple */
};

/* ---- random samples ---- */

static int64_t
file_row(const struct sample *s, uint64_t v)
{
	const int64_t *row = s->of->run->sets.row;

	return row ? row[v] : (int64_t)v;
}

static enum part
part_of(const struct sample *s, uint64_t v)
{
	return v < s->n_part[FIRST] ? FIRST : v < s->n_row_able ? BOTH : SECOND;
}

/* n_row of those that may be rows, each choice as likely, rising. */
static void
draw_rows(struct sample *s)
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

/* Those drawn stand in front, then all others in their order. */
static void
place_pairs(struct sample *s)
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
place_all(struct sample *s)
{
	for (uint64_t v = 0; v < s->n_all; v++) {
		s->row[v] = file_row(s, v);
		s->part[v] = (uint8_t)part_of(s, v);
	}
}

/* A permutation, any as likely. */
static void
place_triples(struct sample *s)
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

/* True if vectors stand in a random order: of all triples. */
static bool
is_permuted(const struct sample *s)
{
	return s->way.n == 3 && !s->of->pairs->filter && !s->of->pairs->between;
}

/* ---- callbacks of the engine ---- */

/* Neighbours in the plan, as long as their rows rise. */
static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct sample *s = ctx;
	int code = 0;

	for (uint64_t from = lo, to; from < hi && !code; from = to) {
		struct vs_rows rows = { .row = s->row + from, .first = from };

		for (to = from + 1; to < hi && s->row[to] > s->row[to - 1];)
			to++;
		rows.n = to - from;
		rows.place = is_permuted(s) ? s->place : NULL;
		code = vs_load_vectors_rows(s->of->packed, &rows, p);
	}
	return code;
}

static int
pack(struct sample *s)
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

/* The bucket of a value; those beyond the first and the last are in these. */
static size_t
bucket_of(double value)
{
	double at = (value + 1) * PER_UNIT;

	return at < 1                       ? 0
		: at < (double)N_BUCKET - 1 ? (size_t)at
					    : N_BUCKET - 1;
}

/* All are counted, as the run has them. */
static bool
is_all(const struct sample *s)
{
	return s->way.n == 2 && s->n_row == s->n_row_able;
}

/* Count a record by its parts; false: its pair is not wanted. */
static bool
see(struct sample *s, const struct vs_record *r)
{
	const struct vs_pair_filter *f = s->of->pairs->filter;

	if (s->way.n == 3) {
		s->seen[0][0]++;
		return true;
	}
	if (is_all(s)) {
		s->seen[FIRST][BOTH]++;
		return true;
	}
	if (f &&
		!vs_pair_filter_wants(f, (uint64_t)s->row[r->i],
			(uint64_t)s->row[r->j]))
		return false;
	s->seen[s->part[r->i]][s->part[r->j]]++;
	s->by_row[r->i < s->n_row ? r->i : r->j]++;
	return true;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct sample *s = ctx;
	int code = 0;

	for (size_t k = 0; k < tile->n; k++) {
		const struct vs_record *r = &tile->rec[k];

		if (!see(s, r))
			continue;
		if (s->value)
			s->value[bucket_of(r->value)]++;
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
	const struct sample *s = ctx;

	return vs_clock() - s->began > MOST_SECONDS;
}

/* ---- a sample ---- */

static int
plan_pairs(struct sample *s)
{
	const struct vs_job *real = s->of->pairs;
	uint64_t rest = s->n_all - s->n_row;

	if (s->n_row == s->n_row_able) {
		/* all, as the run has it */
		s->between = real->between
			? *real->between
			: (struct vs_between){ .n_both = s->n_all };
		place_all(s);
	} else {
		s->between = (struct vs_between){ .n_first = s->n_row,
			.n_second = rest };
		place_pairs(s);
	}
	s->job.between = real->between || rest ? &s->between : NULL;
	/* a sample drops what is not wanted by itself, as it names it */
	s->job.filter = is_all(s) ? real->filter : NULL;
	s->job.number = is_all(s) ? real->number : NULL;
	return vs_run_kind_plan(&s->way, &s->job, &s->plan, NULL, s->n_all,
		real->plan->tile, s->of->way->memory);
}

static int
plan_triples(struct sample *s)
{
	bool all = s->n_row == s->n_block, first = !s->n_row;
	uint64_t tile = (s->n_all + s->n_block - 1) / s->n_block, n_tile;
	const struct vs_plan *real = s->of->pairs->plan;
	int code;

	s->job.between = s->of->pairs->between;
	code = vs_run_kind_plan(&s->way, &s->job, &s->plan, NULL, s->n_all,
		all && !real->row_tiles ? real->tile : (int64_t)tile,
		s->of->way->memory);

	if (code)
		return code;
	n_tile = vs_plan_n_tile(&s->plan);
	s->job.filter = s->of->pairs->filter;
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
			uint64_t t = vs_plan_number(&s->plan, bi, bj);
			bool in = first ? !bi && bj < FIRST_TILES
					: bi < (int64_t)s->n_row;

			if (!in)
				s->done[t / 64] |= (uint64_t)1 << t % 64;
		}
	s->job.done = s->done;
	return code;
}

/* Count with n_row vectors as rows, or of triples blocks in the first place. */
static int
count(struct sample *s, uint64_t n_row)
{
	char text[sizeof(s->of->run->compute)];
	bool speaker;
	uint64_t load_of_rank;
	int code;

	/* as many as of the rows before, if there were any */
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
		memset(s->value, 0, N_BUCKET * sizeof(*s->value));
	code = s->way.n == 3 ? plan_triples(s) : plan_pairs(s);
	code = vs_comm_agree(code, &speaker);
	s->began = vs_clock();
	if (!code)
		code = vs_comm_agree(vs_run_kind_begin(&s->way, &s->job,
					     &s->did, text, sizeof(text),
					     &load_of_rank),
			&speaker);
	s->fixed = s->did.seconds_compute;
	if (!code)
		code = vs_run_kind_run(&s->way, &s->did);
	vs_run_kind_end(&s->way);
	if (code == VS_DONE)
		code = 0;
	if (!code && s->n_rec && !s->n_chunk)
		code = pack(s);
	code = vs_comm_agree(code, &speaker);
	vs_comm_sum_u64(&s->seen[0][0], N_PART * N_PART);
	if (s->way.n == 2 && !is_all(s))
		vs_comm_sum_u64(s->by_row, (int)n_row);
	if (s->value)
		vs_comm_sum_u64(s->value, N_BUCKET);
	vs_comm_sum_u64(&s->did.pairs, 1);
	vs_comm_sum_u64(&s->packed_records, 1);
	vs_comm_sum_u64(&s->packed_bytes, 1);
	s->fixed = s->way.n == 3 ? s->fixed : 0;
	s->seconds = s->did.seconds_compute - s->fixed;
	vs_comm_max_f64(&s->seconds, 1);
	vs_comm_share(&s->seconds, sizeof(s->seconds));
	vs_comm_max_f64(&s->fixed, 1);
	vs_comm_max_f64(&s->packing, 1);
	return code;
}

/* ---- extrapolation ---- */

/* Pairs of these parts for each one in the sample, of which one vector was
 * drawn and the other was not. */
static double
weight(const struct sample *s, int a, int b)
{
	double m = (double)s->n_row_able, n = (double)s->n_row;

	if (s->way.n == 3)
		return (double)vs_run_kind_all(&s->way, &s->plan) /
			fmax((double)s->did.pairs, 1);
	if (s->n_row == s->n_row_able)
		return 1;
	if (b == SECOND)
		return m / n;
	/* only a pair of two of both is found from either side */
	return m * (m - 1) / (n * (m - n)) / (a == BOTH && b == BOTH ? 2 : 1);
}

static bool
is_wanted(int a, int b)
{
	return a != b || a == BOTH;
}

static double
all_records(const struct sample *s)
{
	double n = 0;

	if (s->way.n == 3)
		return (double)s->seen[0][0] * weight(s, 0, 0);
	for (int a = 0; a < N_PART; a++)
		for (int b = 0; b < N_PART; b++)
			if (is_wanted(a, b))
				n += (double)s->seen[a][b] * weight(s, a, b);
	return n;
}

static uint64_t
all_seen(const struct sample *s)
{
	uint64_t n = 0;

	for (int a = 0; a < N_PART; a++)
		for (int b = 0; b < N_PART; b++)
			n += s->seen[a][b];
	return n;
}

/* Pairs or triples of the run that no earlier run and no other stage has. */
static double
share_left(const struct sample *s)
{
	const struct vs_job *real = s->of->pairs;
	const struct vs_plan *plan = real->plan;
	double left = 0, all = (double)vs_run_kind_all(&s->way, plan);

	for (uint64_t t = 0; real->done && t < vs_plan_n_tile(plan); t++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, t, &bi, &bj);
		if (!(real->done[t / 64] >> (t % 64) & 1))
			left += (double)(s->way.n == 3
					? vs_cube_triples(plan, bi, bj)
					: vs_plan_pairs(plan, bi, bj));
	}
	return !real->done ? 1 : all > 0 ? left / all : 0;
}

/*
 * Time of all pairs: that of a pair is from those that the second sample had
 * more than the first.
 */
static double
seconds_of(const struct sample *s, double n_first, double seconds_first,
	double n_all)
{
	const struct vs_job *real = s->of->pairs;
	double n = fmax((double)s->did.pairs, 1), each = s->seconds / n;
	double seconds;

	if (n > 2 * n_first && s->seconds > seconds_first)
		each = fmax(each / 3,
			(s->seconds - seconds_first) / (n - n_first));
	seconds = s->seconds + fmax(n_all - n, 0) * each;
	if (real->device)
		seconds *= vs_thread_pool_rate(&s->job) /
			vs_thread_pool_rate(real);
	/* ranks share triples by the blocks in the first place */
	return s->way.n == 3 ? s->fixed + seconds / s->plan.n_rank : seconds;
}

/*
 * The interval of records: drawn vectors are a sample of all, whose records are
 * as far from one another as theirs. A few of the drawn may have most records,
 * hence three standard errors, and of few records the variance is a guess, so
 * that 2 and 4 are added.
 */
static void
set_interval(const struct sample *s, struct vs_estimate *e)
{
	const double n = (double)s->n_row, mean = (double)e->seen / n,
		     each = e->records / fmax((double)e->seen, 1);
	double sum = 0, around;

	e->least = e->most = e->exact ? e->records : 0;
	if (e->exact || s->way.n == 3 || is_all(s))
		return;
	for (uint64_t v = 0; v < s->n_row; v++)
		sum += ((double)s->by_row[v] - mean) *
			((double)s->by_row[v] - mean);
	around = 3 * sqrt(sum * n / fmax(n - 1, 1) * (1 - n / s->n_row_able));
	e->least = fmax((double)e->seen - around - 2, 0) * each;
	/* a record that was not seen stands for all that one would */
	e->most = ((double)e->seen + around + 4) *
		(e->seen ? each : weight(s, BOTH, BOTH));
}

static void
judge(struct sample *s, double n_first, double seconds_first,
	struct vs_estimate *e)
{
	double n_all = (double)vs_run_kind_all(&s->way, s->of->pairs->plan);
	double left = share_left(s), n_thread = s->job.n_thread, writing;
	double n_packed = fmax((double)s->packed_records, 1);

	e->n_vec = s->n_all;
	e->n_sampled = s->n_row;
	if (s->way.n == 3)
		e->n_sampled = (s->n_row + !s->n_row) * (uint64_t)s->plan.tile;
	e->n_sampled = e->n_sampled < s->n_all ? e->n_sampled : s->n_all;
	e->share = n_all > 0 ? fmin((double)s->did.pairs / n_all, 1) : 1;
	e->seen = all_seen(s);
	e->records = all_records(s) * left;
	e->bytes = FIXED_BYTES * s->plan.n_rank +
		e->records * (double)s->packed_bytes / n_packed;
	e->seconds = seconds_of(s, n_first, seconds_first,
			     s->way.n == 2 ? s->n_work : n_all) *
		left;
	writing = e->records / s->plan.n_rank *
		(s->packing / n_packed * s->plan.n_rank + HANDLING);
	/* one more thread writes */
	e->seconds = n_thread > 1
		? fmax(writing, e->seconds + writing / n_thread)
		: e->seconds + writing;
	e->seconds += s->did.seconds_input;
	e->exact = e->share >= 1 && (double)e->seen == e->records;
	set_interval(s, e);
}

#define SAMPLES 4 /* at most, each larger than the one before */

/* Rows that fit the time, by the rate of the last sample; all, if that is
 * quick. The same on all ranks. */
static uint64_t
next_rows(const struct sample *s, uint64_t most)
{
	double n_all = s->n_work, pairs = (double)s->did.pairs, times, n;

	times = SECONDS / fmax(s->seconds, 1e-6);
	if (times * pairs * (ALL_SECONDS / SECONDS) >= n_all)
		return most;
	n = times * (double)s->n_row;
	/* of rows of tiles the first has a share of 3 / n_block, about */
	if (s->way.n == 3)
		n = fmax(times * pairs / n_all * (double)s->n_block / 3,
			!s->n_row);
	return n < (double)most / 2 ? (uint64_t)n : most / 2;
}

/* Triples with a filter: all, if that is quick. */
static int
count_all(struct sample *s, struct vs_estimate *e)
{
	int code = count(s, s->n_block);
	double most = s->seconds;

	vs_comm_max_f64(&most, 1);
	if (!code && most > MOST_SECONDS)
		code = vs_fail(VS_EMACHINE,
			"triples chosen by distance are more than can be "
			"counted in seconds");
	if (!code)
		judge(s, 0, 0, e);
	return code;
}

/* True if no tile of triples was done in time. */
static bool
is_none(const struct sample *s)
{
	return s->way.n == 3 && s->n_work > 0 && !s->did.pairs;
}

static int
count_samples(struct sample *s, struct vs_estimate *e)
{
	uint64_t most = s->way.n == 3 ? s->n_block : s->n_row_able;
	uint64_t n = s->way.n == 3 ? 0 : FIRST_ROWS;
	double seconds = 0, pairs = 0;
	uint64_t last = 0;
	int code = count(s, s->way.n == 2 && n > most / 4 ? most : n);

	/* values that take long: of smaller tiles some are done in time */
	if (!code && is_none(s)) {
		most = s->n_block *= SMALLER;
		code = count(s, n);
	}
	if (!code && is_none(s))
		code = vs_fail(VS_EMACHINE,
			"the least sample of triples takes longer than %g s",
			(double)MOST_SECONDS);
	for (int k = 1; k < SAMPLES && !code && s->n_row < most; k++) {
		n = next_rows(s, most);
		if (!s->did.pairs || n < s->n_row + s->n_row / 2 + 1)
			break;
		seconds = s->seconds;
		pairs = (double)s->did.pairs;
		last = s->n_row;
		code = count(s, n);
	}
	/* not all, after all */
	if (!code && s->way.n == 2 && s->n_row == most && last && stop(s))
		code = count(s, last);
	if (!code)
		judge(s, pairs, seconds, e);
	return code;
}

/* The greatest threshold, a bucket's lower edge, that at least top of all
 * records pass, by the sample; each record in it stands for as many. */
static double
top_threshold(const struct sample *s, const struct vs_estimate *e)
{
	double each = e->records / fmax((double)e->seen, 1), n = 0;
	size_t k = N_BUCKET;

	while (k && n < (double)s->of->top)
		n += each * (double)s->value[--k];
	return (double)k / PER_UNIT - 1;
}

/*
 * Count the samples anew with the threshold that --top comes to, and limit the
 * records to N. Thresholds by class stay: their time is an upper bound.
 */
static int
count_top(struct sample *s, struct vs_estimate *e)
{
	const struct vs_estimate all = *e;
	double fixed = FIXED_BYTES * s->plan.n_rank, threshold;
	double top = (double)s->of->top;
	int code = 0;

	if (!s->of->top || all.records <= top)
		return 0;
	threshold = top_threshold(s, e);
	if (!s->query.thresholds && threshold > s->query.threshold) {
		/* pairs are set up by the first threshold, as in the run */
		if (s->way.n == 3)
			s->query.threshold = threshold;
		else
			s->query.shared_threshold = &threshold;
		s->n_row = 0;
		code = count_samples(s, e);
	}
	if (code)
		return code;
	e->bytes = fixed +
		top *
			(e->records > 0 ? (e->bytes - fixed) / e->records
					: (all.bytes - fixed) / all.records);
	e->records = top;
	/* of those that are kept there is no doubt */
	e->least = e->most = 0;
	e->seconds_most = fmax(all.seconds, e->seconds);
	e->exact = all.exact;
	return 0;
}

/*
 * Refuse samples that take too long: the vectors of the first block of triples
 * are paired with all others before the sample can be stopped.
 */
static int
check_size(const struct sample *s)
{
	double pairs = (double)s->n_all / (double)s->n_block * (double)s->n_all;

	if (s->way.n != 3 || pairs <= MOST_PAIRS)
		return 0;
	return vs_fail(VS_EMACHINE,
		"the least sample of triples of %llu vectors takes minutes",
		(unsigned long long)s->n_all);
}

static int
begin(struct sample *s, const struct vs_estimate_of *of)
{
	const struct vs_between *b = of->pairs->between;
	int code;

	s->of = of;
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
	s->n_part[FIRST] = b ? b->n_first : 0;
	s->n_part[BOTH] = b ? b->n_both : of->packed->n_vec;
	s->n_part[SECOND] = b ? b->n_second + b->n_rest : 0;
	s->n_row_able = s->n_part[FIRST] + s->n_part[BOTH];
	s->n_all = s->n_row_able + s->n_part[SECOND];
	s->n_block = s->n_all / LEAST_BLOCK;
	s->n_block = s->n_block < 1   ? 1
		: s->n_block > BLOCKS ? BLOCKS
				      : s->n_block;
	s->n_work = s->way.n == 2
		? vs_thread_pool_work(of->pairs)
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
		code = vs_mem_new(&s->value, N_BUCKET, sizeof(*s->value),
			"a sample");
	if (!code)
		code = vs_mem_room(&s->rec, CHUNK, sizeof(*s->rec), "a sample");
	return code;
}

int
vs_estimate_make(struct vs_estimate *e, const struct vs_estimate_of *of)
{
	struct sample s = { 0 };
	bool speaker;
	int code;

	code = vs_comm_agree(begin(&s, of), &speaker);
	memset(e, 0, sizeof(*e));
	if (!code)
		code = of->way->n == 3 && of->pairs->filter
			? count_all(&s, e)
			: count_samples(&s, e);
	if (!code)
		code = count_top(&s, e);
	vs_thread_pool_rest();
	free(s.drawn);
	free(s.row);
	free(s.place);
	free(s.part);
	free(s.by_row);
	free(s.done);
	free(s.rec);
	free(s.value);
	return code;
}

int
vs_estimate_thresholds(struct vs_estimate_table *t,
	const struct vs_estimate_of *of)
{
	const bool low = of->way->n == 3 && of->way->has_cells;
	struct vs_query query = *of->pairs->query;
	struct vs_job pairs = *of->pairs;
	struct vs_estimate_of one = *of;
	int code = 0;

	pairs.query = &query;
	one.pairs = &pairs;
	for (t->n = 0; t->n < 5 && !code; t->n++) {
		/* as a text of it would be read */
		query.threshold = (double)((low ? 3 : 5) + t->n) / 10;
		t->row[t->n].threshold = query.threshold;
		code = vs_estimate_make(&t->row[t->n].e, &one);
	}
	return code;
}
