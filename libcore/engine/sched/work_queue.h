/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Double-ended work queue of a rank, shared by devices and CPU. Drivers of
 * devices pop whole pieces from its front, smaller ones toward the end; CPU
 * threads pop small pieces from its back while they can finish them before the
 * devices drain the queue. Without a device the CPU pops from the front, each
 * worker from one part while that has rows left.
 *
 * Bound on the makespan: once no more pieces are added, and if no worker is
 * lost, the rest takes at most as long as an ideal division among the workers
 * at their true rates, plus the time that the slowest of them needs for one
 * tile. A device's initial rate may be wrong by any factor, the CPU's by less
 * than the number of pieces of a tile.
 *
 * The CPU does not make a run longer: what it takes lasts a small part of the
 * time so far and of the time that the devices need for the rest. Until the
 * first rates are measured it takes little, and if its own rate is a small part
 * of the total it takes nothing.
 *
 * The queue knows costs and the times that it is given, but neither threads nor
 * clocks: the same calls give the same answers. Calls must not overlap.
 */
#ifndef VS_ENGINE_SCHED_WORK_QUEUE_H
#define VS_ENGINE_SCHED_WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows [lo, hi) by columns [col, end) of an object that only the caller knows.
 */
struct vs_piece {
	void *of;
	size_t part;
	size_t lo, hi;
	size_t col, end; /* of slabs of triples: 0 */
	size_t grain;    /* rows that are cut off at a time; hi - lo: all */
	/* Beside a device a CPU thread gets a block of `width` columns, halved
	 * up to `halvings` times if these would take too long, and of a
	 * multiple of `block` rows, from which it cuts off multiples of `fine`
	 * rows. Each new set of columns costs it `setup`. Columns are cut at
	 * multiples of their number, counted from the part's first. Width 0: a
	 * grain of all columns is cut off. */
	size_t fine, block, width, setup;
	int halvings;
	uint64_t cost; /* total cost */
};

/*
 * Cost of the rows and columns of a piece, which may differ; parts of cost 0 go
 * to no worker. Null: all rows of a piece cost the same, as do all columns, and
 * none is 0.
 */
typedef uint64_t vs_piece_cost_fn(const struct vs_piece *piece);

/* Workers: 0 .. n_back - 1 are the CPU's, n_front of devices follow. */
struct vs_work_queue_want {
	int n_back, n_front;
	int n_driver; /* workers of a device, which serves them one by one */
	/* initial cost per second, until measured: of one CPU worker, and of
	 * all devices together */
	double back_rate, front_rate;
	bool alone; /* the CPU takes nothing while there is a device */
	vs_piece_cost_fn *cost; /* or null */
};

struct vs_work_queue;
int vs_work_queue_new(struct vs_work_queue **queue,
	const struct vs_work_queue_want *want);
void vs_work_queue_free(struct vs_work_queue *queue); /* null is accepted */

/* Append n pieces, all of one tile. 0; VS_EMACHINE, with none added */
int vs_work_queue_add(struct vs_work_queue *queue, const struct vs_piece *piece,
	size_t n);

/*
 * Assign work to an idle worker. False: nothing now; ask again after a call of
 * _done(), _lost() or _add().
 */
bool vs_work_queue_pop(struct vs_work_queue *queue, int worker, double now,
	struct vs_piece *piece);

/* The worker has finished the piece that it popped. */
void vs_work_queue_done(struct vs_work_queue *queue, int worker, double now);

/*
 * Mark a worker as lost. Of the piece of a device's driver the first `rows`
 * rows are done; the others, at least one, return to the queue. A lost worker
 * without a piece may be marked again.
 */
void vs_work_queue_lost(struct vs_work_queue *queue, int worker, size_t rows);

/*
 * Remove the pieces of `of` from the queue; workers finish those they popped.
 */
void vs_work_queue_drop(struct vs_work_queue *queue, const void *of);

/* Number of device workers that are not lost. */
int vs_work_queue_front(const struct vs_work_queue *queue);

#endif
