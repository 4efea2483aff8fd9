/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded library that simulates a machine whose date is set forwards and
 * backwards: the date is CLOCK_JUMP seconds ahead for 50 ms, then as far behind
 * for 50 ms. CLOCK_MONOTONIC goes on as it does on such a machine, or
 * CLOCK_RATE times as fast, as if the machine were as many times slower; with
 * CLOCK_CORES it is the CPU time of the process by as many, as of a machine
 * that nobody else uses.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long
jump(void)
{
	const char *by = getenv("CLOCK_JUMP");
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (t.tv_nsec / 50000000 % 2 ? -1 : 1) * (by ? atol(by) : 0);
}

/* Nanoseconds since the first call, CLOCK_RATE times. */
static void
hurry(struct timespec *t)
{
	static long long first;
	const char *rate = getenv("CLOCK_RATE");
	long long now = t->tv_sec * 1000000000LL + t->tv_nsec;

	if (!rate)
		return;
	first = first ? first : now;
	now = first + (now - first) * atoll(rate);
	t->tv_sec = now / 1000000000;
	t->tv_nsec = now % 1000000000;
}

int
clock_gettime(clockid_t which, struct timespec *t)
{
	const char *cores = getenv("CLOCK_CORES");
	bool share = cores && which == CLOCK_MONOTONIC;
	int code = syscall(SYS_clock_gettime,
		share ? CLOCK_PROCESS_CPUTIME_ID : which, t);

	if (!code && share) {
		long long now =
			(t->tv_sec * 1000000000LL + t->tv_nsec) / atoll(cores);

		t->tv_sec = now / 1000000000;
		t->tv_nsec = now % 1000000000;
	}
	if (!code && which == CLOCK_MONOTONIC)
		hurry(t);
	if (!code &&
		(which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
		t->tv_sec += jump();
	return code;
}

int
gettimeofday(struct timeval *t, void *zone)
{
	int code = syscall(SYS_gettimeofday, t, zone);

	if (!code)
		t->tv_sec += jump();
	return code;
}

time_t
time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}
