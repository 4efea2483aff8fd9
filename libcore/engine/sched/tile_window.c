/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/sched/tile_groups.h"
#include "libcore/engine/sched/tile_window.h"

#define NEWEST 0.5 /* weight of the last tile in the mean of the paces */

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

static bool
grouped(const struct vs_shift *shift)
{
	return vs_pairs_grouped(shift->c->job);
}

bool
vs_shift_is_stopped(const struct vs_shift *shift)
{
	const struct vs_pairs *job = shift->c->job;

	return job->stop && job->stop(job->ctx);
}

/* Hands that may count: with bins there is no device. */
static size_t
n_tables(const struct vs_shift *shift)
{
	return (size_t)shift->c->job->n_thread * (size_t)shift->n_open;
}

int
vs_shift_bins_new(struct vs_shift *shift)
{
	const struct vs_bins *like = shift->c->job->bins;
	int code = like ? vs_new(&shift->bins, n_tables(shift),
				  sizeof(*shift->bins), "histograms")
			: 0;

	for (size_t k = 0; like && k < n_tables(shift) && !code; k++)
		code = vs_bins_like(&shift->bins[k], like);
	if (like && !code)
		code = vs_bins_like(&shift->tile_bins, like);
	return code;
}

void
vs_shift_bins_free(struct vs_shift *shift)
{
	for (size_t k = 0; shift->bins && k < n_tables(shift); k++)
		vs_bins_free(shift->bins[k]);
	free(shift->bins);
	vs_bins_free(shift->tile_bins);
}

struct vs_bins *
vs_shift_bins(const struct vs_shift *shift, int hand,
	const struct vs_open_tile *t)
{
	return shift->bins
		? shift->bins[hand * shift->n_open + (int)(t - shift->tile)]
		: NULL;
}

