/* SPDX-License-Identifier: BSD-3-Clause */
/* Work stealing between ranks by shared counters. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/claims.h"
#include "libcore/plan/comm.h"

#define ANSWER_NANOSECONDS 50000

_Static_assert(VS_CLAIMS_GROUP <= VS_COMM_ASKED, "all of a group are asked");

static int64_t
add_some(void *ctx, int rank, int64_t n)
{
	(void)ctx;
	return vs_comm_counter_add(rank, n);
}

static bool
ask_some(void *ctx, int first, int n, int64_t *values)
{
	(void)ctx;
	return vs_comm_counters_ask(first, n, values);
}

static double
clock_now(void *ctx)
{
	(void)ctx;
	return vs_clock();
}

const struct vs_claims_counters vs_claims_of_ranks = { add_some, ask_some,
	clock_now, NULL };

static double
seconds(const struct vs_claims *c)
{
	return c->counters.now(c->counters.ctx) - c->began;
}

int
vs_claims_begin(struct vs_claims *c, int rank, int n_rank, int n_step,
	const struct vs_claims_counters *counters)
{
	int code;

	memset(c, 0, sizeof(*c));
	c->counters = *counters;
	c->rank = rank;
	c->n_step = n_step;
	c->first = rank / VS_CLAIMS_GROUP * VS_CLAIMS_GROUP;
	c->n = n_rank - c->first;
	c->n = c->n < VS_CLAIMS_GROUP ? c->n : VS_CLAIMS_GROUP;
	c->victim = -1;
	assert(c->n > 0);
	code = vs_mem_new(&c->end, (size_t)c->n * (size_t)n_step,
		sizeof(*c->end), "list of steps");
	VS_MEM_NEW(&code, c->taken, (size_t)c->n, "list of ranks");
	VS_MEM_NEW(&code, c->avoided, (size_t)c->n, "list of ranks");
	if (code)
		vs_claims_end(c);
	return code;
}

void
vs_claims_add(struct vs_claims *c, int rank, int step, int64_t n)
{
	c->end[(rank - c->first) * c->n_step + step] += n;
}

void
vs_claims_ready(struct vs_claims *c)
{
	for (int k = 0; k < c->n; k++)
		for (int s = 1; s < c->n_step; s++)
			c->end[k * c->n_step + s] +=
				c->end[k * c->n_step + s - 1];
	c->began = c->counters.now(c->counters.ctx);
}

void
vs_claims_end(struct vs_claims *c)
{
	free(c->end);
	free(c->taken);
	free(c->avoided);
	memset(c, 0, sizeof(*c));
}

static int64_t
end_of(const struct vs_claims *c, int rank, int step)
{
	return c->end[(rank - c->first) * c->n_step + step];
}

int64_t
vs_claims_first(const struct vs_claims *c, int rank, int step)
{
	return step ? end_of(c, rank, step - 1) : 0;
}

/*
 * Number of pieces that this rank takes at a time, from the time the last ones
 * took.
 */
static int64_t
own_pieces(const struct vs_claims *c, double passed)
{
	const double last = (double)(c->own_end - c->own_first),
		     pace = (passed - c->own_since + 1e-9) / last,
		     left = (double)(end_of(c, c->rank, c->n_step - 1) -
			     c->own_end);
	double n = fmin(VS_CLAIMS_SECONDS / pace, left / VS_CLAIMS_PART);

	n = last > 0 ? fmin(n, 2 * last) : 1;
	return n < 1 ? 1 : n < VS_CLAIMS_MOST ? (int64_t)n : VS_CLAIMS_MOST;
}

int64_t
vs_claims_own(struct vs_claims *c, int step)
{
	if (c->own == c->own_end) {
		const double passed = seconds(c);
		const int64_t n = own_pieces(c, passed);

		c->own_first = c->counters.add(c->counters.ctx, c->rank, n);
		c->own = c->own_first;
		c->own_end = c->own + n;
		c->own_since = passed;
	}
	return c->own < end_of(c, c->rank, step) ? c->own++ : -1;
}

/* Read the counters of all ranks. False: this rank has pieces of its own. */
static bool
read_taken(struct vs_claims *c)
{
	const struct timespec moment = { .tv_nsec = ANSWER_NANOSECONDS };

	while (!c->counters.ask(c->counters.ctx, c->first, c->n, c->taken)) {
		if (c->has_own && c->has_own(c->ctx))
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

/* The rank with most left, in steps up to this one; not this rank. */
static int
find_victim(struct vs_claims *c, int upto)
{
	int64_t most = 1;
	int found = -1;

	if (!read_taken(c))
		return -1;
	for (int k = 1; k < c->n; k++) {
		int at = (c->rank - c->first + k) % c->n;
		int64_t end = end_of(c, c->first + at, upto),
			taken = c->taken[at], left = end - taken;

		if (left <= most || c->avoided[at] ||
			(double)left < VS_CLAIMS_WORTH * (double)taken)
			continue;
		most = left;
		found = at;
	}
	c->n_taken = 0;
	if (found < 0)
		return -1;
	c->from = c->taken[found];
	return c->first + found;
}

bool
vs_claims_may_help(struct vs_claims *c, int upto, bool (*has_own)(void *ctx),
	void *ctx)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	bool early, left;

	c->has_own = has_own;
	c->ctx = ctx;
	for (;;) {
		early = seconds(c) < VS_CLAIMS_PATIENCE;
		left = (!has_own || !early) && find_victim(c, upto) >= 0;
		if (!left || !early)
			return left;
		nanosleep(&moment, NULL);
		vs_comm_poke();
	}
}

/* Number of ranks, including this one, with none of their own left. */
static int
idle_ranks(const struct vs_claims *c)
{
	int n = 0;

	for (int at = 0; at < c->n; at++)
		n += c->taken[at] >= end_of(c, c->first + at, c->n_step - 1);
	return n;
}

/*
 * Leave a rank alone whose pieces take too long here: it does many in the time
 * of one, and soon finishes without help. What was done of its pieces in that
 * time is its own work, except for the help of ranks with none of their own
 * left.
 */
static void
judge_victim(struct vs_claims *c)
{
	const int64_t all = c->last + 1 - c->from;
	double own, left;

	if (c->victim < 0 || c->n_taken < VS_CLAIMS_TRIES ||
		all <= VS_CLAIMS_TIMES * c->n_taken)
		return;
	if (!read_taken(c))
		return;
	own = (double)all / (double)c->n_taken - (double)idle_ranks(c);
	left = (double)(end_of(c, c->victim, c->n_step - 1) - c->last - 1);
	if (own <= VS_CLAIMS_TIMES || left >= VS_CLAIMS_PART * own)
		return;
	c->avoided[c->victim - c->first] = true;
	c->victim = -1;
}

int64_t
vs_claims_other(struct vs_claims *c, int upto, int *rank, int *step)
{
	judge_victim(c);
	for (;;) {
		int64_t place;
		int of = 0;

		if (c->victim < 0)
			c->victim = find_victim(c, upto);
		if (c->victim < 0)
			return -1;
		*rank = c->victim;
		c->n_taken++;
		place = c->counters.add(c->counters.ctx, c->victim, 1);
		c->last = place;
		if (place + 1 >= end_of(c, *rank, upto))
			c->victim = -1;
		while (of < c->n_step && place >= end_of(c, *rank, of))
			of++;
		if (of == c->n_step)
			continue;
		*step = of;
		return place;
	}
}
