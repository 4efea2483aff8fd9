/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Permutation test of the maximum (Westfall and Young): one search for the
 * strongest value only per permutation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rising.h"
#include "libcore/base/rng.h"
#include "libcore/plan/comm.h"
#include "tools/run/permutations.h"
#include "tools/shared/case_control.h"
#include "tools/shared/tool.h"

struct search {
	const struct vs_permute_test *of;
	uint64_t seed;
	struct vs_query query;
	struct vs_job job;
	struct vs_plan plan;
	struct vs_run_kind way;
	struct vs_case_control cases;
	double best; /* strength of the strongest value, or of the threshold */
};

/* ---- vectors with their samples permuted ---- */

/* Put n entries of some bytes each in a new order. */
static void
permute(uint8_t *entry, size_t n, size_t bytes, uint64_t seed)
{
	struct vs_rng rng;
	uint8_t t[8];

	vs_rng_seed(&rng, seed);
	for (size_t f = n; f > 1; f--) {
		uint8_t *a = entry + (f - 1) * bytes;
		uint8_t *b = entry + (size_t)vs_rng_below(&rng, f) * bytes;

		memcpy(t, a, bytes);
		memmove(a, b, bytes);
		memcpy(b, t, bytes);
	}
}

/* The same for the entries of both planes of vector v, 0 to 3 each. */
static void
shuffle(struct vs_panel *p, size_t v, uint8_t *entry, uint64_t seed)
{
	uint64_t *h = vs_vec_plane(&p->vec, v, 0);
	uint64_t *q = vs_vec_plane(&p->vec, v, 1);
	const size_t n = p->vec.n_field;

	for (size_t f = 0; f < n; f++)
		entry[f] = (uint8_t)((h[f / 64] >> f % 64 & 1) |
			(q[f / 64] >> f % 64 & 1) << 1);
	permute(entry, n, 1, seed);
	memset(h, 0, p->vec.n_word * sizeof(*h));
	memset(q, 0, p->vec.n_word * sizeof(*q));
	for (size_t f = 0; f < n; f++) {
		h[f / 64] |= (uint64_t)(entry[f] & 1) << f % 64;
		q[f / 64] |= (uint64_t)(entry[f] >> 1) << f % 64;
	}
}

/* The same for a vector of numbers, whose sum may be rounded otherwise. */
static int
shuffle_numbers(struct vs_panel *p, size_t v, uint64_t seed, const char *of)
{
	const struct vs_numbers *b = &p->number;

	permute((uint8_t *)b->at + v * b->stride, b->n_field,
		vs_element_bytes(b->element), seed);
	return vs_panel_total(p, v, p->first + p->row[v], of);
}

/* Counts of a vector are the same for any order of its samples. The order
 * depends on its row in the source, so that ranks and tiles have no effect. */
static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct search *s = ctx;
	const struct vs_job *real = s->of->pairs;
	const bool numbers = vs_element_is_number(s->query.element);
	size_t at = p->n_vec;
	uint8_t *entry = NULL;
	int code = real->load(real->ctx, lo, hi, p);

	if (code || s->query.classes)
		return code;
	code = vs_mem_new(&entry, p->vec.n_field + 1, 1, "samples");
	for (size_t v = at; v < p->n_vec && !code; v++) {
		/* sources are in the order of the range */
		const uint64_t place = at + (p->first + p->row[v] - lo);
		const uint64_t seed =
			vs_rng_at(s->seed, (uint64_t)p->source[place]);

		if (numbers)
			code = shuffle_numbers(p, v, seed, s->of->input);
		else
			shuffle(p, v, entry, seed);
	}
	free(entry);
	return code;
}

/* ---- a search ---- */

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct search *s = ctx;

	for (size_t k = 0; k < tile->n; k++) {
		double strength =
			vs_query_strength(&s->query, tile->rec[k].value);

		if (strength > s->best)
			s->best = strength;
	}
	vs_query_raise_threshold(s->query.shared_threshold, s->best);
	return 0;
}

