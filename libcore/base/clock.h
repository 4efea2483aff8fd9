/* SPDX-License-Identifier: BSD-3-Clause */
/* Time that only goes forward, and the date as files state it. */
#ifndef VS_BASE_CLOCK_H
#define VS_BASE_CLOCK_H

#include <time.h>

/* Seconds since some fixed moment, never going back. */
double vs_clock(void);

/* The time of day some seconds from now: a deadline of pthread_cond_timedwait()
 * and sem_timedwait(). */
struct timespec vs_clock_deadline(double seconds);

/* Now as YYYY-MM-DDThh:mm:ssZ; SOURCE_DATE_EPOCH replaces now when set to
 * seconds from 1970 to 9999. */
void vs_clock_date(char out[21]);

#endif
