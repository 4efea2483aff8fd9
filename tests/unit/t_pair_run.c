/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All pairs of small random data through the engine, record by record against
 * the definition: joint frequencies counted field by field, and the value as
 * a quotient of integers in long double.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/pair_run.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/sched/tile_levels.h"
#include "tests/sim/sim_device.h"
#include "tests/unit/copies.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"
#include "tests/unit/twin.h"

struct data {
	uint8_t *g; /* 3: missing */
	size_t n_vec, n_field;
	struct copies copies; /* when they are judged */
	const struct vs_query *q;
	struct vs_record *rec;
	size_t n, room;
	uint64_t evaluated, tiles, loaded;
	int64_t bi, bj;
	bool ordered, open;
};

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct data *d = ctx;

	size_t at = p->n_vec;

	d->loaded += hi - lo;
	/* the panel comes as the memory was, and flip is left alone
	 * otherwise */
	if (!at)
		memset(p->vec.word, 0, p->bytes);
	for (uint64_t v = lo; v < hi; v++) {
		for (size_t q = 0; q < d->n_field; q++)
			vs_vec_set(&p->vec, at + v - lo, q,
				d->g[v * d->n_field + q]);
		p->source[at + v - lo] = (int64_t)v;
	}
	panel_make(p, lo, (size_t)(hi - lo), 2);
	return 0;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct data *d = ctx;
	int code = vs_mem_grow(&d->rec, &d->room, d->n + tile->n,
		sizeof(*d->rec), "records");

	for (size_t k = 0; k < tile->n && !code; k++) {
		d->rec[d->n++] = tile->rec[k];
		if (k)
			d->ordered &= vs_record_compare(&tile->rec[k - 1],
					      &tile->rec[k]) < 0;
	}
	/* no other tile's records stand between a tile's batches */
	d->ordered &= !d->open || (d->bi == tile->bi && d->bj == tile->bj);
	d->open = !tile->last;
	d->bi = tile->bi;
	d->bj = tile->bj;
	if (tile->last) {
		d->evaluated += tile->evaluated;
		d->tiles++;
	}
	return code;
}

/* Numerators of a pair by the definition, cell 2 a + b, and its fields. */
static int64_t
plain_sums(const struct data *d, size_t i, size_t j, int64_t r[4])
{
	const size_t at = i * d->n_field, n = d->n_field;

	for (int c = 0; c < 4; c++)
		r[c] = copies_product(d->copies.of[c >> 1] + at,
			d->copies.of[c & 1] + j * n, n);
	return copies_product(d->copies.of[COPIES_CALLED] + at,
		d->copies.of[COPIES_CALLED] + j * n, n);
}

/* 1 - 2/3 t / (2 c), with t the copies of a label's allele in c calls. */
static long double
plain_factor(const struct data *d, size_t v, int label)
{
	const uint8_t *g = d->g + v * d->n_field;
	int64_t c = 0, t = 0;

	for (size_t q = 0; q < d->n_field; q++)
		if (g[q] < 3) {
			c++;
			t += label ? g[q] : 2 - g[q];
		}
	return c ? 1 - 2 * t / (6.0L * c) : 0;
}

/*
 * The same, kept while the last data are used again and are not too many;
 * alternately with and without missing calls.
 */
static const int32_t *
plain_table(struct data *d)
{
	static struct {
		uint8_t *g;
		size_t n_vec, n_field;
		int32_t *table;
	} of[2], *k;
	static int turn;
	size_t bytes = d->n_vec * d->n_field, pairs = d->n_vec * d->n_vec;
	int64_t r[4];

	for (k = of; k < of + 2; k++)
		if (k->table && k->n_vec == d->n_vec &&
			k->n_field == d->n_field && !memcmp(k->g, d->g, bytes))
			return k->table;
	k = &of[turn ^= 1];
	k->n_vec = d->n_vec;
	k->n_field = d->n_field;
	k->g = realloc(k->g, bytes + 1);
	k->table = realloc(k->table, (pairs + 1) * 5 * sizeof(*k->table));
	if (!k->g || !k->table)
		exit(4);
	memcpy(k->g, d->g, bytes);
	copies_make(&d->copies, d->g, bytes);
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = i + 1; j < d->n_vec; j++) {
			int32_t *t = k->table + (i * d->n_vec + j) * 5;

			t[4] = (int32_t)plain_sums(d, i, j, r);
			for (int c = 0; c < 4; c++)
				t[c] = (int32_t)r[c];
		}
	return k->table;
}

