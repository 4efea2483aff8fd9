/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/sched/tile_split.h"
#include "libcore/engine/sched/tile_window.h"
#include "libcore/plan/comm.h"

#define LOOK 0.002 /* seconds that the first thread rests at a time */

/* Blocks that are read when needed are no more than a tile's and the next's. */
static int
open_tiles(const struct vs_pairs *job)
{
	return job->device && !job->stream ? VS_OPEN_DEVICE : VS_OPEN;
}

static double
now(const struct vs_shift *crew)
{
	return crew->played ? crew->now : vs_clock();
}

/* ---- what a thread does; the lock is held on entry and exit ---- */

/* The blocks of a tile, where they are read when needed. */
static int
hold(struct vs_shift *crew, struct vs_tile_task *task)
{
	struct vs_store *store = crew->c->store;
	const struct vs_panel *i, *j;
	int code = vs_store_hold(store, task->bi, &i);

	if (code)
		return code;
	code = vs_store_hold(store, task->bj, &j);
	if (code) {
		vs_store_drop(store, i);
		return code;
	}
	task->i = i;
	task->j = j;
	return 0;
}

static double
cost_of(const struct vs_cut *cut)
{
	double cost = 0;

	for (size_t k = 0; k < cut->n_piece; k++)
		cost += (double)cut->piece[k].cost;
	return cost;
}

static void
open_next(struct vs_shift *crew, struct vs_open_tile *t)
{
	int n_front = vs_deck_front(crew->c->deck), code = 0;

	t->used = crew->opening = true;
	t->number = crew->next++;
	t->task = crew->task[t->number];
	t->pairs = vs_plan_pairs(crew->c->job->plan, t->task.bi, t->task.bj);
	if (crew->c->store) {
		while (crew->outside)
			pthread_cond_wait(&crew->change, &crew->lock);
		crew->outside = true;
		pthread_mutex_unlock(&crew->lock);
		code = hold(crew, &t->task);
		pthread_mutex_lock(&crew->lock);
		t->held = !code;
		crew->outside = false;
		pthread_cond_broadcast(&crew->change);
	}
	pthread_mutex_unlock(&crew->lock);
	if (!code)
		code = vs_cut_make(&t->cut, crew->c->job, &t->task, n_front, t);
	pthread_mutex_lock(&crew->lock);
	if (!code)
		code = vs_deck_add(crew->c->deck, t->cut.piece, t->cut.n_piece);
	vs_shift_fail(crew, code);
	t->left = t->cut.rows;
	if (crew->tile_cost < cost_of(&t->cut))
		crew->tile_cost = cost_of(&t->cut);
	t->ready = true;
	crew->opening = false;
	if (crew->stopped)
		vs_shift_stop(crew);
	pthread_cond_broadcast(&crew->change);
	vs_shift_finish(crew);
}

/* A piece on the CPU, so many of the strip's columns at a time. */
static int
count_here(const struct vs_shift *crew, int thread,
	const struct vs_piece *piece, struct vs_hand *hand)
{
	const struct vs_strip *s = &hand->tile->cut.strip[piece->part];
	struct vs_strip part;
	int code = 0;

	hand->found.bins = vs_shift_bins(crew, thread, hand->tile);
	for (size_t col = s->j_lo; col < s->j_hi && !code; col += crew->n_col)
		if (vs_strip_part(s, piece->lo, piece->hi, col,
			    col + crew->n_col, &part))
			code = crew->c->job->backend->strip(crew->c->backend,
				thread, &part, &hand->found);
	return code ? code : vs_shift_gather(&hand->found);
}

/*
 * Rows of a device's piece, as many as it does at a time. One that says it did
 * none would be asked for ever, and counts as one that fails at them.
 */
static int
device_rows(const struct vs_crew *c, int driver, const struct vs_strip *part,
	struct vs_found *found)
{
	int code = c->job->device->strip(c->device, driver, part, found);

	if (code || (found->upto > part->i_lo && found->upto <= part->i_hi))
		return code;
	found->n = 0;
	vs_fail(VS_EMACHINE, "%s: of rows %zu to %zu it did those before %zu",
		c->job->device->name, part->i_lo, part->i_hi, found->upto);
	return VS_UNABLE;
}

