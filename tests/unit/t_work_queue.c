/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of work with two ends, played through by events on a clock of our
 * own: devices that do the pieces of their drivers one after another, threads
 * of the CPU, paces that scatter by 10 %, devices that go away. Every row is
 * done once, nobody waits for ever, and the end is near what is possible.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/sched/work_queue.h"
#include "tests/unit/test.h"

#define MOST_HANDS 80
#define MOST_ITEMS 512
#define NOISE 0.1
#define WRONG 3   /* the first rates, by so much at most, */
#define WILD 1000 /* or that of the devices by so much */
#define N_SEED (T_LONG ? 200 : 100)
#define GRAINS 16 /* of a whole piece */

enum kind { USUAL, FAILING, WILD_GUESS, KINDS };

/* A trial: what there is, all of it drawn from a seed. */
struct world {
	struct vs_rng rng;
	int n_cpu, n_device, n_buffer;
	double cpu_rate, device_rate[4];
	double lost_at[4]; /* or HUGE_VAL */
	bool alone, wild;
	size_t n_item, rows[MOST_ITEMS];
	uint64_t cost[MOST_ITEMS]; /* of an item */
	size_t most;               /* pieces of a tile */
	size_t batch;              /* items that are added at a time */
	double wrong; /* the CPU seems so much faster beside a device */
};

struct hand {
	bool busy;
	double lasts, ends;
	struct vs_piece piece;
};

/* Work that a thread or a device has really done since the last loss. */
struct did {
	double cost, seconds, slowest; /* seconds for a cost of 1 */
};

struct play {
	struct world *w;
	struct vs_work_queue *queue;
	struct hand hand[MOST_HANDS];
	double free_at[4]; /* a device has done all that it was given */
	bool gone[4];
	struct did did[MOST_HANDS];
	double tile; /* the largest */
	uint8_t *done[MOST_ITEMS];
	size_t added;
	double now, work, from; /* the last loss, or 0 */
	uint64_t trace;         /* of all that was decided */
	bool stuck;
};

static double
uniform(struct vs_rng *r, double lo, double hi)
{
	return lo + (hi - lo) * (double)(vs_rng_next(r) >> 11) * 0x1p-53;
}

static void
make_world(struct world *w, uint64_t seed, int n_device, int n_buffer,
	enum kind kind)
{
	bool failing = kind == FAILING;
	struct vs_rng *r = &w->rng;
	double ratio;

	memset(w, 0, sizeof(*w));
	vs_rng_seed(r, seed);
	w->n_cpu = 1 << vs_rng_below(r, 7);
	w->n_device = n_buffer ? n_device : 0;
	w->n_buffer = n_buffer;
	w->wild = kind == WILD_GUESS;
	w->cpu_rate = uniform(r, 1, 3);
	w->n_item = 1 + vs_rng_below(r, 200);
	/* the bound below is for all that is known from the beginning */
	w->batch = failing ? 1 + vs_rng_below(r, w->n_item) : w->n_item;
	w->most = 1 + vs_rng_below(r, 2) * 23;
	for (size_t k = 0; k < w->n_item; k++) {
		w->rows[k] = 1 + vs_rng_below(r, 300);
		w->cost[k] = w->rows[k] * (1 + vs_rng_below(r, 40));
	}
	ratio = exp(uniform(r, 0, log(200)));
	for (int d = 0; d < w->n_device; d++) {
		w->device_rate[d] = w->cpu_rate * ratio *
			exp(uniform(r, w->wild ? -3 : -0.5, 0.5));
		w->lost_at[d] = HUGE_VAL;
		if (failing && vs_rng_below(r, 3))
			w->lost_at[d] = uniform(r, 0, 1);
	}
}

/* Error of a first rate, either way. */
static double
wrong_by(struct world *w, double most)
{
	return exp(uniform(&w->rng, -log(most), log(most)));
}