static int
begin(struct search *s, const struct vs_permute_test *of, uint64_t seed,
	double *shared_threshold)
{
	const struct vs_job *real = of->pairs;
	int code;

	*s = (struct search){ .of = of, .seed = seed };
	s->query = *real->query;
	/* a run compares unrounded values with the threshold printed here */
	s->query.f32 = false;
	s->best = s->query.threshold;
	*shared_threshold = -INFINITY;
	s->query.shared_threshold = shared_threshold;
	s->query.n_strongest = 1;
	s->way = (struct vs_run_kind){ .n = of->way->n,
		.has_cells = of->way->has_cells,
		.what = of->way->what };
	s->job = (struct vs_job){ .query = &s->query,
		.backend = real->backend,
		.n_thread = real->n_thread,
		.n_share = real->n_share,
		.wanted = real->wanted,
		.no_hold = !real->hold,
		.load = load,
		.sink = sink,
		.stop = real->stop,
		.ctx = s };
	if (!s->query.classes)
		return 0;
	code = vs_case_control_read(&s->cases, of->packed, of->input,
		s->query.metric, (int64_t)seed);
	vs_case_control_ask(&s->cases, &s->query);
	return code;
}

/*
 * The strongest value for a permutation, or the threshold if none is stronger;
 * for metrics with cases the permutation is that of --shuffle-cases SEED.
 * best        receives its strength
 * returns     0; VS_DONE: stopped by a signal; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
static int
search_one(const struct vs_permute_test *of, uint64_t seed, double *best)
{
	char text[128];
	struct vs_job_stats did;
	struct search s;
	uint64_t load_of_rank;
	double shared_threshold;
	int code = begin(&s, of, seed, &shared_threshold);

	if (!code)
		code = vs_run_kind_plan(&s.way, &s.job, &s.plan, NULL,
			of->packed->n_vec, of->pairs->plan->tile,
			of->way->memory);
	code = vs_comm_agree(code);
	if (!code)
		code = vs_comm_agree(vs_run_kind_begin(&s.way, &s.job, &did,
			text, sizeof(text), &load_of_rank));
	if (!code)
		code = vs_run_kind_run(&s.way, &did);
	vs_run_kind_end(&s.way);
	vs_case_control_free(&s.cases);
	code = vs_comm_agree(code);
	vs_comm_max_f64(&s.best, 1);
	*best = s.best;
	return code;
}

/* ---- the threshold ---- */

/* best: weakest first */
static void
print(const struct vs_permute_test *of, const double *best)
{
	const enum vs_strong strong = vs_query_strong(of->pairs->query);
	const size_t n = (size_t)of->n;
	/* counting this data set, as many in n + 1 are at most 5 % */
	const double found[] = { best[n - (n + 1) / 20], best[n - 1],
		best[n - 1 - n / 2], best[0] };
	static const char *const name[] = { "threshold", "null_strongest",
		"null_median", "null_weakest" };

	printf("permutations: %zu\nfamily_wise: 0.05\n", n);
	for (int k = 0; k < 4; k++) {
		char number[VS_NUM_ROOM];

		vs_num_print(vs_strength_of_threshold(strong, found[k]),
			number);
		printf("%s: %s\n", name[k], number);
	}
}

int
vs_permutations_print(const struct vs_permute_test *of)
{
	struct vs_tool_progress progress = { 0 };
	double *best = NULL;
	int code =
		vs_mem_new(&best, (size_t)of->n, sizeof(*best), "permutations");

	if (code)
		return code;
	vs_tool_progress_begin(&progress, "permutations", (double)of->n);
	for (int64_t k = 0; k < of->n && !code; k++) {
		code = search_one(of, (uint64_t)k + 1, &best[k]);
		vs_tool_progress_step(&progress, (double)k + 1, NULL);
	}
	vs_tool_progress_end(&progress);
	if (code == VS_DONE)
		code = vs_fail(VS_EMACHINE,
			"--permute-test: stopped by a signal");
	if (!code && !vs_comm_rank()) {
		qsort(best, (size_t)of->n, sizeof(*best), vs_rising_f64);
		print(of, best);
	}
	free(best);
	return code;
}

