/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages: every tile in one of them, of few vectors, and of one rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/plan/stages.h"
#include "tests/unit/test.h"

static const char *const names[] = { "squares", "rows", "chromosomes",
	"spread" };

/* Distinct blocks of the tiles that were noted. */
struct blocks {
	uint8_t *met;
	int64_t n;
};

static void
note(struct blocks *b, int64_t bi, int64_t bj)
{
	b->n += !b->met[bi];
	b->met[bi] = 1;
	b->n += !b->met[bj];
	b->met[bj] = 1;
}

/*
 * The ranks of a stage share its tiles: each once, by its owner alone, and what
 * is of another stage has none. Returns what is wrong.
 */
static int
deal(const struct vs_plan *run, const struct vs_stages *s, int stage,
	int n_rank, int64_t most)
{
	struct vs_plan p = *run;
	uint8_t *met = calloc(vs_plan_n_tile(run) + 1, 1);
	uint64_t least = UINT64_MAX, largest = 0;
	int wrong = 0;

	p.n_rank = n_rank;
	p.order = NULL;
	if (!met || vs_stages_deal(s, stage, most, &p))
		exit(4);
	for (int r = 0; r < n_rank; r++) {
		uint64_t end = vs_plan_share(&p, r + 1),
			 n = end - vs_plan_share(&p, r);

		least = n < least ? n : least;
		largest = n > largest ? n : largest;
		for (uint64_t x = end - n; x < end; x++) {
			int64_t bi, bj;

			vs_plan_along(&p, x, &bi, &bj);
			wrong += !vs_plan_has(run, bi, bj) ||
				vs_stages_of(s, bi, bj) != stage ||
				vs_plan_owner(&p, bi, bj) != r ||
				met[vs_plan_number(run, bi, bj)]++;
		}
	}
	for (uint64_t t = 0; t < vs_plan_n_tile(run); t++) {
		int64_t bi, bj;

		vs_plan_tile_of(run, t, &bi, &bj);
		wrong += met[t] != (vs_stages_of(s, bi, bj) == stage);
		wrong += !met[t] && vs_plan_owner(&p, bi, bj) != -1;
	}
	wrong += largest > least + 1;
	vs_plan_free(&p);
	free(met);
	return wrong;
}

static void
cover(const struct vs_between *of, int64_t tile, int n)
{
	for (enum vs_stages_by by = 0; by <= VS_STAGES_SPREAD; by++) {
		struct vs_plan run;
		struct vs_stages s;
		uint64_t tiles = 0;
		int wrong = 0;

		/* t_chromosome_path */
		if (by == VS_STAGES_CHROMOSOMES)
			continue;
		if (vs_plan_between(&run, of, 1, tile) ||
			vs_stages_make(&s, &run, by, NULL, NULL, n))
			exit(4);
		for (uint64_t t = 0; t < vs_plan_n_tile(&run); t++) {
			int64_t bi, bj;
			int stage;

			vs_plan_tile_of(&run, t, &bi, &bj);
			stage = vs_stages_of(&s, bi, bj);
			wrong += stage < 0 || stage >= n;
			tiles++;
		}
		for (int k = 0; by != VS_STAGES_SPREAD && k < n;
			k += n < 20 ? 1 : n / 9)
			wrong += deal(&run, &s, k, 1 + k % 5, k % 2 ? 3 : 99);
		T_OK(!wrong,
			"%llu tiles of %lld blocks by %s, %d stages: each in "
			"one stage and of one rank",
			(unsigned long long)tiles, (long long)run.n_block,
			names[by], n);
	}
}

