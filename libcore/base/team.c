/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread pool that runs one job in the background. */
#include "libcore/base/team.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/thread.h"

struct vs_team {
	pthread_t *thread;
	int n_own; /* threads other than the caller */
	int n_known;
	pthread_mutex_t lock; /* protects all fields below */
	pthread_cond_t job_posted, done;
	vs_team_part *part;
	void *ctx;
	size_t n, next, busy; /* parts: in total, next to begin, running */
	int code;
	bool end;
};

static cpu_set_t allowed; /* CPUs, when the program began */
static bool has_allowed;

__attribute__((constructor)) static void
note_allowed(void)
{
	has_allowed = !sched_getaffinity(0, sizeof(allowed), &allowed);
}

/* Run parts until none is left to begin. The lock is held on entry and exit. */
static void
run_parts(struct vs_team *t, int thread)
{
	while (t->next < t->n) {
		size_t k = t->next++;
		int code;

		t->busy++;
		pthread_mutex_unlock(&t->lock);
		code = t->part(t->ctx, k, thread);
		pthread_mutex_lock(&t->lock);
		t->busy--;
		if (code && !t->code) {
			t->code = code;
			t->next = t->n;
		}
	}
	if (!t->busy)
		pthread_cond_signal(&t->done);
}

static void *
worker(void *arg)
{
	struct vs_team *t = arg;
	int thread;

	/* else it would stay on the one CPU that its maker may be bound to */
	if (has_allowed)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	pthread_mutex_lock(&t->lock);
	thread = t->n_known++;
	while (!t->end) {
		if (t->next < t->n)
			run_parts(t, thread);
		else
			pthread_cond_wait(&t->job_posted, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

int
vs_team_new(struct vs_team **team, int n_thread)
{
	struct vs_team *t = NULL;
	int code = vs_mem_new(&t, 1, sizeof(*t), "threads");

	VS_MEM_NEW(&code, t->thread, (size_t)n_thread, "threads");
	if (code) {
		free(t);
		return code;
	}
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->job_posted, NULL);
	pthread_cond_init(&t->done, NULL);
	/* fewer threads than asked for only cost time */
	while (t->n_own < n_thread - 1 &&
		!vs_thread_start(&t->thread[t->n_own], worker, t))
		t->n_own++;
	*team = t;
	return 0;
}

void
vs_team_free(struct vs_team *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->next = t->n;
	t->end = true;
	pthread_cond_broadcast(&t->job_posted);
	pthread_mutex_unlock(&t->lock);
	for (int k = 0; k < t->n_own; k++)
		pthread_join(t->thread[k], NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->job_posted);
	pthread_cond_destroy(&t->done);
	free(t->thread);
	free(t);
}

void
vs_team_start(struct vs_team *t, vs_team_part *part, void *ctx, size_t n)
{
	pthread_mutex_lock(&t->lock);
	t->part = part;
	t->ctx = ctx;
	t->n = n;
	t->next = 0;
	t->code = 0;
	pthread_cond_broadcast(&t->job_posted);
	pthread_mutex_unlock(&t->lock);
}

int
vs_team_wait(struct vs_team *t)
{
	int code;

	if (!t)
		return 0;
	pthread_mutex_lock(&t->lock);
	/* own threads are numbered 0 .. n_own - 1 */
	run_parts(t, t->n_own);
	while (t->busy)
		pthread_cond_wait(&t->done, &t->lock);
	code = t->code;
	t->code = 0;
	pthread_mutex_unlock(&t->lock);
	return code;
}
