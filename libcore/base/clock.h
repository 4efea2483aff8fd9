/* SPDX-License-Identifier: BSD-3-Clause */
/* Monotonic clock, deadlines, and the UTC date in ISO 8601. */
#ifndef VS_BASE_CLOCK_H
#define VS_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Seconds since an unspecified start, never decreasing. */
double vs_clock(void);

/* Seconds of CPU that all threads of the process have taken. */
double vs_clock_cpu(void);

/*
 * CLOCK_MONOTONIC after `seconds`: deadline for pthread_cond_clockwait() and
 * sem_clockwait(). One of CLOCK_REALTIME would pass as late as the machine's
 * date is set back.
 */
struct timespec vs_clock_deadline(double seconds);

/*
 * YYYY-MM-DDThh:mm:ssZ of seconds from 1970 to 9999; async-signal-safe.
 */
void vs_clock_date_of(int64_t seconds, char out[21]);

/*
 * The current date as YYYY-MM-DDThh:mm:ssZ. SOURCE_DATE_EPOCH, if set to
 * seconds from 1970 to 9999, replaces the current time.
 */
void vs_clock_date(char out[21]);

/* The same; false, and out is as it was: SOURCE_DATE_EPOCH sets no date. */
bool vs_clock_date_fixed(char out[21]);

#endif
