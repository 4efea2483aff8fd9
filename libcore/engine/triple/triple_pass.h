/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel pass over parts of tiles of triples, into the sink by a window. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_PASS_H
#define VS_ENGINE_TRIPLE_TRIPLE_PASS_H

#include "libcore/engine/sched/tile_window.h"
#include "libcore/engine/triple/triple_data.h"

/* Units [lo, hi) of a tile, which has `all`: slabs, or vectors. */
struct vs_triple_part {
	int64_t bi, bj;
	size_t lo, hi, all;
	bool again; /* they are counted once more: none is done yet */
};

/*
 * Count a part on a thread: append what passes to found, and add the triples
 * that no bound left out to counted. 0; VS_DONE; a failure
 */
typedef int vs_triple_count(void *ctx, int thread,
	const struct vs_triple_part *part, struct vs_hits *found,
	uint64_t *counted);

struct vs_triple_pass {
	vs_triple_count *count;
	void *ctx;
	size_t grain; /* units that a thread takes at a time */
	/* of a pass, under the window's lock: the part that is taken from, and
	 * units of it that are taken */
	const struct vs_triple_part *part;
	size_t n_part, at, taken;
	struct vs_thread_pool pool; /* for the window: job and statistics */
	struct vs_tile_window window;
};

/* Sum up records as they are and as the source names them. */
void vs_triple_pass_sum(const struct vs_triple_data *data,
	const struct vs_hits *found, struct vs_digest_sum *sum,
	struct vs_digest_sum *renamed);

/* Records that may wait of a tile, with n_open tiles at a time. */
size_t vs_triple_pass_batch(const struct vs_job *job, int n_open);

/*
 * Begin, with n_open tiles at a time; count, ctx and grain are the caller's to
 * set. What is there is to be closed whatever is returned.
 * stats    gets triples of tiles that are finished, and those counted
 * returns  0; VS_EMACHINE
 */
int vs_triple_pass_open(struct vs_triple_pass *p, const struct vs_job *job,
	const struct vs_triple_data *data, struct vs_job_stats *stats,
	int n_open);
void vs_triple_pass_close(struct vs_triple_pass *p); /* zeroed is accepted */

/*
 * Count n parts on all threads, in this order. A tile goes to the sink when all
 * of its units were counted, in this pass and those before.
 * returns  0; VS_DONE when stopped; the first failure
 */
int vs_triple_pass_run(struct vs_triple_pass *p,
	const struct vs_triple_part *part, size_t n);

#endif
