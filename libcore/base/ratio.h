/* SPDX-License-Identifier: BSD-3-Clause */
/* Fractions of small integers, exactly. */
#ifndef VS_BASE_RATIO_H
#define VS_BASE_RATIO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * p / q in lowest terms, q > 0, both at most VS_RATIO_MOST. No two of these
 * have the same double nearest to them: they are a part in 10^12 apart.
 */
#define VS_RATIO_MOST 1000000
struct vs_ratio {
	int64_t p, q;
};

/* "9/2", "4.5" or "4": the whole of text; *out only when it is one. */
bool vs_ratio_read(const char *text, struct vs_ratio *out);

/* The nearest double, and the one ratio that it is nearest to; *out only when
 * there is one. */
double vs_ratio_value(struct vs_ratio r);
bool vs_ratio_of(double value, struct vs_ratio *out);

#endif
