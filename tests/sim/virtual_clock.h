/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discrete-event simulation of the thread pool: vs_clock() is a virtual clock,
 * and one thread takes, in order of time, each step that a thread of the CPU or
 * a driver of the device would take. A piece takes the time that virtual_pace()
 * gives it, so that a seed decides which worker computes what.
 *
 * The program that includes this has thread_pool.c and clock.c in this form
 * instead of the library's. A job without a device runs on threads as usual.
 */
#ifndef VS_TESTS_SIM_VIRTUAL_CLOCK_H
#define VS_TESTS_SIM_VIRTUAL_CLOCK_H

#define vs_thread_pool_run virtual_threads
#define vs_thread_pool_feed virtual_threads_feed
#include "libcore/engine/sched/thread_pool.c" /* IWYU pragma: keep */
#undef vs_thread_pool_run
#undef vs_thread_pool_feed

#include <math.h>

#include "libcore/base/rng.h"

#define VIRTUAL_FASTER 100 /* the device than a thread of the CPU, at most */
#define VIRTUAL_NOISE 0.1  /* of a pace */

/* Sums of the work of the CPU's threads or of the device. */
struct virtual_work {
	double cost, seconds;
};

/* The clock, the paces, and statistics of all runs since virtual_begin(). */
static struct {
	double now;
	struct vs_rng rng;
	double cpu_rate, rate; /* cost a second of a thread and of the device */
	double device_free;    /* time at which the device has done its work */
	struct virtual_work work[2]; /* of the CPU, of the device */
	double tile_cost;            /* of the largest tile */
	uint64_t schedule;           /* hash of who took what, in order */
	double ideal; /* seconds with every worker busy to the end */
	double tile;  /* seconds of the largest tile on the slowest worker */
} virtual;

struct virtual_worker {
	struct vs_tile_worker state;
	struct vs_piece piece;
	bool busy;
	double ends;
};

double
vs_clock(void)
{
	return virtual.now;
}

double
vs_clock_cpu(void)
{
	return virtual.now;
}

/* No thread waits for long: the time is over. */
struct timespec
vs_clock_deadline(double seconds)
{
	(void)seconds;
	return (struct timespec){ 0 };
}

void
vs_clock_date(char out[21])
{
	snprintf(out, 21, "1970-01-01T00:00:00Z");
}

static double
virtual_uniform(double lo, double hi)
{
	return lo +
		(hi - lo) * (double)(vs_rng_next(&virtual.rng) >> 11) * 0x1p-53;
}

/* Begin at time 0 with the paces of a seed. */
__attribute__((unused)) static void
virtual_begin(uint64_t seed)
{
	memset(&virtual, 0, sizeof(virtual));
	vs_rng_seed(&virtual.rng, seed);
	virtual.cpu_rate = exp(virtual_uniform(-1, 1));
	virtual.rate = virtual.cpu_rate *
		exp(virtual_uniform(0, log(VIRTUAL_FASTER)));
}

/*
 * Time at which a worker ends a piece of this cost that it begins now. The
 * device does the pieces of its drivers one after another.
 */
static double
virtual_pace(bool driver, double cost)
{
	double seconds =
		cost * virtual_uniform(1 - VIRTUAL_NOISE, 1 + VIRTUAL_NOISE);
	double begins = virtual.now, ends;

	seconds /= driver ? virtual.rate : virtual.cpu_rate;
	if (driver && virtual.device_free > begins)
		begins = virtual.device_free;
	ends = begins + seconds;
	virtual.work[driver].cost += cost;
	virtual.work[driver].seconds += seconds;
	if (driver)
		virtual.device_free = ends;
	return ends;
}

static void
virtual_note_tile(const struct vs_open_tile *t)
{
	double cost = 0;

	for (size_t k = 0; k < t->split.n_piece; k++)
		cost += (double)t->split.piece[k].cost;
	virtual.tile_cost = fmax(virtual.tile_cost, cost);
}

