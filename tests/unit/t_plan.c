/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan gives every tile, and so every pair, to exactly one rank. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/plan.h"
#include "tests/unit/test.h"

/* A walk over all tiles by step and rank. */
struct walk {
	const struct vs_plan *p;
	int rank, step;
	int64_t i, j; /* the tile, i <= j */
	void (*meet)(struct walk *w);
	uint8_t *seen;
	uint64_t pairs;
	int good;
	double threshold, cost; /* of a rank in a step */
};

/* The tiles of a rank in a step, through its own and the met rank's blocks. */
static void
walk_step(struct walk *w)
{
	const struct vs_plan *p = w->p;
	int met = vs_plan_partner(p, w->rank, w->step);

	for (int64_t x = 0; x < vs_plan_n_own(p, w->rank); x++)
		for (int64_t y = 0; y < vs_plan_n_own(p, met); y++) {
			int64_t a = vs_plan_own(p, w->rank, x);
			int64_t b = vs_plan_own(p, met, y);

			if (!vs_plan_mine(p, w->rank, w->step, a, b))
				continue;
			w->i = a < b ? a : b;
			w->j = a < b ? b : a;
			w->meet(w);
		}
}

static void
count_tile(struct walk *w)
{
	w->good &= !w->seen[vs_plan_number(w->p, w->i, w->j)]++;
	w->pairs += vs_plan_pairs(w->p, w->i, w->j);
}

/* Each tile is met once by walking all steps of all ranks. */
static int
covered_once(const struct vs_plan *p)
{
	uint64_t n_tile = vs_plan_n_tile(p), load = 0;
	struct walk w = { .p = p, .meet = count_tile, .good = 1 };

	w.seen = calloc(n_tile + 1, 1);
	for (w.rank = 0; w.rank < p->n_rank; w.rank++) {
		load += vs_plan_load(p, w.rank, NULL);
		for (w.step = 0; w.step < vs_plan_n_step(p); w.step++)
			walk_step(&w);
	}
	for (uint64_t t = 0; t < n_tile; t++)
		w.good &= w.seen[t] == 1;
	free(w.seen);
	return w.good && w.pairs == vs_plan_n_pair(p) && load == w.pairs;
}

/* Tile 0: chosen. */
static int
plan_made(struct vs_plan *p, uint64_t n_vec, int ranks, double most,
	int64_t tile)
{
	if (!tile)
		tile = vs_plan_tile(n_vec, ranks, most, 0);
	return vs_plan_make(p, n_vec, ranks, tile);
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

				wrong += plan_made(&p, n_vec[k], ranks, 1e4,
						 tile) ||
					!covered_once(&p);
			}
		T_OK(!wrong, "%llu vectors, 1 to 18 ranks: %d plans wrong",
			(unsigned long long)n_vec[k], wrong);
	}
}

/* Shares of the path have each tile once, and its owner is the share's rank. */
static int
path_wrong(const struct vs_between *of, int n_rank, int64_t tile)
{
	struct vs_plan p;
	int wrong = vs_plan_between(&p, of, n_rank, tile);
	uint64_t n_tile = vs_plan_n_tile(&p), load = 0;
	uint8_t *seen = calloc(n_tile + 1, 1);

	vs_plan_by_path(&p, n_rank % 3 ? INT64_MAX : n_rank / 3);
	for (int r = 0; r < n_rank; r++) {
		for (uint64_t x = vs_plan_share(&p, r);
			x < vs_plan_share(&p, r + 1); x++) {
			int64_t bi, bj;

			vs_plan_along(&p, x, &bi, &bj);
			wrong += !vs_plan_has(&p, bi, bj) ||
				vs_plan_owner(&p, bi, bj) != r ||
				seen[vs_plan_number(&p, bi, bj)]++;
		}
		load += vs_plan_load(&p, r, NULL);
	}
	for (uint64_t t = 0; t < n_tile; t++)
		wrong += seen[t] != 1;
	free(seen);
	return wrong + (load != vs_plan_n_pair(&p));
}

