/* SPDX-License-Identifier: BSD-3-Clause */
/* Soak test: every kernel and device against plain definitions. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/card_query.h"
#include "cuda/plugin.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/pair_run.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/triple/triple_run.h"
#include "libcore/kern/minima/minima.h"
#include "tools/shared/tool.h"
#include "tools/verify/soak.h"
#include "tools/verify/soak_data.h"
#include "tools/verify/temperature.h"

/* of the table of rates: kinds of data by levels and kernels of the CPU, and a
 * device */
#define MOST_ROWS 512
#define MEMORY (1ull << 30)
#define TIMES 4 /* a kernel's share of the time, to its definition's */
#define WHY_ROOM 512

static const struct vs_soak_kind kinds[] = {
	{ "ccc", 2, VS_BIT2, false },
	{ "ccc", 2, VS_BIT2, true },
	{ "r2", 2, VS_BIT2, false },
	{ "r2", 2, VS_BIT2, true },
	{ "k2", 2, VS_BIT2, false },
	{ "mi", 2, VS_BIT2, true },
	{ "ps", 2, VS_NUM_U8, false },
	{ "ps", 2, VS_NUM_U16, false },
	{ "ps", 2, VS_NUM_U32, false },
	{ "ps", 2, VS_NUM_F32, false },
	{ "ps", 2, VS_NUM_F64, false },
	{ "r", 2, VS_NUM_F32, false },
	{ "r", 2, VS_NUM_F64, false },
	{ "euclid", 2, VS_NUM_F32, false },
	{ "euclid", 2, VS_NUM_F64, false },
	{ "ccc", 3, VS_BIT2, false },
	{ "ccc", 3, VS_BIT2, true },
	{ "k2", 3, VS_BIT2, false },
	{ "ps", 3, VS_NUM_U8, false },
	{ "ps", 3, VS_NUM_F32, false },
};

#define N_KIND ((int)(sizeof(kinds) / sizeof(kinds[0])))

/* Statistics of one kernel on one kind of data. */
struct row {
	const struct vs_soak_kind *kind;
	char compute[64]; /* "cpu-avx2" */
	uint64_t n_run;
	double comparisons, seconds;
};

struct soak {
	const struct vs_soak *ask;
	const struct vs_backend *device; /* or null */
	struct vs_soak_data data;
	uint64_t seed; /* of the data */
	double end;
	struct row row[MOST_ROWS];
	int n_row;
	/* of a run */
	struct vs_query q;
	char compute[64];
	uint64_t n_record, n_wrong;
	struct vs_record wrong; /* the first */
};

/* ---- callbacks of the engine ---- */

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	return vs_soak_data_load(&((struct soak *)ctx)->data, lo, hi, p);
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct soak *s = ctx;

	for (size_t k = 0; k < tile->n; k++) {
		const struct vs_record *r = &tile->rec[k];
		const double *want = vs_soak_data_at(&s->data, r);

		if (want && !memcmp(want, &r->value, sizeof(*want)) &&
			vs_metric_strength(s->q.metric, *want) > s->q.threshold)
			continue;
		if (!s->n_wrong++)
			s->wrong = *r;
	}
	s->n_record += tile->n;
	return 0;
}

static bool
is_over(const struct soak *s)
{
	return vs_clock() >= s->end || s->ask->stopped();
}

/* ---- one run ---- */

static int
run_pairs(struct soak *s, struct vs_job *job, struct vs_job_stats *stats)
{
	struct vs_thread_pool pool;
	struct vs_plan plan;
	int code =
		vs_plan_make(&plan, s->data.n_vec, 1, (int64_t)s->data.n_vec);

	job->plan = &plan;
	if (!code)
		code = vs_thread_pool_open(&pool, job);
	return code ? code : vs_pair_run(&pool, stats);
}

