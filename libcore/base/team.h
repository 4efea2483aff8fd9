/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread pool that runs one job in the background. Its threads sleep between
 * jobs; an OpenMP loop's threads would spin and slow the program's others.
 */
#ifndef VS_BASE_TEAM_H
#define VS_BASE_TEAM_H

#include <stddef.h>

struct vs_team;

/*
 * n_thread includes the caller while it waits, so a pool of one starts no
 * thread. 0; VS_EMACHINE. vs_team_free() accepts null and waits for running
 * parts.
 */
int vs_team_new(struct vs_team **t, int n_thread);
void vs_team_free(struct vs_team *t);

/*
 * Start part(ctx, k, thread) for each k of [0, n), thread being 0 .. n_thread -
 * 1. Once a part returns nonzero, no further part begins. Jobs do not overlap:
 * wait for the previous one first.
 */
typedef int vs_team_part(void *ctx, size_t k, int thread);
void vs_team_start(struct vs_team *t, vs_team_part *part, void *ctx, size_t n);

/*
 * Run parts in the caller until the job is done. returns  0 or the first code
 * that a part returned; null: 0
 */
int vs_team_wait(struct vs_team *t);

#endif