static double
all_rates(const struct world *w)
{
	double rate = w->alone && w->n_device ? 0 : w->cpu_rate * w->n_cpu;

	for (int d = 0; d < w->n_device; d++)
		rate += w->device_rate[d];
	return rate;
}

static void
note(struct play *p, uint64_t what)
{
	p->trace = (p->trace ^ what) * 0x9e3779b97f4a7c15;
	p->trace ^= p->trace >> 29;
}

static void
begin(struct play *p, struct world *w)
{
	double front = 0, seconds = 0;
	struct vs_work_queue_want want = { .n_back = w->n_cpu,
		.n_front = w->n_device * w->n_buffer,
		.n_driver = w->n_buffer,
		.alone = w->alone };

	memset(p, 0, sizeof(*p));
	p->w = w;
	for (int d = 0; d < w->n_device; d++)
		front += w->device_rate[d];
	want.back_rate = w->cpu_rate * wrong_by(w, WRONG);
	want.front_rate = front * wrong_by(w, w->wild ? WILD : WRONG);
	w->wrong = 1;
	for (int d = 0; d < w->n_device; d++)
		w->wrong = fmax(w->wrong,
			w->device_rate[d] * w->n_device / want.front_rate);
	w->wrong *= fmax(1, want.back_rate / w->cpu_rate);
	for (size_t k = 0; k < w->n_item; k++) {
		p->work += (double)w->cost[k];
		if (vs_mem_new(&p->done[k], w->rows[k], 1, "rows"))
			exit(4);
	}
	/* failures fall into the run */
	seconds = p->work / all_rates(w);
	for (int d = 0; d < w->n_device; d++)
		w->lost_at[d] *= seconds;
	if (vs_work_queue_new(&p->queue, &want))
		exit(4);
}

static size_t
grain(const struct world *w, size_t item)
{
	return w->n_device ? w->rows[item] / GRAINS + 1 : w->rows[item];
}

static void
add_items(struct play *p)
{
	struct world *w = p->w;
	struct vs_piece piece[MOST_ITEMS];
	size_t n = 0;

	for (; p->added < w->n_item && n < w->batch; p->added++)
		piece[n++] = (struct vs_piece){ .of = p,
			.part = p->added,
			.hi = w->rows[p->added],
			.grain = grain(w, p->added),
			.cost = w->cost[p->added] };
	/* a tile has several, or one */
	for (size_t k = 0, some; k < n; k += some) {
		double cost = 0;

		some = 1 + vs_rng_below(&w->rng, w->most);
		some = some < n - k ? some : n - k;
		for (size_t x = k; x < k + some; x++)
			cost += (double)piece[x].cost;
		p->tile = fmax(p->tile, cost);
		if (vs_work_queue_add(p->queue, piece + k, some))
			exit(4);
	}
}

/* How long what was taken lasts, once it is begun. */
static double
lasts(struct play *p, double rate, uint64_t cost)
{
	return (double)cost / rate * uniform(&p->w->rng, 1 - NOISE, 1 + NOISE);
}

/* The device of a hand, or -1. */
static int
device_of(const struct world *w, int hand)
{
	return hand < w->n_cpu ? -1 : (hand - w->n_cpu) / w->n_buffer;
}

/* Everybody who has nothing asks, in turn. True: somebody got something. */
static bool
ask(struct play *p)
{
	struct world *w = p->w;
	bool any = false;

	for (int k = 0; k < w->n_cpu + w->n_device * w->n_buffer; k++) {
		struct hand *h = &p->hand[k];
		int d = device_of(w, k);

		if (h->busy ||
			!vs_work_queue_pop(p->queue, k, p->now, &h->piece))
			continue;
		any = h->busy = true;
		note(p, (uint64_t)k << 48 ^ h->piece.part << 24 ^ h->piece.lo);
		if (d < 0) {
			h->lasts = lasts(p, w->cpu_rate, h->piece.cost);
			h->ends = p->now + h->lasts;
			continue;
		}
		if (p->free_at[d] < p->now)
			p->free_at[d] = p->now;
		h->lasts = lasts(p, w->device_rate[d], h->piece.cost);
		p->free_at[d] += h->lasts;
		h->ends = p->free_at[d];
	}
	return any;
}

