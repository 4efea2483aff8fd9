/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact rational numbers with small numerator and denominator. */
#ifndef VS_BASE_RATIO_H
#define VS_BASE_RATIO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * p / q in lowest terms, q > 0, both at most VS_RATIO_MOST. Different ratios
 * have different nearest doubles: they differ by at least 1 part in 10^12.
 */
#define VS_RATIO_MOST 1000000
struct vs_ratio {
	int64_t p, q;
};

/*
 * Parse "9/2", "4.5" or "4"; false, with *out untouched, unless the whole of
 * text is one.
 */
bool vs_ratio_read(const char *text, struct vs_ratio *out);

/*
 * The nearest double, and the only ratio that has this nearest double; *out is
 * set only if there is one.
 */
double vs_ratio_value(struct vs_ratio r);
bool vs_ratio_of(double value, struct vs_ratio *out);

#endif