static void
path(void)
{
	static const uint64_t part[] = { 0, 1, 2, 7, 31, 90 };
	const size_t n = sizeof(part) / sizeof(*part);
	int wrong = 0;

	for (uint64_t n_vec = 1; n_vec < 3000; n_vec = 2 * n_vec + 1)
		for (int n_rank = 1; n_rank < 20; n_rank++) {
			const struct vs_between all = { .n_both = n_vec };

			wrong += path_wrong(&all, n_rank, 32) +
				path_wrong(&all, n_rank,
					1 + (int64_t)n_vec / 77);
		}
	T_OK(!wrong,
		"a path through all tiles, shared by 1 to 19 ranks: %d "
		"wrong",
		wrong);
	wrong = 0;
	for (size_t k = 0; k < n * n * n; k++)
		for (int n_rank = 1; n_rank < 20; n_rank++) {
			const struct vs_between of = { .n_first = part[k % n],
				.n_both = part[k / n % n],
				.n_second = part[k / n / n] };

			wrong += path_wrong(&of, n_rank, 3) +
				path_wrong(&of, n_rank, 16);
		}
	T_OK(!wrong, "a path through all tiles between two sets: %d wrong",
		wrong);
}

/* Each block has one owner, and stands in its panel behind those before it. */
static int
blocks_wrong(const struct vs_plan *p)
{
	uint8_t *owned = calloc((size_t)p->n_block + 1, 1);
	uint64_t most = 0;
	int wrong = 0;

	for (int r = 0; r < p->n_rank; r++) {
		uint64_t at = 0, lo, hi;

		for (int64_t k = 0; k < vs_plan_n_own(p, r); k++) {
			int64_t b = vs_plan_own(p, r, k);

			wrong += b < 0 || b >= p->n_block || owned[b]++;
			wrong += vs_plan_place(p, b) != at;
			vs_plan_block(p, b, &lo, &hi);
			at += hi - lo;
		}
		wrong += vs_plan_held(p, r) != at;
		most = at > most ? at : most;
	}
	for (int64_t b = 0; b < p->n_block; b++)
		wrong += owned[b] != 1;
	free(owned);
	return wrong + (vs_plan_most(p) != most);
}

static void
blocks(void)
{
	int wrong = 0;

	for (uint64_t n_vec = 0; n_vec < 1300; n_vec = 3 * n_vec + 1)
		for (int ranks = 1; ranks < 40; ranks++)
			for (int64_t tile = 0; tile < 40; tile += 13) {
				struct vs_plan p;

				wrong += plan_made(&p, n_vec, ranks, 1e4,
						 tile) ||
					blocks_wrong(&p);
			}
	T_OK(!wrong, "ranks own all blocks, each its own: %d plans wrong",
		wrong);
}

static void
balance(void)
{
	double worst = 0;
	int whose = 0;

	for (int ranks = 2; ranks <= 128; ranks++) {
		struct vs_plan p;
		double most = 0, mean;

		plan_made(&p, 1000000, ranks, 1e9, 0);
		mean = (double)vs_plan_n_pair(&p) / ranks;
		for (int r = 0; r < ranks; r++) {
			double load = (double)vs_plan_load(&p, r, NULL);

			most = load > most ? load : most;
		}
		if (most / mean > worst) {
			worst = most / mean;
			whose = ranks;
		}
	}
	T_OK(worst < 1.01,
		"2 to 128 ranks: the busiest has %.4f of the mean, of %d",
		worst, whose);
}

/*
 * True if a pair may pass t, with minor alleles of frequencies x and y: f_ij is
 * at most the lesser of the two frequencies of its cell.
 */
