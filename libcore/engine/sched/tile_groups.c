/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of the sink's tiles that are computed as one tile of the plan. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/record_digest.h"
#include "libcore/engine/sched/tile_groups.h"

/* Records renamed before they are summed up: they stay in L1. */
#define BATCH 64

/* The sink's blocks that form a block of the plan. */
struct blocks {
	int64_t lo, n;
};

static struct blocks
blocks_of(const struct vs_job *job, int64_t b)
{
	uint64_t lo, hi;
	struct blocks x;

	vs_plan_block(job->plan, b, &lo, &hi);
	x.lo = vs_plan_find(job->unit, lo);
	x.n = vs_plan_find(job->unit, hi - 1) + 1 - x.lo;
	return x;
}

/* True if records of a tile that begins at these rows have the source's names
 * already; exchanged labels would rename cells, which some records do not
 * have. */
static bool
are_source(const struct vs_tile_task *task, uint64_t ilo, uint64_t jlo,
	const struct vs_record *rec, size_t n)
{
	const struct vs_panel *pi = task->i, *pj = task->j;
	uint64_t differs = 0;

	for (size_t k = 0; k < n; k++) {
		size_t i = (size_t)(rec[k].i - ilo) + task->i_at;
		size_t j = (size_t)(rec[k].j - jlo) + task->j_at;

		differs |= (uint64_t)((pi->flip[i] | pj->flip[j]) &
				   (rec[k].cell != VS_NO_CELL)) |
			((uint64_t)pi->source[i] ^ rec[k].i) |
			((uint64_t)pj->source[j] ^ rec[k].j);
	}
	return !differs;
}

/* Records with their source's names. */
static void
turn(const struct vs_tile_task *task, uint64_t ilo, uint64_t jlo,
	const struct vs_record *rec, size_t n, struct vs_record *turned)
{
	const struct vs_panel *pi = task->i, *pj = task->j;

	for (size_t k = 0; k < n; k++) {
		size_t i = (size_t)(rec[k].i - ilo) + task->i_at;
		size_t j = (size_t)(rec[k].j - jlo) + task->j_at;

		turned[k] = rec[k];
		vs_record_rename_pair(&turned[k], (uint32_t)pi->source[i],
			(uint32_t)pj->source[j],
			2u * pi->flip[i] | pj->flip[j]);
	}
}

/* True if the rows of the vectors differ from their places. */
static bool
has_places(const struct vs_job *job)
{
	return job->wanted && job->wanted->row;
}

/* Give records the rows of their vectors. */
static void
name(const struct vs_job *job, struct vs_record *rec, size_t n)
{
	for (size_t k = 0; k < n && has_places(job); k++)
		vs_record_rename_pair(&rec[k],
			(uint32_t)vs_wanted_row(job->wanted, rec[k].i),
			(uint32_t)vs_wanted_row(job->wanted, rec[k].j), 0);
}

void
vs_tile_groups_sum(const struct vs_job *job, const struct vs_tile_task *task,
	struct vs_record *rec, size_t n, struct vs_digest_sum *sum,
	struct vs_digest_sum *renamed)
{
	struct vs_record turned[BATCH];
	uint64_t ilo, jlo, unused;

	vs_plan_block(job->plan, task->bi, &ilo, &unused);
	vs_plan_block(job->plan, task->bj, &jlo, &unused);
	for (size_t now; n; n -= now, rec += now) {
		now = n < BATCH ? n : BATCH;
		struct vs_digest_sum one = { { 0, 0 } };
		bool same = !has_places(job) &&
			are_source(task, ilo, jlo, rec, now);

		if (!same) {
			turn(task, ilo, jlo, rec, now, turned);
			vs_record_digest_sum(renamed, turned, now);
		}
		name(job, rec, now);
		vs_record_digest_sum(&one, rec, now);
		vs_digest_sum_add(sum, &one);
		if (same)
			vs_digest_sum_add(renamed, &one);
	}
}

/* Sort records by the sink's tiles; those of tile k begin at begin[k], n + 1
 * entries. */
