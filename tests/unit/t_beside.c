/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU beside a device makes no run longer: pieces of real tiles are taken
 * from the queue of work by simulated threads and drivers on a virtual clock,
 * the device being 1 to 1000 times the CPU, vectors short and long, and first
 * rates right and wrong. The end is compared with those of each alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rng.h"
#include "libcore/engine/sched/tile_split.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define THREADS 16
#define DRIVERS 3
#define HANDS (THREADS + DRIVERS)
#define CPU_RATE 1e12 /* comparisons a second of a thread */
#define PACKING 80    /* rows in the time of packing their columns */
#define LAUNCH 20e-6  /* seconds of a device for a piece of any size */
#define ROWS 128
#define COLS 256
#define SQUARE_RATE 4e12   /* comparisons a second of one by one */
#define SQUARES 132        /* at a time, at most */
#define NOISE 0.05         /* of a piece's time */
#define MOST_LOSS 1.03     /* times the better of both alone */
#define LEAST_SUM 0.95     /* of both rates, up to 4 : 1, */
#define WRONG_SUM 0.9      /* where a first rate is wrong by 10 */
#define WRONG_SECONDS 2e-3 /* and the end is later by no more */
#define MOST_ALONE 1.7 /* times the CPU's ideal time for all, after a loss */
#define MOST_TILES 64
#define N_SEED (T_LONG ? 3 : 1)
#define MARKED 6000 /* vectors whose pairs are marked one by one */

/* Vectors all pairs of which are computed, in tiles. */
struct shape {
	size_t n_vec, n_field;
	int64_t tile;
	size_t width; /* columns that the CPU takes */
};

/* Processors, by their true rates and by the first ones. */
struct who {
	bool cpu, device, marks;
	double ratio;               /* of the device to all threads */
	double delay;               /* seconds before it begins its first */
	double lost;                /* when it goes away; 0: never */
	double cpu_seems, it_seems; /* times as fast as it is */
};

struct tile {
	struct vs_tile_split split;
};

/* How often each pair was computed, of few vectors. */
static uint8_t seen[MARKED][MARKED];

struct hand {
	bool busy;
	double ends;
	struct vs_piece piece;
	/* columns that a thread has packed */
	const void *of;
	size_t part, col, end;
};

static size_t cpu_width;
static double device_rate; /* as it seems */

static size_t
cpu_columns(const struct vs_query *q, size_t most, bool follow)
{
	(void)q;
	(void)most;
	(void)follow;
	return cpu_width;
}

static size_t
device_columns(const struct vs_query *q, size_t most, bool follow)
{
	(void)q;
	(void)follow;
	return vs_min_size((most + VS_SPAN - 1) / VS_SPAN * VS_SPAN,
		VS_SPAN * VS_SPANS);
}

static const struct vs_backend cpu = { .columns = cpu_columns };
static double
rate(const struct vs_query *q)
{
	(void)q;
	return device_rate;
}

static const struct vs_backend device = { .columns = device_columns,
	.rate = rate,
	.n_driver = DRIVERS };

static uint64_t
cost_of(const struct vs_piece *piece)
{
	const struct tile *t = piece->of;

	return vs_tile_split_cost(&t->split.strip[piece->part], piece);
}

/* Pairs of a piece by the rows that spans want. */
static double
pairs_of(const struct vs_piece *piece)
{
	const struct tile *t = piece->of;
	const struct vs_strip *s = &t->split.strip[piece->part];
	double n = 0;

	for (size_t j = piece->col, next; j < piece->end; j = next) {
		const size_t k = (j - s->j_lo) / VS_SPAN;
		size_t lo = s->span[k].lo, hi = s->span[k].hi;

		next = vs_min_size(s->j_lo + (k + 1) * VS_SPAN, piece->end);
		lo = lo > piece->lo ? lo : piece->lo;
		hi = hi < piece->hi ? hi : piece->hi;
		n += hi > lo ? (double)(hi - lo) * (double)(next - j) : 0;
	}
	return n;
}

