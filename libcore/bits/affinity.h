/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread affinity by hwloc: each computing thread is bound to a core of its
 * own.
 */
#ifndef VS_BITS_AFFINITY_H
#define VS_BITS_AFFINITY_H

#include <stdbool.h>

/*
 * With fewer cores, threads are not bound: the system hardly moves them, and
 * reading the topology takes some milliseconds.
 */
#define VS_AFFINITY_LEAST 9

struct vs_affinity;

/*
 * Choose cores for n_thread threads of rank `rank` of the n_rank on this
 * machine: cores of a rank are adjacent, and a core's second hardware thread is
 * used only when all its cores have one thread. Threads are not bound, and *p
 * is null, when the user or a launcher has bound them already (OMP_PROC_BIND
 * and the like; fewer CPUs than the machine allows), when they would not fill
 * the cores, which other programs may use, and below `least` cores.
 * returns  0; VS_EMACHINE (memory)
 */
int vs_affinity_new(struct vs_affinity **p, int n_thread, int rank, int n_rank,
	int least);

/*
 * Bind the caller and its OpenMP threads, numbers 0 to n_thread - 1; false: the
 * system refused some of them.
 */
bool vs_affinity_bind(const struct vs_affinity *p);

/* CPU number of a thread, in the system's numbering. */
int vs_affinity_cpu(const struct vs_affinity *p, int thread);

void vs_affinity_free(struct vs_affinity *p); /* null is accepted */

/*
 * Choose cores for the calling rank and bind its threads; several: more than
 * one rank runs. Does nothing if the launcher does not state the local rank.
 * *bound: threads were bound.
 */
int vs_affinity_threads(int n_thread, bool several, bool *bound);

/*
 * Limit OpenMP's default number of threads to the cores allowed, even if
 * OMP_NUM_THREADS asks for more.
 * returns  0; if it asked for more, how many
 */
int vs_affinity_limit_threads(void);

/*
 * Local rank and number of ranks on this machine, as the launcher states them;
 * 0 of 1 without a launcher. returns 0; -1 when it does not state them
 */
int vs_affinity_local(int *rank, int *n_rank);

#endif
