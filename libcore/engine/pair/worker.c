/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU workers for pairs, dispatched by family of metrics. */
#include <stdio.h>
#include <stdlib.h>

#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/pair/worker.h"

/* The backend's state: workers of one family. */
struct workers {
	const struct vs_pair_family *family;
	struct vs_pair_plan plan;
	int n;
	char *worker;  /* n structs of the family */
	void **memory; /* of each worker, its arrays */
};

static const struct vs_pair_family *
family_of(const struct vs_query *q)
{
	switch (vs_query_family(q)) {
	case VS_FAMILY_MINIMA:
	case VS_FAMILY_INNER:
		return &vs_pair_numbers;
	case VS_FAMILY_MOMENTS:
		return &vs_pair_moments;
	case VS_FAMILY_TABLES:
		return &vs_pair_tables;
	case VS_FAMILY_ALLELES:
	case VS_FAMILY_NONE:
		break;
	}
	return &vs_pair_alleles;
}

static const struct vs_pair_family *
choose(struct vs_pair_plan *plan, const struct vs_query *q, size_t most)
{
	const struct vs_pair_family *f = family_of(q);

	*plan = (struct vs_pair_plan){ .q = *q, .most = most };
	f->choose(plan);
	return f;
}

static void *
worker_at(const struct workers *w, int k)
{
	return w->worker + (size_t)k * w->family->worker_bytes;
}

static size_t
columns(const struct vs_query *q, size_t most, bool follow)
{
	struct vs_pair_plan plan;

	return choose(&plan, q, most)->columns(&plan, follow);
}

static size_t
bytes(const struct vs_query *q, int n_worker, size_t most)
{
	struct vs_pair_plan plan;
	const struct vs_pair_family *f = choose(&plan, q, most);
	max_align_t worker[f->worker_bytes / sizeof(max_align_t) + 1];
	struct vs_layout l = { 0 };

	f->lay_out(&plan, worker, &l);
	if (f->more_bytes)
		l.used += f->more_bytes(&plan);
	return l.used * (size_t)n_worker;
}

static void
cpu_close(void *state)
{
	struct workers *w = state;

	if (!w)
		return;
	for (int k = 0; w->worker && w->memory && k < w->n; k++) {
		if (w->family->close)
			w->family->close(worker_at(w, k));
		free(w->memory[k]);
	}
	free(w->worker);
	free(w->memory);
	free(w);
}

static int
open_worker(const struct workers *w, int k)
{
	struct vs_layout l = { 0 };
	int code;

	w->family->lay_out(&w->plan, worker_at(w, k), &l);
	code = vs_mem_room(&w->memory[k], l.used, 1,
		"columns and sums of a thread");
	if (code)
		return code;
	l = (struct vs_layout){ .at = w->memory[k] };
	w->family->lay_out(&w->plan, worker_at(w, k), &l);
	return w->family->open ? w->family->open(&w->plan, worker_at(w, k)) : 0;
}

/* Each thread touches its own memory first. */
static int
open_workers(const struct workers *w)
{
	int worst = 0;

#pragma omp parallel for num_threads(w->n) schedule(static, 1) \
	reduction(min                                          \
		  : worst)
	for (int k = 0; k < w->n; k++) {
		int code;

		vs_float_env_set();
		code = open_worker(w, k);
		worst = code < worst ? code : worst;
	}
	return worst < 0 ? worst : 0;
}

static int
cpu_open(void **state, const struct vs_query *q, int n_worker, size_t most)
{
	struct workers *w = NULL;
	int code = vs_mem_new(&w, 1, sizeof(*w), "backend");

	if (code)
		return code;
	w->family = choose(&w->plan, q, most);
	w->n = n_worker;
	code = vs_mem_new(&w->worker, (size_t)n_worker, w->family->worker_bytes,
		"workers");
	VS_MEM_NEW(&code, w->memory, (size_t)n_worker, "workers");
	if (!code)
		code = open_workers(w);
	if (code)
		cpu_close(w);
	else
		*state = w;
	return code;
}

static void
cpu_forget(void *state, const struct vs_panel *panel)
{
	const struct workers *w = state;

	for (int k = 0; k < w->n; k++) {
		struct vs_pair_worker *head = worker_at(w, k);

		vs_packed_columns_forget(&head->held, panel);
		if (w->family->forget)
			w->family->forget(head, panel);
	}
}

/* All rows of a part; if VS_PAIR_PLAIN ends it, those up to *row. */
static int
do_part(const struct vs_pair_family *f, struct vs_pair_work *at, size_t *row)
{
	struct vs_rectangle k = { .row = at->part->i_lo };
	int code = 0;

	if (f->begin)
		f->begin(at);
	for (; k.row < at->part->i_hi && !code; k.row += k.n_row) {
		at->now = vs_query_now(&at->plan->q);
		vs_rectangle_next(at->part, f->rows(at), &k);
		if (k.lo < k.hi)
			code = f->rectangle(at, &k);
	}
	*row = k.row;
	return code;
}

/* Take columns of a strip from lo on; returns their end. */
static size_t
take(const struct workers *w, struct vs_pair_worker *worker,
	const struct vs_strip *s, size_t lo)
{
	if (w->family->take)
		return w->family->take(&w->plan, worker, s, lo);
	return vs_min_size(lo + w->plan.n_col, s->j_hi);
}

/* Process a strip in parts, each of the columns taken together. */
static int
do_strip(const struct workers *w, struct vs_pair_worker *worker,
	const struct vs_strip *s, bool plain, struct vs_hits *found)
{
	struct vs_strip part;
	struct vs_pair_work at = { &w->plan, worker, &part, .found = found };
	int code = 0;

	for (size_t lo = s->j_lo, hi, row; lo < s->j_hi && !code; lo = hi) {
		worker->plain = plain;
		hi = take(w, worker, s, lo);
		if (!vs_strip_part(s, s->i_lo, s->i_hi, lo, hi, &part))
			continue;
		code = do_part(w->family, &at, &row);
		if (code != VS_PAIR_PLAIN)
			continue;
		part.i_lo = row;
		code = row < part.i_hi ? do_strip(w, worker, &part, true, found)
				       : 0;
	}
	return code;
}

static int
cpu_strip(void *state, int worker, const struct vs_strip *s,
	struct vs_hits *found)
{
	const struct workers *w = state;

	return do_strip(w, worker_at(w, worker), s,
		!vs_query_prunes(&w->plan.q), found);
}

static void
describe(const struct vs_query *q, size_t most, char *text, size_t room)
{
	struct vs_pair_plan plan;
	const struct vs_pair_family *f = choose(&plan, q, most);

	snprintf(text, room, "cpu-%s", f->kernel(&plan));
}

static double
rate(const struct vs_query *q)
{
	const struct vs_pair_family *f = family_of(q);

	if (f->rate)
		return f->rate(q);
	return q->cpu >= VS_CPU_AVX512  ? 2e12
		: q->cpu >= VS_CPU_AVX2 ? 5e11
					: 1e11;
}

const struct vs_backend vs_backend_cpu = {
	.name = "cpu",
	.open = cpu_open,
	.columns = columns,
	.strip = cpu_strip,
	.forget = cpu_forget,
	.close = cpu_close,
	.describe = describe,
	.bytes = bytes,
	.rate = rate,
};
