/* SPDX-License-Identifier: BSD-3-Clause */
/* The door to hwloc: a core of its own for each thread that computes. */
#ifndef VS_BITS_AFFINITY_H
#define VS_BITS_AFFINITY_H

#include <stdbool.h>

/*
 * On fewer cores than this threads are left where the system puts them: they
 * hardly move there, and to look at the machine costs some milliseconds.
 */
#define VS_AFFINITY_LEAST 9

struct vs_affinity;

/*
 * Cores for n_thread threads of rank `rank` of the n_rank on this machine, one
 * rank's side by side, and hardware threads of a core only when all cores have
 * one. Threads are left alone, and *p is null, when the user or a launcher has
 * bound them already (OMP_PROC_BIND and the like; fewer CPUs than the machine
 * allows), when they would not fill the cores, as others may run there, and
 * below `least` cores.
 * returns  0; VS_EMACHINE (memory)
 */
int vs_affinity_new(struct vs_affinity **p, int n_thread, int rank, int n_rank,
	int least);

/*
 * Bind the caller and its OpenMP threads, numbers 0 to n_thread - 1; false:
 * the system let not all of them.
 */
bool vs_affinity_bind(const struct vs_affinity *p);

/* The CPU, as the system counts them, of a thread. */
int vs_affinity_cpu(const struct vs_affinity *p, int thread);

void vs_affinity_free(struct vs_affinity *p); /* null is accepted */

/*
 * All of this for the calling rank, one of several when not alone; where the
 * launcher does not say which, threads are left alone. *bound: they were not.
 */
int vs_affinity_threads(int n_thread, bool several, bool *bound);

/*
 * Which rank of how many on this machine the launcher says that we are; 0 of 1
 * without one. returns 0; -1 when it does not say
 */
int vs_affinity_local(int *rank, int *n_rank);

#endif