/* Mark the first rows of a piece as computed. */
static void
mark(const struct vs_piece *piece, size_t rows)
{
	const struct tile *t = piece->of;
	const struct vs_strip *s = &t->split.strip[piece->part];
	struct vs_strip part;

	if (!vs_strip_part(s, piece->lo, piece->lo + rows, piece->col,
		    piece->end, &part))
		return;
	for (size_t j = part.j_lo; j < part.j_hi; j++) {
		const size_t k = (j - part.j_lo) / VS_SPAN;

		for (size_t i = part.span[k].lo; i < part.span[k].hi; i++)
			seen[i][j] += !part.diagonal || i < j;
	}
}

/* Pairs i < j that were not computed once, and others that were. */
static size_t
wrong(size_t n_vec)
{
	size_t n = 0;

	for (size_t i = 0; i < n_vec; i++)
		for (size_t j = 0; j < n_vec; j++)
			n += seen[i][j] != (i < j);
	return n;
}

/*
 * Seconds of a device for a piece: it counts squares of pairs, those that have
 * a pair that is wanted, and few of them do not occupy it.
 */
static double
on_device(const struct vs_piece *piece, double n_field, double rate)
{
	double pairs = 0, most = 0;

	for (size_t lo = piece->lo / ROWS * ROWS; lo < piece->hi; lo += ROWS)
		for (size_t col = piece->col / COLS * COLS; col < piece->end;
			col += COLS) {
			struct vs_piece x = *piece;

			x.lo = vs_max_size(lo, piece->lo);
			x.hi = vs_min_size(lo + ROWS, piece->hi);
			x.col = vs_max_size(col, piece->col);
			x.end = vs_min_size(col + COLS, piece->end);
			pairs += cost_of(&x) ? ROWS * COLS : 0;
		}
	/* drivers share it */
	most = fmax(pairs,
		fmin(SQUARES, rate / SQUARE_RATE) * ROWS * COLS / DRIVERS);
	return LAUNCH + most * n_field / rate;
}

/* All tiles, as pieces for whom there is. */
static size_t
make_tiles(const struct shape *shape, const struct who *who, struct tile *tile,
	struct vs_work_queue *queue)
{
	struct vs_query q = { .n_field = shape->n_field, .cpu = vs_cpu_best() };
	struct vs_panel p;
	struct vs_plan plan;
	struct vs_job job = { .plan = &plan,
		.query = &q,
		.backend = &cpu,
		.n_thread = THREADS,
		.device = who->device ? &device : NULL };
	size_t n = 0;
	int code = panel_new(&p, shape->n_vec, 1);

	p.n_vec = shape->n_vec;
	if (!code)
		code = vs_plan_make(&plan, shape->n_vec, 1, shape->tile);
	for (uint64_t t = 0; !code && t < vs_plan_n_tile(&plan); t++) {
		struct vs_tile_task task = { .i = &p, .j = &p };

		vs_plan_tile_of(&plan, t, &task.bi, &task.bj);
		task.i_at = (size_t)vs_plan_place(&plan, task.bi);
		task.j_at = (size_t)vs_plan_place(&plan, task.bj);
		if (n == MOST_TILES)
			exit(4);
		code = vs_tile_split_make(&tile[n].split, &job, &task,
			who->device ? DRIVERS : 0, &tile[n]);
		if (!code)
			code = vs_work_queue_add(queue, tile[n].split.piece,
				tile[n].split.n_piece);
		n++;
	}
	if (code)
		exit(4);
	vs_panel_free(&p);
	return n;
}

/* Seconds that a thread needs for a piece, packing where it has to. */
static double
on_cpu(struct hand *h, size_t n_field)
{
	const struct vs_piece *x = &h->piece;
	double seconds = 0;

	for (size_t col = x->col; col < x->end; col += cpu_width) {
		struct vs_piece part = *x;
		bool packed;

		part.col = col;
		part.end = vs_min_size(col + cpu_width, x->end);
		packed = h->of == x->of && h->part == x->part &&
			h->col == part.col && h->end == part.end;
		seconds += pairs_of(&part) +
			(packed ? 0 : PACKING * (double)(part.end - part.col));
		h->of = x->of;
		h->part = x->part;
		h->col = part.col;
		h->end = part.end;
	}
	return seconds * (double)n_field / CPU_RATE;
}