/* The first rows of what it had a hand did before it was lost, now and then. */
static size_t
did_some(struct play *p, const struct hand *h)
{
	const struct vs_piece *x = &h->piece;
	size_t n = 0;

	if (h->busy && vs_rng_below(&p->w->rng, 2))
		n = vs_rng_below(&p->w->rng, x->hi - x->lo);
	for (size_t row = x->lo; row < x->lo + n; row++)
		p->done[x->part][row]++;
	return n;
}

static void
lose(struct play *p, int device)
{
	struct world *w = p->w;

	p->gone[device] = true;
	p->from = p->now;
	memset(p->did, 0, sizeof(p->did));
	for (int b = 0; b < w->n_buffer; b++) {
		int k = w->n_cpu + device * w->n_buffer + b;

		vs_work_queue_lost(p->queue, k, did_some(p, &p->hand[k]));
		p->hand[k].busy = false;
	}
}

static void
finish(struct play *p, int hand)
{
	struct hand *h = &p->hand[hand];
	int d = device_of(p->w, hand);
	struct did *did = &p->did[d < 0 ? hand : p->w->n_cpu + d];
	double cost = (double)h->piece.cost;
	double part = fmin(1, (h->ends - p->from) / h->lasts);

	did->cost += part * cost;
	did->seconds += part * h->lasts;
	did->slowest = fmax(did->slowest, h->lasts / cost);
	for (size_t row = h->piece.lo; row < h->piece.hi; row++)
		p->done[h->piece.part][row]++;
	vs_work_queue_done(p->queue, hand, p->now);
	h->busy = false;
}

/* Next event: a device goes away, or a thread has done its piece. */
static bool
step(struct play *p)
{
	struct world *w = p->w;
	double when = HUGE_VAL;
	int device = -1, hand = -1;

	for (int k = 0; k < w->n_cpu + w->n_device * w->n_buffer; k++)
		if (p->hand[k].busy && p->hand[k].ends < when) {
			when = p->hand[k].ends;
			hand = k;
		}
	/* once all is done nobody notices any more */
	for (int d = 0; d < w->n_device && hand >= 0; d++)
		if (!p->gone[d] && w->lost_at[d] < when) {
			when = w->lost_at[d];
			device = d;
		}
	if (hand < 0)
		return false;
	p->now = when;
	if (device >= 0)
		lose(p, device);
	else
		finish(p, hand);
	return true;
}

/* True if a device, or without devices a thread, has nothing at all. */
static bool
idle(const struct play *p)
{
	const struct world *w = p->w;
	bool any = false;

	for (int k = 0; k < w->n_cpu && !w->n_device; k++)
		any |= !p->hand[k].busy;
	for (int d = 0; d < w->n_device; d++)
		any |= !p->gone[d] && p->free_at[d] <= p->now;
	return any;
}

/* Returns the number of rows not done exactly once. */
static size_t
run(struct play *p, struct world *w)
{
	size_t wrong = 0;

	begin(p, w);
	do {
		while (ask(p))
			;
		for (bool due = true; p->added < w->n_item && due;
			due = idle(p)) {
			add_items(p);
			while (ask(p))
				;
		}
	} while (step(p));
	for (size_t k = 0; k < w->n_item; k++) {
		for (size_t row = 0; row < w->rows[k]; row++)
			wrong += p->done[k][row] != 1;
		free(p->done[k]);
	}
	vs_work_queue_free(p->queue);
	return wrong;
}

/*
 * The latest end: all the work at the paces that there really were, noise and
 * all, and one tile at the pace of the slowest that may take one. After a loss:
 * all that was left then, by those who are.
 */
