/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-ended work queue, shared by devices and CPU by their paces. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sched/work_queue.h"

/*
 * Why the end is that near. Let the workers do the work W at rates r, of sum R,
 * that they really had, and all be done at T. A worker that stood idle for s of
 * that time did r (T - s), and all of them did W, so T = W / R + sum r s / R:
 * the ideal time, and the mean of what they stood idle for. That is a tile's
 * time at most, since
 * - a device is idle only when nothing waits, as its drivers refuse no more
 *   than what goes beyond a tile before it. The others have begun all there is
 *   then: devices at most a tile each, threads of the CPU a cut;
 * - a thread of the CPU is idle when nothing waits, or when the devices will be
 *   done within a cut's time, by the paces known. First rates may be wrong, and
 *   it then waits needlessly for a cut's time by its own rate, once for each
 *   device that shows its true pace; a cut is a small part of a tile.
 * That the mean is far below is due to the last pieces, which are small. A loss
 * is a new beginning with the work that is left.
 */
#define NEWEST 0.25 /* weight of the last piece in the mean of the paces */

struct worker {
	struct vs_piece piece;
	double since; /* when it was taken */
	bool busy;
	bool gone; /* busy: the piece waits for another */
};

/*
 * A thread of the CPU, or a device, which does what its drivers have in turn.
 */
struct processor {
	double seconds, cost; /* of what it did, the last most; 0: nothing */
	double guess;         /* seconds for a cost of 1, until then */
	double last;          /* when something was done */
};

struct vs_work_queue {
	struct vs_work_queue_want want;
	struct worker *worker;
	struct processor *processor; /* the CPU's, then the devices */
	int n_left;                  /* of the devices' workers */
	struct vs_piece *piece;
	size_t first, end, room; /* of the pieces that wait */
	uint64_t waiting; /* their cost, and that of pieces left behind */
	uint64_t tile;    /* the most that was added at once */
};

int
vs_work_queue_new(struct vs_work_queue **queue,
	const struct vs_work_queue_want *want)
{
	int n = want->n_back + want->n_front, n_device = 0;
	struct vs_work_queue *d = NULL;
	int code = vs_mem_new(&d, 1, sizeof(*d), "list of work");

	if (!code)
		code = vs_mem_new(&d->worker, (size_t)n, sizeof(*d->worker),
			"list of work");
	if (!code)
		code = vs_mem_new(&d->processor, (size_t)n,
			sizeof(*d->processor), "list of work");
	if (code) {
		vs_work_queue_free(d);
		return code;
	}
	d->want = *want;
	d->n_left = want->n_front;
	if (want->n_front)
		n_device = want->n_front / want->n_driver;
	for (int k = 0; k < want->n_back + n_device; k++)
		d->processor[k].guess = k < want->n_back
			? 1 / want->back_rate
			: n_device / want->front_rate;
	*queue = d;
	return 0;
}

void
vs_work_queue_free(struct vs_work_queue *d)
{
	if (!d)
		return;
	free(d->worker);
	free(d->processor);
	free(d->piece);
	free(d);
}

int
vs_work_queue_add(struct vs_work_queue *d, const struct vs_piece *piece,
	size_t n)
{
	uint64_t cost = 0;
	int code;

	if (d->first) {
		memmove(d->piece, d->piece + d->first,
			(d->end - d->first) * sizeof(*piece));
		d->end -= d->first;
		d->first = 0;
	}
	code = vs_mem_grow(&d->piece, &d->room, d->end + n, sizeof(*piece),
		"list of work");
	if (code)
		return code;
	for (size_t k = 0; k < n; k++) {
		cost += piece[k].cost;
		d->piece[d->end++] = piece[k];
	}
	d->waiting += cost;
	d->tile = cost > d->tile ? cost : d->tile;
	return 0;
}

/* A lost worker whose piece waits for another, or null. */
static struct worker *
abandoned(struct vs_work_queue *d)
{
	for (int k = 0; k < d->want.n_front; k++) {
		struct worker *h = &d->worker[d->want.n_back + k];

		if (h->gone && h->busy)
			return h;
	}
	return NULL;
}

/* ---- paces ---- */

/* Work assigned to a worker. */
struct load {
	uint64_t cost;
	double pace;    /* seconds for a cost of 1 */
	double seconds; /* until it is done */
	bool there;
};

static int
processor_of(const struct vs_work_queue *d, int worker)
{
	int n = d->want.n_back;

	return worker < n ? worker : n + (worker - n) / d->want.n_driver;
}

