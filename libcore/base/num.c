/* SPDX-License-Identifier: BSD-3-Clause */
/* Number parsing, and shortest round-trip printing. */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/base/num.h"

/* ---- shortest digits ---- */

/* Range of the powers of ten that doubles need. */
#define LEAST (-292)
#define MOST 324

/* Number of 32-bit words that hold 10^324, or 2^1152 with 10^-292. */
#define N_WORD 37

/* 10^(LEAST + n) to 128 bits, normalised so that the highest is 1, rounded
 * up. */
static struct power {
	uint64_t hi, lo;
} power[MOST - LEAST + 1];

static atomic_bool made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first 128 bits of a number of N_WORD words, rounded up if more bits
 * follow or `exact` is false. */
static struct power
leading(const uint32_t *word, bool exact)
{
	unsigned __int128 top = 0;
	int at = N_WORD - 1, shift;

	while (!word[at])
		at--;
	shift = __builtin_clz(word[at]);
	for (int k = 0; k < 5; k++) {
		uint32_t w = at - k >= 0 ? word[at - k] : 0;

		if (k < 4) {
			top = top << 32 | w;
			continue;
		}
		if (shift) {
			top = top << shift | w >> (32 - shift);
			w <<= shift;
		}
		exact &= !w;
	}
	for (int k = at - 5; k >= 0; k--)
		exact &= !word[k];
	top += !exact;
	return (struct power){ (uint64_t)(top >> 64), (uint64_t)top };
}

/* Positive powers by multiplying 1; negative ones by dividing a high power of
 * 2: each quotient rounded down is that of the power itself. */
