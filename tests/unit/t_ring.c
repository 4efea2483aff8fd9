/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring of ranks over a simulated exchange: tiles can be done as
 * soon as their vectors have come, and each exchange begins when the one before
 * is complete. In place of formats of MPI this file has its functions.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/engine/sched/ring.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/plan_walk.h"
#include "tests/unit/test.h"

#define FIELDS 700

/* The exchange: how many bytes have come, and left. */
static struct {
	const void *from;
	void *into;
	int to, of, begun;
	size_t n, first, came, left;
} x;

void
vs_comm_exchange(const void *from, int to, void *into, int of, size_t n,
	size_t first)
{
	x.from = from;
	x.into = into;
	x.to = to;
	x.of = of;
	x.n = n;
	x.first = first;
	x.came = x.left = 0;
	x.begun++;
}

size_t
vs_comm_arrived_upto(void)
{
	const size_t tail = x.n - x.first;

	return x.came < tail ? 0 : x.came - tail;
}

bool
vs_comm_arrived(void)
{
	return x.came == x.n && x.left == x.n;
}

void
vs_comm_wait(void)
{
	x.came = x.left = x.n;
}

void
vs_comm_poke(void)
{
}

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	(void)ctx;
	(void)lo;
	p->n_vec += (size_t)(hi - lo);
	return 0;
}

struct walk {
	struct vs_ring *ring;
	int64_t tiles, has;
	int64_t next; /* the first that is not there */
};

static int
look(void *ctx, int64_t bi, int64_t bj)
{
	struct walk *w = ctx;
	const bool has = vs_ring_has(w->ring, bi, bj);

	w->next += has && w->next == w->tiles;
	w->has += has;
	w->tiles++;
	return 0;
}

/* Tiles of the ring's step, and those that can be done. */
static struct walk
look_at(struct vs_ring *ring)
{
	struct walk w = { .ring = ring };

	if (vs_plan_walk(ring->job->plan, ring->rank, ring->step, look, &w))
		abort();
	return w;
}

/* Bytes until block k of the panel that comes has come. */
static size_t
until(const struct vs_plan *plan, int of, int64_t k, size_t row)
{
	uint64_t lo, hi;
	const int64_t b = vs_plan_own(plan, of, k);

	vs_plan_block(plan, b, &lo, &hi);
	return x.n - x.first + (size_t)(vs_plan_place(plan, b) + hi - lo) * row;
}

/* True if a rank that has k blocks of n can do as many tiles before one that it
 * lacks as four fifths of the blocks have, but for a 32nd and two blocks. */
static bool
is_in_order(const struct walk *w, int64_t k, int64_t n)
{
	const double blocks = ((double)k - (double)n / 32 - 2) / 1.25;

	return (double)w->next >= blocks / (double)n * (double)w->tiles - 1;
}

struct seen {
	bool own, passed, waits, blocks, whole, next;
};

/* A step whose panel comes block by block. */
static void
take_step(struct vs_ring *ring, int step, size_t row, struct seen *ok)
{
	const struct vs_plan *plan = ring->job->plan;
	const bool device = ring->job->device,
		   last = step + 1 == vs_plan_n_step(plan);
	const int n_rank = plan->n_rank,
		  met = vs_plan_partner(plan, ring->rank, step);
	const int64_t n = vs_plan_n_own(plan, met);
	struct walk w = look_at(ring);
	int64_t had = 0;

	ok->passed &= x.begun == step && x.n == ring->own.bytes &&
		x.to == (ring->rank + n_rank - 1) % n_rank &&
		x.of == (ring->rank + 1) % n_rank &&
		x.into == ring->current.vec.word;
	ok->waits &= !w.has && (last || !vs_ring_may_step(ring, step + 1));
	for (int64_t k = 0; k < n; k++) {
		x.came = until(plan, met, k, row) - 1;
		ok->waits &= look_at(ring).has == (device ? 0 : had);
		x.came++;
		w = look_at(ring);
		ok->blocks &= device ? w.has == (k + 1 < n ? 0 : w.tiles)
				     : w.has > had && is_in_order(&w, k + 1, n);
		had = w.has;
	}
	x.came = x.n;
	w = look_at(ring);
	/* what leaves still leaves */
	ok->whole &= had == w.tiles && w.has == w.tiles && x.begun == step;
	x.left = x.n;
	ok->next &= last ||
		(vs_ring_may_step(ring, step + 1) && x.begun == step + 1 &&
			x.from == ring->current.vec.word &&
			x.into == ring->next.vec.word);
	ok->whole &= look_at(ring).has == w.tiles;
}

static void
go_round(enum vs_element element, int n_rank, int rank, bool device)
{
	static const struct vs_backend any;
	struct vs_query q = { .element = element, .n_field = FIELDS };
	struct vs_plan plan;
	struct vs_job job = { .query = &q,
		.plan = &plan,
		.load = load,
		.device = device ? &any : NULL };
	struct vs_thread_pool pool = { .job = &job };
	struct vs_ring ring = { .job = &job, .pool = &pool, .rank = rank };
	const size_t row = vs_element_is_number(element)
		? FIELDS * vs_element_bytes(element)
		: 2 * 8 * vs_vec_words(FIELDS);
	struct seen ok = { true, true, true, true, true, true };

	memset(&x, 0, sizeof(x));
	if (vs_plan_make(&plan, 997, n_rank, 20) || vs_ring_begin(&ring))
		abort();
	for (int step = 0; step < vs_plan_n_step(&plan); step++) {
		struct walk w;

		ok.own &= vs_ring_may_step(&ring, step);
		vs_ring_step(&ring, step);
		if (step) {
			take_step(&ring, step, row, &ok);
			continue;
		}
		w = look_at(&ring);
		ok.own &= w.tiles && w.has == w.tiles;
	}
	vs_ring_finish(&ring);
	vs_ring_end(&ring);
	printf("    rank %d of %d%s%s\n", rank, n_rank,
		element == VS_BIT2 ? "" : ", numbers",
		device ? ", with a device" : "");
	T_OK(ok.own, "a rank has its own vectors");
	T_OK(ok.passed, "whole panels come from the right and go left");
	T_OK(ok.waits, "tiles wait for the last byte of their block");
	T_OK(ok.blocks, "tiles can be done in their order as blocks come");
	T_OK(ok.whole, "all tiles can be done when all has come");
	T_OK(ok.next, "the next exchange begins when this is complete, alone");
}

int
main(void)
{
	for (int n_rank = 1; n_rank <= 9; n_rank++)
		for (int rank = 0; rank < n_rank; rank += 1 + n_rank / 3) {
			go_round(VS_BIT2, n_rank, rank, false);
			go_round(VS_NUM_F32, n_rank, rank, false);
			go_round(VS_BIT2, n_rank, rank, true);
		}
	return T_DONE();
}