/*
 * Work held by the threads of a worker. One that has not done its oldest
 * piece yet is no faster than that, whatever was believed of it.
 */
static struct load
load_of(const struct vs_work_queue *d, int processor, double now)
{
	const struct processor *own = &d->processor[processor];
	const struct worker *oldest = NULL;
	struct load load = { .pace = own->cost > 0 ? own->seconds / own->cost
						   : own->guess };
	int n = d->want.n_back, n_worker = processor < n ? 1 : d->want.n_driver;
	int first = processor < n ? processor : n + (processor - n) * n_worker;
	double since, slowest;

	for (int k = first; k < first + n_worker; k++) {
		const struct worker *h = &d->worker[k];

		load.there |= !h->gone;
		if (h->gone || !h->busy)
			continue;
		load.cost += h->piece.cost;
		if (!oldest || h->since < oldest->since)
			oldest = h;
	}
	if (!oldest || !oldest->piece.cost)
		return load;
	since = now - (oldest->since > own->last ? oldest->since : own->last);
	slowest = since / (double)oldest->piece.cost;
	load.pace = load.pace > slowest ? load.pace : slowest;
	load.seconds = (double)load.cost * load.pace - since;
	return load;
}

/*
 * True if the CPU can do this much before the devices have done all the rest.
 * If so it does not end last, as far as the paces are known; if not they end
 * within the time of a cut. A thread that waits for a device of which too much
 * is believed does so for no longer: the device's pace falls as time goes by.
 */
static bool
in_time(const struct vs_work_queue *d, int worker, uint64_t cost, double now)
{
	double rest = (double)(d->waiting - cost), rate = 0;
	int n_device = d->want.n_front / d->want.n_driver;

	for (int k = 0; k < n_device; k++) {
		struct load load = load_of(d, d->want.n_back + k, now);

		if (!load.there)
			continue;
		rate += 1 / load.pace;
		rest += load.seconds / load.pace;
	}
	return (double)cost * load_of(d, worker, now).pace <= rest / rate;
}

/*
 * Largest piece of a device's driver: of its device's share of what waits,
 * by the paces of all who take part, half, divided among its drivers. So the
 * last pieces are small and all end together; the other half makes good what a
 * pace is wrong by. And whatever the paces seem to be a device has no more than
 * a tile before it.
 */
static uint64_t
most_of(const struct vs_work_queue *d, int worker, double now, uint64_t *room)
{
	int mine = processor_of(d, worker);
	int k = d->want.alone ? d->want.n_back : 0;
	int n = d->want.n_back + d->want.n_front / d->want.n_driver;
	struct load own = load_of(d, mine, now);
	double rate = 0, share;

	for (; k < n; k++) {
		struct load load = load_of(d, k, now);

		rate += load.there ? 1 / load.pace : 0;
	}
	*room = !own.cost            ? UINT64_MAX
		: own.cost < d->tile ? d->tile - own.cost
				     : 0;
	share = (double)d->waiting / own.pace / rate / 2 / d->want.n_driver;
	return share < (double)*room ? (uint64_t)share : *room;
}

/* ---- pieces ---- */

/* Whole grains of the piece that cost no more than most, but one at least. */
static size_t
rows_for(const struct vs_piece *piece, uint64_t most)
{
	size_t n = piece->hi - piece->lo, rows;

	if (piece->cost <= most)
		return n;
	rows = (size_t)((double)n * (double)most / (double)piece->cost);
	rows = rows / piece->grain * piece->grain;
	return rows ? rows : n < piece->grain ? n : piece->grain;
}

/* Some rows from the beginning or the end of a piece; their cost. */
static struct vs_piece
part_of(const struct vs_piece *piece, size_t rows, bool end)
{
	struct vs_piece part = *piece;
	size_t n = piece->hi - piece->lo;

	if (rows < n) {
		part.cost = (uint64_t)((double)piece->cost * (double)rows /
			(double)n);
		if (end)
			part.lo = piece->hi - rows;
		else
			part.hi = piece->lo + rows;
	}
	return part;
}

static bool
same_part(const struct vs_piece *a, const struct vs_piece *b)
{
	return a->of == b->of && a->part == b->part;
}

/* True if another thread of the CPU has a piece of the same part. */
static bool
shared(const struct vs_work_queue *d, int worker, const struct vs_piece *piece)
{
	for (int k = 0; k < d->want.n_back; k++)
		if (k != worker && d->worker[k].busy &&
			same_part(&d->worker[k].piece, piece))
			return true;
	return false;
}

