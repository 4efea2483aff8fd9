/* SPDX-License-Identifier: BSD-3-Clause */
/* Fractions from text, to the nearest double, and back from it. */
#include "libcore/base/ratio.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

static void
reads(const char *text, int64_t p, int64_t q)
{
	struct vs_ratio r = { -1, -1 };
	bool good = vs_ratio_read(text, &r);

	if (!q)
		T_OK(!good && r.p == -1, "\"%s\" is refused", text);
	else
		T_OK(good && r.p == p && r.q == q, "\"%s\": %lld / %lld", text,
			(long long)r.p, (long long)r.q);
}

static int64_t
divisor(int64_t a, int64_t b)
{
	return b ? divisor(b, a % b) : a;
}

/* p / q comes back from its double; false: it does not */
static bool
returns(int64_t p, int64_t q)
{
	int64_t common = divisor(p, q);
	struct vs_ratio r = { p / common, q / common }, back = { -1, -1 };

	return vs_ratio_of(vs_ratio_value(r), &back) && back.p == r.p &&
		back.q == r.q;
}

int
main(void)
{
	struct vs_rng rng;
	struct vs_ratio r = { -1, -1 };
	const int64_t most = VS_RATIO_MOST;
	int wrong = 0;

	reads("9/2", 9, 2);
	reads("4.5", 9, 2);
	reads("18/4", 9, 2);
	reads("4", 4, 1);
	reads("4.", 4, 1);
	reads("0", 0, 1);
	reads(".5", 1, 2);
	reads(".", 0, 0);
	reads("0.65", 13, 20);
	reads("0.00000100", 1, 1000000);
	reads("1000000", 1000000, 1);
	reads("1000001", 0, 0);
	reads("0.0000001", 0, 0);
	reads("0.66666666666666667", 0, 0);
	reads("9999999999999999999", 0, 0);
	reads("1/9999999999999999999", 0, 0);
	for (const char **bad = (const char *[]){ "", "-1", "+1", " 1", "1 ",
		     "-.5", "./2", ".5/2", "1/", "/2", "1/0", "0/0", "1/2/3",
		     "1.5/2", "1e3", "nan", "inf", "0x1", 0 };
		*bad; bad++)
		reads(*bad, 0, 0);
	vs_rng_seed(&rng, 3);
	for (int k = 0; k < 200000; k++) {
		int64_t room = k % 2 ? most : 100;
		int64_t q = 1 + (int64_t)vs_rng_below(&rng, (uint64_t)most);

		wrong += !returns(
			(int64_t)vs_rng_below(&rng, (uint64_t)room + 1), q);
		wrong += !returns(q, most - k % 1000);
		wrong += !returns(most - k % 1000, q);
	}
	T_OK(!wrong, "%d of 600000 do not come back from a double", wrong);
	T_OK(returns(most, 1) && returns(1, most) && returns(most, most - 1),
		"nor the largest and the smallest");
	T_OK(vs_ratio_of(0.66666, &r) && r.p == 33333 && r.q == 50000,
		"0.66666 is 33333/50000");
	for (const double *x = (double[]){ 1e-9, 1e7, 1e300, -0.5, 0 }; *x != 0;
		x++)
		T_OK(!vs_ratio_of(*x, &r), "%g is none", *x);
	T_OK(!vs_ratio_of(2.0 / 3 + 1e-15, &r), "nor what is beside 2/3");
	return T_DONE();
}
