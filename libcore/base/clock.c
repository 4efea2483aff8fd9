/* SPDX-License-Identifier: BSD-3-Clause */
/* Monotonic clock, deadlines, and the UTC date in ISO 8601. */
#include <stdint.h>
#include <stdlib.h>

#include "libcore/base/clock.h"
#include "libcore/base/num.h"

/* The end of year 9999: longer dates exceed the 20 characters of the result. */
#define LAST 253402300799

double
vs_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct timespec
vs_clock_deadline(double seconds)
{
	struct timespec t;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns = t.tv_nsec + (int64_t)(1e9 * seconds);
	t.tv_sec += ns / 1000000000;
	t.tv_nsec = ns % 1000000000;
	return t;
}

void
vs_clock_date(char out[21])
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	int64_t seconds;
	struct tm tm;
	time_t t;

	t = time(NULL);
	if (fixed && vs_num_int(fixed, &seconds) && seconds >= 0 &&
		seconds <= LAST)
		t = (time_t)seconds;
	gmtime_r(&t, &tm);
	strftime(out, 21, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