/* A stage needs few vectors and has its share of the pairs. */
static void
squares(uint64_t n_vec, int n)
{
	const double bound = 3 / sqrt(2.0 * n);
	double most = 0, pairs_most = 0;
	struct vs_plan run;
	struct vs_stages s;

	if (vs_plan_make(&run, n_vec, 1,
		    (int64_t)ceil((double)n_vec / ceil(16 * sqrt(n)))))
		exit(4);
	if (vs_stages_make(&s, &run, VS_STAGES_SQUARES, NULL, NULL, n))
		exit(4);
	for (int k = 0; k < n; k++) {
		struct blocks b = { calloc((size_t)run.n_block, 1), 0 };
		uint64_t pairs = 0;

		for (int64_t i = 0; b.met && i < run.n_block; i++)
			for (int64_t j = i; j < run.n_block; j++)
				if (vs_stages_of(&s, i, j) == k) {
					note(&b, i, j);
					pairs += vs_plan_pairs(&run, i, j);
				}
		most = fmax(most, (double)b.n / (double)run.n_block);
		pairs_most = fmax(pairs_most, (double)pairs);
		free(b.met);
	}
	pairs_most *= n / (double)vs_plan_n_pair(&run);
	T_OK(most <= fmin(bound, 1) && pairs_most < 1.08,
		"%llu vectors, %d stages: one needs %.3f of them at the most, "
		"of %.3f, and has %.3f of a share of the pairs",
		(unsigned long long)n_vec, n, most, bound, pairs_most);
}

/* Ranks of a stage need few of its vectors on the mean: single ones may need
 * more, where the stage is narrow. */
static void
ranks(int n, int n_rank)
{
	const double bound = 3 / sqrt(2.0 * n * n_rank);
	struct vs_plan run, p;
	struct vs_stages s;
	double mean = 0;

	if (vs_plan_make(&run, 1900 * 32, n_rank, 32))
		exit(4);
	if (vs_stages_make(&s, &run, VS_STAGES_SQUARES, NULL, NULL, n))
		exit(4);
	p = run;
	if (vs_stages_deal(&s, n / 2, INT64_MAX, &p))
		exit(4);
	for (int r = 0; r < n_rank; r++)
		mean += (double)vs_plan_share_blocks(&p, r) / 1900 / n_rank;
	T_OK(mean <= bound,
		"%d stages, %d ranks: one reads %.4f of the vectors on the "
		"mean, of %.4f",
		n, n_rank, mean, bound);
	vs_plan_free(&p);
}

/* Tiles of a band: a stage has neighbours, which others need at its ends. */
static void
band(int n)
{
	const int64_t n_block = 16 * n, near = 3;
	int64_t most = 0, tiles_most = 0;
	struct vs_plan run;
	struct vs_stages s;

	if (vs_plan_make(&run, (uint64_t)(32 * n_block), 1, 32))
		exit(4);
	if (vs_stages_make(&s, &run, VS_STAGES_ROWS, NULL, NULL, n))
		exit(4);
	for (int k = 0; k < n; k++) {
		struct blocks b = { calloc((size_t)n_block, 1), 0 };
		int64_t tiles = 0;

		for (int64_t i = 0; b.met && i < n_block; i++)
			for (int64_t j = i; j < n_block && j <= i + near; j++)
				if (vs_stages_of(&s, i, j) == k) {
					note(&b, i, j);
					tiles++;
				}
		most = b.n > most ? b.n : most;
		tiles_most = tiles > tiles_most ? tiles : tiles_most;
		free(b.met);
	}
	T_OK(most <= n_block / n + near && tiles_most == 16 * (near + 1),
		"a band of %lld blocks, %d stages: one needs %lld at the most",
		(long long)n_block, n, (long long)most);
}

int
main(void)
{
	static const int stages[] = { 1, 2, 3, 4, 7, 8, 16, 30, 100 };
	static const struct vs_between of[] = {
		{ .n_both = 1 },
		{ .n_both = 33 },
		{ .n_both = 96 },
		{ .n_both = 32 * 23 - 5 },
		{ .n_first = 32 * 7, .n_both = 100, .n_second = 32 * 20 + 1 },
		{ .n_first = 40, .n_second = 32 * 30 },
		{ .n_first = 32 * 12, .n_both = 0, .n_second = 32 * 5 },
		{ .n_both = 64, .n_second = 500 },
	};

	for (size_t k = 0; k < sizeof(stages) / sizeof(*stages); k++) {
		for (size_t b = 0; b < sizeof(of) / sizeof(*of); b++)
			cover(&of[b], 32, stages[k]);
		squares(100000, stages[k]);
		squares(20011, stages[k]);
		if (stages[k] > 1)
			band(stages[k]);
	}
	ranks(2, 8);
	ranks(2, 1000);
	ranks(10, 3);
	ranks(10, 100);
	ranks(100, 16);
	return T_DONE();
}
