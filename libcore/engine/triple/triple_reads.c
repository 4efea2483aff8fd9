/* SPDX-License-Identifier: BSD-3-Clause */
/* Walk of a stream of triples without vectors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rng.h"
#include "libcore/engine/triple/candidate_stream.h"
#include "libcore/engine/triple/slab_stream.h"
#include "libcore/engine/triple/tile_cost.h"
#include "libcore/engine/triple/triple_deal.h"
#include "libcore/engine/triple/triple_reads.h"
#include "libcore/engine/triple/triple_run_inner.h"

#define RANKS 64    /* that are walked, about: others are as the one before */
#define WINDOWS 1e6 /* of all that are walked: a second or two */
#define SAMPLE 2048 /* vectors, or fewer, that show where triples are */
#define SAMPLE_BYTES 64e6
#define SECONDS 1 /* for them */
#define MORE 1.1  /* edges of the next graph are as many times more at most */

/* Groups that two vectors of a triple are apart: 0, 1, 2 and 3, 4 to 7, ... */
#define APART 12

struct reads {
	struct vs_job job;
	struct vs_plan plan;
	uint64_t room; /* bytes for vectors, by the tiles of the plan */
	struct vs_triple_data data; /* of no vector */
	bool by_candidates;
	struct vs_triple_candidates candidates;
	int32_t *owner; /* of tiles */
	/* share of triples that candidates count, by how far the first two and
	 * the last two are apart: neighbours are alike in many files */
	double counted[APART][APART];
	/* the sample of this, rising, and edges with each other vector */
	uint32_t *v;
	double *degree;
	size_t n_sample;
	/* of a rank */
	int rank;
	struct vs_triple_groups groups;
	struct vs_candidate_stream stream;
	struct vs_triple_slabs slabs;
	struct vs_slab_stream slab_stream;
	size_t graph_end;
	struct vs_rng rng;
};

/* ---- the plan of the run ---- */

static int
choose(struct reads *r, bool known)
{
	const struct vs_job *job = &r->job;
	int code;

	if (!known || job->between || !job->graph_bytes)
		return 0;
	code = vs_cost_model_read(&r->candidates.model, &r->data, job);
	if (!code)
		r->by_candidates = vs_triple_candidates_judge(&r->candidates,
			job, &r->data, vs_triple_run_graph_room(job));
	return code;
}

static int
make_plan(struct reads *r)
{
	return r->by_candidates
		? vs_cube_row_tiles(&r->plan,
			  vs_triple_run_row_grain(&r->job, &r->plan))
		: vs_tile_cost_plan(&r->job, &r->data, NULL, &r->plan);
}

static int
deal(struct reads *r)
{
	int code = vs_mem_new(&r->owner, vs_plan_n_tile(&r->plan),
		sizeof(*r->owner), "list of tiles");

	return code ? code
		    : vs_triple_deal(&r->job,
			      r->by_candidates ? &r->candidates.model : NULL,
			      r->owner);
}

/* ---- tiles ---- */

static bool
is_own(const struct reads *r, uint64_t tile)
{
	return r->owner[tile] == r->rank &&
		!vs_tile_cost_is_done(&r->job, tile);
}

/* Vectors that follow one another, of this rank's row tiles and of a group. */
static size_t
own_end(const struct reads *r, int64_t bi)
{
	size_t end, unused;
	int64_t next = bi + 1;

	vs_triple_groups_vectors(&r->groups,
		vs_triple_groups_of(&r->groups, bi), &unused, &end);
	while (r->plan.row_tiles && next < r->plan.n_block &&
		is_own(r, vs_plan_number(&r->plan, next, next)))
		next++;
	return vs_min_size((size_t)(next * r->plan.tile), end);
}

/* ---- where triples are ---- */

static int
apart(int64_t n_group)
{
	int k = 0;

	for (; n_group && k < APART - 1; n_group /= 2)
		k++;
	return k;
}