static double
bound(const struct play *p, double *tile)
{
	const struct world *w = p->w;
	double rate = 0, work = 0, pace = 0;
	int left = 0;

	for (int d = 0; d < w->n_device; d++)
		left += !p->gone[d];
	for (int k = w->alone && left ? w->n_cpu : 0;
		k < w->n_cpu + w->n_device; k++) {
		const struct did *did = &p->did[k];
		double usual = k < w->n_cpu ? w->cpu_rate
					    : w->device_rate[k - w->n_cpu];

		if (k >= w->n_cpu && p->gone[k - w->n_cpu])
			continue;
		work += did->cost;
		rate += did->cost > 0 ? did->cost / did->seconds : usual;
		pace = fmax(pace, did->cost > 0 ? did->slowest : 1 / usual);
	}
	*tile = p->tile * pace;
	return p->from + work / rate + *tile;
}

/*
 * Time of the devices by themselves, and of a tile at the pace of the slowest:
 * the CPU does not make them wait for what it took. By the first rates it may
 * seem faster than it is.
 */
static double
unhelped(const struct play *p)
{
	const struct world *w = p->w;
	double rate = 0, least = HUGE_VAL;

	for (int d = 0; d < w->n_device; d++) {
		rate += w->device_rate[d];
		least = fmin(least, w->device_rate[d]);
	}
	return (1 + NOISE) * (1 + NOISE) / (1 - NOISE) *
		(w->wrong * p->work / rate + p->tile / least);
}

/* Findings over all seeds of a kind of world. */
struct seen {
	size_t wrong, differ; /* rows not done once; runs not the same again */
	size_t late, hindered;
	double share;       /* of all rates */
	double worst, mean; /* of a tile */
};

static void
look(uint64_t seed, int n_device, int n_buffer, enum kind kind, bool alone,
	struct seen *seen)
{
	struct world w;
	struct play p, again;
	double good, tile, over;

	make_world(&w, seed, n_device, n_buffer, kind);
	w.alone = alone;
	seen->wrong += run(&p, &w);
	over = p.now - bound(&p, &tile);
	seen->late += over > 1e-9 * p.now;
	over = 1 + over / tile;
	seen->worst = fmax(seen->worst, over);
	seen->mean += over / N_SEED;
	seen->hindered += kind != FAILING && w.n_device && p.now > unhelped(&p);
	good = p.work / all_rates(&w) / p.now;
	seen->share += good / N_SEED;
	if (seed % 8)
		return;
	make_world(&w, seed, n_device, n_buffer, kind);
	w.alone = alone;
	seen->wrong += run(&again, &w);
	seen->differ += p.trace != again.trace || p.now != again.now;
}

static void
try(int n_device, int n_buffer, enum kind kind, bool alone)
{
	static const char *const words[KINDS] = { "", ", some lost",
		", first rates far off" };
	struct seen seen = { 0 };
	bool right;

	for (uint64_t seed = 1; seed <= N_SEED; seed++)
		look(seed +
				10000 *
					(uint64_t)(n_device * 100 +
						n_buffer * 10 + kind * 2 +
						alone),
			n_device, n_buffer, kind, alone, &seen);
	right = !seen.wrong && !seen.late && !seen.differ && !seen.hindered;
	/* as the last pieces are small it is a small part of a tile */
	if (kind == USUAL && n_buffer)
		right &= seen.mean < 0.0125 && seen.share > 0.85;
	T_OK(right,
		"%d devices of %d drivers%s%s: %d seeds, %zu rows not done "
		"once, %zu late, at most by %.3f of a tile, %.4f on average, "
		"%zu later than without the CPU, %zu not the same again; "
		"%.0f %% of all rates",
		n_device, n_buffer, alone ? ", CPU as a reserve" : "",
		words[kind], N_SEED, seen.wrong, seen.late, seen.worst,
		seen.mean, seen.hindered, seen.differ, 100 * seen.share);
}

#define PIECE(n, rows, by, costs)       \
	(&(struct vs_piece){ .part = n, \
		.hi = rows,             \
		.grain = by,            \
		.cost = costs })

