/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text: the fast way gives what printf and strtod would. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/num.h"
#include "libcore/base/rng.h"
#include "libcore/bits/value_text.h"
#include "tests/unit/test.h"

#define N 300000

static int
slow(double value, int least, char *text)
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
slow_f32(float value, int least, char *text)
{
	int n = 0;

	for (int digits = least; digits <= 9; digits++) {
		n = snprintf(text, VS_NUM_ROOM, "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	return n;
}

static bool
same(double value, int least)
{
	char quick[VS_NUM_ROOM], plain[VS_NUM_ROOM];
	int n = vs_num_print(value, quick);

	return n == slow(value, least, plain) && !strcmp(quick, plain) &&
		strtod(quick, NULL) == value;
}

static bool
same_f32(float value, int least)
{
	char quick[VS_NUM_ROOM], plain[VS_NUM_ROOM];
	int n = vs_num_print_f32(value, quick);

	return n == slow_f32(value, least, plain) && !strcmp(quick, plain) &&
		strtof(quick, NULL) == value;
}

/* Bits of all kinds: any of 64 or of 32, and powers of two. */
static void
random_bits(size_t n)
{
	size_t bad = 0, bad_f32 = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, 3);
	for (size_t k = 0; k < n; k++) {
		uint64_t bits = vs_rng_next(&rng);
		uint32_t bits_f32 = (uint32_t)bits;
		double value;
		float value_f32;

		if (k < 2 * 2047)
			bits = (uint64_t)k << 52;
		if (k < 2 * 255)
			bits_f32 = (uint32_t)k << 23;
		memcpy(&value, &bits, sizeof(value));
		memcpy(&value_f32, &bits_f32, sizeof(value_f32));
		if (isfinite(value))
			bad += !same(value, fabs(value) < 0x1p-1022 ? 1 : 15);
		if (isfinite(value_f32))
			bad_f32 += !same_f32(value_f32,
				fabsf(value_f32) < 0x1p-126f ? 1 : 6);
	}
	T_OK(!bad, "%zu random bits: %zu differ", n, bad);
	T_OK(!bad_f32, "%zu random bits, f32: %zu differ", n, bad_f32);
}

static double
random_unit(struct vs_rng *rng)
{
	return (double)(vs_rng_next(rng) >> 11) * 0x1p-53;
}

/* Integers of all widths, and the least and greatest of each number of digits,
 * as printf() has them. */
static void
integers(void)
{
	const uint64_t most = INT64_MAX;
	uint64_t power = 1, bad = 0;
	char plain[VS_NUM_ROOM], quick[VS_NUM_ROOM];
	struct vs_rng rng;

	vs_rng_seed(&rng, 4);
	for (int k = 0; k < N; k++) {
		uint64_t v = vs_rng_next(&rng) >> k % 64;
		int64_t value = (int64_t)(k & 64 ? -v : v);
		int n;

		if (k < 5 * 19) {
			v = power + (uint64_t)(k % 5) - 2;
			power *= k % 5 == 4 ? 10 : 1;
			value = (int64_t)v;
		} else if (k < 5 * 20) {
			value = (int64_t)(most + (uint64_t)(k % 5));
		}
		n = vs_num_print_int(value, quick);
		bad += n !=
				snprintf(plain, sizeof(plain), "%lld",
					(long long)value) ||
			memcmp(plain, quick, (size_t)n);
	}
	T_OK(!bad, "%d integers: %llu differ", N, (unsigned long long)bad);
}

#define BATCH 1000

/* A value of a kind: near the ends of what is printed eight at a time, of few
 * digits, negative, and now and then any. */
static double
random_value(struct vs_rng *rng, int k)
{
	const double ends[] = { 0.0001, 1, 0.001, 0.1, 0x1p-13, 0.5, 0x1p-7 };
	const double v = k % 5 == 0
		? pow(10, -4.2 * random_unit(rng))
		: (double)vs_rng_below(rng, 1 << 12) / (1 << 12);

	switch (k % 16) {
	case 0:
		return nextafter(ends[k / 16 % 7], k % 3);
	case 1:
		return ends[k / 16 % 7] * (k % 3 ? 1 : -1);
	case 2:
		return (double)vs_rng_below(rng, 10000) / 10000;
	case 3:
		return -v;
	case 4:
		return k % 7 ? random_unit(rng) : 1 / v;
	default:
		return v * random_unit(rng);
	}
}

/* Values of records are printed as one by one, at each level of the CPU. */
static void
values(void)
{
	static struct vs_value_text text[BATCH];
	static struct vs_record rec[BATCH];
	const int n_cpu = (int)vs_cpu_best() + 1;
	struct vs_rng rng;
	size_t bad = 0;

	vs_rng_seed(&rng, 5);
	for (int k = 0; k < N / 10; k++) {
		const size_t n = BATCH - (size_t)(k / BATCH % 9);
		const bool f32 = k / BATCH % 4 == 3;
		char plain[VS_NUM_ROOM];

		rec[k % BATCH].value = random_value(&rng, k);
		if (k % BATCH < BATCH - 1)
			continue;
		vs_value_text_by((enum vs_cpu)(k / BATCH % n_cpu), rec, n, f32,
			text);
		for (size_t x = 0; x < n; x++) {
			int len = f32
				? vs_num_print_f32((float)rec[x].value, plain)
				: vs_num_print(rec[x].value, plain);

			bad += text[x].n != len ||
				memcmp(text[x].text, plain, (size_t)len);
		}
	}
	T_OK(!bad, "%d values of records: %zu differ", N / 10, bad);
}

int
main(void)
{
	static const double edges[] = { 1, -1, 0.5, 0.1, 0.3, 1. / 3, 999.5,
		1e-3, 1e-4, 9.999999999999999, 0.9999999999999999, 99.9999995,
		99.99999949999999, 1e15, 1e22, 1.7976931348623157e308,
		0.001953125, 0.0019531250000000004, 511.99999999999994, 512,
		100, 10, 999999.5, 0.7, 0.999999999999999, 9.5,
		0.00999999999999999 };
	size_t bad = 0, bad_f32 = 0, bad_short = 0, bad_ratio = 0;
	struct vs_rng rng;

	for (size_t k = 0; k < sizeof(edges) / sizeof(edges[0]); k++) {
		bad += !same(edges[k], 15) ||
			!same(nextafter(edges[k], 2000), 15) ||
			!same(nextafter(edges[k], -2000), 15);
		bad_f32 += !same_f32((float)edges[k], 6) ||
			!same_f32(nextafterf((float)edges[k], 2000), 6);
	}
	T_OK(!bad, "edges: %zu differ", bad);
	T_OK(!bad_f32, "edges, f32: %zu differ", bad_f32);
	bad = bad_f32 = 0;
	/* below the normal numbers bits get fewer, and so do digits */
	vs_rng_seed(&rng, 2);
	for (int k = 0; k < 2000; k++) {
		double v = k ? random_unit(&rng) : 0;

		bad += !same(v * 0x1p-1000 * pow(2, -22 - k % 52), 1);
		bad_f32 += !same_f32((float)(v * pow(2, -127 - k % 22)), 1);
	}
	T_OK(!bad, "fewer bits: %zu differ", bad);
	T_OK(!bad_f32, "fewer bits, f32: %zu differ", bad_f32);
	vs_rng_seed(&rng, 1);
	bad = bad_f32 = 0;
	for (int k = 0; k < N; k++) {
		double v = random_unit(&rng) *
			pow(10, (double)vs_rng_below(&rng, 8) - 4);

		bad += !same(v, 15);
		bad_f32 += !same_f32((float)v, 6);
		/* few digits stay few */
		v = (double)vs_rng_below(&rng, 100000) / 1000;
		bad_short += !same(v, 15) || !same_f32((float)v, 6);
		v = (double)vs_rng_below(&rng, 1 << 20) /
			(double)(1 + vs_rng_below(&rng, 1 << 20));
		bad_ratio += !same(v, 15) || !same_f32((float)v, 6);
	}
	T_OK(!bad, "%d random values: %zu differ", N, bad);
	T_OK(!bad_f32, "%d random values, f32: %zu differ", N, bad_f32);
	T_OK(!bad_short, "%d short decimals: %zu differ", N, bad_short);
	T_OK(!bad_ratio, "%d fractions: %zu differ", N, bad_ratio);
	integers();
	values();
	random_bits(T_LONG ? 20 * N : N);
	return T_DONE();
}
