/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Permutation test of the maximum (Westfall and Young): one search for the
 * strongest value only per permutation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rising.h"
#include "libcore/base/rng.h"
#include "libcore/plan/comm.h"
#include "tools/run/permute_test.h"
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

/* Put the entries of both planes of vector v, 0 to 3 each, in a new order. */
static void
shuffle(struct vs_panel *p, size_t v, uint8_t *entry, uint64_t seed)
{
	uint64_t *h = vs_vec_plane(&p->vec, v, 0);
	uint64_t *q = vs_vec_plane(&p->vec, v, 1);
	const size_t n = p->vec.n_field;
	struct vs_rng rng;

	for (size_t f = 0; f < n; f++)
		entry[f] = (uint8_t)((h[f / 64] >> f % 64 & 1) |
			(q[f / 64] >> f % 64 & 1) << 1);
	vs_rng_seed(&rng, seed);
	for (size_t f = n; f > 1; f--) {
		size_t to = (size_t)vs_rng_below(&rng, f);
		uint8_t t = entry[f - 1];

		entry[f - 1] = entry[to];
		entry[to] = t;
	}
	memset(h, 0, p->vec.n_word * sizeof(*h));
	memset(q, 0, p->vec.n_word * sizeof(*q));
	for (size_t f = 0; f < n; f++) {
		h[f / 64] |= (uint64_t)(entry[f] & 1) << f % 64;
		q[f / 64] |= (uint64_t)(entry[f] >> 1) << f % 64;
	}
}

/* Sums of a vector are the same for any order of its samples. The order depends
 * on its row in the source, so that ranks and tiles have no effect. */
static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct search *s = ctx;
	const struct vs_job *real = s->of->pairs;
	size_t at = p->n_vec;
	uint8_t *entry = NULL;
	int code = real->load(real->ctx, lo, hi, p);

	if (code || s->query.classes)
		return code;
	code = vs_mem_new(&entry, p->vec.n_field + 1, 1, "samples");
	for (size_t v = at; v < p->n_vec && !code; v++) {
		/* sources are in the order of the range */
		uint64_t place = at + (p->first + p->row[v] - lo);

		shuffle(p, v, entry,
			vs_rng_at(s->seed, (uint64_t)p->source[place]));
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
	s->query.classes = &s->cases.classes;
	s->query.logs = &s->cases.logs;
	return vs_case_control_read(&s->cases, of->packed, of->input,
		s->query.metric, (int64_t)seed);
}

int
vs_permute_test_search(const struct vs_permute_test *of, uint64_t seed,
	double *best)
{
	char text[128];
	struct vs_job_stats did;
	struct search s;
	uint64_t load_of_rank;
	double shared_threshold;
	bool speaker;
	int code = begin(&s, of, seed, &shared_threshold);

	if (!code)
		code = vs_run_kind_plan(&s.way, &s.job, &s.plan, NULL,
			of->packed->n_vec, of->pairs->plan->tile,
			of->way->memory);
	code = vs_comm_agree(code, &speaker);
	if (!code)
		code = vs_comm_agree(vs_run_kind_begin(&s.way, &s.job, &did,
					     text, sizeof(text), &load_of_rank),
			&speaker);
	if (!code)
		code = vs_run_kind_run(&s.way, &did);
	vs_run_kind_end(&s.way);
	vs_case_control_free(&s.cases);
	code = vs_comm_agree(code, &speaker);
	vs_comm_max_f64(&s.best, 1);
	*best = s.best;
	return code;
}

int
vs_permute_test_check(const struct vs_permute_test *of, const char *option)
{
	return vs_element_is_number(of->pairs->query->element)
		? vs_fail(VS_EUSAGE, "%s requires genotypes; %s holds numbers",
			  option, of->input)
		: 0;
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
vs_permute_test_print(const struct vs_permute_test *of)
{
	struct vs_tool_progress progress = { 0 };
	double *best = NULL;
	int code =
		vs_mem_new(&best, (size_t)of->n, sizeof(*best), "permutations");

	if (!code)
		code = vs_permute_test_check(of, "--permute-test");
	if (code) {
		free(best);
		return code;
	}
	vs_tool_progress_begin(&progress, "permutations", (double)of->n);
	for (int64_t k = 0; k < of->n && !code; k++) {
		code = vs_permute_test_search(of, (uint64_t)k + 1, &best[k]);
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
