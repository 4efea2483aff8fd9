/* SPDX-License-Identifier: BSD-3-Clause */
/* The plain definition of CCC against values worked out by hand. */
#include <math.h>
#include <string.h>

#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

static struct vs_plain_pair
pair(const char *i, const char *j)
{
	uint8_t a[64], b[64];
	size_t n = strlen(i);
	struct vs_plain_pair p;

	for (size_t q = 0; q < n; q++) {
		a[q] = i[q] == '.' ? 3 : (uint8_t)(i[q] - '0');
		b[q] = j[q] == '.' ? 3 : (uint8_t)(j[q] - '0');
	}
	plain_ccc(a, b, n, &p);
	return p;
}

static void
is(const char *i, const char *j, int64_t nvalid, const int64_t num[4],
	const double v[4])
{
	struct vs_plain_pair p = pair(i, j);
	int good = p.nvalid == nvalid;

	for (int c = 0; c < 4; c++)
		good = good && p.num[c] == num[c] && p.value[c] == v[c];
	T_OK(good, "%s with %s: %g %g %g %g", i, j, p.value[0], p.value[1],
		p.value[2], p.value[3]);
}

static void
test_duo(void)
{
	struct vs_plain_pair p, q;
	int good = 1;

	/* half ones in the same fields: f_ij = 1/2, weights 2/3: 4/2 * 4/9 */
	plain_duo((uint8_t[]){ 0, 1, 0, 1 }, (uint8_t[]){ 0, 1, 0, 1 }, 4, &p);
	T_OK(p.num[0] == 2 && p.num[3] == 2 && !p.num[1] && !p.num[2] &&
			p.value[0] == 8.0 / 9 && p.value[3] == 8.0 / 9,
		"duo: equal halves: 8/9");
	/* i: c 3, ones 2; j: c 2, ones 1; joint fields 0 and 1, both 1 in
	 * field 0: 4 * 1 * (9 - 4) * (6 - 2) / (9 * 2 * 3 * 2) */
	plain_duo((uint8_t[]){ 1, 1, 0, 3 }, (uint8_t[]){ 1, 0, 3, 3 }, 4, &p);
	T_OK(p.nvalid == 2 && p.num[3] == 1 && p.num[2] == 1 &&
			p.value[3] == 80.0 / 108,
		"duo: with missing entries");
	/* 1 taken as genotype 2 it is 8/9 of CCC */
	for (int k = 0; k < 81 * 81; k++) {
		static const uint8_t entry[3] = { 0, 1, 3 };
		uint8_t i[4], j[4], di[4], dj[4];

		for (int f = 0, x = k; f < 4; f++, x /= 9) {
			i[f] = entry[x % 3];
			j[f] = entry[x / 3 % 3];
			di[f] = i[f] == 1 ? 2 : i[f];
			dj[f] = j[f] == 1 ? 2 : j[f];
		}
		plain_duo(i, j, 4, &p);
		plain_ccc(di, dj, 4, &q);
		for (int c = 0; c < 4; c++)
			good = good && q.num[c] == 4 * p.num[c] &&
				fabs(p.value[c] * 9 - q.value[c] * 8) < 1e-14;
	}
	T_OK(good, "duo: 8/9 of CCC on all pairs of 4 fields");
}

int
main(void)
{
	static const char letters[] = "012.";
	int good = 1;

	/* f = 1/2 and no heterozygote: r11 = r00 = 2 n, f11 = 1/2, the weights
	 * are 2/3 each: 9/2 * 1/2 * 4/9 = 1, and 0 for the mixed cells */
	is("0202", "0202", 4, (int64_t[]){ 8, 0, 0, 8 },
		(double[]){ 1, 0, 0, 1 });
	is("0202", "2020", 4, (int64_t[]){ 0, 8, 8, 0 },
		(double[]){ 0, 1, 1, 0 });
	/* all heterozygous: every cell has r = n, f_ij = 1/4: 9/2 / 4 * 4/9 */
	is("1111", "1111", 4, (int64_t[]){ 4, 4, 4, 4 },
		(double[]){ 0.5, 0.5, 0.5, 0.5 });
	/* one constant vector each: r00 = 4 n, weights 1/3: 9/2 * 1/9 */
	is("0000", "0000", 4, (int64_t[]){ 16, 0, 0, 0 },
		(double[]){ 0.5, 0, 0, 0 });
	/* i: c 2, s 2 (over fields 0 1); j: c 3, s 4 (over 0 2 3); joint only
	 * field 0 with g 2, 2: r11 = 4, A_i(1) = 4, A_j(1) = 5:
	 * 4 * 4 * 5 / (8 * 1 * 2 * 3) */
	is("20..", "2.20", 1, (int64_t[]){ 0, 0, 0, 4 },
		(double[]){ 0, 0, 0, 80.0 / 48 });
	/* nothing in common, and nothing at all */
	is("20..", "..20", 0, (int64_t[]){ 0, 0, 0, 0 },
		(double[]){ 0, 0, 0, 0 });
	is("....", "1212", 0, (int64_t[]){ 0, 0, 0, 0 },
		(double[]){ 0, 0, 0, 0 });

	/* every pair of vectors of three fields: order of i and j is nothing,
	 * swapped labels swap cells, the four r add up to 4 c_ij */
	for (int k = 0; k < 64 * 64; k++) {
		char i[4] = { letters[k % 4], letters[k / 4 % 4],
			letters[k / 16 % 4] };
		char j[4] = { letters[k / 64 % 4], letters[k / 256 % 4],
			letters[k / 1024] };
		char swapped[4] = { 0 };
		struct vs_plain_pair p = pair(i, j), q = pair(j, i), s;

		for (int c = 0; c < 3; c++)
			swapped[c] =
				i[c] == '.' ? '.' : (char)('2' - i[c] + '0');
		s = pair(swapped, j);
		good = good &&
			p.num[0] + p.num[1] + p.num[2] + p.num[3] ==
				4 * p.nvalid;
		for (int c = 0; c < 4; c++)
			good = good && isfinite(p.value[c]) &&
				p.value[c] == q.value[c % 2 * 2 + c / 2] &&
				p.value[c] == s.value[c ^ 2];
	}
	T_OK(good,
		"symmetry, swapped labels and sums on all pairs of 3 fields");
	test_duo();
	return T_DONE();
}