static int
may_pass(double x, double y, double t)
{
	double fx[2] = { x, 1 - x }, fy[2] = { y, 1 - y };
	int may = 0;

	for (int c = 0; c < 4; c++) {
		double a = fx[c / 2], b = fy[c % 2];

		may |= 4.5 * fmin(a, b) * (1 - a / 1.5) * (1 - b / 1.5) > t;
	}
	return may;
}

/* A file sorted by frequency, of a spectrum 1 / f from 1/200 up to a half. */
static double
frequency(const struct vs_plan *p, int64_t block, int part)
{
	double at = ((double)block + (part + 0.5) / 8) / (double)p->n_block;

	return 0.005 * pow(100, at);
}

/* Pairs that may pass, of eight vectors of either block. */
static void
cost_tile(struct walk *w)
{
	for (int k = 0; k < 64; k++) {
		int x = k / 8, y = k % 8;

		if (w->i < w->j || x < y)
			w->cost += may_pass(frequency(w->p, w->i, x),
				frequency(w->p, w->j, y), w->threshold);
	}
}

/*
 * Ranks that meet in steps: the busiest of all, and what all take who wait for
 * one another after each step, by the mean.
 */
static void
sorted(int ranks, double threshold, int rounds)
{
	struct vs_plan p;
	struct walk w = { .p = &p, .meet = cost_tile, .threshold = threshold };
	double in_all[16] = { 0 }, all = 0, most = 0, waited = 0;

	vs_plan_make(&p, 1000000, ranks,
		vs_plan_tile(1000000, ranks, 1e9, rounds));
	for (w.step = 0; w.step < vs_plan_n_step(&p); w.step++) {
		double slowest = 0;

		for (w.rank = 0; w.rank < ranks; w.rank++) {
			w.cost = 0;
			walk_step(&w);
			in_all[w.rank] += w.cost;
			all += w.cost;
			slowest = fmax(slowest, w.cost);
		}
		waited += slowest;
	}
	for (int r = 0; r < ranks; r++)
		most = fmax(most, in_all[r]);
	T_OK(most * ranks < 1.1 * all && waited * ranks < 1.15 * all,
		"%d ranks, a sorted file, t = %g: the busiest has %.3f of the "
		"mean, "
		"all "
		"together %.3f",
		ranks, threshold, most * ranks / all, waited * ranks / all);
}

static void
limits(void)
{
	struct vs_plan p;

	T_OK(plan_made(&p, 1ull << 32, 1, 1e9, 0) == VS_EINPUT,
		"2^32 vectors are refused");
	vs_fail_clear();
	T_OK(!plan_made(&p, (1ull << 32) - 1, 4, 1e9, 0) &&
			vs_plan_n_pair(&p) == 9223372030412324865ull,
		"one fewer fits, and its pairs are counted exactly");
}

/* True if the pair is wanted, by its parts. */
static int
is_between(const struct vs_between *of, uint64_t i, uint64_t j)
{
	uint64_t second = of->n_first + of->n_both;
	int first[2] = { i < second, j < second };
	int other[2] = { i >= of->n_first, j >= of->n_first };

	return i != j && ((first[0] && other[1]) || (first[1] && other[0]));
}

/* Pairs of a tile, each met once and wanted. */
struct square {
	struct walk walk; /* first */
	uint8_t *met;
};

static void
mark_pairs(struct walk *w)
{
	struct square *s = (struct square *)w;
	uint64_t ilo, ihi, jlo, jhi, n = w->p->n_vec;

	vs_plan_block(w->p, w->i, &ilo, &ihi);
	vs_plan_block(w->p, w->j, &jlo, &jhi);
	for (uint64_t i = ilo; i < ihi; i++)
		for (uint64_t j = w->i == w->j ? i + 1 : jlo; j < jhi; j++) {
			w->good &= is_between(&w->p->of, i, j) &&
				!s->met[i * n + j]++;
			w->good &= vs_plan_find(w->p, i) == w->i &&
				vs_plan_find(w->p, j) == w->j;
		}
	count_tile(w);
}