/* A sample, by groups: those of g are [start[g], start[g + 1]). */
struct sample {
	struct vs_hits hits; /* the first: it is what drain() gets */
	struct vs_triple_data data;
	struct vs_candidate_graph graph;
	struct vs_triangles *worker;
	size_t n, *start;
	int64_t *group; /* of each vector */
	double n_record, record[APART][APART], all[APART][APART];
};

static int
add_records(struct vs_hits *hits)
{
	struct sample *s = (struct sample *)hits;

	for (size_t k = 0; k < hits->n; k++) {
		const struct vs_record *r = &hits->rec[k];
		const int64_t *g = s->group;

		s->record[apart(g[r->j] - g[r->i])][apart(g[r->k] - g[r->j])]++;
	}
	s->n_record += (double)hits->n;
	hits->n = 0;
	return 0;
}

/* All triples with the second vector v. */
static void
add_all(struct sample *s, size_t v, int64_t n_group)
{
	double before[APART] = { 0 }, behind[APART] = { 0 };
	const int64_t own = s->group[v];

	for (int64_t g = 0; g < n_group; g++) {
		const double n = (double)(s->start[g + 1] - s->start[g]);

		if (g < own)
			before[apart(own - g)] += n;
		else if (g > own)
			behind[apart(g - own)] += n;
	}
	before[0] = (double)(v - s->start[own]);
	behind[0] = (double)(s->start[own + 1] - v - 1);
	for (int a = 0; a < APART; a++)
		for (int b = 0; b < APART; b++)
			s->all[a][b] += before[a] * behind[b];
}

/* Records tell where triples are that are counted. Where there is none, these
 * are taken to be anywhere. */
static int
count_places(struct reads *r, struct sample *s)
{
	const double n = (double)s->n;
	const struct vs_corner k = { .u_hi = s->n, .v_hi = s->n, .same = true };
	struct vs_effort effort = { 0 };
	double each;
	int code = vs_triangles_do(s->worker, &s->graph, &k, &s->hits, &effort);

	if (!code)
		code = add_records(&s->hits);
	for (size_t v = 0; v < s->n; v++)
		add_all(s, v, r->groups.n);
	each = (double)effort.counted /
		(s->n_record > 0 ? s->n_record : n * (n - 1) * (n - 2) / 6);
	for (int a = 0; a < APART; a++)
		for (int b = 0; b < APART; b++)
			r->counted[a][b] = s->n_record <= 0 ? each
				: s->all[a][b] > 0
				? each * s->record[a][b] / s->all[a][b]
				: 0;
	return code;
}

/* A sample that is read and counted in time. */
static size_t
sample_size(const struct reads *r)
{
	const struct vs_cost_model *f = &r->candidates.model;
	const double least = (double)f->n,
		     row = (double)vs_triple_data_row_bytes(r->job.query);
	double n = vs_min_f64(SAMPLE, SAMPLE_BYTES / row);

	n = vs_max_f64(vs_min_f64(n, (double)r->plan.n_vec), least);
	while (n > least &&
		n * n / 2 * (f->pair + f->edges * f->edge) +
				n * n * n / 6 * f->triple >
			SECONDS)
		n *= 0.9;
	return (size_t)vs_max_f64(n, least);
}

