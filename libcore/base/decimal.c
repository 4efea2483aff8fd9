/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact decimal numbers of any length: parsing, order, scaling to integers. */
#include <ctype.h>

#include "libcore/base/decimal.h"

#define MOST_EXPONENT 1000000000000000 /* 10^15 */

/* Read the sign at *p, before end, if any, and move past it. */
static bool
take_minus(const char **p, const char *end)
{
	if (*p == end || (**p != '-' && **p != '+'))
		return false;
	return *(*p)++ == '-';
}

/* Read an exponent such as "e-12" from p to end, or none. */
static bool
read_exponent(const char *p, const char *end, int64_t *out)
{
	bool minus;

	*out = 0;
	if (p == end)
		return true;
	if (*p != 'e' && *p != 'E')
		return false;
	p++;
	minus = take_minus(&p, end);
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (!isdigit((unsigned char)*p) || *out > MOST_EXPONENT)
			return false;
		*out = 10 * *out + (*p - '0');
	}
	if (*out > MOST_EXPONENT)
		return false;
	*out = minus ? -*out : *out;
	return true;
}

bool
vs_decimal_read(const char *text, size_t len, struct vs_decimal *out)
{
	struct vs_decimal d = { .text = text, .len = len };
	const char *p = text, *end = text + len, *point = NULL, *last = NULL;
	bool any = false;
	int64_t exponent;

	d.minus = take_minus(&p, end);
	for (; p < end && (isdigit((unsigned char)*p) || (*p == '.' && !point));
		p++) {
		if (*p == '.') {
			point = p;
			continue;
		}
		any = true;
		if (*p == '0')
			continue;
		d.first = d.first ? d.first : p;
		last = p;
	}
	if (!any || !read_exponent(p, end, &exponent))
		return false;
	if (d.first) {
		point = point ? point : p;
		d.n = (size_t)(last - d.first) + 1;
		d.exponent = exponent + (point - d.first) -
			(d.first < point ? 1 : 0);
	}
	d.minus &= d.n > 0;
	*out = d;
	return true;
}

/* The digit at *p, moving p to the next one; 0 from end on. */
static int
next_digit(const char **p, const char *end)
{
	if (*p < end && **p == '.')
		++*p;
	return *p < end ? *(*p)++ - '0' : 0;
}

int
vs_decimal_compare(const struct vs_decimal *a, const struct vs_decimal *b)
{
	const char *x = a->first, *y = b->first;
	int sign = a->minus ? -1 : 1;

	if (a->minus != b->minus)
		return sign;
	if (!a->n || !b->n)
		return a->n ? sign : b->n ? -sign : 0;
	if (a->exponent != b->exponent)
		return a->exponent < b->exponent ? -sign : sign;
	while (x < a->first + a->n || y < b->first + b->n) {
		int difference = next_digit(&x, a->first + a->n) -
			next_digit(&y, b->first + b->n);

		if (difference)
			return difference < 0 ? -sign : sign;
	}
	return 0;
}

bool
vs_decimal_scaled(const struct vs_decimal *d, int scale, bool up, int64_t *out)
{
	const char *p = d->first, *end = d->first + d->n;
	int64_t n = 0;

	if (d->minus || (d->n && d->exponent + scale > 18))
		return false;
	for (int64_t k = d->exponent + scale; d->n && k >= 0; k--)
		if (__builtin_mul_overflow(n, 10, &n) ||
			__builtin_add_overflow(n, next_digit(&p, end), &n))
			return false;
	/* the last digit is not 0 */
	if (up && d->n && p < end && __builtin_add_overflow(n, 1, &n))
		return false;
	*out = n;
	return true;
}

int64_t
vs_decimal_bases(const struct vs_decimal *kb)
{
	int64_t n = 0;

	if (!kb->text)
		return 0;
	return vs_decimal_scaled(kb, 3, false, &n) ? n : INT64_MAX;
}
