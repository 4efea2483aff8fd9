/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact decimal numbers of any length: parsing, order, scaling to integers. */
#ifndef VS_BASE_DECIMAL_H
#define VS_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal, as pointers into its text; all zero is none. */
struct vs_decimal {
	const char *text;  /* the whole number, len bytes */
	const char *first; /* from the first nonzero digit to the last */
	size_t len, n;     /* n bytes from first, 0: the number is 0 */
	int64_t exponent;  /* the number is d.ddd 10^exponent */
	bool minus;
};

/*
 * Parse "1.5", "-2", ".5" or "1.2e-4000" into *out, which points into text.
 * returns  false, *out untouched: the len bytes are not one decimal, or its
 *          exponent exceeds 10^15
 */
bool vs_decimal_read(const char *text, size_t len, struct vs_decimal *out);

/* Below, equal to or above 0 as a is below, equal to or above b. */
int vs_decimal_compare(const struct vs_decimal *a, const struct vs_decimal *b);

/*
 * d 10^scale rounded down or, if up, rounded up to an integer.
 * returns  false, *out untouched: it is negative or does not fit
 */
bool vs_decimal_scaled(const struct vs_decimal *d, int scale, bool up,
	int64_t *out);

/* A distance in kb as bases, rounded down; 0 if none is given, INT64_MAX if it
 * is larger. */
int64_t vs_decimal_bases(const struct vs_decimal *kb);

#endif
