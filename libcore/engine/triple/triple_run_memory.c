/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a run over triples: all vectors, or a stream of some at a time. */
#include "libcore/base/fail.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/candidates/candidate_edges.h"
#include "libcore/engine/slab/triple_groups.h"
#include "libcore/engine/triple/triple_pass.h"
#include "libcore/engine/triple/triple_run.h"
#include "libcore/engine/triple/triple_run_inner.h"
#include "libcore/engine/triple/triple_slabs.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/node_memory.h"

#define ROW_TILES 4 /* bytes per rank, at least, for candidates of a stream */

void
vs_triple_run_share(struct vs_job *job, uint64_t n_vec)
{
	int at, of;

	vs_comm_local(&at, &of);
	job->n_share =
		vs_node_memory_works(vs_triple_data_bytes(job->query, n_vec))
		? of
		: 1;
}

uint64_t
vs_triple_run_streamed(const struct vs_job *job)
{
	return VS_TRIPLE_GROUPS_LEAST * (uint64_t)job->plan->tile *
		vs_triple_data_row_bytes(job->query) +
		job->extra_bytes;
}

/* A rank's share of all vectors; for a stream, what some of them take. */
static uint64_t
data_bytes(const struct vs_job *job)
{
	const uint64_t n_vec = job->plan->n_vec,
		       all = vs_triple_data_bytes(job->query, n_vec);

	return job->stream
		? all - n_vec * vs_triple_data_row_bytes(job->query) +
			vs_triple_run_streamed(job)
		: all / (uint64_t)vs_triple_run_shared_by(job);
}

/* Memory of the threads that count all triples. */
static uint64_t
counting(const struct vs_job *job)
{
	return (uint64_t)job->n_thread *
		vs_slab_bytes(vs_triple_slabs_kind(job), job->query);
}

uint64_t
vs_triple_run_spare(const struct vs_job *job)
{
	return vs_max_size(job->graph_bytes, counting(job)) - counting(job);
}

/* True if triples may be counted by candidates, with memory for it. */
static bool
has_candidates(const struct vs_job *job)
{
	return !vs_wanted_is_by_sets(job->wanted) &&
		vs_query_prunes(job->query) &&
		!vs_element_is_number(job->query->element);
}

uint64_t
vs_triple_run_whole_room(const struct vs_job *job, uint64_t memory)
{
	uint64_t taken;

	if (!has_candidates(job))
		return 0;
	taken = vs_triple_run_bytes(job) - counting(job) +
		(uint64_t)job->n_thread * vs_candidate_edges_bytes(job->query);
	return memory > taken ? memory - taken : 0;
}

int64_t
vs_triple_run_row_grain(const struct vs_job *job, const struct vs_plan *plan)
{
	const int64_t least = VS_TRIPLE_CANDIDATES_VECTORS,
		      n = (int64_t)plan->n_vec / plan->n_rank / ROW_TILES,
		      most = n < plan->tile ? n : plan->tile;

	return job->stream && most > least ? most / least * least : least;
}

uint64_t
vs_triple_run_bytes(const struct vs_job *job)
{
	size_t batch = vs_triple_pass_batch(job);
	const int n_driver = vs_triple_slabs_drivers(job);

	return data_bytes(job) + counting(job) +
		(job->stream ? vs_triple_run_spare(job) : 0) +
		(n_driver ? job->device->bytes(job->query, n_driver,
				    (size_t)job->plan->n_vec)
			  : 0) +
		(uint64_t)(job->n_thread + n_driver) * VS_HITS *
		sizeof(struct vs_record) * 3 +
		(VS_BATCHES_DEVICE + 2) * batch * sizeof(struct vs_record) * 3 /
		2;
}

uint64_t
vs_triple_run_whole_bytes(const struct vs_job *job)
{
	struct vs_job whole = *job;

	whole.stream = false;
	return vs_triple_run_bytes(&whole);
}

#define LEAST_EDGE 32      /* vectors of a block that is read repeatedly */
#define GOOD_EDGE 256      /* for sizes up to this, threads are given up */
#define MOST_BLOCKS 1024   /* half a million tiles can be listed in a file */
#define COLUMNS 512        /* third vectors that kernels count together */
#define BESIDE (24u << 20) /* bytes of the program itself, and for reading */

