/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples by candidate graphs: choice, length of ranges, counting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/candidates/candidate_edges.h"
#include "libcore/engine/candidates/triple_candidates.h"

#define CELLS 4 /* edges that a pair may have */

static bool
may_prune(const struct vs_query *q)
{
	return vs_query_prunes(q) && !vs_element_is_number(q->element);
}

int
vs_triple_candidates_choose(struct vs_triple_candidates *c,
	const struct vs_job *job, const struct vs_triple_data *data,
	uint64_t memory, bool *pays)
{
	const struct vs_query *q = &data->q;
	const size_t n = data->all.n_vec;
	const uint64_t taken =
		(uint64_t)job->n_thread * vs_triangles_bytes(q, n);
	const double *seconds = c->model.seconds;
	int code = 0;

	memset(&c->model, 0, sizeof(c->model));
	if (may_prune(q))
		code = vs_cost_model_make(&c->model, data);
	c->job = job;
	c->data = data;
	c->room = memory > taken ? memory - taken : 0;
	c->edges = c->model.edges;
	*pays = !code && may_prune(q) &&
		!vs_query_without(q, VS_WITHOUT_CANDIDATES) &&
		(seconds[1] < seconds[0] ||
			vs_query_without(q, VS_WITHOUT_COST_MODEL)) &&
		c->room >= CELLS * n * vs_candidate_graph_edge_bytes(data);
	return code;
}

uint64_t
vs_triple_candidates_least(const struct vs_query *q, uint64_t n_vec,
	int n_thread)
{
	const struct vs_triple_data data = { .complete = !q->has_missing };

	return (uint64_t)n_thread *
		(vs_triangles_bytes(q, n_vec) + vs_candidate_edges_bytes(q)) +
		CELLS * n_vec * vs_candidate_graph_edge_bytes(&data);
}

int
vs_triple_candidates_open(struct vs_triple_candidates *c)
{
	size_t n = (size_t)c->job->n_thread;
	int code = vs_mem_new(&c->worker, n, sizeof(*c->worker), "workers");

	for (size_t k = 0; k < n && !code; k++)
		code = vs_triangles_open(&c->worker[k], c->data);
	return code;
}

void
vs_triple_candidates_close(struct vs_triple_candidates *c)
{
	for (int k = 0; c->worker && k < c->job->n_thread; k++)
		free(c->worker[k]);
	free(c->worker);
	c->worker = NULL;
	vs_candidate_graph_free(&c->graph);
}

static size_t
end_of_block(const struct vs_triple_candidates *c, int64_t bi)
{
	uint64_t lo, hi;

	vs_plan_block(c->job->plan, bi, &lo, &hi);
	return (size_t)hi;
}

/* Whole blocks, or part of one, bi: its tiles come in turn. */
static size_t
whole_blocks(const struct vs_triple_candidates *c, int64_t bi, size_t end)
{
	const bool some = end > end_of_block(c, bi) && end < c->data->all.n_vec;

	return some ? end - end % (size_t)c->job->plan->tile : end;
}

#define SLOWER 4 /* times slower than assumed, before it is measured */

/* The end of a graph of block bi's vectors from u on, and of later blocks up to
 * vector `end`: there has to be room for it, and it must not take longer than
 * the time between checkpoints, unless it is one block. */
static size_t
end_of_graph(const struct vs_triple_candidates *c, int64_t bi, size_t u,
	size_t end)
{
	const struct vs_job *job = c->job;
	const struct vs_cost_model *f = &c->model;
	const size_t block_end = end_of_block(c, bi);
	double edge = (double)vs_candidate_graph_edge_bytes(c->data);
	double n = (double)c->data->all.n_vec;
	double rows = (double)c->room / (c->edges * edge * n + 1);

	if (rows < (double)(end - u))
		end = u + (rows < 1 ? 1 : (size_t)rows);
	if (job->limit > 0 && end > block_end) {
		rows = job->limit /
			(c->row > 0 ? c->row
				    : SLOWER * n *
						(f->pair + f->edges * f->edge) /
						job->n_thread);
		if (rows < (double)(end - block_end))
			end = block_end + (size_t)rows;
	}
	return whole_blocks(c, bi, end);
}

int
vs_triple_candidates_make(struct vs_triple_candidates *c, int64_t bi, size_t u,
	size_t end)
{
	const struct vs_plan *plan = c->job->plan;
	struct vs_candidate_graph *g = &c->graph;
	size_t n = c->data->all.n_vec;
	double started = vs_clock();
	int code;

	vs_candidate_graph_free(g);
	for (end = end_of_graph(c, bi, u, end);;
		end = whole_blocks(c, bi, u + (end - u) / 2)) {
		code = vs_candidate_graph_make(g, c->data, u, end,
			plan->row_tiles, c->job->n_thread, c->room);
		if (code != VS_DONE || end - u == 1 ||
			vs_triple_data_stopped(c->data))
			break;
	}
	if (code)
		return code;
	c->row = (vs_clock() - started) / (double)(end - u);
	c->edges = fmax(c->edges,
		1.1 * (double)vs_candidate_graph_edges(g) /
			((double)(end - u) * (double)n));
	return 0;
}

int
vs_triple_candidates_count(struct vs_triple_candidates *c, int thread,
	const struct vs_tile_task *part, struct vs_hits *found,
	uint64_t *counted)
{
	struct vs_effort effort = { 0 };
	struct vs_corner k;
	int code;

	vs_triangles_corner(c->job->plan, part->bi, part->bj, &k);
	k.only = c->only;
	k.u_lo = part->lo;
	k.u_hi = part->hi;
	code = vs_triangles_do(c->worker[thread], &c->graph, &k, found,
		&effort);
	*counted += effort.counted;
	return code;
}
