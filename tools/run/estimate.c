/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of a run's records, bytes and time from a sample. */
#include <math.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/engine/triple/triple_slabs.h"
#include "libcore/plan/comm.h"
#include "tools/run/estimate_sample.h"

#define SECONDS 0.4       /* approximate seconds of the sample */
#define ALL_SECONDS 0.8   /* for which everything is counted */
#define FIRST_ROWS 8      /* vectors of the first sample */
#define LEAST_ROWS 30     /* vectors whose records have an interval */
#define FIXED_BYTES 20000 /* bytes of a shard without records */
#define LONGER 10.0       /* seconds, and */
#define SMALLER 8 /* tile edges to try if the first tile takes too long */
/* core seconds to sort, sum, copy and write a record, without packing: 3e-8 to
 * 1e-7 on a core of 2024 */
#define HANDLING 6e-8

/* Pairs per sampled pair of a drawn vector with one that was not drawn. */
static double
weight(const struct vs_estimate_sample *s, int a, int b)
{
	double m = (double)s->n_row_able, n = (double)s->n_row;

	if (s->way.n == 3)
		return (double)vs_run_kind_all(&s->way, &s->plan) /
			fmax((double)s->did.pairs, 1);
	if (s->n_row == s->n_row_able)
		return 1 / s->counted;
	if (b == VS_ESTIMATE_SECOND)
		return m / n / s->counted;
	/* only a pair of two vectors of both sets is found from either side */
	return m * (m - 1) / (n * (m - n)) / s->counted /
		(a == VS_ESTIMATE_BOTH && b == VS_ESTIMATE_BOTH ? 2 : 1);
}

static bool
is_wanted(int a, int b)
{
	return a != b || a == VS_ESTIMATE_BOTH;
}

static double
all_records(const struct vs_estimate_sample *s)
{
	double n = 0;

	if (s->way.n == 3)
		return (double)s->seen[0][0] * weight(s, 0, 0);
	for (int a = 0; a < VS_ESTIMATE_N_PART; a++)
		for (int b = 0; b < VS_ESTIMATE_N_PART; b++)
			if (is_wanted(a, b))
				n += (double)s->seen[a][b] * weight(s, a, b);
	return n;
}

static uint64_t
all_seen(const struct vs_estimate_sample *s)
{
	uint64_t n = 0;

	for (int a = 0; a < VS_ESTIMATE_N_PART; a++)
		for (int b = 0; b < VS_ESTIMATE_N_PART; b++)
			n += s->seen[a][b];
	return n;
}

/* Pairs, or triples, that a run counts in a tile of its plan. */
static double
of_tile(const struct vs_job *real, int n_way, int64_t bi, int64_t bj)
{
	return (double)(n_way == 3 ? vs_cube_triples(real->plan, bi, bj)
				   : vs_pair_run_counted(real, bi, bj));
}

/* Pairs or triples of the run that no earlier run and no other stage has. */
static double
share_left(const struct vs_estimate_sample *s)
{
	const struct vs_job *real = s->of->pairs;
	const struct vs_plan *plan = real->plan;
	struct vs_job whole = *real;
	double left = 0, all = 0;

	whole.done = NULL;
	for (uint64_t t = 0; real->done && t < vs_plan_n_tile(plan); t++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, t, &bi, &bj);
		all += of_tile(&whole, s->way.n, bi, bj);
		/* the sink's tiles are the unit of pairs done */
		if (s->way.n == 2)
			left += of_tile(real, 2, bi, bj);
		else if (!vs_plan_is_done(real->done, t))
			left += of_tile(real, 3, bi, bj);
	}
	return !real->done ? 1 : all > 0 ? left / all : 0;
}

/*
 * Time of all pairs: the time per pair is measured on those that the second
 * sample has beyond the first.
 */
