/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read-ahead of blocks: another thread loads those of the tiles to come while
 * one counts, never beside the sink; each pair is evaluated once, however few
 * blocks there is memory for, and where a load fails the run ends with its
 * code. A tile that is complete while a block is read goes to the sink.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/thread_pool.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define N_FIELD 70

struct data {
	pthread_t caller;
	uint64_t loads, elsewhere; /* of these, by another thread */
	uint64_t fails_at;         /* load; 0: none */
	uint64_t stops_at;         /* tile; 0: none */
	size_t batch;              /* records that may wait; 0: the usual */
	bool meets;                /* see meet() */
	uint64_t hits[2];          /* records of tiles (0, 0) and (0, 1) */
	uint64_t evaluated, tiles;
	int busy, most; /* of load and sink: now, and at a time */
	uint64_t digest;
};

static void
enter(struct data *d)
{
	const int n = __atomic_add_fetch(&d->busy, 1, __ATOMIC_SEQ_CST);

	if (n > __atomic_load_n(&d->most, __ATOMIC_SEQ_CST))
		__atomic_store_n(&d->most, n, __ATOMIC_SEQ_CST);
}

/*
 * Let events of one thread and its reader meet in one order: the reader's
 * second load begins while tile (0, 0) is counted, and does not end before
 * that is complete and tile (0, 1), open already, is counted. When the second
 * load begins (0, 1) is open: the first load does not end before the thread
 * is about to open it, and none begins until that is done.
 */
static struct {
	bool opens, reads, counts;
} seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;

/* Note an event, then wait for another; null: none. */
static void
meet(bool *see, const bool *until)
{
	pthread_mutex_lock(&lock);
	if (see)
		*see = true;
	pthread_cond_broadcast(&change);
	while (until && !*until)
		pthread_cond_wait(&change, &lock);
	pthread_mutex_unlock(&lock);
}

static void
leave(struct data *d)
{
	__atomic_sub_fetch(&d->busy, 1, __ATOMIC_SEQ_CST);
}

static void
pause_for(long microseconds)
{
	const struct timespec t = { .tv_nsec = 1000 * microseconds };

	nanosleep(&t, NULL);
}

/* Genotypes that follow from the numbers of vector and field. */
static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct data *d = ctx;
	const size_t at = p->n_vec;

	enter(d);
	pause_for(200);
	d->loads++;
	d->elsewhere += !pthread_equal(pthread_self(), d->caller);
	if (d->meets && !pthread_equal(pthread_self(), d->caller)) {
		if (d->elsewhere == 1)
			meet(NULL, &seen.opens);
		else if (d->elsewhere == 2)
			meet(&seen.reads, &seen.counts);
	}
	if (d->loads == d->fails_at) {
		leave(d);
		return vs_fail(VS_EINPUT, "as the test wants it");
	}
	if (!at)
		memset(p->vec.word, 0, p->bytes);
	for (uint64_t v = lo; v < hi; v++) {
		for (size_t q = 0; q < N_FIELD; q++)
			vs_vec_set(&p->vec, at + v - lo, q,
				(v * 7 + q * q * (v % 5 + 1)) / 3 % 3);
		p->source[at + v - lo] = (int64_t)v;
	}
	panel_make(p, lo, (size_t)(hi - lo), 1);
	leave(d);
	return 0;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct data *d = ctx;

	enter(d);
	pause_for(20);
	for (size_t k = 0; k < tile->n; k++)
		d->digest += (tile->rec[k].i * 1000003 + tile->rec[k].j) *
			(uint64_t)(tile->rec[k].value * 1e6);
	d->evaluated += tile->last ? tile->evaluated : 0;
	/* stop() is asked beside the sink */
	__atomic_add_fetch(&d->tiles, tile->last, __ATOMIC_SEQ_CST);
	if (!tile->bi && tile->bj < 2)
		d->hits[tile->bj] += tile->n;
	leave(d);
	return 0;
}

/* Counting takes its time. */
static void
tick(void *ctx, uint64_t pairs)
{
	(void)ctx;
	(void)pairs;
	pause_for(300);
}

static bool
stop(void *ctx)
{
	const struct data *d = ctx;

	if (d->meets && pthread_equal(pthread_self(), d->caller))
		meet(&seen.opens, NULL);
	return d->stops_at &&
		__atomic_load_n(&d->tiles, __ATOMIC_SEQ_CST) >= d->stops_at;
}

/* The strips of the CPU's backend, the first of two tiles as in meet(). */
static int
meet_and_count(void *state, int worker, const struct vs_strip *s,
	struct vs_hits *found)
{
	if (!s->i->first && s->diagonal)
		meet(NULL, &seen.reads);
	else if (!s->i->first)
		meet(&seen.counts, NULL);
	return vs_backend_cpu.strip(state, worker, s, found);
}

