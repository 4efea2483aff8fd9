/* SPDX-License-Identifier: BSD-3-Clause */
/* First threshold of --top: the N-th strongest of a sample of neighbours'
 * pairs. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/plan/comm.h"
#include "tools/run/top_records.h"
#include "tools/run/top_sample.h"
#include "tools/shared/load_vectors.h"

#define RUN 256        /* neighbours per run, with all of their pairs counted */
#define SHARE 256      /* 1/256 of the pairs, */
#define MOST_RUNS 64   /* in at most 64 runs, */
#define EACH 16        /* or this many for each record wanted, */
#define LARGE_SHARE 16 /* but at most 1/16, */
#define MEMORY_SHARE 8 /* in 1/8 of the memory */

struct sample {
	struct vs_setup *of;
	struct vs_strongest best;
	double threshold; /* threshold that they exceed */
	int64_t *row;     /* number of vectors in the file */
	uint64_t n;
};

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const struct sample *s = ctx;
	const struct vs_rows rows = { .row = s->row + lo,
		.first = lo,
		.n = hi - lo };

	return vs_load_vectors_rows(s->of->packed, &rows, p);
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct sample *s = ctx;
	int code = 0;

	for (size_t k = 0; k < tile->n && !code; k++)
		code = vs_strongest_add(&s->best, &tile->rec[k]);
	if (!code)
		vs_top_records_raise(&s->threshold, &s->best, s->of->query.f32);
	return code;
}

/* Runs at equal distances without overlap: no pair counts twice. */
static int
choose_rows(struct sample *s, uint64_t memory)
{
	const uint64_t n_vec = s->of->packed->n_vec;
	const double bytes = (double)vs_panel_bytes(s->of->query.element,
		s->of->query.n_field);
	const double all = (double)n_vec * (double)n_vec / (RUN * RUN);
	double n_run = fmax(fmin(all / SHARE, MOST_RUNS),
		(double)s->best.most * EACH * 2 / (RUN * RUN));
	uint64_t n, step;
	int code;

	n_run = fmin(fmin(n_run, all / LARGE_SHARE), (double)(n_vec / RUN));
	n_run = fmin(n_run, (double)memory / MEMORY_SHARE / (RUN * bytes));
	n = (uint64_t)n_run;
	step = n ? n_vec / n : 0;
	code = vs_mem_room(&s->row, n * RUN + 1, sizeof(*s->row), "a sample");
	for (uint64_t k = 0; k < n && !code; k++)
		for (uint64_t v = 0; v < RUN; v++)
			s->row[s->n++] = (int64_t)(k * step + v);
	return code;
}

/* Count the tiles of the diagonal, each of which is one run. */
static int
count(struct sample *s, struct vs_job *job)
{
	struct vs_run_kind way = { .n = 2,
		.has_cells = s->of->way.has_cells,
		.what = s->of->way.what };
	struct vs_plan plan = { 0 };
	struct vs_job_stats did = { 0 };
	char text[sizeof(s->of->run.compute)];
	uint64_t *done = NULL, n_tile, unused;
	int code =
		vs_run_kind_plan(&way, job, &plan, NULL, s->n, RUN, SIZE_MAX);

	n_tile = code ? 0 : vs_plan_n_tile(&plan);
	VS_MEM_NEW(&code, done, n_tile / 64 + 1, "tiles");
	for (uint64_t t = 0; t < n_tile && !code; t++) {
		int64_t bi, bj;

		vs_plan_tile_of(&plan, t, &bi, &bj);
		if (bi != bj)
			vs_plan_mark(&plan, done, bi, bj);
	}
	job->done = done;
	if (!code)
		code = vs_run_kind_begin(&way, job, &did, text, sizeof(text),
			&unused);
	if (!code)
		code = vs_run_kind_run(&way, &did);
	vs_thread_pool_rest();
	vs_run_kind_end(&way);
	vs_plan_free(&plan);
	free(done);
	return code;
}

/* True if any pair may be among the strongest, and one process has all
 * pairs. */
static bool
is_plain(const struct vs_setup *s)
{
	const struct vs_wanted *w = &s->run.wanted;

	return s->way.n == 2 && s->query.prune && !s->query.thresholds &&
		!s->run.permutations && s->run.n_stages == 1 &&
		vs_comm_size() == 1 && !vs_wanted_is_by_place(w) &&
		!vs_wanted_is_by_sets(w);
}

int
vs_top_sample_take(struct vs_setup *of, int n_thread, uint64_t memory)
{
	struct sample s = { .of = of,
		.best = { .most = of->query.n_strongest,
			.order = vs_record_strongest_first(
				vs_query_strong(&of->query)) },
		.threshold = -INFINITY };
	struct vs_query query = of->query;
	struct vs_wanted all = { .n_way = 2 };
	struct vs_job job = { .query = &query,
		.backend = &vs_backend_cpu,
		.n_thread = n_thread,
		.wanted = &all,
		.load = load,
		.sink = sink,
		.ctx = &s };
	int code = 0;

	if (!is_plain(of))
		return 0;
	code = choose_rows(&s, memory);
	all.n_vec = s.n;
	query.shared_threshold = &s.threshold;
	if (!code && s.n * (RUN - 1) / 2 > s.best.most)
		code = count(&s, &job);
	vs_strongest_free(&s.best);
	free(s.row);
	if (code || !(s.threshold > of->query.threshold))
		return code;
	of->query.threshold = s.threshold;
	free(of->dead);
	of->dead = NULL;
	return vs_setup_scan(of);
}
