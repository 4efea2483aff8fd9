/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/bins.h"
#include "libcore/engine/crew.h"
#include "libcore/engine/cut.h"
#include "libcore/plan/comm.h"

#define N_OPEN 2         /* a tile and the one that is begun as it ends */
#define BATCH (1u << 17) /* records of a tile that wait; sorted in cache */
#define LOOK 2000000     /* ns that the first thread rests at a time */

/* A tile that is being worked on. */
struct tile {
	bool used, ready; /* this place is taken; the pieces can be */
	bool held;        /* by the store */
	uint64_t number;  /* of the task: the lower the older */
	struct vs_tile_task task;
	uint64_t pairs, left; /* pairs; rows not done yet */
	double told;          /* of those cut out, the pairs told by leaders */
	struct vs_cut cut;
	struct vs_found found; /* not with the sink yet */
	bool begun;            /* some are with the sink */
	struct vs_sum sum, renamed;
	double seconds;
};

struct crew {
	const struct vs_crew *c;
	const struct vs_tile_task *task;
	size_t n_task, next;
	struct tile tile[N_OPEN];
	struct vs_found spare; /* memory for the next batch */
	size_t n_col;          /* columns that the CPU takes at a time */
	bool opening;          /* some thread begins a tile */
	bool outside;          /* some thread is with the sink, or reads */
	bool stopped;
	bool played; /* by the device's clock, which is at now */
	double now;
	int code;
	size_t batch;
	pthread_mutex_t lock; /* of all this */
	pthread_cond_t change;
};

/* What a thread brings to the tile it works for. */
struct hand {
	struct vs_found found; /* first: drain() knows it by this */
	struct crew *crew;
	struct tile *tile;
};

static double
now(const struct crew *crew)
{
	return crew->played ? crew->now : vs_clock();
}

/* ---- records on their way to the sink ---- */

static bool
is_oldest(const struct crew *crew, const struct tile *t)
{
	for (int k = 0; k < N_OPEN; k++)
		if (crew->tile[k].used && crew->tile[k].number < t->number)
			return false;
	return true;
}

static void
fail(struct crew *crew, int code)
{
	if (code && !crew->code)
		crew->code = code;
}

/*
 * Give the sink what the tile has gathered, last or not. The lock is held, and
 * released meanwhile.
 */
