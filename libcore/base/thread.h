/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start of a background thread: to read ahead, write behind or watch. Loops
 * over data use OpenMP; several background jobs use the pool in team.h.
 */
#ifndef VS_BASE_THREAD_H
#define VS_BASE_THREAD_H

#include <pthread.h>

/* Start run(ctx), to be joined or detached. 0; VS_EMACHINE: no thread */
int vs_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

/*
 * Ensure that n threads, including the caller, can run at once: OpenMP aborts
 * the program if it cannot create one. Success for n holds for fewer, too.
 * returns  0; VS_EMACHINE: fewer are allowed
 */
int vs_thread_try(int n);

#endif