static int
by_place(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

/* Number of pairs and cells that are wrong, listed or not. */
static int
judge(struct data *d)
{
	const int32_t *table = d->n_vec < 2000 ? plain_table(d) : NULL;
	long double(*factor)[2] = NULL;
	size_t at = 0;
	int wrong = 0;

	if (vs_mem_new(&factor, d->n_vec + 1, sizeof(*factor), "factors"))
		exit(4);
	if (!table)
		copies_make(&d->copies, d->g, d->n_vec * d->n_field);
	for (size_t v = 0; v < d->n_vec; v++)
		for (int label = 0; label < 2; label++)
			factor[v][label] = plain_factor(d, v, label);
	if (d->n)
		qsort(d->rec, d->n, sizeof(*d->rec), by_place);
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = i + 1; j < d->n_vec; j++) {
			const int32_t *t = table + (i * d->n_vec + j) * 5;
			int64_t r[4], n;

			if (table) {
				n = t[4];
				for (int c = 0; c < 4; c++)
					r[c] = t[c];
			} else {
				n = plain_sums(d, i, j, r);
			}
			for (uint32_t cell = 0; cell < 4; cell++) {
				const struct vs_record *rec = &d->rec[at];
				/* 9/2 r / (4 n), and the factors */
				double v = !n
					? 0
					: (double)(4.5L * r[cell] / (4.0L * n) *
						  factor[i][cell >> 1] *
						  factor[j][cell & 1]);
				bool listed = at < d->n && rec->i == i &&
					rec->j == j && rec->cell == cell;

				/* near the threshold long double cannot tell */
				if (fabs(v - d->q->threshold) > 1e-12)
					wrong +=
						listed != (v > d->q->threshold);
				if (!listed)
					continue;
				at++;
				wrong += rec->num != r[cell];
				wrong += rec->nvalid !=
					(d->q->has_missing ? n : -1);
				wrong += !(fabs(rec->value - v) <= 4e-16);
			}
		}
	free(factor);
	copies_free(&d->copies);
	return wrong + (at != d->n);
}

/*
 * A device that, at one strip and all later ones, finds what there is but
 * reports that it did no row, or rows that it was not asked for.
 */
static struct {
	long at, n; /* that strip, and strips so far */
	bool beyond;
} idle;

static int
idle_strip(void *state, int worker, const struct vs_strip *s,
	struct vs_hits *found)
{
	int code = sim_backend.strip(state, worker, s, found);

	if (__atomic_add_fetch(&idle.n, 1, __ATOMIC_RELAXED) >= idle.at)
		found->upto = idle.beyond ? s->i_hi + 1 : s->i_lo;
	return code;
}

static const struct vs_backend *
idle_use(long at, bool beyond)
{
	static struct vs_backend device;

	idle.at = at;
	idle.n = 0;
	idle.beyond = beyond;
	device = sim_backend;
	device.strip = idle_strip;
	return &device;
}

/* Parameters of a trial. */
struct trial {
	size_t n_vec, n_field;
	int missing, threads, lead;
	double threshold;
	enum vs_cpu cpu;
	bool exhaustive; /* nothing pruned */
	int64_t tile;    /* 0: chosen */
	size_t batch;    /* 0: all records of a tile at once */
	bool stream;
	bool even;  /* similar frequencies, few relatives */
	int device; /* 1: beside the CPU, 2: alone */
	struct sim_device sim;
	long card;  /* not 0: what twin.h makes in place of sim; < 0: no end */
	bool clans; /* vectors follow others */
	int64_t unit;  /* the sink's tiles, when not 0 smaller ones */
	double limit;  /* seconds for several of them */
	size_t gather; /* and records */
	long idle;     /* not 0: at this strip the device does nothing */
};

/*
 * Clans of up to twelve: the same as their first one, nearly, or not so near;
 * some the other way round.
 */