static double
seconds_of(const struct vs_estimate_sample *s, double n_first,
	double seconds_first, double n_all)
{
	const struct vs_job *real = s->of->pairs;
	const double device = s->way.n == 3 ? vs_triple_slabs_rate(real) : 0;
	double n = fmax((double)s->did.pairs, 1), each = s->seconds / n;
	double seconds;

	if (n > 2 * n_first && s->seconds > seconds_first)
		each = fmax(each / 3,
			(s->seconds - seconds_first) / (n - n_first));
	seconds = s->seconds + fmax(n_all - n, 0) * each;
	/* no device of auto's choice counts triples if that takes longer */
	if (device > 0) {
		const double all = n_all / device,
			     both = all /
			(1 + (real->alone ? 0 : all / fmax(seconds, 1e-9)));

		seconds = vs_triple_slabs_wanted(real) ? both
						       : fmin(seconds, both);
	} else if (real->device)
		seconds *= vs_thread_pool_rate(&s->job) /
			vs_thread_pool_rate(real);
	/* ranks share triples by blocks of the first vector */
	return s->way.n == 3 ? s->fixed + seconds / s->plan.n_rank : seconds;
}

/*
 * The interval of records: drawn vectors are a sample of all vectors, whose
 * records vary as theirs do. A few of the drawn ones may have most records,
 * hence three standard errors; with few records the variance is a guess, so 2
 * and 4 are added.
 */
static void
set_interval(const struct vs_estimate_sample *s, struct vs_estimate *e)
{
	const double n = (double)s->n_row, mean = (double)e->seen / n,
		     each = e->records / fmax((double)e->seen, 1);
	double sum = 0, around;

	e->least = e->most = e->exact ? e->records : 0;
	if (e->exact || s->way.n == 3 || vs_estimate_sample_is_all(s))
		return;
	if (s->n_row < LEAST_ROWS) {
		e->least = e->most = 0;
		return;
	}
	for (uint64_t v = 0; v < s->n_row; v++)
		sum += ((double)s->by_row[v] - mean) *
			((double)s->by_row[v] - mean);
	around = 3 * sqrt(sum * n / fmax(n - 1, 1) * (1 - n / s->n_row_able));
	e->least = fmax((double)e->seen - around - 2, 0) * each;
	/* an unseen record counts as one in the sample would */
	e->most = ((double)e->seen + around + 4) *
		(e->seen ? each
			 : weight(s, VS_ESTIMATE_BOTH, VS_ESTIMATE_BOTH));
}

static void
judge(struct vs_estimate_sample *s, double n_first, double seconds_first,
	struct vs_estimate *e)
{
	double n_all = (double)vs_run_kind_all(&s->way, s->of->pairs->plan);
	double left = share_left(s), n_thread = s->job.n_thread, packing;
	double n_packed = fmax((double)s->packed_records, 1), handling;

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
	packing = e->records * s->packing / n_packed;
	handling = e->records / s->plan.n_rank * HANDLING;
	/* one thread packs, all share the rest */
	e->seconds =
		fmax(packing, e->seconds + (packing + handling) / n_thread);
	e->seconds += s->did.seconds_input;
	e->exact = e->share >= 1 && (double)e->seen == e->records;
	set_interval(s, e);
}

#define SAMPLES 4 /* most samples, each larger than the one before */
/* the first sample mostly takes a fixed time for any number of rows: if it took
 * at most this long, it is followed by one of four times the rows */
#define FIRST_SECONDS 0.5

/* Rows that fit the time, by the rate of the last sample; all, if that is
 * quick. The same on all ranks. */
static uint64_t
next_rows(const struct vs_estimate_sample *s, uint64_t most)
{
	double n_all = s->n_work, pairs = (double)s->did.pairs, times, n;

	times = SECONDS / fmax(s->seconds, 1e-6);
	if (times * pairs * (ALL_SECONDS / SECONDS) >= n_all)
		return most;
	n = times * (double)s->n_row;
	/* of the rows of tiles, the first has a share of about 3 / n_block */
	if (s->way.n == 3)
		n = fmax(times * pairs / n_all * (double)s->n_block / 3,
			!s->n_row);
	return n < (double)most / 2 ? (uint64_t)n : most / 2;
}

/* Triples with a filter: count all, if that is quick. */
static int
count_all(struct vs_estimate_sample *s, struct vs_estimate *e)
{
	int code = vs_estimate_sample_count(s, s->n_block);

	if (!code && s->stopped)
		code = vs_fail(VS_EMACHINE,
			"triples chosen by distance are more than can be "
			"counted in seconds");
	if (!code)
		judge(s, 0, 0, e);
	return code;
}

/* True if no tile was finished in time; with a filter there may be none. */
static bool
is_none(const struct vs_estimate_sample *s)
{
	return s->n_work > 0 && !s->did.pairs && (s->way.n == 3 || s->stopped);
}