static int
find_places(struct reads *r)
{
	const struct vs_triple_groups *g = &r->groups;
	struct sample s = { .hits = { .drain = add_records },
		.n = sample_size(r) };
	int code = vs_mem_new(&r->v, s.n + 1, sizeof(*r->v), "sample");

	if (!code)
		code = vs_mem_new(&r->degree, s.n + 1, sizeof(*r->degree),
			"sample");
	if (!code)
		code = vs_mem_new(&s.start, (size_t)g->n + 1, sizeof(*s.start),
			"sample");
	if (!code)
		code = vs_mem_new(&s.group, s.n + 1, sizeof(*s.group),
			"sample");
	if (!code)
		code = vs_cost_model_some(&s.data, &r->data, &r->job, s.n,
			r->v);
	for (size_t k = 0; k < s.n && !code; k++) {
		s.group[k] = vs_triple_groups_at(g, r->v[k]);
		s.start[s.group[k] + 1] = k + 1;
	}
	for (int64_t k = 0; k < g->n && !code; k++)
		s.start[k + 1] = vs_max_size(s.start[k], s.start[k + 1]);
	if (!code)
		code = vs_candidate_graph_make(&s.graph, &s.data, 0, s.n, false,
			1, INT64_MAX);
	if (!code)
		code = vs_triangles_open(&s.worker, &s.data);
	if (!code)
		code = count_places(r, &s);
	r->n_sample = code ? 0 : s.n;
	for (size_t k = 0; k < r->n_sample; k++)
		r->degree[k] = (double)(s.graph.start[2 * k + 2] -
				       s.graph.start[2 * k]) /
			(double)(s.n - 1);
	vs_triangles_close(s.worker);
	vs_candidate_graph_free(&s.graph);
	vs_triple_data_close(&s.data);
	free(s.hits.rec);
	free(s.start);
	free(s.group);
	return code;
}

/* Evenly from [0, 1). */
static double
draw(struct reads *r)
{
	return (double)(vs_rng_next(&r->rng) >> 11) * 0x1p-53;
}

/* Mark groups as often as first vectors [lo, hi) have triples of them. */
static void
mark(struct reads *r, size_t lo, size_t hi)
{
	const struct vs_triple_groups *g = &r->groups;
	const struct vs_triangle_marks *m = &r->stream.marks;
	const int64_t own = vs_triple_groups_at(g, lo);

	memset(m->seen, 0, m->n * m->n);
	for (int64_t v = own; v < g->n; v++)
		for (int64_t w = v; w < g->n; w++) {
			size_t v_lo, v_hi, w_lo, w_hi;
			double n;

			vs_triple_groups_vectors(g, v, &v_lo, &v_hi);
			vs_triple_groups_vectors(g, w, &w_lo, &w_hi);
			n = r->counted[apart(v - own)][apart(w - v)] *
				(double)(hi - lo) * (double)(v_hi - v_lo) *
				(double)(w_hi - w_lo) / (v == w ? 2 : 1) /
				(v == own ? 2 : 1);
			if (draw(r) < -expm1(-n))
				vs_triangles_mark_groups(m, v, w);
		}
}

/* Edges of vectors [lo, hi) with each other, by those of the sample; or 0. */
static double
edges_of(const struct reads *r, size_t lo, size_t hi)
{
	double sum = 0;
	size_t from = 0, to = r->n_sample, n = 0;

	while (from < to) {
		const size_t mid = (from + to) / 2;

		if (r->v[mid] < lo)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < r->n_sample && r->v[from] < hi; from++, n++)
		sum += r->degree[from];
	sum = n ? sum / (double)n : 0;
	/* of row tiles a graph has those behind its vectors alone */
	return r->plan.row_tiles
		? sum * (double)(r->plan.n_vec - lo) / (double)r->plan.n_vec
		: sum;
}

/* Graphs of a tile's first vectors, as far as the last one has them not, and
 * the windows with triples of each. */
static int
do_candidates(struct reads *r, int64_t bi, int64_t bj)
{
	struct vs_triple_candidates *c = &r->candidates;
	struct vs_corner k;
	int code = 0;

	vs_triangles_corner(&r->plan, bi, bj, &k);
	for (size_t u = k.u_lo, end; u < k.u_hi && !code; u = end) {
		struct vs_triple_part part = { .bi = bi, .bj = bj, .lo = u };

		if (u >= r->graph_end) {
			r->graph_end = vs_triple_candidates_end(c, bi, u,
				own_end(r, bi));
			code = vs_candidate_graph_windows(&r->groups, u,
				r->plan.row_tiles);
			c->row = vs_tile_cost_row_seconds(&r->job, &c->model);
			c->edges = vs_max_f64(c->edges,
				MORE * edges_of(r, u, r->graph_end));
		}
		end = part.hi = vs_min_size(r->graph_end, k.u_hi);
		mark(r, part.lo, part.hi);
		if (!code)
			code = vs_candidate_stream_windows(&r->stream, &part);
	}
	return code;
}

