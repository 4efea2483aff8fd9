/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work stealing between ranks by shared counters.
 *
 * Each rank has a list of work, in steps, that all ranks know. Its counter is
 * the place in the list of the next unclaimed piece. A rank adds 1 to its own
 * counter for each piece it takes; when none is left, to the counter of the
 * neighbour with most left. So each piece is done once, and slow ranks do fewer
 * pieces.
 */
#ifndef VS_ENGINE_SCHED_CLAIMS_H
#define VS_ENGINE_SCHED_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#define VS_CLAIMS_GROUP 64 /* ranks that take work from each other */
/* Seconds from the beginning after which a rank may take work of another, which
 * may merely not have been given a processor before. */
#define VS_CLAIMS_PATIENCE 0.2
/* Fewest pieces that another rank must have left, as a share of those taken
 * from it: for fewer, reading its vectors does not pay. */
#define VS_CLAIMS_WORTH 0.001
/* Pieces of another rank take longer, as their vectors have to be read. No more
 * are taken if that rank does more than this many itself in the time of one,
 * and does not have PART times that number left. */
#define VS_CLAIMS_TIMES 2
#define VS_CLAIMS_TRIES 4 /* pieces after which that is known */
/* A rank takes as many of its own pieces at a time as it does in these seconds,
 * and only a fraction of those left: the counter costs microseconds, or a time
 * slice, and later pieces may take 100 times as long. */
#define VS_CLAIMS_PART 16
#define VS_CLAIMS_SECONDS 0.002
#define VS_CLAIMS_MOST 4096

/* Counters of all ranks, from 0. add returns the previous value; ask returns
 * false if the answer comes later: ask again. */
struct vs_claims_counters {
	int64_t (*add)(void *ctx, int rank, int64_t n);
	bool (*ask)(void *ctx, int first, int n, int64_t *values);
	double (*now)(void *ctx); /* seconds */
	void *ctx;
};

/* Counters of vs_comm; each run resets them, collectively. */
extern const struct vs_claims_counters vs_claims_of_ranks;

struct vs_claims {
	struct vs_claims_counters counters;
	int rank, n_step;
	int first, n;   /* ranks of the group */
	int64_t *end;   /* for each of these and each step: pieces so far */
	int64_t *taken; /* of each of these, as last read */
	/* places taken last, [own_first, own_end), maybe of a later step; those
	 * from own on are not begun; and when */
	int64_t own_first, own, own_end;
	double own_since;
	int victim;   /* the rank that pieces are taken from; -1: none */
	double began; /* when vs_claims_ready() was called */
	/* true: this rank no longer looks for others' pieces; or null */
	bool (*has_own)(void *ctx);
	void *ctx;
	bool *avoided; /* for each rank: its pieces take too long */
	int64_t from;  /* pieces taken from the victim before */
	int64_t last;  /* place of its piece taken last */
	int n_taken;   /* its pieces that this rank took */
};

/* The caller then adds the pieces of each rank of the group and each step, and
 * calls vs_claims_ready(). 0; VS_EMACHINE */
int vs_claims_begin(struct vs_claims *c, int rank, int n_rank, int n_step,
	const struct vs_claims_counters *counters);
void vs_claims_add(struct vs_claims *c, int rank, int step, int64_t n);
void vs_claims_ready(struct vs_claims *c);
void vs_claims_end(struct vs_claims *c); /* zeroed is accepted */

/* The place where a step of a rank of the group begins. */
int64_t vs_claims_first(const struct vs_claims *c, int rank, int step);

/* The place of this rank's next piece of this step; -1: none. */
int64_t vs_claims_own(struct vs_claims *c, int step);

/*
 * False: no other rank has enough left in its steps up to this one, or
 * VS_CLAIMS_PATIENCE has not passed since the beginning: an idle rank waits for
 * that.
 * has_own  true: this rank has pieces of its own and stops looking for others';
 *          null: it has none
 */
bool vs_claims_may_help(struct vs_claims *c, int upto,
	bool (*has_own)(void *ctx), void *ctx);

/* The place and step of a piece of another rank that has enough left in its
 * steps up to this one; -1: none. */
int64_t vs_claims_other(struct vs_claims *c, int upto, int *rank, int *step);

#endif