/* Without devices: whole, in the order given. */
static void
try_order(void)
{
	struct vs_work_queue_want want = { .n_back = 2, .back_rate = 1 };
	struct vs_work_queue *d = NULL;
	struct vs_piece p;
	bool right;

	if (vs_work_queue_new(&d, &want) ||
		vs_work_queue_add(d, PIECE(1, 9, 9, 5), 1) ||
		vs_work_queue_add(d, PIECE(2, 8, 8, 70), 1))
		exit(4);
	right = vs_work_queue_pop(d, 1, 0, &p) && p.part == 1 && p.hi == 9;
	right &= !vs_work_queue_add(d, PIECE(3, 1, 1, 1), 1);
	right &= vs_work_queue_pop(d, 0, 0, &p) && p.part == 2 && !p.lo;
	vs_work_queue_done(d, 1, 1);
	right &= vs_work_queue_pop(d, 1, 1, &p) && p.part == 3;
	vs_work_queue_done(d, 0, 1);
	right &= !vs_work_queue_pop(d, 0, 1, &p);
	T_OK(right, "no device: pieces are taken whole, first come first");
	vs_work_queue_free(d);
}

/* Waiting pieces of a dropped tile leave the list, no others do. */
static void
try_drop(void)
{
	struct vs_work_queue_want want = { .n_back = 2, .back_rate = 1 };
	struct vs_work_queue *d = NULL;
	char name[2];
	struct vs_piece p,
		piece[4] = {
			{ .of = &name[0],
				.part = 1,
				.hi = 4,
				.grain = 4,
				.cost = 4 },
			{ .of = &name[0],
				.part = 2,
				.hi = 4,
				.grain = 4,
				.cost = 4 },
			{ .of = &name[1],
				.part = 3,
				.hi = 4,
				.grain = 4,
				.cost = 4 },
			{ .of = &name[0],
				.part = 4,
				.hi = 4,
				.grain = 4,
				.cost = 4 },
		};
	bool right;

	if (vs_work_queue_new(&d, &want) || vs_work_queue_add(d, piece, 4))
		exit(4);
	right = vs_work_queue_pop(d, 0, 0, &p) && p.part == 1;
	vs_work_queue_drop(d, &name[0]);
	right &= vs_work_queue_pop(d, 1, 0, &p) && p.part == 3;
	vs_work_queue_done(d, 0, 1);
	right &= !vs_work_queue_pop(d, 0, 1, &p);
	T_OK(right, "a tile that is dropped leaves the list");
	vs_work_queue_free(d);
}

/*
 * Tiles one after the other, by the two names that there are in turn, each of
 * three parts in two pieces; the CPU alone. What it takes is always of the
 * oldest tile of which there is something, and of a hand's own part as long as
 * it can.
 */
static void
try_tiles(void)
{
	struct vs_work_queue_want want = { .n_back = 2, .back_rate = 1 };
	struct vs_work_queue *d = NULL;
	struct vs_piece p[2] = { { 0 } };
	size_t n = 0, stayed = 0;
	bool right = true;
	char name[2];

	if (vs_work_queue_new(&d, &want))
		exit(4);
	for (size_t tile = 0; tile < 4; tile++)
		for (size_t k = 0; k < 6; k++) {
			struct vs_piece x = { .of = &name[tile % 2],
				.part = k / 2,
				.hi = tile + 1,
				.grain = tile + 1,
				.cost = 1 };

			if (vs_work_queue_add(d, &x, 1))
				exit(4);
		}
	for (int hand = 0;; hand = !hand, n++) {
		size_t part = p[hand].part, tile = p[hand].hi;

		if (n > 1)
			vs_work_queue_done(d, hand, (double)n);
		if (!vs_work_queue_pop(d, hand, (double)n, &p[hand]))
			break;
		right &= p[hand].hi == n / 6 + 1;
		stayed += p[hand].part == part && p[hand].hi == tile;
	}
	/* each hand one part; of the third the first piece, when it has done */
	T_OK(right && n == 24 && stayed == 8,
		"CPU alone: %zu pieces, tile by tile, %zu of the part before",
		n, stayed);
	vs_work_queue_free(d);
}