static void
draw_clans(const struct trial *x, struct vs_rng *rng, uint8_t *all)
{
	uint64_t often = 0, odd = 0;
	size_t first = 0, end = 0;

	for (size_t v = 0; v < x->n_vec; v++) {
		uint8_t *g = all + v * x->n_field;
		const uint8_t *kin = all + first * x->n_field;
		bool turned = v % 16 == 15;

		if (v == end) {
			first = v;
			kin = g;
			end = v + 1 + vs_rng_below(rng, 12);
			often = 20 + vs_rng_below(rng, 60);
			odd = vs_rng_below(rng, 3) * vs_rng_below(rng, 120);
		}
		for (size_t f = 0; f < x->n_field; f++) {
			bool own = v == first || vs_rng_below(rng, 1000) < odd;
			int a = vs_rng_below(rng, 100) < often;
			int b = vs_rng_below(rng, 100) < often;

			g[f] = own                     ? (uint8_t)(a + b)
				: turned && kin[f] < 3 ? (uint8_t)(2 - kin[f])
						       : kin[f];
			if (x->missing && own && !vs_rng_below(rng, 100))
				g[f] = 3;
		}
	}
}

static void
try_once(const struct trial *x)
{
	size_t n_vec = x->n_vec, n_field = x->n_field;
	int missing = x->missing;
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = x->threshold,
		.cell_mask = 15,
		.has_missing = missing,
		.lead = x->lead,
		.prune = !x->exhaustive,
		.n_field = n_field,
		.cpu = x->cpu };
	struct data d = { .n_vec = n_vec,
		.n_field = n_field,
		.q = &q,
		.ordered = true };
	struct twin twin = { .room = TWIN_ROOM, .life = x->card };
	const struct vs_drive_base card = { .host = &twin_host,
		.ops = &twin_ops,
		.card = &twin,
		.room_cand = 500,
		.part = x->batch ? 128 : 0 };
	struct vs_plan plan, unit;
	struct vs_job job = { .plan = &plan,
		.unit = x->unit ? &unit : NULL,
		.limit = x->limit,
		.gather = x->gather,
		.extra_bytes = 1 << 30,
		.query = &q,
		.backend = &vs_backend_cpu,
		.n_thread = x->threads,
		.batch = x->batch,
		.stream = x->stream,
		.device = !x->device ? NULL
			: x->idle    ? idle_use(x->idle, x->missing)
			: x->card    ? vs_drive_use(&card, 1)
				     : &sim_backend,
		.alone = x->device == 2,
		.dispensable = x->idle,
		.load = load,
		.sink = sink,
		.ctx = &d };
	static const char *const device[] = { "", ", sim+cpu", ", sim", "",
		", card+cpu", ", card" };
	struct vs_job_stats stats;
	struct vs_thread_pool pool;
	struct vs_rng rng;
	uint64_t pairs;
	int wrong;

	vs_rng_seed(&rng, n_vec * 1000 + n_field);
	vs_mem_new(&d.g, n_vec * n_field + 1, 1, "genotypes");
	if (x->clans)
		draw_clans(x, &rng, d.g);
	for (size_t v = 0; v < n_vec && !x->clans; v++) {
		uint64_t often = x->even ? 20 + vs_rng_below(&rng, 5)
					 : vs_rng_below(&rng, 64);
		bool kin = x->even ? v % 16 == 1 : v % 2;

		for (size_t f = 0; f < n_field; f++) {
			uint8_t *g = &d.g[v * n_field + f];

			/* some vectors resemble the one before */
			*g = kin && vs_rng_below(&rng, x->even ? 64 : 8)
				? d.g[(v - 1) * n_field + f]
				: (uint8_t)((vs_rng_below(&rng, 64) < often) +
					  (vs_rng_below(&rng, 64) < often));
			/* or its reverse */
			if (x->even && v % 32 == 17 && *g < 3)
				*g = (uint8_t)(2 - *g);
			/* a third are rare or nearly fixed, beyond passing */
			if (v % 3 == 2 && !x->even)
				*g = (uint8_t)(vs_rng_below(&rng, 12) ? v & 2
								      : 1);
			if (missing && !vs_rng_below(&rng, 20))
				*g = 3;
			if (missing && v % 50 == 7)
				*g = 3;
		}
	}
	q.least_present = (int64_t)n_field;
	for (size_t v = 0; v < n_vec; v++) {
		int64_t c = 0;

		for (size_t f = 0; f < n_field; f++)
			c += d.g[v * n_field + f] < 3;
		if (c && c < q.least_present)
			q.least_present = c;
	}
	sim_next = x->sim;
	wrong = vs_plan_make(&plan, n_vec, 1,
			x->tile ? x->tile : vs_plan_tile(n_vec, 1, 1e9, 0)) ||
		vs_plan_make(&unit, n_vec, 1, x->unit ? x->unit : plan.tile) ||
		vs_thread_pool_open(&pool, &job) || vs_pair_run(&pool, &stats);
	wrong += judge(&d);
	wrong += x->unit && x->limit < 1e-6 && !stats.begun_anew;
	/* blocks of each size once: of a quarter of a tile, an eighth ... */
	wrong += x->unit && d.loaded > 5 * n_vec;
	pairs = vs_plan_n_pair(&plan);
	wrong += stats.pairs != pairs || stats.counted > pairs;
	wrong += x->exhaustive && stats.counted != pairs;
	/* many are given up of complete vectors that are long enough */
	wrong += x->even && n_field > 2048 && !missing &&
		stats.fields_skipped <
			0.2 * (double)stats.counted * (double)n_field;
	wrong += (n_field < 2048 || x->exhaustive) && stats.fields_skipped > 0;
	wrong += stats.fields_skipped > (double)stats.counted * (double)n_field;
	/* all that is under way when a device fails is counted again */
	wrong += !x->sim.lost && stats.lost;
	wrong += twin.taken > 0;
	wrong += x->idle && x->device == 2 && !stats.failed;
	wrong += !x->idle && stats.failed;
	wrong += x->sim.lost == 1 && x->device == 2 && !stats.lost;
	T_OK(!wrong && d.ordered && !d.open && d.evaluated == 4 * pairs &&
			d.tiles == vs_plan_n_tile(&unit),
		"%s, label %d first: %zu x %zu, %s, t = %g, %d threads, "
		"tile %lld%s, batch %zu%s: %.0f %% counted, %zu records, "
		"%llu pieces lost, %d wrong",
		vs_cpu_name(x->cpu), x->lead, n_vec, n_field,
		missing ? "some missing" : "none missing", x->threshold,
		x->threads, (long long)x->tile, x->stream ? " streamed" : "",
		x->batch, device[x->device + (x->card ? 3 : 0)],
		100 * (double)stats.counted / ((double)pairs + 1e-9), d.n,
		(unsigned long long)stats.lost, wrong);
	free(d.rec);
	free(d.g);
}