/*
 * A piece on a device, which may do some rows at a time; what these have is the
 * tile's before others are begun. The piece is left with the rows that are not
 * done: all but those of a device that says VS_LOST or VS_UNABLE.
 */
static int
count_there(const struct vs_shift *crew, int driver, struct vs_piece *piece,
	struct vs_hand *hand)
{
	const struct vs_strip *s = &hand->tile->cut.strip[piece->part];
	struct vs_strip part;
	int code = 0;

	while (!code &&
		vs_strip_part(s, piece->lo, piece->hi, s->j_lo, s->j_hi,
			&part)) {
		hand->found.upto = part.i_hi;
		code = device_rows(crew->c, driver, &part, &hand->found);
		if (!code)
			code = vs_shift_gather(&hand->found);
		if (!code)
			piece->lo = hand->found.upto;
	}
	return code;
}

/* What is left of a driver's piece is another's, and it gets no more. */
static void
leave(struct vs_shift *crew, int driver, size_t rows, int code)
{
	struct vs_pairs_stats *stats = crew->c->stats;

	vs_deck_lost(crew->c->deck, driver, rows);
	if (code == VS_LOST) {
		stats->lost++;
		return;
	}
	if (!stats->failed++)
		snprintf(stats->why, sizeof(stats->why), "%s", vs_err_text());
	/* nobody is to hear of it as of what ended the run */
	if (!crew->code)
		vs_err_clear();
}

/* A piece to do, whose tile keeps its place until that is done. */
static bool
take_piece(struct vs_shift *crew, int thread, struct vs_piece *piece)
{
	struct vs_open_tile *t;

	if (!vs_deck_take(crew->c->deck, thread, now(crew), piece))
		return false;
	t = piece->of;
	t->n_hand++;
	return true;
}

/* False: this was a device's driver, and the device is gone. */
static bool
do_piece(struct vs_shift *crew, int thread, const struct vs_piece *piece,
	struct vs_hand *hand)
{
	const struct vs_pairs *job = crew->c->job;
	struct vs_open_tile *t = hand->tile = piece->of;
	int driver = thread - job->n_thread, code;
	size_t rows = piece->hi - piece->lo, did = rows;
	struct vs_piece left = *piece;
	double started = vs_clock();

	if (!t->since)
		t->since = started;
	pthread_mutex_unlock(&crew->lock);
	code = driver < 0 ? count_here(crew, thread, piece, hand)
			  : count_there(crew, driver, &left, hand);
	pthread_mutex_lock(&crew->lock);
	/* those who rest may have a piece now */
	if (job->device)
		pthread_cond_broadcast(&crew->change);
	if (code == VS_UNABLE && !job->dispensable)
		code = VS_EMACHINE;
	if (t->dropped && code >= 0) {
		/* nothing is left of the tile for others */
		vs_deck_done(crew->c->deck, thread, now(crew));
		if (code > VS_DONE)
			leave(crew, thread, 0, code);
		hand->found.n = 0;
	} else if (code > 0) {
		did = left.lo - piece->lo;
		leave(crew, thread, did, code);
	} else {
		vs_deck_done(crew->c->deck, thread, now(crew));
		vs_shift_fail(crew, code);
	}
	t->seconds += vs_clock() - started;
	crew->c->stats->cost[driver >= 0] +=
		(double)piece->cost * (double)did / (double)rows;
	t->spared += hand->found.spared;
	t->told += hand->found.told;
	hand->found.spared = hand->found.told = 0;
	t->left -= did;
	vs_shift_part(crew, t);
	vs_shift_hurry(crew);
	vs_shift_finish(crew);
	return code <= VS_DONE;
}

static struct vs_open_tile *
find_place(struct vs_shift *crew)
{
	while (!crew->stopped && vs_shift_puts_off(crew))
		;
	if (crew->next < crew->n_task && !crew->stopped && !crew->opening &&
		!vs_shift_is_crowded(crew))
		for (int k = 0; k < crew->n_open; k++)
			if (!crew->tile[k].used)
				return &crew->tile[k];
	return NULL;
}