/* What all hands counted of a tile that is all done. */
static const vs_wide *
sum_bins(struct vs_shift *shift, const struct vs_open_tile *t)
{
	for (int k = 0; shift->bins && k < shift->c->job->n_thread; k++)
		vs_bins_move(shift->tile_bins, vs_shift_bins(shift, k, t));
	return shift->bins ? shift->tile_bins->n : NULL;
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
	if (last)
		done.counts = sum_bins(shift, t);
	if (grouped(shift) && last) {
		code = vs_grouped_give(job, &t->task, &done);
	} else {
		/* the strongest are sorted once it is known which they are */
		if (!job->question->rising)
			vs_record_sort(batch.rec, batch.n);
		code = job->sink(job->ctx, &done);
	}
	if (done.counts)
		vs_bins_move(job->bins, shift->tile_bins);
	pthread_mutex_lock(&shift->lock);
	batch.n = 0;
	free(shift->spare.rec);
	shift->spare = batch;
	shift->outside = false;
	vs_shift_fail(shift, code);
	pthread_cond_broadcast(&shift->change);
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

static int
append(struct vs_shift *shift, struct vs_open_tile *t,
	const struct vs_record *rec, size_t n)
{
	int code = make_room(shift, &t->found, n);

	if (code)
		return code;
	memcpy(t->found.rec + t->found.n, rec, n * sizeof(*rec));
	t->found.n += n;
	t->n_found += n;
	return 0;
}

/*
 * Where a device is gone, those who wait may be all who could do what it left.
 */
static bool
may_wait(const struct vs_shift *shift)
{
	return !shift->played &&
		(!shift->c->job->device || vs_deck_front(shift->c->deck));
}

/*
 * So many records, a batch at most, go to a tile. Where that is full the oldest
 * tile makes room by a batch for the sink; a younger one has to wait until it
 * is the oldest, since no two may be half-written. The oldest never waits for
 * another, and its pieces are the first that a device takes, so all get on.
 */
static int
put(struct vs_shift *shift, struct vs_open_tile *t, const struct vs_record *rec,
	size_t n)
{
	int code;

	while (t->found.n && t->found.n + n > shift->batch && !shift->code &&
		!t->dropped && may_wait(shift))
		if (!shift->outside && is_oldest(shift, t))
			give(shift, t, false);
		else
			pthread_cond_wait(&shift->change, &shift->lock);
	code = shift->code ? shift->code : t->dropped ? VS_DONE : 0;
	return code ? code : append(shift, t, rec, n);
}

/*
 * The same where several tiles of the sink's are done at once: all wait, and
 * are not to be too many.
 */
static int
put_grouped(struct vs_shift *shift, struct vs_open_tile *t,
	const struct vs_record *rec, size_t n)
{
	if (shift->later && t->found.n + n > shift->c->job->gather) {
		vs_shift_drop(shift, t, true);
		return VS_DONE;
	}
	return append(shift, t, rec, n);
}

bool
vs_shift_due(const struct vs_found *found)
{
	const struct vs_hand *hand = (const struct vs_hand *)found;
	const struct vs_shift *shift = hand->shift;
	const struct vs_open_tile *t = hand->tile;

	return __atomic_load_n(&t->dropped, __ATOMIC_RELAXED) ||
		vs_shift_is_stopped(shift) ||
		(shift->later && vs_clock() - t->since > shift->c->job->limit);
}

/*
 * What a hand has goes to its tile, unless that is dropped. The lock is held.
 */
static int
take(struct vs_shift *shift, struct vs_open_tile *t, struct vs_found *found)
{
	bool all = grouped(shift) && !shift->c->job->question->rising;
	size_t most = all ? found->n : shift->batch;
	int code;

	if (vs_shift_is_stopped(shift))
		vs_shift_stop(shift);
	vs_shift_hurry(shift);
	code = shift->code ? shift->code : t->dropped ? VS_DONE : 0;
	/* a device has many at once */
	for (size_t at = 0, n; at < found->n && !code; at += n) {
		n = found->n - at < most ? found->n - at : most;
		code = all ? put_grouped(shift, t, found->rec + at, n)
			   : put(shift, t, found->rec + at, n);
	}
	return code;
}

int
vs_shift_gather(struct vs_found *found)
{
	struct vs_hand *hand = (struct vs_hand *)found;
	struct vs_shift *shift = hand->shift;
	struct vs_open_tile *t = hand->tile;
	const struct vs_pairs *job = shift->c->job;
	struct vs_sum sum = { { 0 } }, renamed = { { 0 } };
	int code;

	vs_found_drop(found, job->question);
	/* those of several tiles are summed up tile by tile in the end */
	if (!grouped(shift) || job->question->rising)
		vs_grouped_sum(job, &t->task, found->rec, found->n, &sum,
			&renamed);
	pthread_mutex_lock(&shift->lock);
	code = take(shift, t, found);
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
	if (!t->ready || t->left || t->ending || t->dropped)
		return false;
	for (int k = 0; k < shift->n_open; k++)
		if (&shift->tile[k] != t && shift->tile[k].begun)
			return false;
	return true;
}

/* How fast it went, as far as it came. */
static void
note_pace(struct vs_shift *shift, const struct vs_open_tile *t)
{
	struct vs_pairs_stats *stats = shift->c->stats;
	double seconds = t->since > 0 ? vs_clock() - t->since : 0, share = 1;

	if (t->left)
		share = fmax((double)(t->cut.rows - t->left) /
				(double)t->cut.rows,
			0.5 / (double)t->cut.n_piece);
	if (seconds <= 0 || !t->pairs)
		return;
	share *= (double)t->pairs;
	if (stats->pace > 0)
		stats->pace += NEWEST * (share / seconds - stats->pace);
	else
		stats->pace = share / seconds;
	stats->density +=
		NEWEST * ((double)t->n_found / share - stats->density);
}

/* Nobody is at a tile that is dropped. */
static void
retire(struct vs_shift *shift, struct vs_open_tile *t)
{
	for (int k = 0; shift->bins && k < shift->c->job->n_thread; k++)
		vs_bins_clear(vs_shift_bins(shift, k, t));
	vs_shift_clear(shift, t);
	pthread_cond_broadcast(&shift->change);
}

static void
put_off(struct vs_shift *shift, const struct vs_tile_task *task)
{
	struct vs_tiles *later = shift->later;
	int code = vs_grow(&later->task, &later->room, later->n + 1,
		sizeof(*later->task), "list of tiles");

	vs_shift_fail(shift, code);
	if (!code)
		later->task[later->n++] = *task;
}

void
vs_shift_drop(struct vs_shift *shift, struct vs_open_tile *t, bool later)
{
	vs_deck_drop(shift->c->deck, t);
	__atomic_store_n(&t->dropped, true, __ATOMIC_RELAXED);
	if (later) {
		note_pace(shift, t);
		put_off(shift, &t->task);
		shift->c->stats->begun_anew += t->pairs;
	}
	pthread_cond_broadcast(&shift->change);
	if (!t->n_hand)
		retire(shift, t);
}

void
vs_shift_part(struct vs_shift *shift, struct vs_open_tile *t)
{
	if (!--t->n_hand && t->dropped)
		retire(shift, t);
}

/* Can it be dropped, as it is not all done? */
static bool
may_drop(const struct vs_shift *shift, const struct vs_open_tile *t)
{
	return t->ready && t->left && !t->dropped && !t->ending &&
		(!t->begun || (shift->c->job->question->rising));
}

#define SOON 8 /* a part of what is allowed, after which a forecast is made */

/*
 * Will the tile pass what is allowed, as far as can be seen by its first part?
 */
static bool
too_much(double now, double allowed, double share)
{
	return now > allowed || (now > allowed / SOON && now > share * allowed);
}

void
vs_shift_hurry(struct vs_shift *shift)
{
	const struct vs_pairs *job = shift->c->job;
	double now = vs_clock();

	for (int k = 0; k < shift->n_open && shift->later; k++) {
		struct vs_open_tile *t = &shift->tile[k];
		double share;

		if (!may_drop(shift, t) || !t->since)
			continue;
		share = (double)(t->cut.rows - t->left) / (double)t->cut.rows;
		if (too_much(now - t->since, job->limit, share) ||
			(!job->question->rising &&
				too_much((double)t->n_found,
					(double)job->gather, share)))
			vs_shift_drop(shift, t, true);
	}
}

bool
vs_shift_puts_off(struct vs_shift *shift)
{
	const struct vs_pairs *job = shift->c->job;
	const struct vs_pairs_stats *stats = shift->c->stats;
	const struct vs_tile_task *task;
	double pairs;

	if (!shift->later || shift->next >= shift->n_task || shift->code ||
		stats->pace <= 0)
		return false;
	task = &shift->task[shift->next];
	pairs = (double)vs_plan_pairs(job->plan, task->bi, task->bj);
	if (pairs < stats->pace * job->limit &&
		(job->question->rising ||
			pairs * stats->density < (double)job->gather))
		return false;
	put_off(shift, task);
	shift->next++;
	return true;
}

void
vs_shift_stop(struct vs_shift *shift)
{
	shift->stopped = true;
	for (int k = 0; k < shift->n_open; k++)
		if (may_drop(shift, &shift->tile[k]))
			vs_shift_drop(shift, &shift->tile[k], false);
}

void
vs_shift_finish(struct vs_shift *shift)
{
	for (int k = 0; k < shift->n_open && !shift->code && !shift->outside;) {
		struct vs_open_tile *t = &shift->tile[k++];

		if (!may_end(shift, t))
			continue;
		t->ending = true;
		note_pace(shift, t);
		give(shift, t, true);
		shift->c->stats->pairs += t->pairs;
		shift->c->stats->spared += t->spared;
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
