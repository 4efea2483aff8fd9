/* SPDX-License-Identifier: BSD-3-Clause */
/* Each triple is in one tile; all tiles are dealt out, and evenly. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/record.h"
#include "libcore/plan/cube.h"
#include "libcore/plan/tile_bounds.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

/* The tile of a triple, by what the header says. */
static uint64_t
tile_of(const struct vs_plan *p, uint64_t i, uint64_t j, uint64_t k)
{
	int64_t a = (int64_t)i / p->tile, b = (int64_t)j / p->tile;
	int64_t c = (int64_t)k / p->tile;

	if (p->row_tiles)
		return (uint64_t)a;
	return b == c ? vs_plan_number(p, b, b) : vs_plan_number(p, a, b);
}

/* Tiles other than t whose bounds include a pair or triple, or t if they do
 * not. */
static int
wrong_bounds(const struct vs_plan *p, uint64_t i, uint64_t j, uint64_t k,
	uint64_t t)
{
	struct vs_tile_bounds of;
	int64_t a, b;
	int wrong = 0;

	for (uint64_t x = 0; x < vs_plan_n_tile(p); x++) {
		vs_plan_tile_of(p, x, &a, &b);
		vs_tile_bounds_make(&of, p, a, b, k == VS_NO_VEC ? 2 : 3);
		wrong += vs_tile_bounds_has(&of, i, j, k) != (x == t);
	}
	return wrong;
}

/* grain: not 0, of blocks that are tiles. */
static void
each_once(uint64_t n_vec, int64_t tile, int64_t grain)
{
	struct vs_plan p;
	uint64_t *n = NULL, n_tile, sum = 0;
	int wrong = cube_plan(&p, n_vec, 1, tile);

	if (grain)
		wrong += vs_cube_row_tiles(&p, grain) != 0 || !p.row_tiles;
	n_tile = vs_plan_n_tile(&p);
	if (vs_mem_new(&n, n_tile, sizeof(*n), "counts"))
		exit(4);
	for (uint64_t i = 0; i < n_vec; i++)
		for (uint64_t j = i + 1; j < n_vec; j++) {
			uint64_t t = vs_plan_number(&p, (int64_t)i / p.tile,
				(int64_t)j / p.tile);

			if (grain)
				continue;
			wrong += vs_cube_tile_of(&p, i, j, VS_NO_VEC) != t;
			wrong += vs_cube_tile_of(&p, j, i, VS_NO_VEC) != t;
			wrong += wrong_bounds(&p, i, j, VS_NO_VEC, t);
		}
	for (uint64_t i = 0; i < n_vec; i++)
		for (uint64_t j = i + 1; j < n_vec; j++)
			for (uint64_t k = j + 1; k < n_vec; k++) {
				uint64_t t = tile_of(&p, i, j, k);

				wrong += vs_cube_tile_of(&p, i, j, k) != t;
				wrong += wrong_bounds(&p, i, j, k, t);
				n[t]++;
			}
	for (int64_t a = 0; a < p.n_block; a++)
		for (int64_t b = a; b < p.n_block; b++) {
			uint64_t want;

			int64_t of[2];

			if (!vs_plan_has(&p, a, b))
				continue;
			vs_plan_tile_of(&p, vs_plan_number(&p, a, b), &of[0],
				&of[1]);
			wrong += of[0] != a || of[1] != b;
			want = n[vs_plan_number(&p, a, b)];
			wrong += vs_cube_triples(&p, a, b) != want;
			sum += want;
		}
	T_OK(!wrong && sum == vs_cube_n_triple(&p),
		"%llu vectors in %stiles of %lld: %llu triples",
		(unsigned long long)n_vec, grain ? "row " : "",
		(long long)p.tile, (unsigned long long)sum);
	free(n);
}