static int
check_some(const struct vs_estimate_sample *s)
{
	return is_none(s) ? vs_fail(VS_EMACHINE,
				    "even the smallest sample of %s takes "
				    "longer than %g s",
				    s->way.what, s->patience)
			  : 0;
}

static int
count_samples(struct vs_estimate_sample *s, struct vs_estimate *e)
{
	uint64_t most = s->way.n == 3 ? s->n_block : s->n_row_able;
	uint64_t n = s->way.n == 3 ? 0 : FIRST_ROWS;
	double seconds = 0, pairs = 0;
	uint64_t last = 0;
	int code = vs_estimate_sample_count(s,
		s->way.n == 2 && n > most / 4 ? most : n);

	/* slow values, or a busy machine: some of the smaller tiles finish in
	 * time */
	if (!code && is_none(s)) {
		s->patience = LONGER;
		if (s->way.n == 3)
			most = s->n_block *= SMALLER;
		else
			s->smaller *= SMALLER;
		code = vs_estimate_sample_count(s,
			s->way.n == 3 ? n : s->n_row);
	}
	code = code ? code : check_some(s);
	for (int k = 1; k < SAMPLES && !code && s->n_row < most; k++) {
		n = next_rows(s, most);
		if (k == 1 && s->way.n == 2 && s->seconds < FIRST_SECONDS)
			n = n < 4 * s->n_row ? 4 * s->n_row : n;
		n = n < most ? n : most;
		if (!s->did.pairs || s->stopped ||
			n < s->n_row + s->n_row / 2 + 1)
			break;
		seconds = s->seconds;
		pairs = (double)s->did.pairs;
		last = s->n_row;
		code = vs_estimate_sample_count(s, n);
	}
	/* not all after all; or, on a busy machine, nothing of the last one */
	if (!code && last && s->stopped &&
		(is_none(s) || (s->way.n == 2 && s->n_row == most)))
		code = vs_estimate_sample_count(s, last);
	code = code ? code : check_some(s);
	if (!code)
		judge(s, pairs, seconds, e);
	return code;
}

/* The greatest strength, a bucket's lower edge, that at least `top` of all
 * records pass, judging by the sample; each record in it represents as many.
 * -INFINITY: it is below all buckets. */
static double
top_threshold(const struct vs_estimate_sample *s, const struct vs_estimate *e)
{
	double each = e->records / fmax((double)e->seen, 1), n = 0;
	size_t k = VS_ESTIMATE_N_BUCKET;

	while (k && n < (double)s->of->top)
		n += each * (double)s->value[--k];
	return k ? (double)k / VS_ESTIMATE_PER_UNIT - 1 : -INFINITY;
}

/*
 * Count the samples again with the threshold that --top leads to, and limit the
 * records to N. Thresholds by class stay: their time is an upper bound.
 */
static int
count_top(struct vs_estimate_sample *s, struct vs_estimate *e)
{
	const struct vs_estimate all = *e;
	double fixed = FIXED_BYTES * s->plan.n_rank, threshold;
	double top = (double)s->of->top;
	int code = 0;

	if (!s->of->top || all.records <= top)
		return 0;
	threshold = top_threshold(s, e);
	if (!s->query.thresholds && threshold > s->query.threshold) {
		/* pairs are set up with the first threshold, as in the run */
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
	/* the number of records kept is certain */
	e->least = e->most = 0;
	e->seconds_most = fmax(all.seconds, e->seconds);
	e->exact = all.exact;
	return 0;
}

int
vs_estimate_make(struct vs_estimate *e, const struct vs_estimate_of *of)
{
	struct vs_estimate_sample s = { 0 };
	int code;

	code = vs_comm_agree(vs_estimate_sample_begin(&s, of));
	memset(e, 0, sizeof(*e));
	if (!code)
		code = of->way->n == 3 &&
				vs_wanted_is_by_place(of->pairs->wanted)
			? count_all(&s, e)
			: count_samples(&s, e);
	if (!code)
		code = count_top(&s, e);
	vs_thread_pool_rest();
	vs_estimate_sample_free(&s);
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
		/* parse it as a text of it would be parsed */
		t->row[t->n].threshold = (double)((low ? 3 : 5) + t->n) / 10;
		query.threshold = vs_strength_of_threshold(
			vs_query_strong(&query), t->row[t->n].threshold);
		code = vs_estimate_make(&t->row[t->n].e, &one);
	}
	return code;
}
