/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-ended work queue, shared by devices and CPU according to their
 * paces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sched/work_queue.h"

/*
 * Bound on the makespan. Let the workers do the work W at their true rates r,
 * with sum R, and finish at T. A worker that was idle for time s did r (T - s),
 * and all of them did W, so T = W / R + sum r s / R: the ideal time plus the
 * mean idle time. The latter is at most a tile's time, since
 * - a device is idle only when nothing waits, as its drivers refuse only what
 *   exceeds a tile ahead of it. The others have then begun all that is left:
 *   devices at most a tile each, CPU threads a cut;
 * - a CPU thread is idle when nothing waits, or when the devices will finish
 *   within a cut's time, by the known paces. If first rates are wrong, it waits
 *   needlessly for a cut's time by its own rate, once for each device that
 *   shows its true pace; a cut is a small part of a tile.
 * The last pieces are small, so the mean is far below this bound. After a loss
 * the same holds for the work that is left.
 *
 * Why the CPU does not make a run longer. A cut is begun if, by the known
 * paces, it ends before the devices have done all the rest. If a device is
 * faster than it seemed, the end is delayed by a cut: by SHARE of the time so
 * far, or by the smallest cut, some rows by some columns, plus the time to pack
 * these. A thread keeps its columns, which would otherwise be packed for each
 * cut; but what it leaves of them costs a device a launch of its own, mostly
 * idle. Therefore a thread gets no more columns than it finishes in part of the
 * time of the rest.
 *
 * In simulations of 16 threads beside a device 1 to 1000 times as fast, with
 * 20,000 vectors of 100,000 fields and others, runs took at most 1.03 times the
 * time of the better of both alone, and 1.04 in runs of a millisecond with a
 * first CPU rate ten times too high; they reached 0.95 of the sum of both rates
 * or more up to 4 : 1, 0.9 with a first rate wrong by ten. Without these rules
 * runs took up to 68 times as long.
 */
#define NEWEST 0.25 /* weight of the last piece in the mean pace */
#define SHARE 0.02  /* share of the time so far and of the rest, for a cut */
#define LEAST_SECONDS 1e-4 /* seconds of a cut: handing it out takes less */
#define BLOCK 0.125        /* of the time of the rest, for a thread's columns */
#define DOUBT 8            /* a first CPU rate may be too high by this */
#define WORTH 0.02 /* of the devices' rate: the CPU helps from here on */
#define ALONE 4    /* parts of the waiting work, after a loss */

/* True if nothing of it is wanted. */
static bool
is_empty(const struct vs_piece *piece, vs_piece_cost_fn *cost)
{
	return cost && !piece->cost;
}

/* True if what was packed for one can be used by the other. */
static bool
is_alike(const struct vs_piece *a, const struct vs_piece *b)
{
	return a->of == b->of && a->part == b->part && a->col == b->col &&
		a->end == b->end;
}

/* Cost of a part of a piece, as a share of the piece's. */
static uint64_t
cost_of(const struct vs_piece *piece, const struct vs_piece *part, size_t some,
	size_t all, vs_piece_cost_fn *cost)
{
	return cost
		? cost(part)
		: (uint64_t)((double)piece->cost * (double)some / (double)all);
}

/* This number of rows from the beginning or from the end, or all. */
static struct vs_piece
some_rows(const struct vs_piece *piece, size_t rows, bool end,
	vs_piece_cost_fn *cost)
{
	struct vs_piece part = *piece;
	size_t n = piece->hi - piece->lo;

	if (rows >= n)
		return part;
	if (end)
		part.lo = piece->hi - rows;
	else
		part.hi = piece->lo + rows;
	part.cost = cost_of(piece, &part, rows, n, cost);
	return part;
}

/* Greatest number of rows, in whole steps but at least one, that costs at most
 * `most`. */
static struct vs_piece
rows_for(const struct vs_piece *piece, size_t step, uint64_t most, bool end,
	vs_piece_cost_fn *cost)
{
	size_t lo = 1, hi = (piece->hi - piece->lo) / step + 1;

	if (piece->cost <= most)
		return *piece;
	while (hi - lo > 1) {
		size_t half = lo + (hi - lo) / 2;

		if (some_rows(piece, half * step, end, cost).cost <= most)
			lo = half;
		else
			hi = half;
	}
	return some_rows(piece, lo * step, end, cost);
}