/* Triples with one of the first vectors: each in the tile of its first two. */
static void
with_set(uint64_t n_set, uint64_t n_vec, int64_t tile)
{
	const struct vs_between of = { .n_both = n_set,
		.n_second = n_vec - n_set };
	struct vs_plan p;
	uint64_t *n = NULL, n_tile, sum = 0;
	int wrong = vs_cube_between(&p, &of, 1, tile);

	n_tile = vs_plan_n_tile(&p);
	if (vs_mem_new(&n, n_tile, sizeof(*n), "counts"))
		exit(4);
	for (uint64_t i = 0; i < n_set; i++)
		for (uint64_t j = i + 1; j < n_vec; j++)
			for (uint64_t k = j + 1; k < n_vec; k++) {
				const uint64_t t = vs_cube_tile_of(&p, i, j, k);
				int64_t a, b;
				uint64_t lo, hi;

				vs_plan_tile_of(&p, t, &a, &b);
				vs_plan_block(&p, a, &lo, &hi);
				wrong += i < lo || i >= hi;
				vs_plan_block(&p, b, &lo, &hi);
				wrong += j < lo || j >= hi || t >= n_tile;
				wrong += wrong_bounds(&p, i, j, k, t);
				n[t]++;
			}
	for (uint64_t t = 0; t < n_tile; t++) {
		int64_t a, b;

		vs_plan_tile_of(&p, t, &a, &b);
		wrong += vs_cube_triples(&p, a, b) != n[t];
		sum += n[t];
	}
	T_OK(!wrong && sum == vs_cube_n_triple(&p),
		"%llu of %llu vectors in tiles of %lld: %llu triples",
		(unsigned long long)n_set, (unsigned long long)n_vec,
		(long long)tile, (unsigned long long)sum);
	free(n);
}

/* Triples with a vector of one set and another of the other: each in the tile
 * of its first two, and of none else. */
static void
of_sets(struct vs_between of, int64_t tile)
{
	const uint64_t both = of.n_first, second = both + of.n_both,
		       rest = second + of.n_second, n_vec = rest + of.n_rest;
	struct vs_plan p;
	uint64_t *n = NULL, n_tile, sum = 0;
	int wrong;

	of.triples = true;
	wrong = vs_cube_between(&p, &of, 1, tile);
	n_tile = vs_plan_n_tile(&p);
	if (vs_mem_new(&n, n_tile, sizeof(*n), "counts"))
		exit(4);
	for (uint64_t x = 0; x < n_vec * n_vec * n_vec; x++) {
		const uint64_t v[] = { x / n_vec / n_vec, x / n_vec % n_vec,
			x % n_vec };
		bool wanted = false;

		if (v[0] >= v[1] || v[1] >= v[2])
			continue;
		for (int a = 0; a < 3; a++)
			for (int b = 0; b < 3; b++)
				wanted |= a != b && v[a] < second &&
					v[b] >= both && v[b] < rest;
		if (!wanted)
			continue;
		n[vs_cube_tile_of(&p, v[0], v[1], v[2])]++;
		wrong += wrong_bounds(&p, v[0], v[1], v[2],
			vs_cube_tile_of(&p, v[0], v[1], v[2]));
	}
	for (uint64_t t = 0; t < n_tile; t++) {
		int64_t a, b;

		vs_plan_tile_of(&p, t, &a, &b);
		wrong += !vs_plan_has(&p, a, b) ||
			vs_plan_number(&p, a, b) != t ||
			vs_cube_triples(&p, a, b) != n[t];
		sum += n[t];
	}
	T_OK(!wrong && sum == vs_cube_n_triple(&p),
		"%llu, %llu, %llu and %llu vectors in tiles of %lld: "
		"%llu triples",
		(unsigned long long)both, (unsigned long long)of.n_both,
		(unsigned long long)of.n_second, (unsigned long long)of.n_rest,
		(long long)tile, (unsigned long long)sum);
	free(n);
}

/* The most loaded rank is at most one percent above its share. */
static void
even(uint64_t n_vec, int n_rank)
{
	struct vs_plan p;
	uint64_t *cost = NULL, *load = NULL, most = 0, n_tile;
	int32_t *owner = NULL;
	int wrong = cube_plan(&p, n_vec, n_rank, 0);
	double share = (double)vs_cube_n_triple(&p) / n_rank;

	n_tile = vs_plan_n_tile(&p);
	if (vs_mem_new(&cost, n_tile, sizeof(*cost), "costs") ||
		vs_mem_new(&owner, n_tile, sizeof(*owner), "owners") ||
		vs_mem_new(&load, (size_t)n_rank, sizeof(*load), "loads"))
		exit(4);
	for (int64_t a = 0; a < p.n_block; a++)
		for (int64_t b = a; b < p.n_block; b++)
			cost[vs_plan_number(&p, a, b)] =
				vs_cube_triples(&p, a, b);
	wrong |= vs_cube_deal(p.n_rank, n_tile, cost, owner);
	for (uint64_t t = 0; t < n_tile; t++) {
		wrong |= owner[t] < 0 || owner[t] >= n_rank;
		if (!wrong)
			load[owner[t]] += cost[t];
	}
	for (int r = 0; r < n_rank; r++)
		most = load[r] > most ? load[r] : most;
	T_OK(!wrong && (double)most <= 1.01 * share,
		"%llu vectors on %d ranks: the most is %.4f of a share",
		(unsigned long long)n_vec, n_rank, (double)most / share);
	free(cost);
	free(load);
	free(owner);
}

