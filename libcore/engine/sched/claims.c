/* SPDX-License-Identifier: BSD-3-Clause */
/* Work stealing between ranks by shared counters. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/claims.h"
#include "libcore/plan/comm.h"

static int64_t
add_one(void *ctx, int rank)
{
	(void)ctx;
	return vs_comm_counter_add(rank);
}

static void
read_some(void *ctx, int first, int n, int64_t *values)
{
	(void)ctx;
	vs_comm_counters_read(first, n, values);
}

const struct vs_claims_counters vs_claims_of_ranks = { add_one, read_some,
	NULL };

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
	c->own = c->victim = -1;
	assert(c->n > 0);
	code = vs_mem_new(&c->end, (size_t)c->n * (size_t)n_step,
		sizeof(*c->end), "list of steps");
	if (!code)
		code = vs_mem_new(&c->taken, (size_t)c->n, sizeof(*c->taken),
			"list of ranks");
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
}

void
vs_claims_end(struct vs_claims *c)
{
	free(c->end);
	free(c->taken);
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

int64_t
vs_claims_own(struct vs_claims *c, int step)
{
	int64_t place;

	if (c->own < 0)
		c->own = c->counters.add(c->counters.ctx, c->rank);
	place = c->own;
	if (place >= end_of(c, c->rank, step))
		return -1;
	c->own = -1;
	return place;
}

/* The rank that has most left, in steps up to this one; not this rank. */
static int
find_victim(struct vs_claims *c, int upto)
{
	int64_t most = 0;
	int found = -1;

	c->counters.read(c->counters.ctx, c->first, c->n, c->taken);
	for (int k = 1; k < c->n; k++) {
		int at = (c->rank - c->first + k) % c->n;
		int64_t left = end_of(c, c->first + at, upto) - c->taken[at];

		if (left > most) {
			most = left;
			found = c->first + at;
		}
	}
	return found;
}

bool
vs_claims_may_help(struct vs_claims *c, int upto, double began, bool waits)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	bool early, left;

	for (;;) {
		early = vs_clock() - began < VS_CLAIMS_PATIENCE;
		left = (waits || !early) && find_victim(c, upto) >= 0;
		if (!left || !early)
			return left;
		nanosleep(&moment, NULL);
		vs_comm_poke();
	}
}

int64_t
vs_claims_other(struct vs_claims *c, int upto, int *rank, int *step)
{
	for (;;) {
		int64_t place;
		int of = 0;

		if (c->victim < 0)
			c->victim = find_victim(c, upto);
		if (c->victim < 0)
			return -1;
		*rank = c->victim;
		place = c->counters.add(c->counters.ctx, c->victim);
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