/* The last columns: a whole width, or what exceeds one; or all. */
static struct vs_piece
last_columns(const struct vs_piece *piece, size_t width, vs_piece_cost_fn *cost)
{
	struct vs_piece last = *piece;
	size_t n = piece->end - piece->col, some = (n - 1) % width + 1;

	if (some == n)
		return last;
	last.col = piece->end - some;
	last.cost = cost_of(piece, &last, some, n, cost);
	return last;
}

struct worker {
	struct vs_piece piece;
	double setup; /* cost that packing its columns is worth */
	double since; /* when it was taken */
	bool busy;
	bool gone;
	bool rest; /* more of the piece is left in the list */
};

/* A CPU thread, or a device, which serves its drivers in turn. */
struct processor {
	double seconds, cost; /* pace of its work, recent most; 0: none yet */
	double guess;         /* seconds for a cost of 1, until then */
	double last;          /* when it last did something */
	bool warm;  /* a device: its first piece, and its startup time */
	bool known; /* a thread: it has done a piece, or another one has */
};

struct vs_work_queue {
	struct vs_work_queue_want want;
	struct worker *worker;
	struct processor *processor; /* those of the CPU, then the devices */
	int n_left;                  /* lost workers of devices */
	struct vs_piece *piece;
	size_t first, end, room; /* total of the pieces that wait */
	uint64_t waiting; /* their cost, and that of pieces left behind */
	uint64_t tile;    /* most that was added at once */
	bool alike;       /* some pieces have their columns in common */
	bool begun;       /* a worker asked, */
	double start;     /* for the first time at this time */
};