/* With as many tiles as there are stages, each stage has its triples. */
static void
stages(uint64_t n_vec, int n_stage)
{
	uint64_t load[64] = { 0 }, all = 0, most = 0;
	struct vs_plan p;
	int wrong;

	wrong = cube_plan(&p, n_vec, 1,
		(int64_t)((double)n_vec / (16 * sqrt(n_stage))));
	for (int64_t a = 0; a < p.n_block; a++)
		for (int64_t b = a; b < p.n_block; b++)
			load[vs_plan_spread(a, b, n_stage)] +=
				vs_cube_triples(&p, a, b);
	for (int s = 0; s < n_stage; s++) {
		all += load[s];
		most = load[s] > most ? load[s] : most;
	}
	T_OK(!wrong && all == vs_cube_n_triple(&p) &&
			(double)most * n_stage < 1.08 * (double)all,
		"%llu vectors, %d stages: the most is %.4f of a share",
		(unsigned long long)n_vec, n_stage,
		(double)most * n_stage / (double)all);
}

/* Triples of more vectors than 64 bits hold the eight values of each. */
static void
large(void)
{
	static const uint64_t sizes[] = { 1900000, 2400641, VS_CUBE_MOST };

	for (int k = 0; k < 3; k++) {
		unsigned __int128 n = sizes[k], all = 0;
		uint64_t most = 0;
		char text[VS_NUM_WIDE];
		struct vs_plan p;
		int code = cube_plan(&p, sizes[k], 3, 0);

		for (int64_t a = 0; a < p.n_block && !code; a++)
			for (int64_t b = a; b < p.n_block; b++) {
				uint64_t t = vs_cube_triples(&p, a, b);

				all += t;
				most = t > most ? t : most;
			}
		vs_num_print_wide(all, text);
		T_OK(!code && all == n * (n - 1) * (n - 2) / 6 &&
				all == vs_cube_n_triple(&p) &&
				most < 1ull << 60,
			"%llu vectors: %s triples, %llu in a tile at the most",
			(unsigned long long)sizes[k], text,
			(unsigned long long)most);
		T_OK(!k == !cube_plan(&p, sizes[k], 1, 1 << 22),
			"tiles of 4 million vectors: %s", vs_fail_text());
		vs_fail_clear();
	}
}

int
main(void)
{
	static const uint64_t sizes[] = { 1000, 1025, 5000, 12226, 100000 };
	static const int ranks[] = { 1, 2, 3, 7, 16, 64, 100 };
	struct vs_plan p;

	for (uint64_t n = 1; n < 40; n += n < 3 ? 1 : 7)
		for (int64_t tile = 1; tile < 50; tile += 6)
			with_set(n, 41, tile);
	with_set(40, 41, 9);
	/* the first set is the smaller one */
	for (uint64_t n = 1; n < 5 * 4 * 5 * 4; n++)
		of_sets((struct vs_between){ .n_first = n / 4 % 5,
				.n_both = n % 4,
				.n_second = n / 4 % 5 + n / 16 % 5,
				.n_rest = n / 80 % 5 * 3 },
			(int64_t)n % 5 + 1);

	for (uint64_t n = 0; n < 12; n++)
		for (int64_t tile = 0; tile < 6; tile++)
			for (int64_t grain = 0; grain < 4; grain++)
				each_once(n, tile, grain);
	each_once(100, 33, 0);
	each_once(97, 16, 0);
	each_once(97, 33, 16);
	for (int s = 0; s < 5; s++)
		for (int r = 0; r < 7; r++)
			even(sizes[s], ranks[r]);
	for (int n = 1; n <= 64; n *= 2) {
		stages(5000, n);
		stages(100000, n);
	}
	large();
	T_OK(cube_plan(&p, VS_CUBE_MOST + 1, 1, 0) == VS_EINPUT,
		"more vectors than triples can be numbered: %s",
		vs_fail_text());
	return T_DONE();
}