/* The drivers of a device leave what they have, but for some first rows. */
static void
lose(struct vs_work_queue *queue, struct hand *hand, struct vs_rng *rng)
{
	for (int k = THREADS; k < HANDS; k++) {
		struct vs_piece *x = &hand[k].piece;
		size_t rows = 0;

		if (hand[k].busy) {
			rows = vs_rng_below(rng, x->hi - x->lo);
			mark(x, rows);
		}
		hand[k].busy = false;
		vs_work_queue_lost(queue, k, rows);
	}
}

/* Seconds until all is done; the work in pairs. */
static double
play(const struct shape *shape, const struct who *who, uint64_t seed,
	double *work)
{
	const bool marks = shape->n_vec <= MARKED && who->marks;
	const double true_rate = who->ratio * CPU_RATE * THREADS;
	const struct vs_query q = { .n_field = shape->n_field };
	const double unit = vs_tile_split_unit(&q);
	struct vs_work_queue_want want = { .n_back = THREADS,
		.n_front = who->device ? DRIVERS : 0,
		.n_driver = who->device ? DRIVERS : 0,
		.back_rate = CPU_RATE * who->cpu_seems / unit,
		.front_rate = true_rate * who->it_seems / unit,
		.alone = !who->cpu,
		.cost = cost_of };
	static struct tile tile[MOST_TILES];
	struct hand hand[HANDS] = { 0 };
	struct vs_work_queue *queue = NULL;
	struct vs_rng rng;
	double now = 0, free_at = who->delay, lost = who->lost;
	size_t n_tile;

	memset(tile, 0, sizeof(tile));
	cpu_width = shape->width;
	device_rate = true_rate * who->it_seems;
	vs_rng_seed(&rng, seed);
	if (vs_work_queue_new(&queue, &want))
		exit(4);
	n_tile = make_tiles(shape, who, tile, queue);
	if (marks)
		memset(seen, 0, sizeof(seen));
	*work = 0;
	for (;;) {
		struct hand *first = NULL;

		for (int k = 0; k < THREADS + want.n_front; k++) {
			struct hand *h = &hand[k];
			double lasts = 1 - NOISE +
				2 * NOISE * (double)vs_rng_below(&rng, 1000) /
					1000;

			if (h->busy ||
				!vs_work_queue_pop(queue, k, now, &h->piece))
				continue;
			h->busy = true;
			*work += pairs_of(&h->piece);
			if (k < THREADS) {
				h->ends =
					now + lasts * on_cpu(h, shape->n_field);
				continue;
			}
			lasts *= on_device(&h->piece, (double)shape->n_field,
				true_rate);
			free_at = fmax(free_at, now) + lasts;
			h->ends = free_at;
		}
		for (int k = 0; k < HANDS; k++)
			if (hand[k].busy &&
				(!first || hand[k].ends < first->ends))
				first = &hand[k];
		if (!first)
			break;
		if (lost > 0 && first->ends > lost) {
			now = lost;
			lost = 0;
			lose(queue, hand, &rng);
			continue;
		}
		now = first->ends;
		first->busy = false;
		if (marks)
			mark(&first->piece, first->piece.hi - first->piece.lo);
		vs_work_queue_done(queue, (int)(first - hand), now);
	}
	for (size_t k = 0; k < n_tile; k++)
		vs_tile_split_free(&tile[k].split);
	vs_work_queue_free(queue);
	return now;
}

