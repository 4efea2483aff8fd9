/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start of a background thread: to read ahead, to write behind, to watch.
 * Loops over data are OpenMP's, and several jobs in the background are those of
 * a pool, team.h.
 */
#ifndef VS_BASE_THREAD_H
#define VS_BASE_THREAD_H

#include <pthread.h>

/* Start run(ctx), to be joined or detached. 0; VS_EMACHINE: no thread */
int vs_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

/*
 * Ensure that n threads, including the caller, can run at once: OpenMP aborts
 * the program if it cannot create one. A success for n holds for less.
 * returns  0; VS_EMACHINE: fewer are allowed
 */
int vs_thread_try(int n);

#endif