/* An idle worker opens a tile or takes a piece. False: there is neither. */
static bool
virtual_assign(struct vs_tile_window *window, struct virtual_worker *worker,
	int k)
{
	struct vs_open_tile *place = find_place(window);
	struct virtual_worker *w = &worker[k];

	if (!window->stopped && vs_tile_window_is_stopped(window))
		vs_tile_window_stop(window);
	if (place && !window->stopped) {
		open_next(window, place);
		virtual_note_tile(place);
		return true;
	}
	w->busy = pop_piece(window, k, &w->piece);
	if (!w->busy)
		return false;
	w->ends = virtual_pace(k >= window->c->job->n_thread,
		(double)w->piece.cost);
	virtual.schedule ^= vs_rng_at(virtual.schedule + (uint64_t)k,
		(uint64_t)w->piece.part << 32 ^ w->piece.lo);
	return true;
}

/* Complete the piece that ends first. False: none is under way. */
static bool
virtual_step(struct vs_tile_window *window, struct virtual_worker *worker,
	int n)
{
	struct virtual_worker *first = NULL;

	for (int k = 0; k < n; k++)
		if (worker[k].busy && (!first || worker[k].ends < first->ends))
			first = &worker[k];
	if (!first)
		return false;
	virtual.now = first->ends;
	first->busy = false;
	if (do_piece(window, (int)(first - worker), &first->piece,
		    &first->state))
		return true;
	/* the device is gone, and all its drivers come to know */
	for (int k = window->c->job->n_thread; k < n; k++)
		worker[k].ends = virtual.now;
	return true;
}

static void
virtual_judge(int n_thread)
{
	int n_worker[2] = { n_thread, 1 };
	double cost = virtual.work[0].cost + virtual.work[1].cost;
	double rate = 0, slowest = 0;

	for (int k = 0; k < 2; k++)
		if (virtual.work[k].cost > 0) {
			double pace = virtual.work[k].seconds /
				virtual.work[k].cost;

			rate += n_worker[k] / pace;
			slowest = fmax(slowest, pace);
		}
	virtual.ideal = rate > 0 ? cost / rate : 0;
	virtual.tile = virtual.tile_cost * slowest;
}

static void
virtual_play(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	int n = job->n_thread + vs_thread_pool_drivers(job);
	struct virtual_worker *worker = calloc((size_t)n, sizeof(*worker));
	bool some;

	if (!worker)
		abort();
	pthread_mutex_lock(&window->lock);
	for (int k = 0; k < n; k++)
		worker[k].state =
			(struct vs_tile_worker){ .hits.drain =
							 vs_tile_window_gather,
				.hits.due = vs_tile_window_due,
				.window = window };
	do {
		some = !window->code;
		while (some && !window->code) {
			some = false;
			for (int k = 0; k < n && !window->code; k++) {
				feed(window);
				some |= !worker[k].busy &&
					virtual_assign(window, worker, k);
			}
		}
		vs_tile_window_poll(window);
	} while (!window->code && virtual_step(window, worker, n));
	virtual_judge(job->n_thread);
	pthread_mutex_unlock(&window->lock);
	for (int k = 0; k < n; k++)
		free(worker[k].state.hits.rec);
	free(worker);
}

/* vs_thread_pool_run() by the virtual clock; a tile's records fit a batch. */
int
vs_thread_pool_run(const struct vs_thread_pool *c,
	const struct vs_tile_task *task, size_t n, struct vs_tiles *later)
{
	struct vs_tile_window window;

	if (!c->job->device)
		return virtual_threads(c, task, n, later);
	open_window(&window, c, task, n, NULL, later);
	virtual_play(&window);
	return close_window(&window);
}

int
vs_thread_pool_feed(const struct vs_thread_pool *c,
	const struct vs_tile_source *source, struct vs_tiles *later)
{
	struct vs_tile_window window;

	if (!c->job->device)
		return virtual_threads_feed(c, source, later);
	open_window(&window, c, NULL, 0, source, later);
	virtual_play(&window);
	return close_window(&window);
}

#endif
