/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that do parts of a job while the caller goes on with something else.
 * They sleep between jobs: unlike those of a parallel loop they take no time
 * from other threads of the program.
 */
#ifndef VS_BASE_TEAM_H
#define VS_BASE_TEAM_H

#include <stddef.h>

struct vs_team;

/*
 * One of n_thread is the caller while it waits, so a team of one has no thread
 * of its own. 0; VS_EMACHINE. vs_team_free() accepts null and waits for the
 * parts begun.
 */
int vs_team_new(struct vs_team **t, int n_thread);
void vs_team_free(struct vs_team *t);

/*
 * Have part(ctx, k, thread) called for each k of [0, n), thread being 0 ..
 * n_thread - 1; after a part that returns other than 0 no more are begun.
 * Jobs do not overlap: an earlier one has been waited for.
 */
typedef int vs_team_part(void *ctx, size_t k, int thread);
void vs_team_start(struct vs_team *t, vs_team_part *part, void *ctx, size_t n);

/* Help, and wait for the rest. 0 or what a part returned first; null: 0 */
int vs_team_wait(struct vs_team *t);

#endif
