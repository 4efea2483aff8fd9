/* SPDX-License-Identifier: BSD-3-Clause */
/* A team does each part once, and no thread two at a time. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/team.h"
#include "tests/unit/test.h"

#define MOST 1000
#define N_THREAD 5

static struct {
	atomic_int did[MOST], busy[N_THREAD], wrong;
	size_t fail_at;
} seen;

static int
part(void *ctx, size_t k, int thread)
{
	bool bad = ctx != &seen || thread < 0 || thread >= N_THREAD;

	if (!bad)
		bad = atomic_fetch_add(&seen.busy[thread], 1);
	for (volatile int wait = 0; wait < 200; wait++)
		;
	seen.did[k]++;
	if (!bad)
		atomic_fetch_sub(&seen.busy[thread], 1);
	seen.wrong += bad;
	return k == seen.fail_at ? VS_EMACHINE : 0;
}

static void
test_jobs(int n_thread)
{
	static const size_t sizes[] = { 0, 1, 2, 7, MOST, 3, 0, MOST };
	struct vs_team *team = NULL;
	int code = vs_team_new(&team, n_thread), once = 1;

	seen.fail_at = MOST;
	for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]) && !code; j++) {
		for (size_t k = 0; k < MOST; k++)
			seen.did[k] = 0;
		vs_team_start(team, part, &seen, sizes[j]);
		code = vs_team_wait(team);
		for (size_t k = 0; k < MOST; k++)
			once &= seen.did[k] == (k < sizes[j]);
	}
	T_OK(!code && once && !seen.wrong,
		"%d threads: each part of each job once", n_thread);
	vs_team_free(team);
}

static void
test_failure(int n_thread)
{
	struct vs_team *team = NULL;
	int code = vs_team_new(&team, n_thread), begun = 0;

	for (size_t k = 0; k < MOST; k++)
		seen.did[k] = 0;
	seen.fail_at = 10;
	vs_team_start(team, part, &seen, MOST);
	code = vs_team_wait(team);
	for (size_t k = 0; k < MOST; k++)
		begun += seen.did[k];
	/* others go on until they hear of it */
	T_OK(code == VS_EMACHINE && begun >= 11 &&
			(n_thread > 1 || begun == 11),
		"%d threads: a failure ends the job, after %d parts", n_thread,
		begun);
	seen.fail_at = MOST;
	vs_team_start(team, part, &seen, 3);
	T_OK(!vs_team_wait(team), "%d threads: and the next one is done",
		n_thread);
	/* nobody waits: what was begun is finished, the rest never is */
	vs_team_start(team, part, &seen, MOST);
	vs_team_free(team);
	T_OK(!seen.wrong, "%d threads: the team may leave at any time",
		n_thread);
}

static int
count_cpus(void *n, size_t k, int thread)
{
	cpu_set_t mine;

	(void)k;
	(void)thread;
	if (!sched_getaffinity(0, sizeof(mine), &mine))
		atomic_store((atomic_int *)n, CPU_COUNT(&mine));
	return 0;
}

/* A thread that is bound to one CPU makes a team for all of them. */
static void
test_bound(void)
{
	struct vs_team *team = NULL;
	atomic_int n = 0;
	cpu_set_t all, one;
	bool made;

	T_OK(!sched_getaffinity(0, sizeof(all), &all), "CPUs of the test");
	CPU_ZERO(&one);
	for (int c = 0; c < CPU_SETSIZE && !CPU_COUNT(&one); c++)
		if (CPU_ISSET(c, &all))
			CPU_SET(c, &one);
	sched_setaffinity(0, sizeof(one), &one);
	made = !vs_team_new(&team, 2);
	if (made)
		vs_team_start(team, count_cpus, &n, 1);
	/* not vs_team_wait(), which would run the part in this thread */
	for (int k = 0; k < 10000 && made && !n; k++)
		usleep(1000);
	vs_team_free(team);
	sched_setaffinity(0, sizeof(all), &all);
	T_OK(n == CPU_COUNT(&all), "%d CPUs for a thread of a team, not %d",
		CPU_COUNT(&all), n);
}

int
main(void)
{
	test_bound();
	for (int n = 1; n <= N_THREAD; n++) {
		test_jobs(n);
		test_failure(n);
	}
	vs_team_free(NULL);
	T_OK(!vs_team_wait(NULL), "no team has no work");
	return T_DONE();
}
