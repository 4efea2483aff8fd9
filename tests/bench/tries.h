/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times in which a thread computed, the best of several, so that other
 * processes hardly matter; and the clock of its core, measured by a chain of
 * additions, each waiting for the one before: a cycle each.
 */
#ifndef VS_TESTS_BENCH_TRIES_H
#define VS_TESTS_BENCH_TRIES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define MOST_TRIES 30
#if !defined(SECONDS)
#define SECONDS 0.2 /* to try for, but twice at the least */
#endif

static inline double
cpu_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Times of what is tried again and again. */
struct tries {
	double best, all, began;
	int n;
};

static inline bool
again(struct tries *t)
{
	double now = cpu_clock(), took = now - t->began;

	if (t->n) {
		t->best = t->n > 1 && t->best < took ? t->best : took;
		t->all += took;
	}
	t->began = cpu_clock();
	return t->n++ < 2 || (t->all < SECONDS && t->n <= MOST_TRIES);
}

/* Cycles in a second. */
static inline double
core_clock(void)
{
	const int many = 20000000;
	uint64_t sum = 0, one = 1;
	struct tries t = { 0 };

	while (again(&t))
		for (int k = 0; k < many; k += 8) {
#pragma GCC unroll 8
			for (int u = 0; u < 8; u++) {
				sum += one;
				__asm__ volatile("" : "+r"(sum), "+r"(one));
			}
		}
	return many / t.best;
}

#endif
