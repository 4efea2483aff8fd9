/* SPDX-License-Identifier: BSD-3-Clause */
/* Monotonic clock, deadlines, and the UTC date in ISO 8601. */
#ifndef VS_BASE_CLOCK_H
#define VS_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Seconds since an unspecified start, never decreasing. */
double vs_clock(void);

/* CPU seconds used by all threads of the process. */
double vs_clock_cpu(void);

/*
 * CLOCK_MONOTONIC `seconds` from now: a deadline for pthread_cond_clockwait()
 * and sem_clockwait(). A CLOCK_REALTIME deadline would pass late if the
 * machine's clock were set back.
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

/* The same date, but only from SOURCE_DATE_EPOCH. returns false, out untouched,
 * if that sets none. */
bool vs_clock_date_fixed(char out[21]);

#endif