/* ---- permutations of a run ---- */

#define STOPPED                                                             \
	"stopped by a signal; %lld of %lld permutations are sealed in %s, " \
	"and --resume continues"

/* Whether permutation k, from 0, is to be searched by this stage. */
static bool
is_open(const struct vs_run *run, int64_t k)
{
	return k % run->n_stages == run->stage_begin &&
		isnan(run->null_maxima[k]);
}

static int64_t
count(const struct vs_run *run, bool done)
{
	int64_t n = 0;

	for (int64_t k = 0; k < run->permutations; k++)
		n += done ? !isnan(run->null_maxima[k]) : is_open(run, k);
	return n;
}

/* Seal a shard without tiles in place of the one before it. */
static int
save(struct vs_permutations *p)
{
	struct vs_shard_writer_plan to = *p->to;
	struct vs_shard_writer *w = NULL;
	int code;

	to.n_thread = 1;
	to.aside = to.same = true;
	to.counts = NULL;
	code = vs_shard_writer_new(&w, &to, p->run);
	if (!code)
		code = vs_shard_writer_settle(w);
	vs_shard_writer_abandon(w);
	if (!code)
		p->n_sealed = count(p->run, true);
	return code;
}

static int
search_all(struct vs_permutations *p, struct vs_tool_progress *progress)
{
	struct vs_run *run = p->run;
	double best, saved = vs_clock();
	int64_t n = 0;
	int code = 0;

	for (int64_t k = 0; k < run->permutations && !code; k++) {
		if (!is_open(run, k))
			continue;
		code = search_one(&p->test, (uint64_t)k + 1, &best);
		if (code)
			break;
		run->null_maxima[k] =
			vs_strength_of_threshold(vs_run_strong(run), best);
		vs_tool_progress_step(progress, (double)++n, NULL);
		if (!vs_comm_rank() &&
			vs_clock() - saved >= p->to->commit_seconds) {
			code = save(p);
			saved = vs_clock();
		}
		code = vs_comm_agree(code);
	}
	return code;
}

int
vs_permutations_search(struct vs_permutations *p)
{
	const int64_t open = count(p->run, false);
	struct vs_tool_progress progress = { 0 };
	int code;

	if (!open)
		return 0;
	if (p->test.pairs->device)
		vs_tool_warn("--permutations: the CPU alone searches the %lld "
			     "permuted data sets, the device the data",
			(long long)open);
	p->n_sealed = count(p->run, true);
	/* the present search is abandoned; what was found is sealed */
	vs_tool_phase(VS_PHASE_WORK);
	vs_tool_progress_begin(&progress, "permutations", (double)open);
	code = search_all(p, &progress);
	vs_tool_phase(code == VS_DONE ? VS_PHASE_SAVE : VS_PHASE_EARLY);
	vs_tool_progress_end(&progress);
	if (code != VS_DONE)
		return code;
	code = vs_comm_rank() ? 0 : save(p);
	code = vs_comm_agree(code);
	if (code)
		return code;
	return vs_tool_is_step()
		? vs_fail(VS_EMACHINE, "stopped by a signal")
		: vs_fail(VS_EMACHINE, STOPPED, (long long)count(p->run, true),
			  (long long)p->run->permutations, p->to->dir);
}

bool
vs_permutations_say(const struct vs_permutations *p)
{
	if (!p->n_sealed)
		return false;
	vs_tool_line(STOPPED, (long long)p->n_sealed,
		(long long)p->run->permutations, p->to->dir);
	return true;
}

void
vs_permutations_end(const struct vs_permutations *p)
{
	struct vs_text path = { 0 };

	if (p->to && p->to->dir && !vs_comm_rank() &&
		!vs_shard_writer_aside(p->to, &path))
		unlink(path.bytes);
	vs_text_free(&path);
}