static void
try(size_t n_vec, size_t n_field, int missing, double threshold, int threads,
	enum vs_cpu cpu)
{
	for (int lead = 0; lead < 2; lead++)
		try_once(&(struct trial){ .n_vec = n_vec,
			.n_field = n_field,
			.missing = missing,
			.threads = threads,
			.lead = lead,
			.threshold = threshold,
			.cpu = cpu });
}

/* However the pairs are shared out, the records are those of the definition. */
static void
try_ways(void)
{
	static const int64_t tiles[] = { 0, 1, 32, 100, 700 };

	for (size_t k = 0; k < sizeof(tiles) / sizeof(*tiles); k++)
		for (int how = 0; how < 4; how++) {
			/* no tile: more columns than are taken at once */
			struct trial x = { .n_vec = !tiles[k]      ? 1100
					: tiles[k] == 1 && !T_LONG ? 70
								   : 230,
				.n_field = 75,
				.missing = how & 1,
				.threads = 1 + (how & 2),
				.lead = how & 1,
				.threshold = 0.65,
				.cpu = vs_cpu_best(),
				.tile = tiles[k],
				.batch = how < 2 ? 0 : 7 };

			try_once(&x);
			x.exhaustive = true;
			x.stream = true;
			x.batch = how < 2 ? 7 : 0;
			try_once(&x);
		}
}

/*
 * Tiles of several of the sink's, which are done at once or, if there is no
 * time for that or no room for their records, restarted as smaller ones.
 */
