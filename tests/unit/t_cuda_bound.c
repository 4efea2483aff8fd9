/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound by which a device drops tables of triples, against sums of lgamma()
 * and of n ln n in doubles: never below, and by little above.
 */
#include <math.h>

#include "cuda/card_tables.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define CELLS 27

/* Sum over a table, in units of ln 2. */
static double
plain(const int64_t cell[CELLS][2], bool entropy)
{
	double sum = 0;

	for (int x = 0; x < CELLS; x++) {
		double a = (double)cell[x][0], b = (double)cell[x][1];

		if (!entropy)
			sum += lgamma(a + 1) + lgamma(b + 1) -
				lgamma(a + b + 2);
		else if (a + b > 0)
			sum += (a > 0 ? a * log(a) : 0) +
				(b > 0 ? b * log(b) : 0) - (a + b) * log(a + b);
	}
	return sum / log(2);
}

static void
test_tables(bool entropy, struct vs_rng *rng)
{
	double least = INFINITY, most = 0, share = 0;
	int n_table = 0;

	for (int k = 0; k < 20000; k++) {
		int64_t cell[CELLS][2], n = 0;
		float bound = 0;
		double room, over;

		/* few samples or up to 2^24, even over the cells or not */
		for (int x = 0; x < CELLS; x++)
			for (int c = 0; c < 2; c++) {
				uint64_t bits =
					1 + vs_rng_below(rng, 1 + k % 19);

				cell[x][c] = vs_rng_below(rng, 4)
					? (int64_t)vs_rng_below(rng, 1u << bits)
					: 0;
				n += cell[x][c];
			}
		if (n >= 1 << 24)
			continue;
		for (int x = 0; x < CELLS; x++)
			bound += vs_card_tables_bound((float)cell[x][0],
				(float)cell[x][1], entropy);
		room = VS_CARD_TABLES_MARGIN((double)n);
		over = (double)bound - plain(cell, entropy);
		least = fmin(least, over + room);
		share = fmax(share, -over / room);
		most = fmax(most, over - room);
		n_table++;
	}
	/* logarithms of a device lose up to four times what these do */
	T_OK(n_table > 15000 && least >= 0 && share < 0.25,
		"%s: %d tables, none is dropped, %.3f of the margin used",
		entropy ? "entropy" : "factorials", n_table, share);
	T_OK(most < (entropy ? 0.01 : 0.25 * CELLS),
		"%s: at most %.2f too much", entropy ? "entropy" : "factorials",
		most);
}

int
main(void)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 20261126);
	test_tables(true, &rng);
	test_tables(false, &rng);
	return T_DONE();
}