static void
make_powers(void)
{
	uint32_t word[N_WORD] = { 1 };
	uint64_t carry;

	for (int e = 0; e <= MOST; e++) {
		power[e - LEAST] = leading(word, true);
		carry = 0;
		for (int k = 0; k < N_WORD; k++) {
			carry += (uint64_t)word[k] * 10;
			word[k] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	memset(word, 0, sizeof(word));
	word[N_WORD - 1] = 1;
	for (int e = -1; e >= LEAST; e--) {
		carry = 0;
		for (int k = N_WORD - 1; k >= 0; k--) {
			carry = carry << 32 | word[k];
			word[k] = (uint32_t)(carry / 10);
			carry %= 10;
		}
		power[e - LEAST] = leading(word, false);
	}
	atomic_store_explicit(&made, true, memory_order_release);
}

/* g * c >> 128, with the last bit set if nonzero bits were shifted out. */
static inline uint64_t
round_to_odd(struct power g, uint64_t c)
{
	unsigned __int128 low = (unsigned __int128)g.lo * c;
	unsigned __int128 high = (unsigned __int128)g.hi * c + (low >> 64);

	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* floor(log10(2^q)) and floor(log2(10^e)), for all exponents needed here. */
static inline int
log10_pow2(int q)
{
	return q * 1262611 >> 22;
}

static inline int
log2_pow10(int e)
{
	return e * 1741647 >> 19;
}

/*
 * The decimal of fewest digits that lies nearer to c * 2^q than to its
 * neighbours (c - 1) * 2^q and (c + 1) * 2^q or, where c is even, halfway;
 * among decimals of equal length the nearest, and of two equally near the even
 * one.
 *
 * c        1 .. 2^53 - 1
 * q        -1074 .. 971
 * digits   out, times 10^exponent; may end in zeros
 * threads  safe
 *
 * Half of all numbers are a digit shorter than the others: to choose by
 * masks is twice as fast as by branches that cannot be predicted.
 */
VS_INLINE void
shortest(uint64_t c, int q, uint64_t *digits, int *exponent)
{
	const int k = log10_pow2(q), h = q + log2_pow10(-k) + 1;
	const bool odd = c & 1;
	uint64_t lower, upper, v, s, t, one, ten;
	bool down, up, near;
	struct power g;

	if (!atomic_load_explicit(&made, memory_order_acquire))
		pthread_once(&once, make_powers);
	g = power[-k - LEAST];
	/* the number and the ends of its interval in quarters of 10^k */
	v = round_to_odd(g, 4 * c << h);
	lower = round_to_odd(g, (4 * c - 2) << h) + odd;
	upper = round_to_odd(g, (4 * c + 2) << h) - odd;
	s = v / 4;
	/* at most one multiple of 10^(k + 1) lies within */
	t = s / 10;
	down = lower <= 40 * t;
	up = 40 * t + 40 <= upper;
	ten = -(uint64_t)((s >= 10) & (down != up));
	t = 10 * (t + up);
	down = lower <= 4 * s;
	up = 4 * s + 4 <= upper;
	near = v + (s & 1) > 4 * s + 2;
	one = s + ((down != up) & up) + ((down == up) & near);
	*digits = one ^ ((one ^ t) & ten);
	*exponent = k;
}

bool
vs_num_int(const char *text, int64_t *out)
{
	char *end;
	long long v = 0;
	int n = 0;

	/* most are a few digits */
	for (; n < 18 && text[n] >= '0' && text[n] <= '9'; n++)
		v = 10 * v + (text[n] - '0');
	if (n && !text[n]) {
		*out = v;
		return true;
	}
	if (!*text || isspace((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

#define PART_ROOM 32 /* bytes of a part's number */

bool
vs_num_part(const char *text, int64_t most, int64_t *k, int64_t *n)
{
	const char *slash = strchr(text, '/');
	char first[PART_ROOM];
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
vs_num_any(const char *text, double *out)
{
	char *end;
	double v;

	/* x: hexadecimal */
	if (!*text || isspace((unsigned char)*text) || strpbrk(text, "xX"))
		return false;
	v = strtod(text, &end);
	if (*end)
		return false;
	*out = v + 0.0; /* -0 becomes 0 */
	return true;
}

bool
vs_num_real(const char *text, double *out)
{
	double v;

	if (!vs_num_any(text, &v) || !isfinite(v))
		return false;
	*out = v;
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

#define DIGITS_ROOM 20 /* bytes that hold the digits of a number */
#define MOST_DIGITS 17

/* A number of MOST_DIGITS digits: the first digit apart, the others a byte
 * each of two words, starting with the lowest byte. */
struct decimal {
	uint64_t first, a, b; /* bytes of value 0 to 9 */
	int n;                /* digits, less zeros at the end */
};

#define ZEROS 0x3030303030303030ull

/* Number below 10^8 as eight digits, a byte each, the first the lowest. */
static inline uint64_t
eight_digits(uint64_t v)
{
	uint64_t q = v / 10000;

	v = q | (v - 10000 * q) << 32;
	q = v * 5243 >> 19 & 0x0000007f0000007f; /* divide by 100 */
	v = q | (v - 100 * q) << 16;
	q = v * 103 >> 10 & 0x000f000f000f000f; /* divide by 10 */
	return q | (v - 10 * q) << 8;
}

/* Digits of a nonzero number, and the exponent of the first; or of 0. */
static inline struct decimal
split_digits(uint64_t digits, int *exponent)
{
	static const uint64_t pow10[MOST_DIGITS + 1] = { 1, 10, 100, 1000,
		10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000,
		100000000000000000 };
	/* bits times log10(2) */
	const int least = (64 - __builtin_clzll(digits | 1)) * 1233 >> 12;
	const int n = least + (digits >= pow10[least]);
	const uint64_t all = digits * pow10[MOST_DIGITS - n];
	const uint64_t high = all / 100000000, first = high / 100000000;
	const uint64_t a = eight_digits(high - 100000000 * first);
	const uint64_t b = eight_digits(all - 100000000 * high);
	/* the last byte that is not 0, at most 9 */
	const uint64_t end = b ? b : a;
	const int behind = (__builtin_clzll(2 * end + 1) + 1) / 8;

	*exponent += digits ? n - 1 : 0;
	return (struct decimal){ first, a, b,
		MOST_DIGITS - behind - (b ? 0 : 8) };
}

/* Write MOST_DIGITS digits. */
static inline void
put_digits(const struct decimal *d, char *to)
{
	const uint64_t a = d->a | ZEROS, b = d->b | ZEROS;

	*to = (char)('0' + d->first);
	memcpy(to + 1, &a, sizeof(a));
	memcpy(to + 9, &b, sizeof(b));
}

/* Write digits with an exponent, that of the first digit, as %e does. */
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
	*p++ = (char)('0' + e / 10 % 10);
	*p++ = (char)('0' + e % 10);
	return p;
}

/* Write a number of at least 1 without an exponent; the first digit has weight
 * 10^e. */
static char *
put_fixed(const struct decimal *d, int e, char *p)
{
	unsigned __int128 rest =
		(unsigned __int128)(d->b | ZEROS) << 64 | d->a | ZEROS;

	put_digits(d, p);
	if (d->n <= e + 1)
		return p + e + 1;
	p[e + 1] = '.';
	rest >>= 8 * e; /* e is less than 16: digits follow */
	memcpy(p + e + 2, &rest, sizeof(rest));
	return p + d->n + 1;
}

/*
 * Print digits * 10^exponent in the layout of %g, with as much precision as the
 * digits need but at least `least` digits. All digits are stored at once:
 * loading bytes just stored one by one would stall.
 */
VS_INLINE int
put_decimal(bool minus, uint64_t digits, int exponent, int least, char *text)
{
	int e = exponent;
	const struct decimal d = split_digits(digits, &e);
	char word[DIGITS_ROOM], *p = text;

	*p = '-';
	p += minus;
	if (e < 0 && e >= -4) {
		memcpy(p, "0.000000", 8);
		put_digits(&d, p + 1 - e);
		p += 1 - e + d.n;
	} else if (e >= 0 && e < (d.n > least ? d.n : least)) {
		p = put_fixed(&d, e, p);
	} else {
		put_digits(&d, word);
		p = put_scientific(word, d.n, e, p);
	}
	*p = 0;
	return (int)(p - text);
}

/* Print what shortest() does not handle, by trying precisions. */
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

/* Split a double into c * 2^q; false: shortest() does not handle it. */
static inline bool
take_apart(double value, uint64_t *c, int *q)
{
	uint64_t bits;
	int exp;

	memcpy(&bits, &value, 8);
	exp = (int)(bits >> 52 & 0x7ff);
	*c = bits & 0xfffffffffffff;
	/* the neighbour below a power of two is nearer than the one above,
	 * which matters if it has more than 15 digits */
	if (exp == 0x7ff || (!*c && (exp < 1023 - 15 || exp > 1023 + 49)))
		return false;
	*c |= (uint64_t) !!exp << 52;
	*q = exp ? exp - 1075 : -1074;
	return true;
}

/* The same of a float. */
static inline bool
take_apart_f32(float value, uint64_t *c, int *q)
{
	uint32_t bits;
	int exp;

	memcpy(&bits, &value, 4);
	exp = (int)(bits >> 23 & 0xff);
	*c = bits & 0x7fffff;
	if (exp == 0xff || (!*c && (exp < 127 - 6 || exp > 127 + 19)))
		return false;
	*c |= (uint64_t) !!exp << 23;
	*q = exp ? exp - 150 : -149;
	return true;
}

int
vs_num_print(double value, char *text)
{
	uint64_t c, digits;
	int q, exponent;

	if (!take_apart(value, &c, &q))
		return print_by_trial(value, DBL_DIG, text);
	shortest(c, q, &digits, &exponent);
	return put_decimal(signbit(value), digits, exponent, DBL_DIG, text);
}

int
vs_num_print_f32(float value, char *text)
{
	uint64_t c, digits;
	int q, exponent;

	if (!take_apart_f32(value, &c, &q))
		return print_by_trial_f32(value, FLT_DIG, text);
	shortest(c, q, &digits, &exponent);
	return put_decimal(signbit(value), digits, exponent, FLT_DIG, text);
}

int
vs_num_print_int(int64_t value, char *text)
{
	uint64_t v = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char word[DIGITS_ROOM], *end = word + sizeof(word), *first = end;
	uint64_t eight;
	int skip;

	if (v < 10 && value >= 0) {
		*text = (char)('0' + v);
		return 1;
	}
	*text = '-';
	text += value < 0;
	if (v < 100000000) {
		eight = eight_digits(v);
		skip = __builtin_ctzll(eight) / 8;
		eight = (eight | 0x3030303030303030) >> 8 * skip;
		memcpy(text, &eight, sizeof(eight));
		return 8 - skip + (value < 0);
	}
	do
		*--first = (char)('0' + v % 10);
	while (v /= 10);
	memcpy(text, first, (size_t)(end - first));
	return (int)(end - first) + (value < 0);
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