static void
try_units(void)
{
	for (int how = 0; how < 12; how++) {
		struct trial x = { .n_vec = 700,
			.n_field = 75,
			.missing = how & 1,
			.threads = 1 + (how & 2),
			.threshold = how % 3 ? 0.65 : 0.4,
			.cpu = vs_cpu_best(),
			.tile = 400,
			.unit = how % 4 ? 25 : 100,
			.limit = how % 5 == 1 ? 1e-9 : 1e9,
			.gather = how % 5 == 2 ? 500 : 1 << 20,
			.stream = how % 7 == 3,
			.batch = how % 6 ? 0 : 50 };

		try_once(&x);
		x.device = 1 + how % 2;
		x.sim.seed = (uint64_t)how;
		x.sim.lost = (uint64_t)(how % 3);
		try_once(&x);
	}
}

struct rows {
	const struct vs_plan *plan;
	const struct data *d;
	int64_t bi, bj;
	int taken, most; /* in all; before the sink had one of them */
};

static bool
next_tile(void *ctx, struct vs_tile_task *task)
{
	struct rows *r = ctx;

	if (r->bi == r->plan->n_block)
		return false;
	*task = (struct vs_tile_task){ .bi = r->bi, .bj = r->bj };
	if (++r->bj == r->plan->n_block)
		r->bj = ++r->bi;
	r->taken++;
	if (!r->d->tiles)
		r->most = r->taken;
	return true;
}

static void
no_panel(void *ctx, const struct vs_panel *panel)
{
	vs_thread_pool_forget(ctx, panel);
}

/*
 * Tiles that all take too long: a few are taken from their source and put off,
 * and these are done as smaller ones before more are taken.
 */
static void
try_postponed(void)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = 0.65,
		.cell_mask = 15,
		.n_field = 75,
		.least_present = 75,
		.cpu = vs_cpu_best() };
	struct data d = { .n_vec = 800,
		.n_field = 75,
		.q = &q,
		.ordered = true };
	struct vs_plan plan, unit;
	struct vs_job job = { .plan = &plan,
		.unit = &unit,
		.limit = 1e-9,
		.gather = 1 << 20,
		.extra_bytes = 1 << 30,
		.query = &q,
		.backend = &vs_backend_cpu,
		.stream = true,
		.load = load,
		.sink = sink,
		.ctx = &d };
	struct vs_rng rng;

	vs_rng_seed(&rng, 17);
	vs_mem_new(&d.g, d.n_vec * d.n_field, 1, "genotypes");
	for (size_t k = 0; k < d.n_vec * d.n_field; k++)
		d.g[k] = (uint8_t)vs_rng_below(&rng, 3);
	for (job.n_thread = 1; job.n_thread < 4; job.n_thread++) {
		struct rows rows = { .plan = &plan, .d = &d };
		const struct vs_tile_source source = { .next = next_tile,
			.ctx = &rows };
		struct vs_tile_levels levels = { .memory = 1 << 28 };
		struct vs_tile_list list = { 0 };
		struct vs_job_stats stats = { 0 };
		struct vs_thread_pool pool;
		struct vs_block_cache *cache;
		int wrong = vs_plan_make(&plan, d.n_vec, 1, 50) ||
			vs_plan_make(&unit, d.n_vec, 1, 25) ||
			vs_thread_pool_open(&pool, &job) ||
			vs_block_cache_new(&pool.cache, &job, NULL, 1 << 28,
				no_panel, &pool);

		d.n = d.tiles = d.evaluated = 0;
		pool.stats = &stats;
		wrong = wrong ||
			vs_tile_levels_feed(&levels, &pool, &list, &source, 2);
		T_OK(!wrong && rows.taken == 136 &&
				d.tiles == vs_plan_n_tile(&unit) &&
				d.evaluated == 4 * vs_plan_n_pair(&unit) &&
				!judge(&d) && rows.most <= 8 * job.n_thread,
			"%d threads take %d tiles that are put off, %d in all",
			job.n_thread, rows.most, rows.taken);
		vs_tile_levels_clear(&list);
		vs_tile_levels_free(&levels);
		cache = pool.cache;
		vs_thread_pool_close(&pool);
		vs_block_cache_free(cache);
	}
	free(d.rec);
	free(d.g);
}

