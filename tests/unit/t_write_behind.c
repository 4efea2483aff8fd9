/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer writes everything once, in order, with a thread and without. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/write_behind.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define N_TILE 60

/* Output: records and tiles carry their numbers. */
static struct seen {
	uint64_t n, n_tile, ended; /* ended: records of the tiles */
	int in_order, n_batch, fail_at;
} seen;

static struct vs_record rec[400000];

/* The one counter of a tile. */
static vs_wide
counts_of(int tile)
{
	return ((vs_wide)1 << 100) + (vs_wide)tile;
}

static int
look(void *ctx, const struct vs_write_behind_batch *b)
{
	struct seen *s = ctx;
	vs_wide counts = 0;

	if (++s->n_batch == s->fail_at)
		return vs_fail(VS_EMACHINE, "no room");
	for (size_t k = 0; k < b->n; k++)
		s->in_order &= b->rec[k].i == s->n++;
	for (size_t k = 0; k < b->n_tile; k++) {
		const struct vs_write_behind_tile *t = &b->tile[k];

		s->in_order &= (uint64_t)t->row.bi == s->n_tile;
		s->in_order &= t->source_sum.h[0] == 7 * s->n_tile++;
		s->ended += (uint64_t)t->row.count;
		counts += counts_of(t->row.bi);
	}
	/* counters of the tiles that ended in the batch, of no other */
	s->in_order &= !b->counts.count || b->counts.count[0] == counts;
	/* a tile is passed on when all of its records are there */
	s->in_order &= s->ended <= s->n && b->whole == (s->ended == s->n);
	return 0;
}

/* Tiles of all sizes; the code that ended it. last: flushes, or closes. */
static int
write_up_to(bool alone, double patience, int fail_at, uint64_t *n,
	int (*last)(struct vs_write_behind *s))
{
	vs_wide counts = 0;
	struct vs_tile_counts one = { .n = 1, .count = &counts };
	const struct vs_counted all[2] = { { &counts, 0, 1 } };
	struct vs_write_behind_plan plan = { .write = look,
		.ctx = &seen,
		.counts = &one,
		.alone = alone,
		.patience = patience };
	struct vs_write_behind *s = NULL;
	struct vs_rng rng;
	int code = vs_write_behind_new(&s, &plan);

	seen = (struct seen){ .in_order = 1, .fail_at = fail_at };
	vs_rng_seed(&rng, 3);
	*n = 0;
	for (int t = 0; t < N_TILE && !code; t++) {
		/* none, a few, some batches */
		uint64_t many = t % 3 == 0 ? 0
			: t % 3 == 1       ? vs_rng_below(&rng, 100)
					   : vs_rng_below(&rng, 400000);
		struct vs_write_behind_tile tile = {
			{ .bi = t, .count = (int64_t)many },
			{ { 7 * (uint64_t)t, 0 } }, all
		};

		counts = counts_of(t);
		for (uint64_t k = 0; k < many; k++)
			rec[k].i = *n + k;
		/* a tile's records may come in several parts */
		code = vs_write_behind_add(s, rec, many / 3);
		if (!code)
			code = vs_write_behind_add(s, rec + many / 3,
				many - many / 3);
		if (!code)
			code = vs_write_behind_tile(s, &tile);
		/* the caller's memory is its own again */
		memset(rec, 0xff, many * sizeof(*rec));
		*n += many;
	}
	if (!code)
		code = last(s);
	if (!code)
		code = last(s);
	vs_write_behind_free(s);
	return code;
}

static int
write_all(bool alone, double patience, int fail_at, uint64_t *n)
{
	return write_up_to(alone, patience, fail_at, n, vs_write_behind_flush);
}

static int
look_slowly(void *ctx, const struct vs_write_behind_batch *b)
{
	usleep(100000);
	return look(ctx, b);
}

static void *
close_soon(void *s)
{
	usleep(30000);
	return vs_write_behind_close(s) ? s : NULL;
}

/* Closed by another thread while records wait for the batch before them. */
static void
closed_meanwhile(bool alone)
{
	struct vs_write_behind_plan plan = { .write = look_slowly,
		.ctx = &seen,
		.alone = alone,
		.patience = 1e9 };
	struct vs_write_behind *s = NULL;
	void *failed = NULL;
	pthread_t closer;
	int code = vs_write_behind_new(&s, &plan);

	seen = (struct seen){ .in_order = 1 };
	for (size_t k = 0; k < sizeof(rec) / sizeof(rec[0]); k++)
		rec[k].i = k;
	if (code || pthread_create(&closer, NULL, close_soon, s))
		exit(4);
	alarm(20); /* an endless wait must not pass */
	code = vs_write_behind_add(s, rec, sizeof(rec) / sizeof(rec[0]));
	pthread_join(closer, &failed);
	alarm(0);
	T_OK(code == VS_DONE && !failed && seen.in_order && seen.n_batch < 4,
		"%s: closed while records wait: %d, %d batches",
		alone ? "no thread" : "a thread", code, seen.n_batch);
	vs_write_behind_free(s);
}

static int
tally(void *ctx)
{
	++*(int *)ctx;
	return 0;
}

/* A thread that has nothing to write looks round now and then, whatever the
 * patience. */
static void
idle(double patience)
{
	int looks = 0;
	struct vs_write_behind_plan plan = { .write = look,
		.tend = tally,
		.ctx = &looks,
		.patience = patience };
	struct vs_write_behind *s = NULL;
	int code = vs_write_behind_new(&s, &plan);

	usleep(500000);
	vs_write_behind_free(s);
	T_OK(!code && looks > 0 && looks <= 100, "%d looks in half a second",
		looks);
}

int
main(void)
{
	uint64_t n;

	idle(0);
	idle(1);

	for (int alone = 0; alone < 2; alone++) {
		const char *how = alone ? "no thread" : "a thread";
		int code = write_all(alone, 1e9, 0, &n), few = seen.n_batch;

		T_OK(!code && seen.in_order && seen.n == n &&
				seen.n_tile == N_TILE,
			"%s: %llu records in %d batches, in order", how,
			(unsigned long long)n, few);
		code = write_all(alone, 0, 0, &n);
		T_OK(!code && seen.in_order && seen.n == n &&
				seen.n_tile == N_TILE && seen.n_batch > few,
			"%s: a tile need not wait", how);
		code = write_up_to(alone, 1e9, 0, &n, vs_write_behind_close);
		T_OK(!code && seen.in_order && seen.n == n &&
				seen.n_tile == N_TILE,
			"%s: closed twice all is written once", how);
		code = write_all(alone, 1e9, 5, &n);
		T_OK(code == VS_EMACHINE && !strcmp(vs_fail_text(), "no room"),
			"%s: a failure is heard", how);
		T_OK(seen.n_batch == 5, "%s: then nothing more is written",
			how);
		vs_fail_clear();
		code = write_all(alone, 1e9, few, &n);
		T_OK(code == VS_EMACHINE, "%s: a failure at the end is heard",
			how);
		vs_fail_clear();
		closed_meanwhile(alone);
	}
	return T_DONE();
}