static void
try(const struct shape *shape, double ratio, double delay, double cpu_seems,
	double it_seems)
{
	const double least =
		cpu_seems == 1 && it_seems == 1 ? LEAST_SUM : WRONG_SUM;
	struct who who = { .device = true,
		.ratio = ratio,
		.delay = delay,
		.cpu_seems = cpu_seems,
		.it_seems = it_seems };
	double worst = 0, sum = 1, all, work;
	const double slack = cpu_seems > 1 && it_seems < 1 ? WRONG_SECONDS : 0;
	size_t bad = 0;

	for (uint64_t seed = 1; seed <= N_SEED; seed++) {
		double alone, cpu_alone, both;

		who.cpu = false;
		who.device = true;
		alone = play(shape, &who, seed, &all);
		who.cpu = true;
		who.marks = cpu_seems > 1;
		both = play(shape, &who, seed, &work);
		bad += work != all;
		if (who.marks && shape->n_vec <= MARKED)
			bad += wrong(shape->n_vec);
		who.marks = false;
		who.device = false;
		cpu_alone = play(shape, &who, seed, &work);
		worst = fmax(worst, (both - slack) / fmin(alone, cpu_alone));
		sum = fmin(sum, 1 / (1 / alone + 1 / cpu_alone) / both);
	}
	T_OK(!bad && worst <= MOST_LOSS &&
			(ratio > 4 || delay > 0 || sum >= least),
		"%zu x %zu in tiles of %d, device %g times the CPU, begins at "
		"%g s, CPU seems %g and device %g times as fast: %.3f of the "
		"better alone, %.3f of both rates, %zu pairs not computed once",
		shape->n_vec, shape->n_field, (int)shape->tile, ratio, delay,
		cpu_seems, it_seems, worst, sum, bad);
}

/* A device that goes away on the way: each pair is computed once. */
static void
try_lost(const struct shape *shape, double ratio, double lost)
{
	struct who who = { .cpu = true,
		.device = true,
		.marks = true,
		.ratio = ratio,
		.lost = lost,
		.cpu_seems = 1,
		.it_seems = 1 };
	double work, seconds = play(shape, &who, 1, &work);
	size_t n = wrong(shape->n_vec);
	const double pairs = (double)shape->n_vec * (double)shape->n_vec / 2;
	const double rest = pairs * (double)shape->n_field / CPU_RATE / THREADS;

	T_OK(!n && seconds > lost && seconds < lost + MOST_ALONE * rest,
		"%zu x %zu in tiles of %d, device %g times the CPU, lost at %g "
		"s of %g: %zu pairs not computed once",
		shape->n_vec, shape->n_field, (int)shape->tile, ratio, lost,
		seconds, n);
}

int
main(void)
{
	static const struct shape shape[] = {
		{ 20000, 100000, 20000, 512 },
		{ 20000, 100000, 5000, 1024 },
		{ 200000, 2504, 50000, 2048 },
		{ 100000, 2504, 100000, 2048 },
		{ 6000, 1000000, 6000, 128 },
	};
	static const double ratio[] = { 1000, 500, 50, 17, 8, 4, 2, 1 };
	static const double seems[][2] = { { 1, 1 }, { 0.25, 1 }, { 1, 10 },
		{ 10, 1 }, { 1, 0.1 }, { 10, 0.1 } };

	for (size_t s = 0; s < sizeof(shape) / sizeof(*shape); s++)
		for (size_t r = 0; r < sizeof(ratio) / sizeof(*ratio); r++) {
			/* in turn, or each */
			for (size_t k = T_LONG ? 0 : (s + r) % 3;
				k < sizeof(seems) / sizeof(*seems);
				k += T_LONG ? 1 : 3)
				try(&shape[s], ratio[r], 0, seems[k][0],
					seems[k][1]);
			/* its memory is filled first */
			try(&shape[s], ratio[r], 0.05, 1, 1);
		}
	for (double lost = 0.001; lost < 0.03; lost *= 1.5) {
		try_lost(&(struct shape){ MARKED, 100000, 2000, 512 }, 4, lost);
		try_lost(&(struct shape){ MARKED, 1000000, MARKED, 128 }, 17,
			lost);
	}
	return T_DONE();
}