/* ---- ranks ---- */

/* Each how manieth of n tiles is walked. */
static uint64_t
stride(const struct reads *r, uint64_t n)
{
	const struct vs_triple_groups *g = &r->groups;
	const double windows = (double)g->n /
		(double)vs_triple_groups_thirds(g) *
		(r->plan.row_tiles ? (double)(g->n + 1) / 2 + 1 : 1);
	const double most = WINDOWS / vs_min_f64(r->plan.n_rank, RANKS);

	return 1 + (uint64_t)((double)n * windows / most);
}

static int
do_tiles(struct reads *r, uint64_t n, double *n_read)
{
	const uint64_t step = stride(r, n);
	uint64_t at = 0, walked = 0;
	int code = 0;

	for (uint64_t t = 0; t < vs_plan_n_tile(&r->plan) && !code; t++) {
		int64_t bi, bj;

		if (!is_own(r, t) || at++ % step)
			continue;
		walked++;
		vs_plan_tile_of(&r->plan, t, &bi, &bj);
		code = r->by_candidates
			? do_candidates(r, bi, bj)
			: vs_slab_stream_run(&r->slab_stream, bi, bj);
	}
	if (walked)
		*n_read +=
			(double)r->groups.n_read * (double)n / (double)walked;
	return code;
}

static int
do_rank(struct reads *r, double *n_read)
{
	uint64_t n = 0;
	int code = vs_triple_groups_open(&r->groups, &r->job, NULL,
		r->by_candidates ? r->room
				 : r->room + vs_triple_run_spare(&r->job));

	for (uint64_t t = 0; t < vs_plan_n_tile(&r->plan) && !code; t++)
		n += is_own(r, t);
	r->graph_end = 0;
	r->candidates.edges = r->candidates.model.edges;
	r->candidates.row = 0;
	vs_rng_seed(&r->rng, 1);
	r->slabs = (struct vs_triple_slabs){ .job = &r->job,
		.data = &r->data,
		.uncut = true };
	r->slab_stream = (struct vs_slab_stream){ .groups = &r->groups,
		.slabs = &r->slabs };
	if (!code && r->by_candidates)
		code = vs_candidate_stream_open(&r->stream, &r->candidates,
			&r->groups);
	if (!code && r->by_candidates && !r->v)
		code = find_places(r);
	if (!code)
		code = do_tiles(r, n, n_read);
	free(r->slabs.of_tile.at);
	vs_candidate_stream_close(&r->stream);
	vs_triple_groups_close(&r->groups);
	return code;
}

int
vs_triple_reads_count(const struct vs_job *job, bool known, bool given,
	double *n_read)
{
	struct reads r = { .job = *job, .plan = *job->plan };
	int code;

	r.room = vs_triple_run_streamed(job);
	r.job.plan = &r.plan;
	r.data.q = *job->query;
	r.data.all.n_vec = (size_t)r.plan.n_vec;
	r.data.complete = !job->query->has_missing;
	r.data.band = vs_job_is_triple_band(job) ? job->filter : NULL;
	code = choose(&r, known);
	if (!code && !given)
		code = make_plan(&r);
	if (!code)
		code = deal(&r);
	for (r.rank = 0; r.rank < r.plan.n_rank && !code; r.rank++) {
		const int like = r.rank - r.rank % (1 + r.plan.n_rank / RANKS);

		if (like < r.rank) {
			n_read[r.rank] = n_read[like];
			continue;
		}
		/* all are read once before there is a choice */
		n_read[r.rank] = job->graph_bytes ? (double)r.plan.n_vec : 0;
		code = do_rank(&r, &n_read[r.rank]);
	}
	free(r.owner);
	free(r.v);
	free(r.degree);
	return code;
}