static void
give(struct crew *crew, struct tile *t, bool last)
{
	const struct vs_pairs *job = crew->c->job;
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

	crew->outside = true;
	t->begun = true;
	t->found = crew->spare;
	memset(&crew->spare, 0, sizeof(crew->spare));
	pthread_mutex_unlock(&crew->lock);
	/* the strongest are sorted once it is known which they are */
	if (!job->question->rising)
		vs_record_sort(batch.rec, batch.n);
	code = job->sink(job->ctx, &done);
	pthread_mutex_lock(&crew->lock);
	batch.n = 0;
	free(crew->spare.rec);
	crew->spare = batch;
	crew->outside = false;
	fail(crew, code);
	pthread_cond_broadcast(&crew->change);
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
make_room(const struct crew *crew, struct vs_found *to, size_t more)
{
	size_t need = to->n + more;
	struct vs_found all = *to;
	int code;

	if (need <= to->room || need <= VS_FOUND || need > crew->batch)
		return vs_grow(&to->rec, &to->room, need, sizeof(*to->rec),
			"records of a tile");
	code = vs_room(&all.rec, crew->batch, sizeof(*all.rec),
		"records of a tile");
	if (code)
		return code;
	all.room = crew->batch;
	if (to->n)
		memcpy(all.rec, to->rec, to->n * sizeof(*to->rec));
	free(to->rec);
	*to = all;
	return 0;
}

/*
 * What a thread has found goes to its tile. Where that is full the oldest tile
 * makes room by a batch for the sink; a younger one has to wait until it is
 * the oldest, since no two may be half-written. The oldest never waits for
 * another, so all get on.
 */
static int
gather(struct vs_found *found)
{
	struct hand *hand = (struct hand *)found;
	struct crew *crew = hand->crew;
	struct tile *t = hand->tile;
	struct vs_sum sum = { { 0 } }, renamed = { { 0 } };
	int code;

	vs_found_drop(found, crew->c->job->question);
	sum_records(crew->c->job, found, &t->task, &sum, &renamed);
	pthread_mutex_lock(&crew->lock);
	while (t->found.n && t->found.n + found->n > crew->batch &&
		!crew->code && !crew->played)
		if (!crew->outside && is_oldest(crew, t))
			give(crew, t, false);
		else
			pthread_cond_wait(&crew->change, &crew->lock);
	code = crew->code;
	if (!code)
		code = make_room(crew, &t->found, found->n);
	if (!code && found->n) {
		memcpy(t->found.rec + t->found.n, found->rec,
			found->n * sizeof(*found->rec));
		t->found.n += found->n;
		vs_sum_add(&t->sum, &sum);
		vs_sum_add(&t->renamed, &renamed);
	}
	pthread_mutex_unlock(&crew->lock);
	found->n = 0;
	return code;
}

/* Its place is free. */
static void
clear(struct crew *crew, struct tile *t)
{
	if (t->held) {
		vs_store_drop(crew->c->store, t->task.i);
		vs_store_drop(crew->c->store, t->task.j);
	}
	vs_cut_free(&t->cut);
	free(t->found.rec);
	memset(t, 0, sizeof(*t));
}

/* A tile whose items are all done goes to the sink, and its place is free. */
static void
finish(struct crew *crew, struct tile *t)
{
	const struct tile *other = t == crew->tile ? t + 1 : t - 1;

	while (!crew->code && (crew->outside || (other->used && other->begun)))
		pthread_cond_wait(&crew->change, &crew->lock);
	if (!crew->code) {
		give(crew, t, true);
		crew->c->stats->pairs += t->pairs;
		crew->c->stats->counted +=
			t->cut.counted - (uint64_t)(t->told > 0 ? t->told : 0);
	}
	clear(crew, t);
	pthread_cond_broadcast(&crew->change);
}

/* ---- what a thread does; the lock is held on entry and exit ---- */

/* The blocks of a tile, where they are read when needed. */
static int
hold(struct crew *crew, struct vs_tile_task *task)
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

static void
open_next(struct crew *crew, struct tile *t)
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
	fail(crew, code);
	t->left = t->cut.rows;
	t->ready = true;
	crew->opening = false;
	pthread_cond_broadcast(&crew->change);
	if (!t->left)
		finish(crew, t);
}

/* A piece on the CPU, so many of the strip's columns at a time. */
static int
count_here(const struct crew *crew, int thread, const struct vs_piece *piece,
	struct hand *hand)
{
	const struct vs_strip *s = &hand->tile->cut.strip[piece->part];
	struct vs_strip part;
	int code = 0;

	for (size_t col = s->j_lo; col < s->j_hi && !code; col += crew->n_col)
		if (vs_strip_part(s, piece->lo, piece->hi, col,
			    col + crew->n_col, &part))
			code = crew->c->job->backend->strip(crew->c->backend,
				thread, &part, &hand->found);
	return code;
}

/* A piece on a device; VS_LOST, VS_UNABLE. */
static int
count_there(const struct crew *crew, int driver, const struct vs_piece *piece,
	struct hand *hand)
{
	const struct vs_strip *s = &hand->tile->cut.strip[piece->part];
	struct vs_strip part;

	if (!vs_strip_part(s, piece->lo, piece->hi, s->j_lo, s->j_hi, &part))
		return 0;
	return crew->c->job->device->strip(crew->c->device, driver, &part,
		&hand->found);
}

