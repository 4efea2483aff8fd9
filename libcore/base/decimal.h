/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact decimal numbers of any length: parsing, order, scaling to integers. */
#ifndef VS_BASE_DECIMAL_H
#define VS_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal where it is written; all zero is none. */
struct vs_decimal {
	const char *text;  /* of the whole, of len bytes */
	const char *first; /* of its digits from the first to the last that is
	                    * not 0, and a point where one is among them */
	size_t len, n;     /* n bytes from first, 0: the number is 0 */
	int64_t exponent;  /* of the first digit; it is d.ddd 10^exponent */
	bool minus;
};

/*
 * Parse "1.5", "-2", ".5" or "1.2e-4000" into *out, which points into text.
 * returns  false, *out untouched: the len bytes are not all of one, or its
 *          exponent is beyond 10^15
 */
bool vs_decimal_read(const char *text, size_t len, struct vs_decimal *out);

/* Less than, equal to or greater than 0 as a is to b. */
int vs_decimal_compare(const struct vs_decimal *a, const struct vs_decimal *b);

/*
 * The integer next to d 10^scale: not above it or, if up, not below it.
 * returns  false, *out untouched: it is negative, or does not fit
 */
bool vs_decimal_scaled(const struct vs_decimal *d, int scale, bool up,
	int64_t *out);

/* Bases of a distance in kb; 0 where none is given, INT64_MAX for more. */
int64_t vs_decimal_bases(const struct vs_decimal *kb, bool up);

#endif
