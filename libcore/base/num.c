/* SPDX-License-Identifier: BSD-3-Clause */
/* Number parsing, and shortest round-trip printing. */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/num.h"

bool
vs_num_int(const char *text, int64_t *out)
{
	char *end;
	long long v;

	if (!*text || isspace((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

bool
vs_num_real(const char *text, double *out)
{
	char *end;
	double v;

	if (!*text || isspace((unsigned char)*text))
		return false;
	v = strtod(text, &end);
	if (*end || !isfinite(v))
		return false;
	*out = v + 0.0; /* -0 becomes 0 */
	return true;
}

bool
vs_num_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t v;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno)
		return false;
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (*end && (!unit || end[1]))
		return false;
	for (const char *u = units; unit && u <= unit; u++)
		if (__builtin_mul_overflow(v, 1024, &v))
			return false;
	*out = v;
	return true;
}

/* 10^0 .. 10^19, all that fit 64 bits */
static const uint64_t power10[] = { 1, 10, 100, 1000, 10000, 100000, 1000000,
	10000000, 100000000, 1000000000, 10000000000, 100000000000,
	1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000u };

/*
 * Write a decimal of n digits whose first has weight 10^e, laid out as by %g.
 */
static int
put_digits(uint64_t digits, int n, int e, char *text)
{
	char word[24], *p = text;

	while (digits % 10 == 0) {
		digits /= 10;
		n--;
	}
	for (int k = n; k-- > 0; digits /= 10)
		word[k] = (char)('0' + digits % 10);
	if (e < 0) {
		*p++ = '0';
		*p++ = '.';
		for (int k = e; k < -1; k++)
			*p++ = '0';
	}
	for (int k = 0; k < n || k <= e; k++) {
		if (k == e + 1 && e >= 0)
			*p++ = '.';
		*p++ = k < n ? word[k] : '0';
	}
	*p = 0;
	return (int)(p - text);
}

/*
 * Print mant * 2^-shift, at least 2^-9 and below 2^9, in the fewest digits from
 * least to most that are nearer to it than to any other mant. Exact: mant has
 * 53 bits at most and 10^19 is below 2^64, so all products are below 2^127.
 * mant is no power of two, so its two neighbours are equally far.
 */
static int
print_fixed(uint64_t mant, int shift, int least, int most, char *text)
{
	unsigned __int128 n, one = 1, mask = (one << shift) - 1;
	int e = 2;

	while ((unsigned __int128)mant * power10[3] <
		((unsigned __int128)power10[3 + e] << shift))
		e--;
	for (int d = least;; d++) {
		uint64_t scale = power10[d - 1 - e], m;
		unsigned __int128 rest, off;

		n = (unsigned __int128)mant * scale;
		m = (uint64_t)(n >> shift);
		rest = n & mask;
		if (2 * rest > mask + 1 || (2 * rest == mask + 1 && m % 2))
			m++;
		off = (unsigned __int128)m << shift;
		off = 2 * (off > n ? off - n : n - off);
		if (d < most && (off > scale || (off == scale && mant % 2)))
			continue;
		if (m == power10[d])
			return put_digits(1, 1, e + 1, text);
		return put_digits(m, d, e, text);
	}
}

/*
 * First precision to try: a normal number preserves `most` digits, a subnormal
 * one may need fewer.
 */
static int
first_precision(bool normal, int most)
{
	return normal ? most : 1;
}

int
vs_num_print(double value, char *text)
{
	uint64_t bits, mant;
	int n = 0, exp;

	memcpy(&bits, &value, 8);
	exp = (int)(bits >> 52) - 1023;
	mant = bits & 0xfffffffffffff;
	if (mant && exp >= -9 && exp < 9)
		return print_fixed(mant | 1ull << 52, 52 - exp, 15, 17, text);
	for (int digits = first_precision(fabs(value) >= DBL_MIN, DBL_DIG);
		digits <= 17; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return n;
}

int
vs_num_print_f32(float value, char *text)
{
	uint32_t bits, mant;
	int n = 0, exp;

	memcpy(&bits, &value, 4);
	exp = (int)(bits >> 23) - 127;
	mant = bits & 0x7fffff;
	if (mant && exp >= -9 && exp < 9)
		return print_fixed(mant | 1u << 23, 23 - exp, 6, 9, text);
	for (int digits = first_precision(fabsf(value) >= FLT_MIN, FLT_DIG);
		digits <= 9; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	return n;
}

int
vs_num_print_wide(vs_wide value, char *text)
{
	char digits[VS_NUM_WIDE];
	int n = 0;

	do {
		digits[n++] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	for (int k = 0; k < n; k++)
		text[k] = digits[n - 1 - k];
	text[n] = 0;
	return n;
}

bool
vs_num_read_wide(const char *text, vs_wide *out)
{
	const vs_wide most = ~(vs_wide)0;
	vs_wide v = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		int digit = *text - '0';

		if (digit < 0 || digit > 9 || v > (most - (vs_wide)digit) / 10)
			return false;
		v = 10 * v + (vs_wide)digit;
	}
	*out = v;
	return true;
}
