/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All 27 cells of a class of LANES triples, from the 8 that were counted.
 *
 * Template parameters: LANES, the lanes of a register; NAME(f), the name of
 * function f. Used by slab_tables.c.
 */

#ifdef LANES

#define words NAME(words)
#define ROW (WIDE / LANES) /* words of a row of columns */

/* unsigned: unwanted columns may hold anything */
typedef uint32_t words __attribute__((vector_size(4 * LANES), may_alias));

/* The cells of columns [from, from + LANES) of a part, which starts at `at` of
 * those taken; genotypes 0 and 1 of all three were counted. */
VS_INLINE void
NAME(infer)(const struct row *x, size_t at, size_t from,
	const struct pair_part *pair_at, const struct third_part *third, int of,
	int32_t (*cell)[WIDE])
{
	words *const t = (words *)&cell[0][from];
	const words *const two = (const words *)&pair_at->cell[of][0][from];
	const words *const all = (const words *)&third->of_all[of][0][from];
	words pair[9];

	for (int p = 0; p < 2; p++) {
		pair[3 * p] = two[2 * p * ROW];
		pair[3 * p + 1] = two[(2 * p + 1) * ROW];
		pair[3 * p + 2] =
			(uint32_t)x->own_v[p] - pair[3 * p] - pair[3 * p + 1];
	}
	for (int q = 0; q < 3; q++)
		pair[6 + q] = all[q * ROW] - pair[q] - pair[3 + q];
	for (int a = 0; a < 2; a++) {
		const words *const of_u =
			(const words *)&third->of_u[of][a][0][from];
		words *const to = t + 9 * a * ROW;
		words now[9];

		for (int p = 0; p < 2; p++) {
			const int list = 2 * a + p;

			now[3 * p] = *(const words *)(x->taken[2 * list] + at);
			now[3 * p + 1] =
				*(const words *)(x->taken[2 * list + 1] + at);
			now[3 * p + 2] = (uint32_t)x->of_v[list] - now[3 * p] -
				now[3 * p + 1];
		}
		for (int q = 0; q < 3; q++)
			now[6 + q] = of_u[q * ROW] - now[q] - now[3 + q];
		for (int y = 0; y < 9; y++) {
			to[y * ROW] = now[y];
			pair[y] -= now[y];
		}
	}
	for (int y = 0; y < 9; y++)
		t[(18 + y) * ROW] = pair[y];
}

#undef ROW
#undef words
#undef NAME
#undef LANES
#endif
