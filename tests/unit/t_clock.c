/* SPDX-License-Identifier: BSD-3-Clause */
/* Dates from 1970 to 9999 are those of the C library. */
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "tests/unit/test.h"

#define LAST 253402300799

static int
check(int64_t seconds)
{
	const time_t t = (time_t)seconds;
	char got[21], want[64];
	struct tm tm;

	vs_clock_date_of(seconds, got);
	gmtime_r(&t, &tm);
	strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!strcmp(got, want))
		return 1;
	T_OK(0, "%lld: %s, not %s", (long long)seconds, got, want);
	return 0;
}

int
main(void)
{
	int good = 1;

	for (int64_t day = 0; day <= LAST / 86400 && good; day++)
		good = check(day * 86400) && check(day * 86400 + 86399) &&
			check(day * 86400 + (day * 7919) % 86400);
	T_OK(good, "every day of 8030 years");
	return T_DONE();
}
