/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of triples as work of the thread pool: slabs or candidates. */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/triple/triple_pass.h"
#include "libcore/plan/cube.h"

#define WHOLE 4 /* many pieces per tile, so that few lists of them exist */
#define WHOLE_CPU 2

/* Candidates form one piece; threads take some of its first vectors at a time.
 */
static int
split(const struct vs_thread_pool *pool, const struct vs_tile_task *task,
	int n_front, void *of, struct vs_tile_split *to)
{
	const struct vs_triple_pass *p = pool->ctx;
	int code;

	vs_tile_split_free(to);
	/* all was counted before */
	if (p->window.c && task->lo == task->hi)
		return 0;
	if (!p->candidates)
		return vs_triple_slabs_split(p->slabs, task, n_front, of, to);
	to->amount = task->hi - task->lo;
	code = vs_mem_new(&to->piece, 1, sizeof(*to->piece), "list of work");
	if (code)
		return code;
	to->n_piece = 1;
	*to->piece = (struct vs_piece){ .of = of,
		.lo = task->lo,
		.hi = task->hi,
		.grain = VS_TRIPLE_CANDIDATES_VECTORS,
		.cost = task->hi - task->lo };
	return 0;
}

static int
count(const struct vs_thread_pool *pool, int thread, struct vs_piece *piece,
	struct vs_tile_worker *worker)
{
	const struct vs_triple_pass *p = pool->ctx;
	struct vs_hits *found = &worker->hits;
	struct vs_tile_task task = worker->tile->task;
	uint64_t counted = 0;
	int code, gathered;

	task.lo = piece->lo;
	task.hi = piece->hi;
	code = p->candidates
		? vs_triple_candidates_count(p->candidates, thread, &task,
			  found, &counted)
		: vs_triple_slabs_count(p->slabs, thread,
			  worker->tile->split.slab, piece, found, &counted);
	found->inferred -= (double)counted;
	/* those of a device belong to the first vectors it has done */
	gathered = found->n ? vs_tile_window_gather(found) : 0;
	return gathered < 0 || !code ? gathered : code;
}

/* Sum up records with the job's and the source's names. */
static void
sum_records(const struct vs_thread_pool *pool, const struct vs_tile_task *task,
	struct vs_hits *found, struct vs_digest_sum *sum,
	struct vs_digest_sum *renamed)
{
	const struct vs_triple_pass *pass = pool->ctx;
	const struct vs_panel *p = &pass->data->all;

	(void)task;
	for (size_t k = 0; k < found->n; k++) {
		struct vs_record r = found->rec[k];
		const int64_t source[3] = { p->source[r.i], p->source[r.j],
			p->source[r.k] };
		const uint8_t flip[3] = { p->flip[r.i], p->flip[r.j],
			p->flip[r.k] };

		vs_digest_sum_record(sum, r.i, r.j, r.k, r.cell, r.value);
		vs_record_rename(&r, source, flip);
		vs_digest_sum_record(renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

static const struct vs_tile_kind triples = { .size = vs_cube_triples,
	.split = split,
	.count = count,
	.sum = sum_records,
	.quits = true };

size_t
vs_triple_pass_batch(const struct vs_job *job)
{
	return job->batch                      ? job->batch
		: job->query->shared_threshold ? VS_HITS
					       : VS_BATCH;
}

int
vs_triple_pass_open(struct vs_triple_pass *p, const struct vs_job *job,
	struct vs_job_stats *stats, int n_open)
{
	/* a triple takes as long as several pairs */
	const double unit = 3 * vs_tile_split_unit(job->query);
	void *device = p->candidates ? NULL : p->slabs->device;
	int code;

	p->job = *job;
	p->job.backend = &vs_backend_cpu;
	if (!device)
		p->job.device = NULL;
	p->pool = (struct vs_thread_pool){ .job = &p->job,
		.stats = stats,
		.device = device,
		.kind = &triples,
		.ctx = p,
		.n_open = n_open ? n_open
			: device ? WHOLE
				 : WHOLE_CPU };
	code = vs_thread_pool_queue(&p->pool, unit);
	return code || !n_open ? code
			       : vs_thread_pool_begin(&p->pool, &p->window);
}

void
vs_triple_pass_close(struct vs_triple_pass *p)
{
	if (p->window.c)
		vs_thread_pool_end(&p->window);
	vs_work_queue_free(p->pool.queue);
	memset(p, 0, sizeof(*p));
}