int
vs_work_queue_new(struct vs_work_queue **queue,
	const struct vs_work_queue_want *want)
{
	int n = want->n_back + want->n_front;
	struct vs_work_queue *d = NULL;
	int code = vs_mem_new(&d, 1, sizeof(*d), "list of work");

	VS_MEM_NEW(&code, d->worker, (size_t)n, "list of work");
	VS_MEM_NEW(&code, d->processor, (size_t)n, "list of work");
	if (code) {
		vs_work_queue_free(d);
		return code;
	}
	d->want = *want;
	d->n_left = want->n_front;
	for (int k = 0; k < n; k++)
		d->processor[k].guess = k < want->n_back
			? 1 / want->back_rate
			: want->n_front / want->n_driver / want->front_rate;
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

/* Make room at the end of the list. */
static void
move_to_front(struct vs_work_queue *d)
{
	if (!d->first)
		return;
	memmove(d->piece, d->piece + d->first,
		(d->end - d->first) * sizeof(*d->piece));
	d->end -= d->first;
	d->first = 0;
}

int
vs_work_queue_add(struct vs_work_queue *d, const struct vs_piece *piece,
	size_t n)
{
	uint64_t cost = 0;
	int code;

	move_to_front(d);
	/* blocks of threads, the regions right of and above them, and what lost
	 * drivers leave */
	code = vs_mem_grow(&d->piece, &d->room,
		d->end + n + 4 * (size_t)d->want.n_back + (size_t)d->n_left,
		sizeof(*piece), "list of work");
	if (code)
		return code;
	for (size_t k = 0; k < n; k++) {
		cost += piece[k].cost;
		if (k && is_alike(&piece[k - 1], &piece[k]))
			d->alike = true;
		d->piece[d->end++] = piece[k];
	}
	d->waiting += cost;
	d->tile = cost > d->tile ? cost : d->tile;
	return 0;
}

/* ---- paces ---- */

/* Work assigned to a worker. */
struct load {
	uint64_t cost;
	double usual, pace; /* seconds per cost of 1; as it seems now */
	double since;       /* seconds that it has had for it */
	bool there;
};

static int
processor_of(const struct vs_work_queue *d, int worker)
{
	int n = d->want.n_back;

	return worker < n ? worker : n + (worker - n) / d->want.n_driver;
}

/*
 * Work held by the threads of a worker. If its oldest piece is not done yet,
 * its pace is at most what that implies, whatever was assumed before.
 */
static struct load
load_of(const struct vs_work_queue *d, int processor, double now)
{
	const struct processor *own = &d->processor[processor];
	const struct worker *oldest = NULL;
	struct load load = { .usual = own->cost > 0 ? own->seconds / own->cost
						    : own->guess };
	int n = d->want.n_back, n_worker = processor < n ? 1 : d->want.n_driver;
	int first = processor < n ? processor : n + (processor - n) * n_worker;
	double slowest;

	load.pace = load.usual;
	for (int k = first; k < first + n_worker; k++) {
		const struct worker *h = &d->worker[k];

		load.there |= !h->gone;
		if (!h->busy)
			continue;
		load.cost += h->piece.cost;
		if (!oldest || h->since < oldest->since)
			oldest = h;
	}
	if (!oldest || !oldest->piece.cost)
		return load;
	load.since =
		now - (oldest->since > own->last ? oldest->since : own->last);
	slowest = load.since / ((double)oldest->piece.cost + oldest->setup);
	load.pace = load.pace > slowest ? load.pace : slowest;
	return load;
}

static int
n_processor(const struct vs_work_queue *d)
{
	return d->want.n_back + d->want.n_front / d->want.n_driver;
}

/*
 * Total rate of processors [lo, hi) but one, which may be none; *rest increases
 * by what they have left.
 * usual  at usual paces, ignoring how late they are; else at apparent ones
 */
static double
rate_of(const struct vs_work_queue *d, int lo, int hi, int but, double now,
	bool usual, double *rest)
{
	double rate = 0;

	for (int k = lo; k < hi; k++) {
		struct load load = load_of(d, k, now);
		double pace = usual ? load.usual : load.pace;

		if (k == but || !load.there)
			continue;
		rate += 1 / pace;
		*rest += fmax((double)load.cost - load.since / pace, 0);
	}
	return rate;
}

/* Seconds until the devices have done everything, except for some that
 * waits. */
static double
drained(const struct vs_work_queue *d, uint64_t but, double now, bool usual)
{
	double rest = (double)(d->waiting - but);
	double rate = rate_of(d, d->want.n_back, n_processor(d), -1, now, usual,
		&rest);

	return rest / rate;
}

/* True if the CPU's share of the total rate is worth the trouble. */
static bool
is_worth(const struct vs_work_queue *d, double now)
{
	const int n = d->want.n_back;
	double unused = 0;

	return rate_of(d, 0, n, -1, now, false, &unused) >=
		WORTH * rate_of(d, n, n_processor(d), -1, now, false, &unused);
}

/*
 * True if the CPU can do this much, including the setup, before the devices
 * have done all the rest. If so it does not end last, as far as the paces are
 * known; if not, they end within the time of a cut. A thread waits no longer
 * than that for an overrated device, whose pace falls as time goes by. If it
 * can cut off only a little, it does not take long work from a device that may
 * only have begun late.
 */
static bool
in_time(const struct vs_work_queue *d, int worker, const struct vs_piece *part,
	double setup, double now)
{
	double seconds =
		((double)part->cost + setup) * load_of(d, worker, now).usual;
	bool seems = seconds <= drained(d, part->cost, now, false);

	if (!part->width || (seems && seconds <= SHARE * (now - d->start)))
		return seems;
	if (!d->processor[worker].known)
		seconds *= DOUBT;
	return seconds <= drained(d, part->cost, now, true);
}

/*
 * Largest piece for a device's driver: half of the device's share of the
 * waiting work, by the paces of all who take part, divided among its drivers.
 * So the last pieces are small and all workers end together; the other half
 * corrects errors of the paces. Whatever the paces seem to be, a device has at
 * most a tile ahead of it.
 */
static uint64_t
most_of(const struct vs_work_queue *d, int worker, double now, uint64_t *room)
{
	struct load own = load_of(d, processor_of(d, worker), now);
	double unused = 0, share;
	double rate = rate_of(d, d->want.alone ? d->want.n_back : 0,
		n_processor(d), -1, now, false, &unused);

	*room = !own.cost            ? UINT64_MAX
		: own.cost < d->tile ? d->tile - own.cost
				     : 0;
	share = (double)d->waiting / own.pace / rate / 2 / d->want.n_driver;
	return share < (double)*room ? (uint64_t)share : *room;
}

/* True if another thread of the CPU has a piece of the same part. */
static bool
shared(const struct vs_work_queue *d, int worker, const struct vs_piece *piece)
{
	for (int k = 0; k < d->want.n_back; k++)
		if (k != worker && d->worker[k].busy &&
			is_alike(&d->worker[k].piece, piece))
			return true;
	return false;
}

/*
 * Without devices a thread continues with its part, since what a part needs is
 * sorted only once; then with a part that no other thread is at. That piece
 * becomes the first. No piece of a younger tile is taken earlier: it would wait
 * with its records for the oldest tile, which must not wait for a worker.
 */
static void
bring_forward(struct vs_work_queue *d, int worker)
{
	size_t own = d->end, free = d->end, at;
	struct vs_piece piece;

	for (at = d->first; at < d->end && own == d->end &&
		(free == d->end || d->alike || d->worker[worker].rest);
		at++) {
		if (d->piece[at].of != d->piece[d->first].of)
			break;
		if (is_alike(&d->piece[at], &d->worker[worker].piece))
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

/*
 * Beside devices a CPU thread continues with its columns if rows of them are
 * left; else it gets the last piece that no other thread is at, or the last
 * one.
 */
static struct vs_piece *
last_for(struct vs_work_queue *d, int worker)
{
	const struct vs_piece *own = &d->worker[worker].piece;
	struct vs_piece *free = NULL;

	for (size_t k = d->end; k > d->first && !(free && !own->width); k--) {
		struct vs_piece *piece = &d->piece[k - 1];

		if (piece->width && is_alike(piece, own))
			return piece;
		if (!free && !(piece->width && shared(d, worker, piece)))
			free = piece;
	}
	return free ? free : &d->piece[d->end - 1];
}

/* The piece that a worker is to get rows from, or null: with devices the CPU
 * takes the last pieces, without them the first. */
static struct vs_piece *
source(struct vs_work_queue *d, int worker)
{
	if (d->first == d->end)
		return NULL;
	return worker < d->want.n_back && d->n_left ? last_for(d, worker)
						    : &d->piece[d->first];
}

/* The rows of part are taken; an empty piece leaves the list. True if something
 * is left. */
static bool
remove_rows(struct vs_work_queue *d, struct vs_piece *piece,
	const struct vs_piece *part)
{
	d->waiting -= part->cost;
	piece->cost -= part->cost;
	if (part->lo > piece->lo)
		piece->hi = part->lo;
	else
		piece->lo = part->hi;
	if (piece->lo < piece->hi && !is_empty(piece, d->want.cost))
		return true;
	if (piece == &d->piece[d->first]) {
		d->first++;
	} else {
		d->end--;
		memmove(piece, piece + 1,
			(size_t)(&d->piece[d->end] - piece) * sizeof(*piece));
	}
	return false;
}

/*
 * Approximate cost of a CPU thread's cut if there are devices. The rate of a
 * device that has done nothing yet is a guess.
 */
static double
most_beside(const struct vs_work_queue *d, int worker, double now)
{
	double seconds = LEAST_SECONDS / DOUBT;

	if (d->processor[worker].known)
		seconds = fmax(LEAST_SECONDS,
			SHARE * fmin(now - d->start, drained(d, 0, now, true)));
	return seconds / load_of(d, worker, now).usual;
}

/*
 * The last columns of a piece that a CPU thread may have. After them none are
 * left.
 */
static struct vs_piece
columns_of(const struct vs_work_queue *d, struct vs_piece *piece, double most)
{
	size_t width = piece->width;
	struct vs_piece last;

	for (int k = 0; k < piece->halvings &&
		(double)(width * (piece->fine + piece->setup)) > most;
		k++)
		width /= 2;
	for (;; piece->end = last.col) {
		last = last_columns(piece, width, d->want.cost);
		if (!is_empty(&last, d->want.cost))
			return last;
	}
}

static double
setup_of(const struct vs_piece *piece)
{
	return (double)(piece->setup * (piece->end - piece->col));
}

/* True if the list has room for the parts of a piece that is split, and for
 * what drivers leave that may yet be lost. */
static bool
has_room(const struct vs_work_queue *d)
{
	return d->end + 2 + (size_t)d->n_left <= d->room;
}

/*
 * The block that a CPU thread gets from a piece in the list: it takes a small
 * part of the time that the devices need for the rest, so that few started
 * blocks are left to them, each of which they would have to do by itself.
 */
static struct vs_piece
block_of(const struct vs_work_queue *d, int worker, struct vs_piece *piece,
	double now)
{
	const struct processor *own = &d->processor[worker];
	double pace = load_of(d, worker, now).usual * (own->known ? 1 : DOUBT),
	       most = fmin(BLOCK * drained(d, 0, now, true),
			      2 * (now - d->start)) /
		pace;
	struct vs_piece last, block;
	size_t lo;

	if (!has_room(d))
		return *piece;
	last = columns_of(d, piece, most_beside(d, worker, now));
	most = fmin(fmax(most - setup_of(&last), 0), (double)last.cost);
	block = rows_for(&last, piece->block, (uint64_t)most, true,
		d->want.cost);
	if (is_empty(&block, d->want.cost) ||
		2 * (block.hi - block.lo) > last.hi - last.lo)
		return last;
	/* devices count squares */
	lo = block.lo / last.block * last.block;
	return some_rows(&last, last.hi - (lo > last.lo ? lo : last.lo), true,
		d->want.cost);
}

static struct vs_piece *
insert(struct vs_work_queue *d, struct vs_piece *at,
	const struct vs_piece *piece)
{
	memmove(at + 1, at, (size_t)(&d->piece[d->end] - at) * sizeof(*at));
	d->end++;
	*at = *piece;
	return at;
}

/*
 * Split off a block at a piece's end in the list; returns its place: right
 * after it, so that no pieces of younger tiles come before.
 */
static struct vs_piece *
separate(struct vs_work_queue *d, struct vs_piece *piece,
	const struct vs_piece *block)
{
	struct vs_piece rows = *piece;

	if (block->lo > piece->lo) {
		rows.lo = block->lo;
		rows = some_rows(piece, rows.hi - rows.lo, true, d->want.cost);
		piece->hi = block->lo;
		piece->cost -= rows.cost;
		if (is_empty(piece, d->want.cost))
			*piece = rows;
		else
			piece = insert(d, piece + 1, &rows);
	}
	if (block->col > piece->col) {
		piece->end = block->col;
		piece->cost -= block->cost;
		if (is_empty(piece, d->want.cost))
			*piece = *block;
		else
			piece = insert(d, piece + 1, block);
	}
	return piece;
}

/*
 * Choose rows for a CPU thread without devices, from the piece in *from: if it
 * was made for a device that is lost, a small part of what waits.
 */
static void
choose_alone(struct vs_work_queue *d, struct vs_piece **from,
	struct vs_piece *part)
{
	struct vs_piece block = **from;
	uint64_t most = 0;
	size_t step = block.grain;

	if (block.width) {
		if (has_room(d))
			block = last_columns(*from, block.width, d->want.cost);
		most = d->waiting / (ALONE * (uint64_t)d->want.n_back);
		step = block.fine;
	}
	*part = rows_for(&block, step, most, true, d->want.cost);
	*from = separate(d, *from, &block);
}

/*
 * Choose rows for a CPU thread, with devices, from the piece in *from. False:
 * nothing now.
 */
static bool
choose_beside(struct vs_work_queue *d, int worker, double now,
	struct vs_piece **from, struct vs_piece *part, double *setup)
{
	struct vs_piece *piece = *from, block = *piece;
	double most;

	if (!piece->width) {
		*part = rows_for(piece, piece->grain, 0, true, d->want.cost);
		return in_time(d, worker, part, 0, now);
	}
	if (!is_alike(piece, &d->worker[worker].piece)) {
		block = block_of(d, worker, piece, now);
		*setup = setup_of(&block);
		if (!is_worth(d, now) ||
			!in_time(d, worker, &block, *setup, now))
			return false;
	}
	most = fmax(most_beside(d, worker, now) - *setup, 0);
	most = fmin(most, (double)block.cost);
	*part = rows_for(&block, block.fine, (uint64_t)most, true,
		d->want.cost);
	if (!in_time(d, worker, part, *setup, now))
		return false;
	*from = separate(d, piece, &block);
	return true;
}

/*
 * True if a busy device should not take this too, since all others would have
 * done the rest before it got to it.
 */
static bool
leaves(const struct vs_work_queue *d, int worker, const struct vs_piece *part,
	double now)
{
	const int mine = processor_of(d, worker);
	struct load own = load_of(d, mine, now);
	double rest = (double)(d->waiting - part->cost), rate;

	if (!own.cost || !part->width)
		return false;
	rate = rate_of(d, d->want.alone ? d->want.n_back : 0, n_processor(d),
		mine, now, false, &rest);
	return rate > 0 &&
		(double)(own.cost + part->cost) * own.pace - own.since >
		rest / rate;
}

/* Choose rows for any worker, likewise. */
static bool
choose(struct vs_work_queue *d, int worker, double now, struct vs_piece **from,
	struct vs_piece *part, double *setup)
{
	bool back = worker < d->want.n_back;
	uint64_t room = UINT64_MAX, most;

	*setup = 0;
	*from = source(d, worker);
	if (!*from)
		return false;
	if (back && d->n_left)
		return choose_beside(d, worker, now, from, part, setup);
	if (back) {
		choose_alone(d, from, part);
		return true;
	}
	most = most_of(d, worker, now, &room);
	*part = rows_for(*from, (*from)->grain, most, false, d->want.cost);
	return part->cost <= room && !leaves(d, worker, part, now);
}

bool
vs_work_queue_pop(struct vs_work_queue *d, int worker, double now,
	struct vs_piece *piece)
{
	struct worker *h = &d->worker[worker];
	bool back = worker < d->want.n_back, beside = back && d->n_left;
	struct vs_piece *from, part;
	double setup;

	if (!d->begun)
		d->start = now;
	d->begun = true;
	if (h->gone || (beside && d->want.alone))
		return false;
	if (back && !beside)
		bring_forward(d, worker);
	if (back && !has_room(d))
		move_to_front(d);
	do {
		if (!choose(d, worker, now, &from, &part, &setup))
			return false;
		h->rest = remove_rows(d, from, &part);
	} while (is_empty(&part, d->want.cost));
	h->piece = *piece = part;
	h->setup = setup;
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
	/* a clock that stood still says nothing */
	if (now <= since || !h->piece.cost)
		return;
	own->last = now;
	if (h->piece.width && worker >= d->want.n_back && !own->warm) {
		own->warm = true;
		return;
	}
	own->seconds += NEWEST * (now - since - own->seconds);
	own->cost += NEWEST * ((double)h->piece.cost + h->setup - own->cost);
	/* CPU threads that have done nothing yet are assumed to be like
	 * others */
	for (int k = 0; worker < d->want.n_back && k < d->want.n_back; k++) {
		d->processor[k].guess = own->seconds / own->cost;
		d->processor[k].known = true;
	}
}

void
vs_work_queue_lost(struct vs_work_queue *d, int worker, size_t rows)
{
	struct worker *h = &d->worker[worker];
	struct vs_piece rest;

	d->n_left -= worker >= d->want.n_back && !h->gone;
	h->gone = true;
	if (!h->busy)
		return;
	h->busy = false;
	rest = some_rows(&h->piece, h->piece.hi - h->piece.lo - rows, true,
		d->want.cost);
	if (is_empty(&rest, d->want.cost))
		return;
	d->waiting += rest.cost;
	if (d->first)
		d->piece[--d->first] = rest;
	else
		insert(d, d->piece, &rest);
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
}

int
vs_work_queue_front(const struct vs_work_queue *d)
{
	return d->n_left;
}
