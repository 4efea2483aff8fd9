/* SPDX-License-Identifier: BSD-3-Clause */
/* Job of a run: plan, query, devices and callbacks, of pairs or triples. */
#ifndef VS_ENGINE_JOB_H
#define VS_ENGINE_JOB_H

#include "libcore/base/counted.h"
#include "libcore/base/digest.h"
#include "libcore/engine/backend.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/plan.h"
#include "libcore/plan/stages.h"
#include "libcore/plan/wanted.h"

/*
 * Records of a tile, ascending by (i, j, cell) unless the job takes them
 * unsorted. They belong to the engine. A tile with many records comes in
 * several batches, with no other tile's between them; the last batch finishes
 * the tile and has the sums over all its records.
 */
struct vs_tile_done {
	int64_t bi, bj;
	const struct vs_record *rec;
	size_t n;
	bool last;
	/* not the last batch, but no more records above this value will come */
	bool searched;
	double above;
	uint64_t evaluated;       /* values computed, passing or not */
	struct vs_digest_sum sum; /* of the records as they are */
	struct vs_digest_sum
		renamed; /* of the records with the source's names */
	double seconds;  /* of all threads */
	/* last batch of a job with a histogram or summary: the tile's tally; or
	 * null */
	const struct vs_counted *counts;
};

struct vs_job {
	const struct vs_plan *plan;
	/* the tiles that the sink gets, also used by `done`, if they are
	 * smaller than plan's: each tile of plan is a square of them. It is
	 * done at once as long as that takes at most `limit` seconds and finds
	 * at most `gather` records; else some of its small tiles, or one, at a
	 * time. Null: plan's tiles */
	const struct vs_plan *unit;
	double limit;
	size_t gather;
	/* memory left for smaller tiles; for streamed triples for more
	 * vectors */
	uint64_t extra_bytes;
	/* for streamed triples: bytes for candidates and their counting; 0: all
	 * triples are counted */
	uint64_t graph_bytes;
	/* vectors along the edge of a tile of plan, at most; 0: chosen by
	 * cost */
	int64_t most_tile;
	const struct vs_query *query;
	const struct vs_backend *backend; /* the CPU */
	int n_thread;
	/* the pairs or triples wanted; or null. With sets, load() knows vectors
	 * by their places in the plan, and for triples gives panels their rows
	 * as names. If pairs near each other form a band and the query does not
	 * prune, vectors keep file order and rows outside the band are skipped.
	 * Otherwise the records of unwanted pairs are dropped */
	const struct vs_wanted *wanted;
	const struct vs_backend *device; /* in addition to the CPU, or null */
	bool alone;       /* the CPU does only what the device leaves behind */
	bool dispensable; /* the device may fail: the CPU takes over */
	size_t batch;     /* records of a tile that may wait; 0: 32768 */
	bool unsorted;    /* the sink takes records of pairs in any order */
	/* what the sink gets the counts of all values of a tile for, or null;
	 * requires a query that does not prune, and no device */
	struct vs_value_histogram *histogram;
	/* a bit per tile (vs_plan_number) of unit that is done already; or
	 * null */
	const uint64_t *done;
	/* if only the greatest values are wanted, by tile: the sink has all
	 * values above this already; INFINITY: none; or null */
	const double *above;
	/* read the blocks that a tile needs each time they are needed: for
	 * vectors that do not fit in memory. Else each rank reads its own
	 * vectors once; for triples all, or its share of them */
	bool stream;
	/* ranks do not pass vectors on: each reads the blocks that its tiles
	 * need. Always so with more than VS_PLAN_MOST_RING ranks, or
	 * VS_PLAN_MOST_DEALT between two sets, or without memory for a ring */
	bool no_ring;
	/* compute only stage stages->at, on any number of ranks; or null */
	const struct vs_stages *stages;
	/* no_hold: these blocks come from the file; else, if there is memory
	 * for it, each rank holds a share of the vectors for all ranks; load()
	 * is called for it once and must leave no planes out. hold is set by
	 * the plan */
	bool no_hold, hold;
	/* for shares of a path: most blocks that a rank keeps, given the memory
	 * of the first rank; the order of their tiles depends on it; set by the
	 * plan */
	int64_t n_keep;
	int n_rank; /* ranks of the plan; 0: vs_comm_size() */
	/* ranks of a machine that share one copy of the vectors of triples: all
	 * of this machine's if the job runs there; 0 or 1: each has its own */
	int n_share;
	double rate; /* comparisons per second of a rank; 0: as it computes */
	/* append vectors [lo, hi) to the panel, whose memory is not cleared:
	 * planes, vs_panel_take, source, flip. Planes of dead vectors may be
	 * omitted if each block has these last. A stream calls it from any
	 * thread, but never while the sink runs */
	int (*load)(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p);
	/* take records of a tile; one call at a time, from any thread. With a
	 * shared threshold some may come twice, if a tile is restarted */
	int (*sink)(void *ctx, const struct vs_tile_done *tile);
	/* called now and then from the first thread: pairs done by this rank */
	void (*tick)(void *ctx, uint64_t pairs);
	/* true: drop the tiles begun, except one of which the sink has records,
	 * and return VS_DONE; or null. Called by any thread, often */
	bool (*stop)(void *ctx);
	void *ctx;
};

/* True if several tiles of the sink are computed at once. */
static inline bool
vs_job_is_grouped(const struct vs_job *job)
{
	return job->unit && job->unit->tile < job->plan->tile;
}

/* True if vectors keep file order because the wanted pairs form a band;
 * candidates of triples are pruned in any order. */
static inline bool
vs_job_is_band(const struct vs_job *job)
{
	return vs_wanted_is_band(job->wanted) &&
		!vs_wanted_is_by_sets(job->wanted) &&
		(job->wanted->n_way == 3 || !vs_query_prunes(job->query));
}

/* True if pairs are counted one by one, see vs_wanted_is_narrow(). */
static inline bool
vs_job_is_narrow(const struct vs_job *job)
{
	return vs_job_is_band(job) &&
		vs_wanted_is_narrow(job->wanted, job->query->has_missing) &&
		vs_query_family(job->query) == VS_FAMILY_MOMENTS;
}

/* Statistics of a rank. */
struct vs_job_stats {
	/* wait: of a thread for vectors; compute: without that */
	double seconds_input, seconds_compute, seconds_wait;
	uint64_t pairs; /* decided */
	/* pairs counted, neither excluded by a bound nor inferred from
	 * leaders; more if a slow tile is split, as bounds exclude less */
	uint64_t counted;
	double fields_skipped; /* of these, fields that need not be counted */
	/* pieces that a device left to others because it was gone, or because
	 * it failed; why: the first failure */
	uint64_t lost, failed;
	char why[512];
	double cost[2];     /* of work by the CPU; by a device */
	double pace;        /* recent pairs per second; 0: not known */
	double density;     /* recent records per pair */
	double cpu_compute; /* CPU seconds, without those in MPI */
	uint64_t fetched;   /* vectors copied from ranks that hold them */
	double seconds_fetch;
	uint64_t read;       /* vectors read, for streamed triples */
	bool held;           /* this rank has read only its share */
	uint64_t helped;     /* tiles, or runs of them, done for other ranks */
	uint64_t begun_anew; /* slow pairs of tiles that were split */
};

/* Number of ranks that the job's plan is for. */
static inline int
vs_job_ranks(const struct vs_job *job)
{
	return job->n_rank ? job->n_rank : vs_comm_size();
}

#endif