static int
split(const struct vs_job *job, const struct blocks *i, const struct blocks *j,
	const struct vs_tile_done *all, struct vs_record **out, size_t *begin)
{
	size_t n_tile = (size_t)(i->n * j->n);
	struct vs_record *rec = NULL;
	uint32_t *tile = NULL;
	int code = vs_mem_room(&rec, all->n, sizeof(*rec), "records of a tile");

	VS_MEM_ROOM(&code, tile, all->n, "list of tiles");
	for (size_t k = 0; k < all->n && !code; k++) {
		int64_t a = vs_plan_find(job->unit, all->rec[k].i) - i->lo;
		int64_t b = vs_plan_find(job->unit, all->rec[k].j) - j->lo;

		tile[k] = (uint32_t)(a * j->n + b);
		begin[tile[k] + 1]++;
	}
	for (size_t k = 0; k < n_tile && !code; k++)
		begin[k + 1] += begin[k];
	/* backwards from the ends, which then become the beginnings */
	for (size_t k = all->n; k-- && !code;)
		rec[--begin[tile[k] + 1]] = all->rec[k];
	for (size_t k = 0; k < n_tile && !code; k++)
		begin[k] = begin[k + 1];
	begin[n_tile] = all->n;
	free(tile);
	if (code)
		free(rec);
	else
		*out = rec;
	return code;
}

int
vs_tile_groups_give(const struct vs_job *job, const struct vs_tile_task *task,
	const struct vs_tile_done *all)
{
	const struct blocks i = blocks_of(job, task->bi);
	const struct blocks j = blocks_of(job, task->bj);
	const double pairs =
		(double)vs_plan_pairs(job->plan, task->bi, task->bj);
	const uint64_t cells =
		(uint64_t)__builtin_popcount(job->query->cell_mask);
	struct vs_tile_done part = *all;
	struct vs_record *rec = NULL;
	size_t *begin = NULL;
	int code = vs_mem_new(&begin, (size_t)(i.n * j.n) + 1, sizeof(*begin),
		"list of tiles");

	/* the strongest are sorted once it is known which they are */
	if (!code && job->query->shared_threshold) {
		part.last = false;
		code = job->sink(job->ctx, &part);
		part.n = 0;
	}
	if (!code)
		code = split(job, &i, &j, &part, &rec, begin);
	for (int64_t k = 0; k < i.n * j.n && !code; k++) {
		struct vs_tile_done t = { .bi = i.lo + k / j.n,
			.bj = j.lo + k % j.n,
			.rec = rec + begin[k],
			.n = begin[k + 1] - begin[k],
			.last = true };
		uint64_t n;

		if (!vs_plan_has(job->unit, t.bi, t.bj))
			continue;
		n = vs_plan_pairs(job->unit, t.bi, t.bj);
		t.evaluated = n * cells;
		t.seconds = pairs > 0 ? all->seconds * (double)n / pairs : 0;
		vs_tile_groups_sum(job, task, rec + begin[k], t.n, &t.sum,
			&t.renamed);
		if (!job->unsorted)
			vs_record_sort(rec + begin[k], t.n);
		code = job->sink(job->ctx, &t);
	}
	free(begin);
	free(rec);
	return code;
}

size_t
vs_tile_groups_done(const struct vs_job *job, const struct vs_plan *plan,
	int64_t bi, int64_t bj, size_t *n)
{
	struct vs_job of = { .plan = plan,
		.unit = job->unit ? job->unit : job->plan };
	const struct blocks i = blocks_of(&of, bi), j = blocks_of(&of, bj);
	size_t n_done = 0;

	*n = 0;
	for (int64_t k = 0; k < i.n * j.n; k++) {
		int64_t a = i.lo + k / j.n, b = j.lo + k % j.n;

		if (!vs_plan_has(of.unit, a, b))
			continue;
		++*n;
		n_done += vs_plan_is_done(job->done,
			vs_plan_number(of.unit, a, b));
	}
	return n_done;
}