/*
 * A device that does 100 a second, two threads that do 10. Of two pieces of
 * 160 the device takes half its share, 5 of 12, in whole rows of 10, and the
 * CPU 10 at a time: a second, in which the device is not done.
 */
static void
try_sides(void)
{
	struct vs_work_queue_want want = { .n_back = 2,
		.n_front = 1,
		.n_driver = 1,
		.back_rate = 10,
		.front_rate = 100 };
	struct vs_work_queue *d = NULL;
	struct vs_piece p;
	bool right;
	int n = 0;

	if (vs_work_queue_new(&d, &want) ||
		vs_work_queue_add(d, PIECE(1, 16, 1, 160), 1) ||
		vs_work_queue_add(d, PIECE(2, 16, 1, 160), 1))
		exit(4);
	right = vs_work_queue_pop(d, 2, 0, &p) && p.part == 1 && p.hi == 13;
	/* a clock that stands still tells nothing of paces */
	while (vs_work_queue_pop(d, 0, 0, &p)) {
		right &= p.part == 2 - (n >= 16) && p.hi - p.lo == 1;
		right &= p.cost == 10 && p.hi == 16 - (size_t)n % 16;
		vs_work_queue_done(d, 0, 0);
		n++;
	}
	/* all the rest: what the device has takes it 1.3 seconds */
	right &= n == 19;
	T_OK(right, "beside a device: cuts from the end, %d of them", n);

	/* at 0.4 seconds the device has 90 to do, for which it takes 0.9 */
	right = !vs_work_queue_add(d, PIECE(3, 1, 1, 10), 1) &&
		!vs_work_queue_pop(d, 0, 0.4, &p) &&
		vs_work_queue_pop(d, 0, 0.3, &p) && p.part == 3;
	T_OK(right, "a cut that would end last is left to the device");

	right = !vs_work_queue_pop(d, 1, 1, &p);
	vs_work_queue_lost(d, 2, 0);
	right &= !vs_work_queue_front(d) && !vs_work_queue_pop(d, 2, 1, &p);
	for (n = 0; vs_work_queue_pop(d, 1, 1, &p); n++)
		vs_work_queue_done(d, 1, 1);
	T_OK(right && n == 13, "a lost device's piece is the CPU's, in %d cuts",
		n);
	vs_work_queue_free(d);
}

/*
 * A device that seems to do 1000 a second, and a thread that does 10. It leaves
 * the device alone, until that has had half of its work for a second.
 */
static void
try_believed(void)
{
	struct vs_work_queue_want want = { .n_back = 1,
		.n_front = 1,
		.n_driver = 1,
		.back_rate = 10,
		.front_rate = 1000 };
	struct vs_work_queue *d = NULL;
	struct vs_piece p;
	bool right;

	if (vs_work_queue_new(&d, &want) ||
		vs_work_queue_add(d, PIECE(1, 30, 1, 300), 1))
		exit(4);
	right = vs_work_queue_pop(d, 1, 0, &p) && p.hi == 14;
	right &= !vs_work_queue_pop(d, 0, 0, &p) &&
		!vs_work_queue_pop(d, 0, 0.5, &p);
	right &= vs_work_queue_pop(d, 0, 1, &p) && p.lo == 29;
	T_OK(right, "a device that is late is waited for no longer");
	vs_work_queue_free(d);
}

int
main(void)
{
	try_order();
	try_drop();
	try_tiles();
	try_sides();
	try_believed();
	for (int kind = 0; kind < KINDS; kind++)
		for (int n = 1; n <= 4; n++)
			for (int buffers = n > 1; buffers <= 3; buffers++) {
				try(n, buffers, kind, false);
				if (buffers)
					try(n, buffers, kind, true);
			}
	return T_DONE();
}