/* A rank has what its tiles need, in its panel, one vector behind another. */
static int
panels_wrong(const struct vs_plan *p)
{
	int wrong = 0;

	for (int r = 0; r < p->n_rank; r++) {
		uint64_t at = 0, lo, hi;

		for (int64_t k = 0; k < vs_plan_n_own(p, r); k++) {
			int64_t b = vs_plan_own(p, r, k);

			wrong += vs_plan_place(p, b) != at;
			vs_plan_block(p, b, &lo, &hi);
			at += hi - lo;
		}
		wrong += vs_plan_held(p, r) != at || at > vs_plan_most(p);
	}
	return wrong;
}

static int
between_wrong(const struct vs_plan *p)
{
	struct square s = { .walk = { .p = p, .meet = mark_pairs, .good = 1 } };
	struct walk *w = &s.walk;
	uint64_t n = p->n_vec, wanted = 0, n_tile = vs_plan_n_tile(p);
	int wrong = panels_wrong(p);

	s.met = calloc(n * n + 1, 1);
	w->seen = calloc(n_tile + 1, 1);
	for (w->rank = 0; w->rank < p->n_rank; w->rank++)
		for (w->step = 0; w->step < vs_plan_n_step(p); w->step++)
			walk_step(w);
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = i + 1; j < n; j++) {
			wanted += (uint64_t)is_between(&p->of, i, j);
			wrong += is_between(&p->of, i, j) != s.met[i * n + j];
		}
	for (uint64_t t = 0; t < n_tile; t++) {
		int64_t bi, bj;

		vs_plan_tile_of(p, t, &bi, &bj);
		wrong += !vs_plan_has(p, bi, bj) ||
			vs_plan_number(p, bi, bj) != t || w->seen[t] != 1;
	}
	free(s.met);
	free(w->seen);
	return wrong || !w->good || w->pairs != wanted ||
		vs_plan_n_pair(p) != wanted;
}

/* Each pair between two sets is met once, and no other, on any ranks. */
static void
between(void)
{
	static const struct vs_between sets[] = { { 0, 40, 0, 0, false },
		{ 7, 0, 60, 0, false }, { 1, 0, 1, 0, false },
		{ 5, 9, 33, 0, false }, { 16, 16, 16, 0, false },
		{ 0, 20, 31, 0, false }, { 3, 1, 70, 0, false } };
	int wrong = 0;

	for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++)
		for (int ranks = 1; ranks < 9; ranks++)
			for (int64_t tile = 1; tile < 30; tile += 5) {
				struct vs_plan p;

				wrong += vs_plan_between(&p, &sets[k], ranks,
						 tile) ||
					between_wrong(&p);
			}
	T_OK(!wrong, "pairs between two sets, each once: %d plans wrong",
		wrong);
}

/* Ranks have equal shares of few vectors with many. */
static void
between_shares(void)
{
	const struct vs_between of = { 90, 10, 40000, 0, false };
	double worst = 0;

	for (int ranks = 2; ranks <= 64; ranks++) {
		struct vs_plan p;
		double mean;

		if (vs_plan_between(&p, &of, ranks,
			    vs_plan_tile(vs_plan_extent(&of), ranks, 1e9, 0)))
			exit(4);
		mean = (double)vs_plan_n_pair(&p) / ranks;
		for (int r = 0; r < ranks; r++)
			worst = fmax(worst,
				(double)vs_plan_load(&p, r, NULL) / mean);
	}
	T_OK(worst < 1.05, "100 vectors with 40000, 2 to 64 ranks: %.3f",
		worst);
}

int
main(void)
{
	cover();
	path();
	between();
	between_shares();
	blocks();
	balance();
	for (int ranks = 2; ranks <= 16; ranks += T_LONG || ranks < 5 ? 1 : 3) {
		sorted(ranks, 0.7, 16);
		sorted(ranks, 0.9, 48);
	}
	limits();
	return T_DONE();
}