/* The first thread has the word with the world outside. */
static void
look_round(struct vs_shift *crew)
{
	const struct vs_pairs *job = crew->c->job;
	double pairs = (double)crew->c->stats->pairs;

	for (int k = 0; k < crew->n_open; k++) {
		const struct vs_open_tile *t = &crew->tile[k];

		if (t->ready && t->cut.rows)
			pairs += (double)t->pairs *
				(double)(t->cut.rows - t->left) /
				(double)t->cut.rows;
	}
	pthread_mutex_unlock(&crew->lock);
	vs_comm_poke();
	if (job->question->rising)
		vs_question_share(job->question->rising);
	if (job->tick)
		job->tick(job->ctx, (uint64_t)pairs);
	pthread_mutex_lock(&crew->lock);
}

/* Until something changes; the first thread has to look round. */
static void
rest(struct vs_shift *crew, int thread)
{
	struct timespec until;

	if (thread || !crew->c->job->device) {
		pthread_cond_wait(&crew->change, &crew->lock);
		return;
	}
	until = vs_clock_deadline(LOOK);
	pthread_cond_timedwait(&crew->change, &crew->lock, &until);
}

/* Do a thing; false: there is nothing more for this thread. */
static bool
do_next(struct vs_shift *crew, int thread, struct vs_hand *hand)
{
	bool driver = thread >= crew->c->job->n_thread, busy = false;
	struct vs_open_tile *place;
	struct vs_piece piece;

	if (!crew->stopped && vs_shift_is_stopped(crew))
		vs_shift_stop(crew);
	vs_shift_finish(crew);
	place = find_place(crew);
	for (int k = 0; k < crew->n_open; k++)
		busy |= crew->tile[k].used;
	/* the next tile's blocks are read while others count, by a device's
	 * driver only when it has nothing to do */
	if (place && !driver)
		open_next(crew, place);
	else if (take_piece(crew, thread, &piece))
		return do_piece(crew, thread, &piece, hand);
	else if (place)
		open_next(crew, place);
	else if (busy)
		rest(crew, thread);
	else
		return false;
	return true;
}

static void
work(struct vs_shift *crew, int thread)
{
	struct vs_hand hand = { .found.drain = vs_shift_gather,
		.found.due = vs_shift_due,
		.shift = crew };
	int n_hand = crew->c->job->n_thread + vs_crew_drivers(crew->c->job);

	pthread_mutex_lock(&crew->lock);
	/* those that the system did not give us take nothing */
	for (int k = omp_get_num_threads(); k < n_hand && !thread; k++)
		vs_deck_lost(crew->c->deck, k, 0);
	while (!crew->code && do_next(crew, thread, &hand))
		if (!thread)
			look_round(crew);
	pthread_cond_broadcast(&crew->change);
	pthread_mutex_unlock(&crew->lock);
	free(hand.found.rec);
}

/* ---- the same by a device's clock, one thing after another ---- */

struct player {
	struct vs_hand hand;
	struct vs_piece piece;
	bool busy;
	double ends;
};

static void
note(struct vs_shift *crew, bool device, double cost, double ends)
{
	double begins = crew->now;

	if (device && crew->device_free > begins)
		begins = crew->device_free;
	crew->work[device].cost += cost;
	crew->work[device].seconds += ends - begins;
	if (device)
		crew->device_free = ends;
}

/*
 * All that was done, had all been busy to the end at the paces that they had;
 * and the largest tile done by the slowest of them alone.
 */
static void
judge(const struct vs_shift *crew)
{
	const struct vs_toil *w = crew->work;
	int n_hand[2] = { crew->c->job->n_thread, 1 };
	double cost = w[0].cost + w[1].cost, rate = 0, slowest = 0;

	for (int k = 0; k < 2; k++)
		if (w[k].cost > 0) {
			double pace = w[k].seconds / w[k].cost;

			rate += n_hand[k] / pace;
			slowest = pace > slowest ? pace : slowest;
		}
	if (rate > 0)
		crew->c->stats->seconds_ideal += cost / rate;
	crew->c->stats->seconds_tile = crew->tile_cost * slowest;
}

