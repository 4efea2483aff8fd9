/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The work of a rank as one list with two ends. Drivers of devices take whole
 * pieces from its front, smaller ones toward the end; threads of the CPU cut
 * small ones off its back, as long as they are done with them before the
 * devices are with all the rest. Where no device is left, or none was, the CPU
 * takes from the front, each worker of one part as long as there is some of it.
 *
 * When all that is to be done is known from some moment on it is done, from
 * then on, within the time that all workers need that share it ideally, at the
 * paces that they really have, and the time of one tile, what is added at once,
 * at the pace of the slowest worker that takes part. A loss is such a moment.
 * First rates of the devices may be wrong by anything, those of the CPU by less
 * than the cuts that a tile has.
 *
 * It knows costs, and times that it is given, but neither threads nor clocks:
 * the same calls give the same answers. The caller lets one call in at a time.
 */
#ifndef VS_ENGINE_SCHED_WORK_QUEUE_H
#define VS_ENGINE_SCHED_WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows [lo, hi) of something, equal in cost; what it is the caller knows. */
struct vs_piece {
	void *of;
	size_t part;
	size_t lo, hi;
	size_t grain;  /* rows that the CPU cuts off; hi - lo: it takes all */
	uint64_t cost; /* of all the rows */
};

/* Hands: 0 .. n_back - 1 are the CPU's, n_front of devices follow. */
struct vs_work_queue_want {
	int n_back, n_front;
	int n_driver; /* workers of a device, which does theirs one by one */
	/* costs a second, as long as nothing is measured: one of the CPU's
	 * workers, and all of the devices' together */
	double back_rate, front_rate;
	bool alone; /* the CPU takes nothing as long as there is a device */
};

struct vs_work_queue;
int vs_work_queue_new(struct vs_work_queue **queue,
	const struct vs_work_queue_want *want);
void vs_work_queue_free(struct vs_work_queue *queue); /* null is accepted */

/* Put n pieces, a tile, behind the others. 0; VS_EMACHINE, with none added */
int vs_work_queue_add(struct vs_work_queue *queue, const struct vs_piece *piece,
	size_t n);

/*
 * Assign work to an idle worker. False: nothing yet; it
 * may ask again once another was done or lost or pieces were added.
 */
bool vs_work_queue_pop(struct vs_work_queue *queue, int worker, double now,
	struct vs_piece *piece);

/* The worker has done the piece that it popped. */
void vs_work_queue_done(struct vs_work_queue *queue, int worker, double now);

/*
 * Mark a worker as lost; of the piece of a device's driver the first `rows`
 * rows are done, and the others, one at least, are left to others. One that is
 * gone may be lost again if it has nothing.
 */
void vs_work_queue_lost(struct vs_work_queue *queue, int worker, size_t rows);

/*
 * Nothing of `of` is to be done any more: what waits of it leaves the list.
 * Hands that are at it are done with it in their time, as with anything.
 */
void vs_work_queue_drop(struct vs_work_queue *queue, const void *of);

/* Hands of devices that are left. */
int vs_work_queue_front(const struct vs_work_queue *queue);

#endif
