/* SPDX-License-Identifier: BSD-3-Clause */
/* Start of a background thread. */
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/sanitized.h"
#include "libcore/base/thread.h"

#define HANDLER_STACK (64u << 10)

struct task {
	void *(*run)(void *ctx);
	void *ctx;
};

/*
 * Crash handlers run on a stack of their own, at the far end of this thread's,
 * which may be the one that overflowed.
 */
static void *
begin(void *arg)
{
	struct task t = *(struct task *)arg;
	char stack[HANDLER_STACK];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) },
		      none = { .ss_flags = SS_DISABLE };
	void *got;

	free(arg);
	vs_float_env_set();
	if (VS_SANITIZED)
		return t.run(t.ctx);
	sigaltstack(&own, NULL);
	got = t.run(t.ctx);
	sigaltstack(&none, NULL);
	return got;
}

int
vs_thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
	struct task *t = NULL;
	int error, code = vs_mem_new(&t, 1, sizeof(*t), "thread");

	if (code)
		return code;
	t->run = run;
	t->ctx = ctx;
	error = pthread_create(thread, NULL, begin, t);
	if (error)
		free(t);
	return error ? vs_fail(VS_EMACHINE, "cannot start a thread: %s",
			       strerror(error))
		     : 0;
}

static void *
wait_for(void *end)
{
	while (sem_wait(end))
		;
	return NULL;
}

int
vs_thread_try(int n)
{
	static atomic_int known = 1;
	pthread_t *thread = NULL;
	int code, begun = 0;
	sem_t end;

	if (n <= known)
		return 0;
	code = vs_mem_new(&thread, (size_t)n, sizeof(*thread), "threads");
	if (code)
		return code;
	if (sem_init(&end, 0, 0)) {
		free(thread);
		return vs_fail_errno(VS_EMACHINE, "cannot start a thread");
	}
	while (begun < n - 1 && !code) {
		code = vs_thread_start(&thread[begun], wait_for, &end);
		begun += !code;
	}
	for (int k = 0; k < begun; k++)
		sem_post(&end);
	for (int k = 0; k < begun; k++)
		pthread_join(thread[k], NULL);
	sem_destroy(&end);
	free(thread);
	if (!code)
		known = n;
	return code ? vs_fail_at(code, "%d threads", n) : 0;
}
