/* SPDX-License-Identifier: BSD-3-Clause */
/* Monotonic clock, deadlines, and the UTC date in ISO 8601. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/num.h"

/* The end of year 9999: longer dates exceed the 20 characters of the result. */
#define LAST 253402300799

static double
seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
vs_clock(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double
vs_clock_cpu(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
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

static void
put_digits(char *to, int n, int64_t value)
{
	for (; n; value /= 10)
		to[--n] = (char)('0' + value % 10);
}

/* Counting days from 1 March 0000 puts the leap day at the end of its year. 400
 * years have 146,097 days; from March on, every five months have 153. */
void
vs_clock_date_of(int64_t seconds, char out[21])
{
	int64_t day = seconds / 86400 + 719468, second = seconds % 86400;
	int64_t era = day / 146097, in_era = day % 146097;
	int64_t year =
		(in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) /
		365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153;

	memcpy(out, "0000-00-00T00:00:00Z", 21);
	put_digits(out, 4, year + 400 * era + (month >= 10));
	put_digits(out + 5, 2, month < 10 ? month + 3 : month - 9);
	put_digits(out + 8, 2, in_year - (153 * month + 2) / 5 + 1);
	put_digits(out + 11, 2, second / 3600);
	put_digits(out + 14, 2, second / 60 % 60);
	put_digits(out + 17, 2, second % 60);
}

bool
vs_clock_date_fixed(char out[21])
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	int64_t seconds;

	if (!fixed || !vs_num_int(fixed, &seconds) || seconds < 0 ||
		seconds > LAST)
		return false;
	vs_clock_date_of(seconds, out);
	return true;
}

void
vs_clock_date(char out[21])
{
	if (!vs_clock_date_fixed(out))
		vs_clock_date_of((int64_t)time(NULL), out);
}
