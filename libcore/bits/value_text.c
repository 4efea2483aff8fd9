/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shortest decimals of eight doubles in [0.0001, 1) at a time, by the method of
 * shortest() in libcore/base/num.c; of other numbers one by one.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "libcore/base/num.h"
#include "libcore/bits/value_text.h"

static void
print(struct vs_value_text *to, double value, bool f32)
{
	char text[VS_NUM_ROOM];

	to->n = f32 ? vs_num_print_f32((float)value, text)
		    : vs_num_print(value, text);
	memcpy(to->text, text, VS_VALUE_TEXT);
}

#if defined(__x86_64__) && !defined(__clang__)
#define LANES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define INLINE static inline LANES __attribute__((always_inline))
#define N 8
#define LOW 0xffffffffu
#define E8 100000000u
#define ZEROS 0x3030303030303030ull

typedef uint64_t lanes __attribute__((vector_size(64)));
typedef int64_t signed_lanes __attribute__((vector_size(64)));
typedef uint32_t halves __attribute__((vector_size(64)));
typedef uint16_t quarters __attribute__((vector_size(64)));
typedef double doubles __attribute__((vector_size(64)));

/* Binary exponents of numbers in [2^-14, 1), the least of which are below
 * 0.0001. */
#define LEAST 1009
#define N_EXPONENT 14

/* By exponent: 10^-k to 128 bits, and twice that, shifted by h + 1, to 192. */
static struct {
	lanes hi[2], lo[2], d0[2], d1[2], d2[2], h[2], k[2];
} table;

static void
make_table(void)
{
	for (unsigned e = 0; e < N_EXPONENT; e++) {
		const int q = (int)e + LEAST - 1075, k = q * 1262611 >> 22;
		const unsigned at = e / N, x = e % N;
		unsigned __int128 g = 1;
		int log2 = 127, h;

		for (int m = 0; m < -k; m++)
			g *= 10;
		for (; !(g >> 127); log2--)
			g <<= 1;
		h = q + log2 + 1;
		table.hi[at][x] = (uint64_t)(g >> 64);
		table.lo[at][x] = (uint64_t)g;
		table.h[at][x] = (uint64_t)h;
		table.k[at][x] = (uint64_t)-k;
		table.d0[at][x] = (uint64_t)(g << (h + 1));
		table.d1[at][x] = (uint64_t)(g << (h + 1) >> 64);
		table.d2[at][x] = (uint64_t)(g >> 64 >> (63 - h));
	}
}

INLINE lanes
look(const lanes of[2], lanes at)
{
	return __builtin_shuffle(of[0], of[1], at);
}

/* Products of the lower halves; gcc would multiply all 64 bits. */
INLINE lanes
times(lanes a, lanes b)
{
	typedef int ints __attribute__((vector_size(64)));
	typedef long long longs __attribute__((vector_size(64)));

	return (lanes)__builtin_ia32_pmuludq512_mask((ints)a, (ints)b, (longs)a,
		(unsigned char)-1);
}

INLINE lanes
times_by(lanes a, uint32_t b)
{
	return times(a, (lanes){ 0 } + b);
}

/* Lower half of a product of 128 bits; *high: the upper one. */
INLINE lanes
product(lanes a, lanes b, lanes *high)
{
	const lanes ah = a >> 32, bh = b >> 32;
	const lanes ll = times(a, b), lh = times(a, bh), hl = times(ah, b);
	const lanes cross = (ll >> 32) + (lh & LOW) + hl;

	*high = times(ah, bh) + (lh >> 32) + (cross >> 32);
	return cross << 32 | (ll & LOW);
}

/* 1 where a < b. */
INLINE lanes
less(lanes a, lanes b)
{
	return (lanes)(a < b) >> 63;
}

/* Numbers below 10^8 as eight digits, a byte each, the first the lowest. */
INLINE lanes
eight_digits(lanes v)
{
	const lanes q = times_by(v, 3518437209u) >> 45;
	halves w = (halves)(q | (v - times_by(q, 10000)) << 32), s;
	quarters x, y;

	s = w * 5243 >> 19; /* divide by 100 */
	x = (quarters)(s | (w - s * 100) << 16);
	y = x * 103 >> 10; /* divide by 10 */
	return (lanes)(y | (x - y * 10) << 8);
}

/*
 * Digits of eight numbers: 10^16 times `first`, eight in a, eight in b.
 *
 * bits   of doubles in [2^-14, 1)
 * k      weight of the last digit: 10^-k
 */