/* Number of vectors whose rows memory has room for. */
static int64_t
vectors_of(const struct vs_job *job, uint64_t memory)
{
	const uint64_t row = vs_triple_data_row_bytes(job->query),
		       taken = vs_triple_run_bytes(job) -
		vs_triple_run_streamed(job);

	return memory > taken && row ? (int64_t)((memory - taken) / row) : 0;
}

/*
 * The edge of a block if that many vectors are in memory at a time: a third of
 * them, as first, second and third vectors. If there are few, most are third
 * vectors: with only a third of 2000 vectors of 4000 samples, kernels of 512
 * columns take three times longer.
 */
static int64_t
edge_of(const struct vs_plan *plan, int64_t n_there)
{
	const int64_t third = n_there / VS_TRIPLE_GROUPS_LEAST,
		      left = (n_there - COLUMNS) / 2,
		      many = (int64_t)(plan->n_vec / MOST_BLOCKS) + 1;
	int64_t edge = third;

	if (third < COLUMNS / 2)
		edge = left < third / 2 ? third / 2 : left;
	edge = edge < many ? many : edge;
	edge = edge < LEAST_EDGE ? LEAST_EDGE : edge;
	return edge < plan->tile ? edge : plan->tile;
}

/*
 * Memory of a stream for candidates: a quarter of what there is for vectors and
 * counting, or what counting all triples takes, or the least that candidates
 * take; none, if vectors were then left with less than half of what they could
 * have. All ranks decide the same.
 */
static uint64_t
graph_bytes(const struct vs_job *job, uint64_t memory)
{
	const struct vs_query *q = job->query;
	const uint64_t taken = vs_triple_run_bytes(job) -
		vs_triple_run_streamed(job),
		       rest = memory > taken ? memory - taken : 0,
		       count = counting(job);
	/* those sampled by the cost model, and its own copy */
	const uint64_t sample = 2 * VS_COST_MODEL_VECTORS *
		(uint64_t)vs_panel_bytes(q->element, q->n_field);
	uint64_t least = count;
	double none = !has_candidates(job);

	if (!(none > 0)) {
		least = vs_max_size(least, sample);
		least = vs_max_size(least,
			vs_triple_candidates_least(q, job->plan->n_vec,
				job->n_thread));
		none = least - count > rest / 2;
	}
	vs_comm_max_f64(&none, 1);
	return none > 0 ? 0 : vs_max_size(least, (count + rest) / 4);
}

/*
 * A stream of blocks, of the plan's size if that is given, else of as many
 * vectors as memory allows; with n_thread threads, or fewer.
 * candidates  reserve memory for them, if there is any
 */
static int
make_stream(struct vs_job *job, struct vs_plan *plan, int n_thread, bool given,
	bool candidates, uint64_t memory)
{
	const int64_t least =
		given || plan->tile < GOOD_EDGE ? plan->tile : GOOD_EDGE;
	double less;
	int64_t n_there, edge;

	if (vs_triple_slabs_drivers(job)) {
		job->device = NULL;
		job->alone = job->dispensable = false;
	}
	job->stream = true;
	job->extra_bytes = job->graph_bytes = 0;
	job->n_thread = n_thread;
	while (job->n_thread > 1 &&
		vectors_of(job, memory) < VS_TRIPLE_GROUPS_LEAST * least)
		job->n_thread--;
	if (candidates)
		job->graph_bytes = graph_bytes(job, memory);
	/* one size for all ranks, whatever memory each has */
	less = -(double)vectors_of(job, memory);
	vs_comm_max_f64(&less, 1);
	n_there = (int64_t)-less;
	if (n_there > VS_TRIPLE_GROUPS_LEAST * COLUMNS)
		n_there = VS_TRIPLE_GROUPS_LEAST * COLUMNS;
	edge = given ? plan->tile : edge_of(plan, (int64_t)-less);
	if (n_there > VS_TRIPLE_GROUPS_LEAST * edge)
		job->extra_bytes = vs_triple_data_row_bytes(job->query) *
			(uint64_t)(n_there - VS_TRIPLE_GROUPS_LEAST * edge);
	return edge < plan->tile ? vs_cube_retile(plan, edge) : 0;
}