/* A hand that has nothing begins a tile, or gets something. */
static bool
deal(struct vs_shift *crew, struct player *player, int hand)
{
	const struct vs_pairs *job = crew->c->job;
	struct vs_pairs_stats *stats = crew->c->stats;
	struct vs_open_tile *place = find_place(crew);
	struct player *p = &player[hand];
	int driver = hand - job->n_thread;

	if (!crew->stopped && vs_shift_is_stopped(crew))
		vs_shift_stop(crew);
	if (place && !crew->stopped) {
		open_next(crew, place);
		return true;
	}
	p->busy = take_piece(crew, hand, &p->piece);
	if (!p->busy)
		return false;
	p->ends = job->device->ends(crew->c->device,
		driver < 0 ? job->device->n_driver + hand : driver, crew->now,
		(double)p->piece.cost);
	note(crew, driver >= 0, (double)p->piece.cost, p->ends);
	stats->schedule ^= vs_rng_at(stats->schedule + (uint64_t)hand,
		(uint64_t)p->piece.part << 32 ^ p->piece.lo);
	return true;
}

/* What ends first is done. False: nothing is under way. */
static bool
play_next(struct vs_shift *crew, struct player *player, int n)
{
	struct player *first = NULL;
	int n_thread = crew->c->job->n_thread;

	for (int k = 0; k < n; k++)
		if (player[k].busy && (!first || player[k].ends < first->ends))
			first = &player[k];
	if (!first)
		return false;
	crew->now = first->ends;
	first->busy = false;
	if (do_piece(crew, (int)(first - player), &first->piece, &first->hand))
		return true;
	/* the device is gone, and all its drivers come to know */
	for (int k = n_thread; k < n; k++)
		player[k].ends = crew->now;
	return true;
}

static void
play(struct vs_shift *crew)
{
	const struct vs_pairs *job = crew->c->job;
	int n = job->n_thread + vs_crew_drivers(job);
	struct player *player = NULL;
	bool some;

	vs_shift_fail(crew,
		vs_new(&player, (size_t)n, sizeof(*player), "hands"));
	pthread_mutex_lock(&crew->lock);
	crew->now = crew->c->stats->seconds_played;
	for (int k = 0; k < n && !crew->code; k++)
		player[k].hand =
			(struct vs_hand){ .found.drain = vs_shift_gather,
				.found.due = vs_shift_due,
				.shift = crew };
	do {
		some = !crew->code;
		while (some && !crew->code) {
			some = false;
			for (int k = 0; k < n && !crew->code; k++)
				some |= !player[k].busy &&
					deal(crew, player, k);
		}
		look_round(crew);
	} while (!crew->code && play_next(crew, player, n));
	crew->c->stats->seconds_played = crew->now;
	judge(crew);
	pthread_mutex_unlock(&crew->lock);
	for (int k = 0; player && k < n; k++)
		free(player[k].hand.found.rec);
	free(player);
}

int
vs_crew_run(const struct vs_crew *c, const struct vs_tile_task *task, size_t n,
	struct vs_tiles *later)
{
	const struct vs_pairs *job = c->job;
	struct vs_shift crew = { .c = c,
		.task = task,
		.n_task = n,
		.later = later,
		.n_open = open_tiles(job),
		.batch = job->batch             ? job->batch
			: job->question->rising ? VS_FOUND
						: VS_BATCH,
		.played = job->device && job->device->ends,
		.n_col = job->backend->columns(job->question,
			(size_t)job->plan->tile, true),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.change = PTHREAD_COND_INITIALIZER };

