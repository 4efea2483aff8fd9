/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan gives every tile, and so every pair, to exactly one rank. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/err.h"
#include "libcore/plan/tile.h"
#include "tests/unit/test.h"

/* Each tile is met this often by walking all steps of all ranks. */
static int
covered_once(const struct vs_plan *p)
{
	uint64_t n_tile = vs_plan_n_tile(p), pairs = 0, load = 0;
	uint8_t *seen = calloc(n_tile + 1, 1);
	int good = 1;

	for (int r = 0; r < p->n_rank; r++) {
		int64_t alo, ahi, blo, bhi;

		load += vs_plan_load(p, r);
		vs_plan_rank(p, r, &alo, &ahi);
		for (int s = 0; s < vs_plan_n_step(p); s++) {
			vs_plan_rank(p, vs_plan_partner(p, r, s), &blo, &bhi);
			for (int64_t a = alo; a < ahi; a++)
				for (int64_t b = blo; b < bhi; b++) {
					int64_t i = a < b ? a : b;
					int64_t j = a < b ? b : a;

					if (!vs_plan_mine(p, r, s, a, b))
						continue;
					good &= !seen[vs_plan_number(p, i,
						j)]++;
					pairs += vs_plan_pairs(p, i, j);
				}
		}
	}
	for (uint64_t t = 0; t < n_tile; t++)
		good &= seen[t] == 1;
	free(seen);
	return good && pairs == vs_plan_n_pair(p) && load == pairs;
}

static void
cover(void)
{
	static const uint64_t n_vec[] = { 0, 1, 2, 3, 31, 32, 33, 64, 65, 200,
		1000, 4097 };

	for (size_t k = 0; k < sizeof(n_vec) / sizeof(n_vec[0]); k++) {
		int wrong = 0;

		for (int ranks = 1; ranks <= 18; ranks++)
			for (int64_t tile = 0; tile <= 64; tile += 32) {
				struct vs_plan p;

				wrong += vs_plan_make(&p, n_vec[k], ranks, 1e4,
						 tile) ||
					!covered_once(&p);
			}
		T_OK(!wrong, "%llu vectors, 1 to 18 ranks: %d plans wrong",
			(unsigned long long)n_vec[k], wrong);
	}
}

/* The blocks of all ranks follow one another and hold all vectors. */
static void
blocks(void)
{
	int good = 1;

	for (int ranks = 1; ranks < 40; ranks++) {
		struct vs_plan p;
		int64_t lo, hi, last = 0;

		vs_plan_make(&p, 1234, ranks, 1e4, 0);
		for (int r = 0; r < ranks; r++) {
			uint64_t vlo, vhi, unused;

			vs_plan_rank(&p, r, &lo, &hi);
			good &= lo == last && hi >= lo;
			last = hi;
			vs_plan_block(&p, lo, &vlo, &unused);
			vs_plan_block(&p, hi, &vhi, &unused);
			good &= vhi - vlo <= vs_plan_most(&p);
		}
		good &= last == p.n_block;
	}
	T_OK(good, "ranks own consecutive blocks, together all of them");
}

static void
balance(void)
{
	for (int ranks = 2; ranks <= 64; ranks *= 2) {
		struct vs_plan p;
		double most = 0, mean;

		vs_plan_make(&p, 1000000, ranks, 1e9, 0);
		mean = (double)vs_plan_n_pair(&p) / ranks;
		for (int r = 0; r < ranks; r++) {
			double load = (double)vs_plan_load(&p, r);

			most = load > most ? load : most;
		}
		T_OK(most / mean < 1.05,
			"%d ranks: the busiest has %.3f of the mean", ranks,
			most / mean);
	}
}

static void
limits(void)
{
	struct vs_plan p;

	T_OK(vs_plan_make(&p, 1ull << 32, 1, 1e9, 0) == VS_EINPUT,
		"2^32 vectors are refused");
	vs_err_clear();
	T_OK(!vs_plan_make(&p, (1ull << 32) - 1, 4, 1e9, 0) &&
			vs_plan_n_pair(&p) == 9223372030412324865ull,
		"one fewer fits, and its pairs are counted exactly");
}

int
main(void)
{
	cover();
	blocks();
	balance();
	limits();
	return T_DONE();
}