/* Use the remaining memory for more vectors, if there are any. */
static void
give_rest(struct vs_job *job, uint64_t memory)
{
	const uint64_t all = job->plan->n_vec *
		vs_triple_data_row_bytes(job->query),
		       taken = vs_triple_run_bytes(job) + BESIDE,
		       there = vs_triple_run_streamed(job),
		       left = memory > taken ? memory - taken : 0,
		       more = all > there ? all - there : 0;

	job->extra_bytes += left < more ? left : more;
}

/* Fewer threads, each of which needs columns and counts of its own. False:
 * there is not even room for one. */
static bool
fits(struct vs_job *job, uint64_t memory)
{
	while (job->n_thread > 1 && vs_triple_run_bytes(job) > memory)
		job->n_thread--;
	return vs_triple_run_bytes(job) <= memory;
}

bool
vs_triple_run_lacks_candidates(const struct vs_job *job)
{
	return job->stream && !job->graph_bytes && has_candidates(job);
}

/*
 * True if a stream is to be tried although all vectors would fit next to some
 * threads: it takes little more time. Not with candidates, which take much less
 * than counting all but need all vectors in memory, nor with devices.
 */
static bool
may_stream(const struct vs_job *job, bool fit)
{
	if (vs_triple_slabs_drivers(job))
		return !fit && job->dispensable;
	return !fit || !has_candidates(job);
}

static int
refuse(const struct vs_job *job, uint64_t memory)
{
	const unsigned long long needed = vs_triple_run_bytes(job) >> 20,
				 allowed = memory >> 20;
	const char *by = vs_job_ranks(job) > 1 ? " by each rank" : "";

	return job->stream
		? vs_fail(VS_EMACHINE,
			  "%llu MB of memory needed%s for tiles of %lld "
			  "vectors and %llu MB allowed; --memory allows more",
			  needed, by, (long long)job->plan->tile, allowed)
		: vs_fail(VS_EMACHINE,
			  "%llu MB of memory needed%s, as triples of a device "
			  "take all vectors at once, and %llu MB allowed; "
			  "--memory allows more",
			  needed, by, allowed);
}

/* Become a stream if memory is too short for all vectors and threads. */
static int
plan_memory(struct vs_job *job, struct vs_plan *plan, bool given,
	uint64_t memory)
{
	const struct vs_plan whole = *plan;
	const struct vs_job all = *job;
	bool fit = fits(job, memory);
	const int n_thread = job->n_thread;
	double lacks =
		(!fit || n_thread < all.n_thread) && may_stream(job, fit);
	int code;

	vs_comm_max_f64(&lacks, 1);
	if (!(lacks > 0))
		return fit ? 0 : refuse(job, memory);
	code = make_stream(job, plan, all.n_thread, given, true, memory);
	lacks = job->graph_bytes && vs_triple_run_bytes(job) > memory;
	vs_comm_max_f64(&lacks, 1);
	if (!code && lacks > 0) {
		*plan = whole;
		code = make_stream(job, plan, all.n_thread, given, false,
			memory);
	}
	if (code)
		return code;
	/* no more threads than with all vectors in memory */
	lacks = !fit ||
		(vs_triple_run_bytes(job) <= memory &&
			job->n_thread > n_thread);
	vs_comm_max_f64(&lacks, 1);
	if (!(lacks > 0)) {
		*job = all;
		*plan = whole;
		job->n_thread = n_thread;
		return 0;
	}
	if (vs_triple_run_bytes(job) > memory)
		return refuse(job, memory);
	give_rest(job, memory);
	return 0;
}

int
vs_triple_run_plan(struct vs_job *job, struct vs_plan *plan, uint64_t n_vec,
	int64_t tile, uint64_t memory)
{
	const struct vs_between of = vs_wanted_parts(job->wanted, n_vec);
	const int n_rank = vs_job_ranks(job);
	int code = vs_cube_between(plan, &of, n_rank, tile);

	if (!code && !tile && job->most_tile && job->most_tile < plan->tile)
		code = vs_cube_between(plan, &of, n_rank, job->most_tile);
	if (code)
		return code;
	job->plan = plan;
	job->stream = false;
	job->graph_bytes = 0;
	return plan_memory(job, plan, tile, memory);
}