/* Long vectors, most pairs of which are given up before all is counted. */
static void
try_long(void)
{
	for (int how = 0; how < 4; how++) {
		struct trial x = { .n_vec = 260,
			.n_field = 2047 + 300 * (size_t)how,
			.missing = how & 1,
			.threads = 2,
			.lead = how / 2,
			.threshold = 0.72,
			.even = true };

		for (x.cpu = 0; x.cpu <= vs_cpu_best(); x.cpu++)
			try_once(&x);
	}
}

/*
 * A device, alone or beside the CPU, of any width, with little room, working or
 * lost at its first strip or later: the records are those of the definition.
 */
static void
try_devices(void)
{
	for (uint64_t seed = 0; seed < 10; seed += T_LONG || seed > 5 ? 1 : 2) {
		bool stream = seed % 8 > 4;
		struct trial x = { .n_vec = seed % 5 ? 220 : 1100,
			.n_field = 70,
			.missing = (int)(seed & 1),
			.threads = 1 + (int)(seed / 2 % 3),
			.lead = (int)(seed / 4 % 2),
			.threshold = seed == 3 ? 0 : 0.65,
			.cpu = vs_cpu_best(),
			.exhaustive = seed % 3 == 2,
			.tile = seed % 5 ? stream ? 25 : 100 : 0,
			.batch = seed % 3 ? 0 : 100,
			.stream = stream,
			.sim.seed = seed };

		for (int lost = 0; lost < 3; lost++) {
			x.device = 2 - (int)(seed + (uint64_t)lost) % 2;
			x.sim.lost = (uint64_t)lost;
			try_once(&x);
		}
		x.device = 3 - x.device;
		try_once(&x);
		/* a card, which is opened in less than 200 steps */
		x.card = -1;
		x.n_vec = seed % 5 ? 220 : 400;
		x.sim.lost = 0;
		try_once(&x);
		x.card = 200 + 40 * (long)seed;
		x.sim.lost = 2;
		try_once(&x);
	}
}

/* The CPU does all work of a device that does nothing. */
static void
try_idle(void)
{
	for (int how = 0; how < 8; how++)
		try_once(&(struct trial){ .n_vec = 220,
			.n_field = 70,
			.missing = how & 1,
			.threads = 1 + how / 4,
			.threshold = 0.65,
			.cpu = vs_cpu_best(),
			.tile = 100,
			.device = 1 + (how / 2 & 1),
			.idle = 1 + how / 4 * 2 });
}

/*
 * Leaders are counted for their followers: fewer columns than are taken
 * together, and more; tiles that cut a clan; long vectors and short ones.
 */
static void
try_clans(void)
{
	static const double thresholds[] = { 0.64, 0.68, 0.7, 0.8 };

	for (int how = 0; how < 12; how++) {
		struct trial x = { .n_vec = how < 20 ? 300 : 900,
			.n_field = how % 3 ? 300 : 2200,
			.missing = how & 1,
			.lead = how / 2 & 1,
			.threads = 1 + how % 2,
			.threshold = thresholds[how / 4 % 4],
			.cpu = vs_cpu_best(),
			.tile = how % 7 ? 0 : 130,
			.device = how % 11 == 5,
			.clans = true };

		if (how % 5 == 0)
			x.cpu = (enum vs_cpu)(how / 5) % (vs_cpu_best() + 1);
		try_once(&x);
	}
	/* more than are taken together without followers */
	try_once(&(struct trial){ .n_vec = 4200,
		.n_field = T_LONG ? 130 : 66,
		.lead = 1,
		.threads = 2,
		.threshold = 0.7,
		.cpu = vs_cpu_best(),
		.clans = true });
}

int
main(void)
{
	static const size_t fields[] = { 1, 63, 64, 65, 200, 513 };
	static const double thresholds[] = { -1, 0, 0.3, 0.5, 0.7, 2 };

	for (enum vs_cpu c = 0; c <= vs_cpu_best();
		c = c || T_LONG ? c + 1 : vs_cpu_best())
		for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++)
			for (int missing = 0; missing < 2; missing++) {
				try(150, fields[f], missing, thresholds[f], 2,
					c);
				try(1, fields[f], missing, 0.1, 1, c);
				try(2, fields[f], missing, 0.1, 2, c);
				try(3, fields[f], missing, 0.1, 1, c);
			}
	try_ways();
	try_long();
	try_units();
	try_postponed();
	try_devices();
	try_idle();
	try_clans();
	return T_DONE();
}
