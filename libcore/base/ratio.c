/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact rational numbers: parsing and arithmetic. */
#include <ctype.h>
#include <math.h>

#include "libcore/base/ratio.h"

#define MOST_DIGITS 18 /* digits of a decimal; 18 digits fit 63 bits */

/*
 * Parse up to `most` digits at *text into *n and advance *text. returns  their
 * number
 */
static int
digits(const char **text, int64_t *n, int most)
{
	const char *first = *text;

	while (isdigit((unsigned char)**text) && *text - first < most)
		*n = 10 * *n + (*(*text)++ - '0');
	return (int)(*text - first);
}

bool
vs_ratio_read(const char *text, struct vs_ratio *out)
{
	struct vs_ratio r = { 0, 1 };
	int n = digits(&text, &r.p, MOST_DIGITS), more = 0;
	int64_t a, b;

	if (*text == '.') {
		text++;
		more = digits(&text, &r.p, MOST_DIGITS - n);
		for (int k = 0; k < more; k++)
			r.q *= 10;
	} else if (*text == '/' && n) {
		text++;
		r.q = 0;
		digits(&text, &r.q, MOST_DIGITS);
	}
	if (!(n + more) || *text || !r.q)
		return false;
	for (a = r.p, b = r.q; b;) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	r.p /= a;
	r.q /= a;
	if (r.p > VS_RATIO_MOST || r.q > VS_RATIO_MOST)
		return false;
	*out = r;
	return true;
}

double
vs_ratio_value(struct vs_ratio r)
{
	return (double)r.p / (double)r.q;
}

/*
 * Expand the double as an exact continued fraction. The double nearest to p / q
 * differs from it by at most p / q 2^-53, less than 1 / (2 q^2), so p / q is
 * one of the convergents.
 */
bool
vs_ratio_of(double value, struct vs_ratio *out)
{
	struct vs_ratio before = { 0, 1 }, r = { 1, 0 };
	__int128 over, under = 1;
	int exponent;

	if (value == 0) {
		*out = before;
		return true;
	}
	if (!(value >= 0.5 / VS_RATIO_MOST && value <= VS_RATIO_MOST))
		return false;
	over = (int64_t)ldexp(frexp(value, &exponent), 53);
	if (exponent > 53)
		return false;
	under <<= 53 - exponent;
	while (under) {
		int64_t whole = (int64_t)(over / under);
		struct vs_ratio next;
		__int128 rest = over % under;

		if (whole > VS_RATIO_MOST)
			return false;
		next.p = whole * r.p + before.p;
		next.q = whole * r.q + before.q;
		if (next.p > VS_RATIO_MOST || next.q > VS_RATIO_MOST)
			return false;
		before = r;
		r = next;
		if (vs_ratio_value(r) == value) {
			*out = r;
			return true;
		}
		over = under;
		under = rest;
	}
	return false;
}