static int
run_triples(struct vs_job *job, uint64_t n_vec, struct vs_job_stats *stats)
{
	struct vs_triple_run *t = NULL;
	struct vs_plan plan;
	int code = vs_triple_run_plan(job, &plan, n_vec, 0, MEMORY);

	if (!code)
		code = vs_triple_run_new(&t, job, &plan, MEMORY, stats);
	if (!code)
		code = vs_triple_run_all(t, stats);
	vs_triple_run_free(t);
	return code;
}

static struct row *
find_row(struct soak *s)
{
	struct row *r = s->row, *end = s->row + s->n_row;

	while (r < end &&
		(r->kind != s->data.kind || strcmp(r->compute, s->compute)))
		r++;
	if (r == end) {
		assert(s->n_row < MOST_ROWS);
		s->n_row++;
		r->kind = s->data.kind;
		memcpy(r->compute, s->compute, sizeof(r->compute));
	}
	return r;
}

static void
print_kind(const struct vs_soak_kind *k, char text[64])
{
	snprintf(text, 64, "%s of %s of %s%s", k->metric,
		k->n_way == 3 ? "triples" : "pairs",
		k->element == VS_BIT2 ? "genotypes"
				      : vs_element_name(k->element),
		k->missing ? ", some missing" : "");
}

/* The answer no: what computed it, and the seed that gives the data again. */
static int
say_wrong(const struct soak *s)
{
	const struct vs_record *r = &s->wrong;
	const double *want = vs_soak_data_at(&s->data, r);
	char kind[64], third[24] = "";

	print_kind(s->data.kind, kind);
	if (!s->n_wrong)
		return vs_fail(VS_ENO,
			"%s, %s, seed %llu: %llu values found that pass, %llu "
			"do by the definition",
			s->compute, kind, (unsigned long long)s->seed,
			(unsigned long long)s->n_record,
			(unsigned long long)s->data.n_pass);
	if (r->k != VS_NO_VEC)
		snprintf(third, sizeof(third), " %u", (unsigned)r->k);
	return vs_fail(VS_ENO,
		"%s, %s, seed %llu: %llu values wrong, first of %u %u%s: "
		"%.17g, by the definition %.17g",
		s->compute, kind, (unsigned long long)s->seed,
		(unsigned long long)s->n_wrong, (unsigned)r->i, (unsigned)r->j,
		third, r->value, want ? *want : NAN);
}

/* All values of the data by the CPU's kernels that the query chooses, or by the
 * device. */
static int
run_once(struct soak *s, bool on_device)
{
	struct vs_job_stats stats;
	struct vs_job job = { .query = &s->q,
		.backend = &vs_backend_cpu,
		.device = on_device ? s->device : NULL,
		.alone = on_device,
		.n_thread = s->ask->n_thread,
		.load = load,
		.sink = sink,
		.ctx = s };
	const bool triples = s->data.kind->n_way == 3;
	double started = vs_clock();
	struct row *r;
	int code;

	s->n_record = s->n_wrong = 0;
	if (triples)
		vs_triple_run_describe(&job, NULL, s->compute,
			sizeof(s->compute));
	else
		(on_device ? s->device : &vs_backend_cpu)
			->describe(&s->q, s->data.n_vec, s->compute,
				sizeof(s->compute));
	code = triples ? run_triples(&job, s->data.n_vec, &stats)
		       : run_pairs(s, &job, &stats);
	if (code)
		return code;
	if (s->n_wrong || s->n_record != s->data.n_pass)
		return say_wrong(s);
	r = find_row(s);
	r->n_run++;
	r->comparisons += (double)stats.counted * (double)s->data.n_field;
	r->seconds += vs_clock() - started;
	return 0;
}

/* ---- all kernels ---- */

/* The name of dense kernel k, or of the choice by cost, -1; null: no more. */
static const char *
kernel_name(int k, bool *end)
{
	const struct vs_dense *d = k < 0 ? NULL : vs_registry_dense_at(k);

	*end = k >= 0 && !d;
	return d ? d->name : NULL;
}