static void
forget(void *ctx, const struct vs_panel *panel)
{
	vs_thread_pool_forget(ctx, panel);
}

/* All tiles of a plan, row after row, with blocks of so much memory. */
static int
run(struct data *d, int n_thread, uint64_t memory, int *n_slot)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = 0.4,
		.cell_mask = 15,
		.n_field = N_FIELD,
		.least_present = N_FIELD,
		.cpu = vs_cpu_best() };
	struct vs_backend backend = vs_backend_cpu;
	struct vs_plan plan;
	struct vs_job job = { .plan = &plan,
		.query = &q,
		.backend = &backend,
		.n_thread = n_thread,
		.batch = d->batch,
		.stream = true,
		.load = load,
		.sink = sink,
		.tick = tick,
		.stop = stop,
		.ctx = d };
	struct vs_job_stats stats = { 0 };
	struct vs_tile_task *task = NULL;
	struct vs_thread_pool pool;
	struct vs_block_cache *cache;
	size_t n = 0;
	int code = vs_plan_make(&plan, 600, 1, 50);

	d->caller = pthread_self();
	if (d->meets)
		backend.strip = meet_and_count;
	if (code || vs_thread_pool_open(&pool, &job) ||
		vs_block_cache_new(&pool.cache, &job, NULL, memory, forget,
			&pool) ||
		vs_mem_new(&task, (size_t)vs_plan_n_tile(&plan), sizeof(*task),
			"tiles"))
		return VS_EMACHINE;
	pool.stats = &stats;
	for (int64_t i = 0; i < plan.n_block; i++)
		for (int64_t j = i; j < plan.n_block; j++)
			task[n++] = (struct vs_tile_task){ .bi = i, .bj = j };
	*n_slot = vs_block_cache_n_slot(pool.cache);
	code = vs_thread_pool_run(&pool, task, n, NULL);
	cache = pool.cache;
	vs_thread_pool_close(&pool);
	vs_block_cache_free(cache);
	free(task);
	return code;
}

int
main(void)
{
	struct data plain = { 0 };
	int n_slot;

	T_OK(!run(&plain, 2, 1 << 28, &n_slot) &&
			plain.evaluated == 4 * (600 * 599 / 2),
		"two threads, one of which reads");
	for (int k = 0; k < 3; k++) {
		const uint64_t memory = k == 2 ? 1 << 28 : k << 16;
		struct data d;
		int code;

		/* how many are ahead is up to the machine's other work */
		for (int attempt = 0; attempt < 20; attempt++) {
			d = (struct data){ 0 };
			code = run(&d, 1, memory, &n_slot);
			if (code || 2 * d.elsewhere > d.loads)
				break;
		}
		T_OK(!code && d.evaluated == plain.evaluated &&
				d.digest == plain.digest && d.tiles == 78,
			"%d blocks at a time: the same", n_slot);
		T_OK(d.most == 1 && 2 * d.elsewhere > d.loads &&
				(n_slot < 12 || d.loads == 12),
			"%llu loads, %llu of them ahead, %d at a time",
			(unsigned long long)d.loads,
			(unsigned long long)d.elsewhere, d.most);
	}
	/* (0, 0) has room to be completed without the sink, (0, 1) has not */
	struct data d = { .meets = true,
		.batch = (size_t)(plain.hits[0] + plain.hits[1]) / 2 };

	T_OK(plain.hits[0] < d.batch && d.batch < plain.hits[1],
		"of tiles with %llu and %llu records %zu may wait",
		(unsigned long long)plain.hits[0],
		(unsigned long long)plain.hits[1], d.batch);
	alarm(60);
	T_OK(!run(&d, 1, 1 << 28, &n_slot) && d.digest == plain.digest &&
			d.tiles == 78 && d.most == 1,
		"a tile complete while a block is read goes to the sink");
	alarm(0);
	for (uint64_t at = 1; at < 14; at += 3) {
		struct data d = { .fails_at = at };
		const int code = run(&d, 1, 1 << 10, &n_slot);

		T_OK(code == VS_EINPUT &&
				!strcmp(vs_fail_text(), "as the test wants it"),
			"load %llu fails: the run ends with its code",
			(unsigned long long)at);
		vs_fail_clear();
	}
	for (uint64_t at = 1; at < 60; at += 19) {
		struct data d = { .stops_at = at };
		const int code = run(&d, 1, 1 << 10, &n_slot);

		T_OK(code == VS_DONE && d.tiles >= at && d.tiles < 70,
			"stopped behind tile %llu", (unsigned long long)at);
	}
	return T_DONE();
}