/* A driver's piece is another's, and it gets no more. */
static void
leave(struct crew *crew, int driver, int code)
{
	struct vs_pairs_stats *stats = crew->c->stats;

	vs_deck_lost(crew->c->deck, driver);
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

/* False: this was a device's driver, and the device is gone. */
static bool
do_piece(struct crew *crew, int thread, const struct vs_piece *piece,
	struct hand *hand)
{
	const struct vs_pairs *job = crew->c->job;
	struct tile *t = hand->tile = piece->of;
	int driver = thread - job->n_thread, code;
	double started = vs_clock();

	pthread_mutex_unlock(&crew->lock);
	code = driver < 0 ? count_here(crew, thread, piece, hand)
			  : count_there(crew, driver, piece, hand);
	if (!code)
		code = gather(&hand->found);
	pthread_mutex_lock(&crew->lock);
	/* those who rest may have a piece now */
	if (job->device)
		pthread_cond_broadcast(&crew->change);
	if (code == VS_UNABLE && !job->dispensable)
		code = VS_EMACHINE;
	if (code > 0) {
		leave(crew, thread, code);
		return false;
	}
	vs_deck_done(crew->c->deck, thread, now(crew));
	fail(crew, code);
	t->seconds += vs_clock() - started;
	crew->c->stats->cost[driver >= 0] += (double)piece->cost;
	crew->c->stats->spared += hand->found.spared;
	t->told += hand->found.told;
	hand->found.spared = hand->found.told = 0;
	t->left -= piece->hi - piece->lo;
	if (!t->left)
		finish(crew, t);
	return true;
}

static struct tile *
find_place(struct crew *crew)
{
	if (crew->next < crew->n_task && !crew->stopped && !crew->opening)
		for (int k = 0; k < N_OPEN; k++)
			if (!crew->tile[k].used)
				return &crew->tile[k];
	return NULL;
}

/* The first thread has the word with the world outside. */
static void
look_round(struct crew *crew)
{
	const struct vs_pairs *job = crew->c->job;
	double pairs = (double)crew->c->stats->pairs;
	bool stop;

	for (int k = 0; k < N_OPEN; k++) {
		const struct tile *t = &crew->tile[k];

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
	stop = job->stop && job->stop(job->ctx);
	pthread_mutex_lock(&crew->lock);
	crew->stopped |= stop;
}

/* Until something changes; the first thread has to look round. */
static void
rest(struct crew *crew, int thread)
{
	struct timespec until;

	if (thread || !crew->c->job->device) {
		pthread_cond_wait(&crew->change, &crew->lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&crew->change, &crew->lock, &until);
}

/* Do a thing; false: there is nothing more for this thread. */
static bool
do_next(struct crew *crew, int thread, struct hand *hand)
{
	bool driver = thread >= crew->c->job->n_thread, busy = false;
	struct tile *place = find_place(crew);
	struct vs_piece piece;

	for (int k = 0; k < N_OPEN; k++)
		busy |= crew->tile[k].used;
	/* the next tile's blocks are read while others count, by a device's
	 * driver only when it has nothing to do */
	if (place && !driver)
		open_next(crew, place);
	else if (vs_deck_take(crew->c->deck, thread, now(crew), &piece))
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
work(struct crew *crew, int thread)
{
	struct hand hand = { .found.drain = gather, .crew = crew };
	int n_hand = crew->c->job->n_thread + vs_crew_drivers(crew->c->job);

	int code = crew->c->job->bins
		? vs_bins_like(&hand.found.bins, crew->c->job->bins)
		: 0;

	pthread_mutex_lock(&crew->lock);
	fail(crew, code);
	/* those that the system did not give us take nothing */
	for (int k = omp_get_num_threads(); k < n_hand && !thread; k++)
		vs_deck_lost(crew->c->deck, k);
	while (!crew->code && do_next(crew, thread, &hand))
		if (!thread)
			look_round(crew);
	if (hand.found.bins)
		vs_bins_add(crew->c->job->bins, hand.found.bins);
	pthread_cond_broadcast(&crew->change);
	pthread_mutex_unlock(&crew->lock);
	vs_bins_free(hand.found.bins);
	free(hand.found.rec);
}

/* ---- the same by a device's clock, one thing after another ---- */

struct player {
	struct hand hand;
	struct vs_piece piece;
	bool busy;
	double ends;
};

/* A hand that has nothing begins a tile, or gets something. */
static bool
deal(struct crew *crew, struct player *player, int hand)
{
	const struct vs_pairs *job = crew->c->job;
	struct vs_pairs_stats *stats = crew->c->stats;
	struct tile *place = find_place(crew);
	struct player *p = &player[hand];
	int driver = hand - job->n_thread;

	if (place) {
		open_next(crew, place);
		return true;
	}
	p->busy = vs_deck_take(crew->c->deck, hand, crew->now, &p->piece);
	if (!p->busy)
		return false;
	p->ends = job->device->ends(crew->c->device,
		driver < 0 ? job->device->n_driver + hand : driver, crew->now,
		(double)p->piece.cost);
	stats->schedule ^= vs_rng_at(stats->schedule + (uint64_t)hand,
		(uint64_t)p->piece.part << 32 ^ p->piece.lo);
	return true;
}

/* What ends first is done. False: nothing is under way. */
static bool
play_next(struct crew *crew, struct player *player, int n)
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
play(struct crew *crew)
{
	const struct vs_pairs *job = crew->c->job;
	int n = job->n_thread + vs_crew_drivers(job);
	struct player *player = NULL;
	bool some;

	fail(crew, vs_new(&player, (size_t)n, sizeof(*player), "hands"));
	pthread_mutex_lock(&crew->lock);
	crew->now = crew->c->stats->seconds_played;
	for (int k = 0; k < n && !crew->code; k++)
		player[k].hand =
			(struct hand){ .found.drain = gather, .crew = crew };
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
	pthread_mutex_unlock(&crew->lock);
	for (int k = 0; player && k < n; k++)
		free(player[k].hand.found.rec);
	free(player);
}

int
vs_crew_run(const struct vs_crew *c, const struct vs_tile_task *task, size_t n)
{
	const struct vs_pairs *job = c->job;
	struct crew crew = { .c = c,
		.task = task,
		.n_task = n,
		.batch = job->batch             ? job->batch
			: job->question->rising ? VS_FOUND
						: BATCH,
		.played = job->device && job->device->ends,
		.n_col = job->backend->columns(job->question,
			(size_t)job->plan->tile, true),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.change = PTHREAD_COND_INITIALIZER };

	if (crew.played) {
		play(&crew);
	} else {
#pragma omp parallel num_threads(job->n_thread + vs_crew_drivers(job))
		work(&crew, omp_get_thread_num());
	}
	for (int k = 0; k < N_OPEN; k++)
		clear(&crew, &crew.tile[k]);
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
#define BATCH_BYTES ((N_OPEN + 2) * sizeof(struct vs_record) * 3 / 2)

size_t
vs_crew_batch(uint64_t bytes)
{
	uint64_t n = bytes / BATCH_BYTES;

	return n < VS_FOUND / 4 ? VS_FOUND / 4 : n < BATCH ? (size_t)n : BATCH;
}

size_t
vs_crew_bytes(const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;
	size_t batch = job->batch ? job->batch : BATCH;
	size_t most = (size_t)job->plan->tile;
	int n_driver = vs_crew_drivers(job);
	size_t workers = job->backend->bytes(q, job->n_thread, most) +
		(n_driver ? job->device->bytes(q, n_driver, most) : 0);

	return workers + batch * BATCH_BYTES +
		(size_t)(job->n_thread + n_driver) * VS_FOUND *
		sizeof(struct vs_record) * 3;
}