	crew.code = vs_shift_bins_new(&crew);
	if (crew.played) {
		play(&crew);
	} else {
		/* as long as nobody counts all threads cut a tile together */
		pthread_mutex_lock(&crew.lock);
		if (find_place(&crew))
			open_next(&crew, &crew.tile[0]);
		pthread_mutex_unlock(&crew.lock);
#pragma omp parallel num_threads(job->n_thread + vs_crew_drivers(job))
		work(&crew, omp_get_thread_num());
	}
	for (int k = 0; k < crew.n_open; k++)
		vs_shift_clear(&crew, &crew.tile[k]);
	vs_shift_bins_free(&crew);
	free(crew.spare.rec);
	return crew.code ? crew.code : crew.stopped ? VS_DONE : 0;
}

/* ---- what a rank has through all of a run ---- */

int
vs_crew_drivers(const struct vs_pairs *job)
{
	return job->device ? job->device->n_driver : 0;
}

double
vs_crew_rate(const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;

	return (job->device ? job->device->rate(q) : 0) +
		(job->device && job->alone
				? 0
				: job->backend->rate(q) * job->n_thread);
}

int
vs_crew_open(struct vs_crew *c, const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;
	size_t most = (size_t)job->plan->tile;
	double unit = vs_cut_unit(q);
	struct vs_deck_want want = { .n_back = job->n_thread,
		.n_front = vs_crew_drivers(job),
		.n_driver = vs_crew_drivers(job),
		.back_rate = job->backend->rate(q) / unit,
		.front_rate = job->device ? job->device->rate(q) / unit : 1,
		.alone = job->alone };
	int code;

	/* nothing is known of a clock that is not ours */
	if (job->device && job->device->ends)
		want.back_rate = want.front_rate = 1;
	memset(c, 0, sizeof(*c));
	c->job = job;
	code = vs_deck_new(&c->deck, &want);
	if (!code)
		code = job->backend->open(&c->backend, q, job->n_thread, most);
	if (!code && job->device)
		code = job->device->open(&c->device, q, want.n_front, most);
	if (code)
		vs_crew_close(c);
	return code;
}

void
vs_crew_forget(const struct vs_crew *c, const struct vs_panel *panel)
{
	if (c->backend && c->job->backend->forget)
		c->job->backend->forget(c->backend, panel);
	if (c->device && c->job->device->forget)
		c->job->device->forget(c->device, panel);
}

void
vs_crew_close(struct vs_crew *c)
{
	if (c->device)
		c->job->device->close(c->device);
	if (c->backend)
		c->job->backend->close(c->backend);
	vs_deck_free(c->deck);
	memset(c, 0, sizeof(*c));
}

/* Open tiles, the spare, one being sorted; arrays grow by half. */
#define BATCH_BYTES(n_batch) \
	(((size_t)(n_batch) + 2) * sizeof(struct vs_record) * 3 / 2)

/* Of a tile that is all done, once more by the sink's tiles, and of another. */
#define GATHERED_BYTES                                                     \
	(2 * sizeof(struct vs_record) * 3 / 2 + sizeof(struct vs_record) + \
		sizeof(uint32_t))

size_t
vs_crew_batch(uint64_t bytes)
{
	uint64_t n = bytes / BATCH_BYTES(VS_OPEN);

	return n < VS_FOUND / 4 ? VS_FOUND / 4
		: n < VS_BATCH  ? (size_t)n
				: VS_BATCH;
}

size_t
vs_crew_bytes(const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;
	size_t batch = job->batch ? job->batch : VS_BATCH;
	size_t gather = vs_pairs_grouped(job) ? job->gather : 0;
	size_t most = (size_t)job->plan->tile;
	int n_driver = vs_crew_drivers(job);
	int n_batch = open_tiles(job) > VS_OPEN ? VS_BATCHES_DEVICE : VS_OPEN;
	size_t workers = job->backend->bytes(q, job->n_thread, most) +
		(n_driver ? job->device->bytes(q, n_driver, most) : 0);

	return workers + batch * BATCH_BYTES(n_batch) +
		gather * GATHERED_BYTES +
		(size_t)(job->n_thread + n_driver) * VS_FOUND *
		sizeof(struct vs_record) * 3;
}

void
vs_crew_rest(void)
{
	/* where they do not leave they wait as before */
	(void)omp_pause_resource_all(omp_pause_soft);
}