/*
 * Without devices a thread goes on with the part that it has, since what a part
 * needs is brought into order once; then with one that no other is at. That
 * piece becomes the first. None of a younger tile is taken before: it would
 * wait with its records for the oldest, which must not wait for a worker.
 */
static void
bring_forward(struct vs_work_queue *d, int worker)
{
	size_t own = d->end, free = d->end, at;
	struct vs_piece piece;

	for (at = d->first; at < d->end && own == d->end; at++) {
		if (d->piece[at].of != d->piece[d->first].of)
			break;
		if (same_part(&d->piece[at], &d->worker[worker].piece))
			own = at;
		else if (free == d->end && !shared(d, worker, &d->piece[at]))
			free = at;
	}
	at = own < d->end ? own : free;
	if (at == d->end)
		return;
	piece = d->piece[at];
	memmove(&d->piece[d->first + 1], &d->piece[d->first],
		(at - d->first) * sizeof(piece));
	d->piece[d->first] = piece;
}

/* The piece from which a worker is to get rows, or null. */
static struct vs_piece *
source(struct vs_work_queue *d, bool back)
{
	struct worker *lost = abandoned(d);

	/* beside devices the CPU takes the last piece, alone the first one */
	back &= d->n_left > 0;
	if (lost && (!back || d->first == d->end))
		return &lost->piece;
	if (d->first == d->end)
		return NULL;
	return back ? &d->piece[d->end - 1] : &d->piece[d->first];
}

/* The rows of part are taken; a piece without any left leaves the list. */
static void
remove_rows(struct vs_work_queue *d, struct vs_piece *piece,
	const struct vs_piece *part)
{
	struct worker *lost = abandoned(d);

	d->waiting -= part->cost;
	piece->cost -= part->cost;
	if (part->lo > piece->lo)
		piece->hi = part->lo;
	else
		piece->lo = part->hi;
	if (piece->lo < piece->hi)
		return;
	if (lost && piece == &lost->piece)
		lost->busy = false;
	else if (piece == &d->piece[d->first])
		d->first++;
	else
		d->end--;
}

bool
vs_work_queue_pop(struct vs_work_queue *d, int worker, double now,
	struct vs_piece *piece)
{
	struct worker *h = &d->worker[worker];
	bool back = worker < d->want.n_back;
	struct vs_piece *from, part;
	uint64_t most = 0, room = UINT64_MAX;

	if (back && !d->n_left)
		bring_forward(d, worker);
	from = source(d, back);
	if (!from || h->gone || (back && d->n_left && d->want.alone))
		return false;
	if (!back)
		most = most_of(d, worker, now, &room);
	part = part_of(from, rows_for(from, most), back);
	if (part.cost > room ||
		(back && d->n_left && !in_time(d, worker, part.cost, now)))
		return false;
	remove_rows(d, from, &part);
	h->piece = *piece = part;
	h->since = now;
	h->busy = true;
	return true;
}

void
vs_work_queue_done(struct vs_work_queue *d, int worker, double now)
{
	struct worker *h = &d->worker[worker];
	struct processor *own = &d->processor[processor_of(d, worker)];
	double since = h->since > own->last ? h->since : own->last;

	h->busy = false;
	/* a clock that stood still tells nothing */
	if (now <= since || !h->piece.cost)
		return;
	own->seconds += NEWEST * (now - since - own->seconds);
	own->cost += NEWEST * ((double)h->piece.cost - own->cost);
	own->last = now;
}

void
vs_work_queue_lost(struct vs_work_queue *d, int worker, size_t rows)
{
	struct worker *h = &d->worker[worker];

	d->n_left -= worker >= d->want.n_back && !h->gone;
	h->gone = true;
	if (!h->busy)
		return;
	h->piece = part_of(&h->piece, h->piece.hi - h->piece.lo - rows, true);
	d->waiting += h->piece.cost;
}

void
vs_work_queue_drop(struct vs_work_queue *d, const void *of)
{
	size_t n = d->first;

	for (size_t k = d->first; k < d->end; k++)
		if (d->piece[k].of == of)
			d->waiting -= d->piece[k].cost;
		else
			d->piece[n++] = d->piece[k];
	d->end = n;
	for (int k = 0; k < d->want.n_back + d->want.n_front; k++) {
		struct worker *h = &d->worker[k];

		if (!h->gone || !h->busy || h->piece.of != of)
			continue;
		d->waiting -= h->piece.cost;
		h->busy = false;
	}
}

int
vs_work_queue_front(const struct vs_work_queue *d)
{
	return d->n_left;
}
