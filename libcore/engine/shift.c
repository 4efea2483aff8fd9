/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/bins.h"
#include "libcore/engine/shift.h"

static bool
is_oldest(const struct vs_shift *shift, const struct vs_open_tile *t)
{
	for (int k = 0; k < shift->n_open; k++)
		if (shift->tile[k].used && shift->tile[k].number < t->number)
			return false;
	return true;
}

void
vs_shift_fail(struct vs_shift *shift, int code)
{
	if (code && !shift->code)
		shift->code = code;
}

/*
 * Give the sink what the tile has gathered, last or not. The lock is held, and
 * released meanwhile.
 */
static void
give(struct vs_shift *shift, struct vs_open_tile *t, bool last)
{
	const struct vs_pairs *job = shift->c->job;
	struct vs_found batch = t->found;
	struct vs_tile_done done = { .bi = t->task.bi,
		.bj = t->task.bj,
		.rec = batch.rec,
		.n = batch.n,
		.last = last,
		.evaluated = t->pairs *
			(uint64_t)__builtin_popcount(job->question->cell_mask),
		.sum = t->sum,
		.renamed = t->renamed,
		.seconds = t->seconds };
	int code;

	shift->outside = true;
	t->begun = true;
	t->found = shift->spare;
	memset(&shift->spare, 0, sizeof(shift->spare));
	pthread_mutex_unlock(&shift->lock);
	/* the strongest are sorted once it is known which they are */
	if (!job->question->rising)
		vs_record_sort(batch.rec, batch.n);
	code = job->sink(job->ctx, &done);
	pthread_mutex_lock(&shift->lock);
	batch.n = 0;
	free(shift->spare.rec);
	shift->spare = batch;
	shift->outside = false;
	vs_shift_fail(shift, code);
	pthread_cond_broadcast(&shift->change);
}

/* Name records as the job does, and sum them up. */
static void
sum_records(const struct vs_pairs *job, struct vs_found *found,
	const struct vs_tile_task *task, struct vs_sum *sum,
	struct vs_sum *renamed)
{
	const struct vs_panel *pi = task->i, *pj = task->j;
	uint64_t ilo, jlo, unused;

	vs_plan_block(job->plan, task->bi, &ilo, &unused);
	vs_plan_block(job->plan, task->bj, &jlo, &unused);
	for (size_t k = 0; k < found->n; k++) {
		struct vs_record r = found->rec[k], *named = &found->rec[k];
		size_t i = (size_t)(r.i - ilo) + task->i_at;
		size_t j = (size_t)(r.j - jlo) + task->j_at;
		int64_t source[3] = { pi->source[i], pj->source[j], 0 };
		uint8_t flip[3] = { pi->flip[i], pj->flip[j], 0 };

		if (job->number)
			vs_record_rename(named,
				(int64_t[3]){ job->number[r.i],
					job->number[r.j] },
				(uint8_t[3]){ 0 });
		vs_sum_record(sum, named->i, named->j, named->k, named->cell,
			named->value);
		vs_record_rename(&r, source, flip);
		vs_sum_record(renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

/*
 * Room for so many more of a tile: for a whole batch as soon as they are more
 * than a few, at once, so that nothing is moved nor new pages are met later.
 */
static int
make_room(const struct vs_shift *shift, struct vs_found *to, size_t more)
{
	size_t need = to->n + more;
	struct vs_found all = *to;
	int code;

	if (need <= to->room || need <= VS_FOUND || need > shift->batch)
		return vs_grow(&to->rec, &to->room, need, sizeof(*to->rec),
			"records of a tile");
	code = vs_room(&all.rec, shift->batch, sizeof(*all.rec),
		"records of a tile");
	if (code)
		return code;
	all.room = shift->batch;
	if (to->n)
		memcpy(all.rec, to->rec, to->n * sizeof(*to->rec));
	free(to->rec);
	*to = all;
	return 0;
}

/* Where a device is gone, those who wait may be all who could do what it left. */
static bool
may_wait(const struct vs_shift *shift)
{
	return !shift->played &&
		(!shift->c->job->device || vs_deck_front(shift->c->deck));
}

/*
 * So many records, a batch at most, go to a tile. Where that is full the oldest
 * tile makes room by a batch for the sink; a younger one has to wait until it is
 * the oldest, since no two may be half-written. The oldest never waits for
 * another, and its pieces are the first that a device takes, so all get on.
 */
static int
put(struct vs_shift *shift, struct vs_open_tile *t, const struct vs_record *rec,
	size_t n)
{
	int code;

	while (t->found.n && t->found.n + n > shift->batch && !shift->code &&
		may_wait(shift))
		if (!shift->outside && is_oldest(shift, t))
			give(shift, t, false);
		else
			pthread_cond_wait(&shift->change, &shift->lock);
	code = shift->code;
	if (!code)
		code = make_room(shift, &t->found, n);
	if (code)
		return code;
	memcpy(t->found.rec + t->found.n, rec, n * sizeof(*rec));
	t->found.n += n;
	return 0;
}

int
vs_shift_gather(struct vs_found *found)
{
	struct vs_hand *hand = (struct vs_hand *)found;
	struct vs_shift *shift = hand->shift;
	struct vs_open_tile *t = hand->tile;
	struct vs_sum sum = { { 0 } }, renamed = { { 0 } };
	int code;

	vs_found_drop(found, shift->c->job->question);
	sum_records(shift->c->job, found, &t->task, &sum, &renamed);
	pthread_mutex_lock(&shift->lock);
	code = shift->code;
	/* a device has many at once */
	for (size_t at = 0, n; at < found->n && !code; at += n) {
		n = found->n - at < shift->batch ? found->n - at : shift->batch;
		code = put(shift, t, found->rec + at, n);
	}
	if (!code) {
		vs_sum_add(&t->sum, &sum);
		vs_sum_add(&t->renamed, &renamed);
	}
	pthread_mutex_unlock(&shift->lock);
	found->n = 0;
	return code;
}

void
vs_shift_clear(struct vs_shift *shift, struct vs_open_tile *t)
{
	if (t->held) {
		vs_store_drop(shift->c->store, t->task.i);
		vs_store_drop(shift->c->store, t->task.j);
	}
	vs_cut_free(&t->cut);
	free(t->found.rec);
	memset(t, 0, sizeof(*t));
}

/* Is the tile all done, and no other one half-written? */
static bool
may_end(const struct vs_shift *shift, const struct vs_open_tile *t)
{
	if (!t->ready || t->left || t->ending)
		return false;
	for (int k = 0; k < shift->n_open; k++)
		if (&shift->tile[k] != t && shift->tile[k].begun)
			return false;
	return true;
}

void
vs_shift_finish(struct vs_shift *shift)
{
	for (int k = 0; k < shift->n_open && !shift->code && !shift->outside;) {
		struct vs_open_tile *t = &shift->tile[k++];

		if (!may_end(shift, t))
			continue;
		t->ending = true;
		give(shift, t, true);
		shift->c->stats->pairs += t->pairs;
		shift->c->stats->counted +=
			t->cut.counted - (uint64_t)(t->told > 0 ? t->told : 0);
		vs_shift_clear(shift, t);
		pthread_cond_broadcast(&shift->change);
		k = 0;
	}
}

bool
vs_shift_is_crowded(const struct vs_shift *shift)
{
	size_t room = 0;

	for (int k = 0; k < shift->n_open; k++)
		room += shift->tile[k].found.room;
	return room > VS_BATCHES_DEVICE * shift->batch;
}
