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
#include "libcore/base/shortest.h"

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
vs_num_part(const char *text, int64_t most, int64_t *k, int64_t *n)
{
	const char *slash = strchr(text, '/');
	char first[VS_NUM_ROOM];
	int64_t part, of;
	size_t len = slash ? (size_t)(slash - text) : sizeof(first);

	if (len >= sizeof(first))
		return false;
	memcpy(first, text, len);
	first[len] = 0;
	if (!vs_num_int(first, &part) || !vs_num_int(slash + 1, &of) ||
		part < 1 || part > of || of > most)
		return false;
	*k = part;
	*n = of;
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

#define DIGITS_ROOM 20 /* bytes that hold the digits of a uint64_t */

/* "00" to "99" */
static const char two_digits[] = "0001020304050607080910111213141516171819"
				 "2021222324252627282930313233343536373839"
				 "4041424344454647484950515253545556575859"
				 "6061626364656667686970717273747576777879"
				 "8081828384858687888990919293949596979899";

/* Write digits, at least 1, so that they end at end. returns  the first */
static char *
put_backwards(uint64_t digits, char *end)
{
	while (digits >= 100000000) {
		uint32_t low = (uint32_t)(digits % 100000000);

		digits /= 100000000;
		end -= 8;
		for (int k = 6; k >= 0; k -= 2, low /= 100)
			memcpy(end + k, two_digits + 2 * (low % 100), 2);
	}
	while (digits >= 100) {
		end -= 2;
		memcpy(end, two_digits + 2 * (digits % 100), 2);
		digits /= 100;
	}
	if (digits >= 10) {
		end -= 2;
		memcpy(end, two_digits + 2 * digits, 2);
	} else {
		*--end = (char)('0' + digits);
	}
	return end;
}

/* Write digits with an exponent, of the first digit, as %e does. */
static char *
put_scientific(const char *digits, int n, int e, char *p)
{
	*p++ = digits[0];
	if (n > 1) {
		*p++ = '.';
		memcpy(p, digits + 1, (size_t)n - 1);
		p += n - 1;
	}
	*p++ = 'e';
	*p++ = e < 0 ? '-' : '+';
	e = abs(e);
	if (e >= 100)
		*p++ = (char)('0' + e / 100);
	memcpy(p, two_digits + 2 * (e % 100), 2);
	return p + 2;
}

/*
 * Write digits without an exponent; the first has weight 10^e. Of a number
 * below 1, the most frequent, DIGITS_ROOM bytes are copied whatever n is.
 */
static char *
put_fixed(const char *digits, int n, int e, char *p)
{
	int n_whole = e + 1 < n ? e + 1 : n;

	if (e < 0) {
		memcpy(p, "0.0000", 6);
		p += 1 - e;
		memcpy(p, digits, DIGITS_ROOM);
		return p + n;
	}
	memcpy(p, digits, (size_t)n_whole);
	p += n_whole;
	for (int k = n; k <= e; k++)
		*p++ = '0';
	if (n_whole < n)
		*p++ = '.';
	memcpy(p, digits + n_whole, (size_t)(n - n_whole));
	return p + (n - n_whole);
}

/*
 * Print digits * 10^exponent, laid out as by %g of the precision that they need
 * and at least that of least digits.
 */
static int
put_decimal(bool minus, uint64_t digits, int exponent, int least, char *text)
{
	char word[2 * DIGITS_ROOM], *end = word + DIGITS_ROOM, *first;
	char *p = text;
	int n, e;

	while (digits % 100 == 0) {
		digits /= 100;
		exponent += 2;
	}
	if (digits % 10 == 0) {
		digits /= 10;
		exponent++;
	}
	first = put_backwards(digits, end);
	n = (int)(end - first);
	e = exponent + n - 1;
	if (minus)
		*p++ = '-';
	p = e < -4 || e >= (n > least ? n : least)
		? put_scientific(first, n, e, p)
		: put_fixed(first, n, e, p);
	*p = 0;
	return (int)(p - text);
}

/* Print what vs_shortest() is not made for, by trying precisions. */
static int
print_by_trial(double value, int least, char *text)
{
	int n = 0;

	for (int digits = least; digits <= 17; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return n;
}

static int
print_by_trial_f32(float value, int least, char *text)
{
	int n = 0;

	for (int digits = least; digits <= 9; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	return n;
}

int
vs_num_print(double value, char *text)
{
	uint64_t bits, mant, digits;
	int exp, exponent;

	memcpy(&bits, &value, 8);
	exp = (int)(bits >> 52 & 0x7ff);
	mant = bits & 0xfffffffffffff;
	/* a power of two has one neighbour nearer than the other, which matters
	 * where it has more than 15 digits */
	if (exp == 0x7ff || (!mant && (exp < 1023 - 15 || exp > 1023 + 49)))
		return print_by_trial(value, DBL_DIG, text);
	if (exp)
		mant |= 1ull << 52;
	vs_shortest(mant, exp ? exp - 1075 : -1074, &digits, &exponent);
	return put_decimal(bits >> 63, digits, exponent, DBL_DIG, text);
}

int
vs_num_print_f32(float value, char *text)
{
	uint32_t bits, mant;
	uint64_t digits;
	int exp, exponent;

	memcpy(&bits, &value, 4);
	exp = (int)(bits >> 23 & 0xff);
	mant = bits & 0x7fffff;
	if (exp == 0xff || (!mant && (exp < 127 - 6 || exp > 127 + 19)))
		return print_by_trial_f32(value, FLT_DIG, text);
	if (exp)
		mant |= 1u << 23;
	vs_shortest(mant, exp ? exp - 150 : -149, &digits, &exponent);
	return put_decimal(bits >> 31, digits, exponent, FLT_DIG, text);
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