INLINE void
digits_of(lanes bits, lanes *first, lanes *a, lanes *b, lanes *k)
{
	const lanes at = (bits >> 52) - LEAST;
	const lanes c = (bits & 0xfffffffffffff) | 1ull << 52;
	const lanes odd = c & 1;
	const lanes d0 = look(table.d0, at), d1 = look(table.d1, at),
		    d2 = look(table.d2, at);
	lanes p0, p1, p2, sum, lower, upper, v, s, high, low, last, ten, one, t;
	lanes down, up, add;
	signed_lanes rest;

	/* the product of three words, and the ends of its interval */
	p0 = product(look(table.lo, at), c << 2 << look(table.h, at), &sum);
	p1 = product(look(table.hi, at), c << 2 << look(table.h, at), &p2);
	p1 += sum;
	p2 += less(p1, sum);
	v = p2 | less((lanes){ 0 } + 1, p1);
	t = less(p0, d0);
	sum = p1 - d1 - t;
	lower = p2 - d2 - (less(p1, d1) | ((lanes)(p1 == d1) & t));
	lower = (lower | less((lanes){ 0 } + 1, sum)) + odd;
	t = less(p0 + d0, d0);
	sum = p1 + d1 + t;
	upper = p2 + d2 + (less(sum, d1) | ((lanes)(sum == d1) & t));
	upper = (upper | less((lanes){ 0 } + 1, sum)) - odd;
	s = v >> 2;
	/* by a double the quotient may be 1 too great or too small */
	high = (lanes) __builtin_convertvector(
		__builtin_convertvector((signed_lanes)s, doubles) * 1e-8,
		signed_lanes);
	rest = (signed_lanes)(s - times_by(high, E8));
	t = (lanes)(rest < 0);
	high += t;
	low = (lanes)rest + (t & E8);
	t = (lanes)(low >= E8);
	high -= t;
	low -= t & E8;
	/* at most one multiple of 10 lies within, else the nearest number */
	last = low - times_by(times_by(low, 0xcccccccdu) >> 35, 10);
	t = (s - last) << 2;
	down = (lanes)(lower <= t);
	up = (lanes)(t + 40 <= upper);
	ten = down ^ up;
	t = s << 2;
	add = (up & 10) - last;
	down = (lanes)(lower <= t);
	up = (lanes)(t + 4 <= upper);
	one = (lanes)(v + (s & 1) > t + 2);
	one = ((down ^ up) & up) | (~(down ^ up) & one);
	low += (ten & add) | (~ten & one & 1);
	/* and if the last digits borrow or carry */
	t = (lanes)((signed_lanes)low < 0);
	high += t;
	low += t & E8;
	t = (lanes)(low >= E8);
	high -= t;
	low -= t & E8;
	*first = times_by(high, 1441151881u) >> 57;
	*a = eight_digits(high - times_by(*first, E8));
	*b = eight_digits(low);
	*k = look(table.k, at);
}

/* Write "0." and the digits that follow. */
static inline void
put(struct vs_value_text *to, bool minus, uint64_t first, uint64_t a,
	uint64_t b, uint64_t k)
{
	const uint64_t end = b ? b : a;
	const int behind = (__builtin_clzll(2 * end + 1) + 1) / 8;
	char *text = to->text + minus, *p = text + k - 15;

	*to->text = '-';
	memcpy(text, "0.000000", 8);
	*p = (char)('0' + first);
	a |= ZEROS;
	b |= ZEROS;
	memcpy(p + 1, &a, sizeof(a));
	memcpy(p + 9, &b, sizeof(b));
	text[1] = '.';
	to->n = minus + (int)k + 2 - behind - (b == ZEROS ? 8 : 0);
}

/* The leading records, in groups of eight; returns how many. */
static LANES size_t
eight_by_eight(const struct vs_record *rec, size_t n, struct vs_value_text *to)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t at = 0;

	pthread_once(&once, make_table);
	for (; at + N <= n; at += N, rec += N, to += N) {
		/* all are alike as a rule */
		const bool alike =
			fabs(rec->value) >= 0.0001 && fabs(rec->value) < 1;
		const doubles value = { rec[0].value, rec[1].value,
			rec[2].value, rec[3].value, rec[4].value, rec[5].value,
			rec[6].value, rec[7].value };
		const lanes bits = (lanes)value & ~0ull >> 1;
		const signed_lanes in =
			((doubles)bits >= 0.0001) & ((doubles)bits < 1);
		lanes first = bits, a = bits, b = bits, k = bits;

		/* others are taken for 0.5 */
		if (alike)
			digits_of((bits & (lanes)in) |
					(~(lanes)in & 0x3feull << 52),
				&first, &a, &b, &k);
		for (int x = 0; x < N; x++) {
			if (alike && in[x])
				put(&to[x], value[x] < 0, first[x], a[x], b[x],
					k[x]);
			else
				print(&to[x], rec[x].value, false);
		}
	}
	return at;
}
#endif

void
vs_value_text_by(enum vs_cpu cpu, const struct vs_record *rec, size_t n,
	bool f32, struct vs_value_text *to)
{
	size_t did = 0;

	(void)cpu;
#if defined(__x86_64__) && !defined(__clang__)
	if (cpu >= VS_CPU_AVX512 && !f32)
		did = eight_by_eight(rec, n, to);
#endif
	for (; did < n; did++)
		print(&to[did], rec[did].value, f32);
}

void
vs_value_text(const struct vs_record *rec, size_t n, bool f32,
	struct vs_value_text *to)
{
	vs_value_text_by(vs_cpu_now(), rec, n, f32, to);
}