static bool
has_kernel(const struct vs_query *q)
{
	return vs_element_is_number(q->element) ||
		vs_registry_dense_pick(q->cpu, q->kernel);
}

/* Each step of the CPU by what it chooses, the best by each kernel too; with
 * bounds and without. */
static int
run_kernels(struct soak *s)
{
	const enum vs_cpu best = vs_cpu_best();
	int code = 0;

	for (int cpu = 0; cpu <= (int)best && !code; cpu++)
		for (int k = -1; !code; k++) {
			bool end;

			s->q = s->data.query;
			s->q.cpu = (enum vs_cpu)cpu;
			s->q.kernel = kernel_name(k, &end);
			if (end ||
				(k >= 0 &&
					(cpu < (int)best ||
						vs_element_is_number(
							s->q.element))))
				break;
			for (int prune = 0; prune < 2 && has_kernel(&s->q) &&
				!code && !is_over(s);
				prune++) {
				s->q.prune = prune;
				code = run_once(s, false);
			}
		}
	return code;
}

static int
run_device(struct soak *s)
{
	s->q = s->data.query;
	s->q.cpu = vs_cpu_best();
	if (!s->device || !vs_card_has(&s->q) || is_over(s) ||
		(s->data.kind->n_way == 3 && !s->device->slab))
		return 0;
	return run_once(s, true);
}

/* One kind: draw, define, and compute once, or `times` as long as that took.
 */
static int
do_kind(struct soak *s, const struct vs_soak_kind *kind, int times)
{
	double started = vs_clock(), defined;
	int code = vs_soak_data_new(&s->data, kind, s->seed, s->ask->n_thread);

	defined = vs_clock();
	do {
		if (!code)
			code = run_kernels(s);
		if (!code)
			code = run_device(s);
	} while (!code && !is_over(s) &&
		vs_clock() - defined < times * (defined - started));
	vs_soak_data_free(&s->data);
	return code;
}

/* ---- the whole ---- */

static void
open_device(struct soak *s)
{
	const struct vs_plugin_want want = { 0 };
	char why[WHY_ROOM] = "";

	if (vs_plugin_open(&want, &s->device, why, sizeof(why))) {
		vs_tool_say("no device: %s", vs_fail_text());
		vs_fail_clear();
		s->device = NULL;
	} else {
		vs_tool_say("%s%s", s->device ? "device: " : "", why);
	}
}

static void
print_rates(const struct soak *s, double hottest, const char *where)
{
	for (int k = 0; k < s->n_row; k++) {
		const struct row *r = &s->row[k];
		char kind[64];

		print_kind(r->kind, kind);
		printf("%s, %s: %llu runs, %.1f G comparisons/s\n", r->compute,
			kind, (unsigned long long)r->n_run,
			r->seconds > 0 ? r->comparisons / r->seconds * 1e-9
				       : 0);
	}
	if (*where)
		printf("hottest: %.1f C, %s\n", hottest, where);
}

int
vs_soak_run(const struct vs_soak *ask)
{
	const double started = vs_clock();
	struct vs_temperature hottest = { 0 };
	struct soak *s = NULL;
	uint64_t n_run = 0;
	int code = vs_mem_new(&s, 1, sizeof(*s), "rates");

	if (code)
		return code;
	s->ask = ask;
	s->end = started + ask->seconds;
	open_device(s);
	for (uint64_t k = 0; !code && !is_over(s); k++) {
		/* each kind once, then with other vectors many times */
		s->seed = ask->seed + k / N_KIND;
		code = do_kind(s, &kinds[k % N_KIND], k < N_KIND ? 0 : TIMES);
		vs_temperature_read(&hottest);
	}
	for (int k = 0; k < s->n_row; k++)
		n_run += s->row[k].n_run;
	print_rates(s, hottest.celsius, hottest.where);
	if (!code)
		vs_tool_close("soak", "%llu runs in %.0f s, all right",
			(unsigned long long)n_run, vs_clock() - started);
	free(s);
	return code;
}
