/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimals of any length: what is one, their order, and bases of kb. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/decimal.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

static bool
read_it(const char *text, struct vs_decimal *d)
{
	return vs_decimal_read(text, strlen(text), d);
}

/* a number below 10^6 times 10^-e, in one of its spellings */
static void
spell(struct vs_rng *rng, char *text, size_t room, int64_t number, int e)
{
	char digits[32];
	int n, zeros = (int)(vs_rng_below(rng, 3)), point;

	n = snprintf(digits, sizeof(digits), "%0*lld%.*s", zeros + 1,
		(long long)number, zeros, "000");
	point = (int)vs_rng_below(rng, (uint64_t)n + 1);
	snprintf(text, room, "%.*s.%se%d", point, digits, digits + point,
		n - point - zeros - e);
}

static int64_t
bases_up(const struct vs_decimal *kb)
{
	int64_t n;

	return vs_decimal_scaled(kb, 3, true, &n) ? n : INT64_MAX;
}

int
main(void)
{
	static const char *const wrong[] = { "", ".", "-", "e5", "1e", "1e+",
		"1.2.3", " 1", "1 ", "0x1", "inf", "nan", "1,000", "--1",
		"1e99999999999999999999" };
	static const struct {
		const char *kb;
		int64_t down, up;
	} bases[] = { { "1.001", 1001, 1001 }, { "9.5006", 9500, 9501 },
		{ "0.0001", 0, 1 }, { "0", 0, 0 }, { "1e3", 1000000, 1000000 },
		{ ".00100000000000000000001", 1, 2 }, { "+2.5", 2500, 2500 },
		{ "9223372036854775.807", INT64_MAX, INT64_MAX },
		{ "9223372036854775.808", INT64_MAX, INT64_MAX },
		{ "1e999999", INT64_MAX, INT64_MAX }, { "1e-999999", 0, 1 } };
	struct vs_decimal a, b;
	struct vs_rng rng;
	int bad = 0;

	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++)
		T_OK(!read_it(wrong[k], &a), "refused: '%s'", wrong[k]);
	for (size_t k = 0; k < sizeof(bases) / sizeof(*bases); k++)
		T_OK(read_it(bases[k].kb, &a) &&
				vs_decimal_bases(&a) == bases[k].down &&
				bases_up(&a) == bases[k].up,
			"%s kb", bases[k].kb);
	for (int n = 0; n < 300000; n++) {
		char text[32];

		snprintf(text, sizeof(text), "%d.%03d", n / 1000, n % 1000);
		bad += !read_it(text, &a) || vs_decimal_bases(&a) != n ||
			bases_up(&a) != n;
	}
	T_OK(!bad, "every base of 300 kb");
	vs_rng_seed(&rng, 3);
	bad = 0;
	for (int k = 0; k < 100000; k++) {
		int e = (int)vs_rng_below(&rng, 3), f = 400 * (k % 2);
		int64_t x = (int64_t)vs_rng_below(&rng, 3000),
			y = k % 3 ? x * 10 + (int64_t)vs_rng_below(&rng, 2)
				  : (int64_t)vs_rng_below(&rng, 3000);
		int64_t p, q;
		char s[64], t[64];
		int order;

		/* x 10^-e and y 10^-1 as whole numbers of one scale */
		p = e == 2 ? x : e == 1 ? x * 10 : x * 100;
		q = y * 10;
		spell(&rng, s, sizeof(s), x, e + f);
		spell(&rng, t, sizeof(t), y, 1 + f);
		order = read_it(s, &a) && read_it(t, &b)
			? vs_decimal_compare(&a, &b)
			: 9;
		bad += order != (p > q) - (p < q) ||
			vs_decimal_compare(&b, &a) != -order;
	}
	T_OK(!bad, "100000 pairs in order, below 10^-400 too");
	T_OK(read_it("-0.0e7", &a) && !a.minus && read_it("-1e-400", &b) &&
			vs_decimal_compare(&b, &a) < 0,
		"negative numbers are below 0, and -0 is 0");
	return T_DONE();
}
