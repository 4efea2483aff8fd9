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
 * Records of a tile, rising by (i, j, cell), unless the job has them unsorted.
 * They belong to the engine. Where a tile has many they come in several
 * batches, with no other tile's between them; the last one finishes the tile
 * and has the sums of all its records.
 */
struct vs_tile_done {
	int64_t bi, bj;
	const struct vs_record *rec;
	size_t n;
	bool last;
	/* not the last, but no more come of values above this one */
	bool searched;
	double above;
	uint64_t evaluated;       /* values computed, passing or not */
	struct vs_digest_sum sum; /* of the records as they are */
	struct vs_digest_sum
		renamed; /* of the records as the source names them */
	double seconds;  /* of all threads */
	/* the last one's of a job with a histogram or a summary: what was
	 * counted of the tile; or null */
	const struct vs_counted *counts;
};

struct vs_job {
	const struct vs_plan *plan;
	/* the tiles that the sink gets, of done too, where they are smaller:
	 * each tile of plan is a square of them, and is done at once as long as
	 * that takes no more than limit seconds and finds no more than gather
	 * records; else some of them are, or one, at a time. Null: plan's */
	const struct vs_plan *unit;
	double limit;
	size_t gather;
	/* memory left for smaller tiles; of triples that are a stream for more
	 * vectors */
	uint64_t extra_bytes;
	/* of triples that are a stream: bytes for candidates and those who
	 * count them; 0: all triples are counted */
	uint64_t graph_bytes;
	/* vectors in the edge of a tile of plan at most; 0: what pays */
	int64_t most_tile;
	const struct vs_query *query;
	const struct vs_backend *backend; /* the CPU */
	int n_thread;
	/* the pairs or triples wanted; or null. With sets load() knows vectors
	 * by their places in the plan, and of triples gives panels their rows
	 * as names. Pairs that are near each other may be a band: where the
	 * query does not prune, vectors then keep the order of the file, and
	 * rows beside the band are left out. Else the records of other pairs
	 * are dropped */
	const struct vs_wanted *wanted;
	const struct vs_backend *device; /* in addition to the CPU, or null */
	bool alone; /* the device; the CPU does only what that leaves behind */
	bool dispensable; /* the device: who opens, or goes on when it fails,
			   * may do so without it */
	size_t batch;     /* records that may wait of a tile; 0: 32768 */
	bool unsorted;    /* the sink takes records of pairs in any order */
	/* histogram of all values of the tiles passed to the sink, or null;
	 * requires a query that does not prune, and no device */
	struct vs_value_histogram *histogram;
	/* a bit per tile (vs_plan_number) of unit that needs no work; or
	 * null */
	const uint64_t *done;
	/* where the greatest values alone are wanted, by tile: values above it
	 * are with the sink already, INFINITY: none need be; or null */
	const double *above;
	/* read the blocks that a tile needs, time and again: for vectors that
	 * do not fit in memory. Without it each rank reads its own once; of
	 * triples all, or its share of them */
	bool stream;
	/* no rank passes vectors on: each reads the blocks that its tiles
	 * need, as more than VS_PLAN_MOST_RING ranks always do, and more than
	 * VS_PLAN_MOST_DEALT between two sets, or where there is no
	 * memory for a ring */
	bool no_ring;
	/* compute only stage stages->at, on any number of ranks; or null */
	const struct vs_stages *stages;
	/* these blocks come from the file; else, where there is memory for it,
	 * each rank holds a share of the vectors for all, of which load() is
	 * called once, to leave no planes out: set by the plan */
	bool no_hold, hold;
	/* of shares of a path: blocks that a rank keeps at the most, as the
	 * first one has memory, by which their tiles are ordered; set by the
	 * plan */
	int64_t n_keep;
	int n_rank; /* that the plan is for; 0: those of vs_comm_size() */
	/* ranks of a machine that have one copy of the vectors of triples, all
	 * of this machine's where the job is run; 0 or 1: each has its own */
	int n_share;
	double rate; /* comparisons a second of a rank; 0: as it computes */
	/* append vectors [lo, hi) to the panel, whose memory is not cleared:
	 * planes, vs_panel_make, source, flip; of those that are dead planes
	 * may be left out, when each block has them last. A stream calls it
	 * from any thread, never beside the sink */
	int (*load)(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p);
	/* take records of a tile; one call at a time, from any thread. With a
	 * shared threshold some may come again, as a tile is restarted */
	int (*sink)(void *ctx, const struct vs_tile_done *tile);
	/* now and then, from the first thread: pairs done of this rank's */
	void (*tick)(void *ctx, uint64_t pairs);
	/* true: drop the tiles that are begun, but for one that the sink has
	 * some of, and return VS_DONE; or null. Asked by any thread, often */
	bool (*stop)(void *ctx);
	void *ctx;
};

/* True if several tiles of the sink are done at once. */
static inline bool
vs_job_is_grouped(const struct vs_job *job)
{
	return job->unit && job->unit->tile < job->plan->tile;
}

/* True if vectors keep the order of the file, since what is wanted lies in a
 * band; candidates of triples are pruned in any order. */
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
	/* wait: for vectors, of a thread; compute: without it */
	double seconds_input, seconds_compute, seconds_wait;
	uint64_t pairs; /* decided */
	/* pairs counted: left out by no bound, inferred from no leaders */
	uint64_t counted;
	double fields_skipped; /* of these, no longer needed */
	/* pieces that a device left behind, done by others: as it went away,
	 * or as it failed, why first */
	uint64_t lost, failed;
	char why[512];
	double cost[2];     /* of what the CPU did, and of what a device did */
	double pace;        /* pairs a second, of late; 0: not known */
	double density;     /* records a pair, of late */
	double cpu_compute; /* seconds of CPU, without those in MPI */
	uint64_t fetched;   /* vectors, copied from ranks that hold them */
	double seconds_fetch;
	uint64_t read;   /* vectors, of triples that are a stream */
	bool held;       /* this rank has read no more than its share */
	uint64_t helped; /* tiles, or runs of them, of other ranks' */
	uint64_t
		begun_anew; /* pairs of tiles that took too long and were cut */
};

/* Ranks that the job's plan is for. */
static inline int
vs_job_ranks(const struct vs_job *job)
{
	return job->n_rank ? job->n_rank : vs_comm_size();
}

#endif
