/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages of pairs within chromosomes: every tile in one of them and of one of
 * its ranks, few vectors needed, equal shares of the pairs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/plan/chromosome_path.h"
#include "libcore/plan/stages.h"
#include "tests/unit/test.h"

/* Million bases of the human chromosomes 1 to 22. */
static const int human[] = { 248, 242, 198, 190, 182, 171, 159, 145, 138, 134,
	135, 133, 114, 107, 102, 90, 83, 80, 59, 64, 47, 51 };
static const int uneven[] = { 50, 3, 4, 60, 1, 90, 20, 2, 2, 1, 40 };
static const int one[] = { 1 };
static int contigs[1000];

/* A division of n_vec vectors into chromosomes. */
static const struct division {
	const char *name;
	const int *length;
	size_t n;
} divisions[] = {
	{ "of the human lengths", human, sizeof(human) / sizeof(*human) },
	{ "of uneven lengths", uneven, sizeof(uneven) / sizeof(*uneven) },
	{ "of all vectors", one, 1 },
	{ "of a thousandth each", contigs, 1000 },
};

static void *
room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		exit(4);
	return p;
}

static struct vs_chromosomes
divide(uint64_t n_vec, const struct division *d)
{
	struct vs_chromosomes c = { 0, room(n_vec, sizeof(*c.first)) };
	double all = 0, at = 0;

	for (size_t k = 0; k < d->n; k++)
		all += d->length[k];
	for (size_t k = 0; k < d->n; at += d->length[k++]) {
		const int64_t first = (int64_t)(at / all * (double)n_vec);

		if (!c.n || first > c.first[c.n - 1])
			c.first[c.n++] = first;
	}
	return c;
}

/* The chromosome of each vector. */
static uint64_t *
label(const struct vs_chromosomes *c, uint64_t n_vec)
{
	uint64_t *of = room(n_vec, sizeof(*of)), k = 0;

	for (uint64_t v = 0; v < n_vec; v++) {
		while (k + 1 < c->n && (uint64_t)c->first[k + 1] <= v)
			k++;
		of[v] = k;
	}
	return of;
}

/* By their definition: pairs of a tile that are of one chromosome, and one, or
 * 0 where its blocks have no chromosome in common. */
static uint64_t
weigh(const struct vs_plan *run, const uint64_t *of, int64_t bi, int64_t bj)
{
	uint64_t lo[2], hi[2], n = 0;

	vs_plan_block(run, bi, &lo[0], &hi[0]);
	vs_plan_block(run, bj, &lo[1], &hi[1]);
	for (uint64_t i = lo[0]; i < hi[0]; i++)
		for (uint64_t j = i < lo[1] ? lo[1] : i + 1; j < hi[1]; j++)
			n += of[i] == of[j];
	return n ? n + 1 : bi == bj;
}

/*
 * The ranks of a stage share its tiles: each once, by its owner alone, and what
 * is of another stage has none. Each has its share of the pairs, but for half
 * of a tile at both ends. Returns what is wrong.
 */
static int
deal(const struct vs_plan *run, const struct vs_stages *s, const uint64_t *of,
	int stage, int n_rank)
{
	struct vs_plan p = *run;
	uint8_t *met = room(vs_plan_n_tile(run), 1);
	uint64_t most = 0, all = 0, tile = 0;
	int wrong = 0;

	p.n_rank = n_rank;
	if (vs_stages_deal(s, stage, n_rank % 2 ? INT64_MAX : 3, &p))
		exit(4);
	for (int r = 0; r < n_rank; r++) {
		const uint64_t end = vs_plan_share(&p, r + 1);
		uint64_t pairs = 0;

		for (uint64_t x = vs_plan_share(&p, r); x < end; x++) {
			int64_t bi, bj;
			uint64_t w;

			vs_plan_along(&p, x, &bi, &bj);
			w = weigh(run, of, bi, bj);
			wrong += !vs_plan_has(run, bi, bj) ||
				vs_stages_of(s, bi, bj) != stage ||
				vs_plan_owner(&p, bi, bj) != r ||
				vs_plan_wants(&p, bi, bj) != (w > 0) ||
				met[vs_plan_number(run, bi, bj)]++;
			pairs += w;
			tile = w > tile ? w : tile;
		}
		all += pairs;
		most = pairs > most ? pairs : most;
	}
	for (uint64_t t = 0; t < vs_plan_n_tile(run); t++) {
		int64_t bi, bj;

		vs_plan_tile_of(run, t, &bi, &bj);
		wrong += met[t] != (vs_stages_of(s, bi, bj) == stage);
		wrong += !met[t] && vs_plan_owner(&p, bi, bj) != -1;
	}
	wrong += (double)most > (double)all / n_rank + (double)tile + 1;
	vs_plan_free(&p);
	free(met);
	return wrong;
}

/* Two sets: of seven vectors two are of the first set alone, one of both, three
 * of the second alone, and one of neither; rows of the file. */
static int64_t *
choose_sets(uint64_t n_vec, struct vs_between *of)
{
	static const int part[] = { 2, 0, 1, 2, 0, 3, 2 };
	uint64_t *n[] = { &of->n_first, &of->n_both, &of->n_second };
	int64_t *row = room(n_vec, sizeof(*row));
	size_t at = 0;

	memset(of, 0, sizeof(*of));
	for (int k = 0; k < 3; k++)
		for (uint64_t v = 0; v < n_vec; v++)
			if (part[v % 7] == k) {
				row[at++] = (int64_t)v;
				++*n[k];
			}
	return row;
}

/* The chromosomes of vectors in the order of a plan. */
static uint64_t *
reorder(uint64_t *of, const int64_t *row, uint64_t n)
{
	uint64_t *to = room(n, sizeof(*to));

	for (uint64_t v = 0; v < n; v++)
		to[v] = of[row[v]];
	free(of);
	return to;
}

static void
cover(const struct division *d, uint64_t n_vec, int64_t tile, int n, bool sets)
{
	struct vs_chromosomes c = divide(n_vec, d);
	uint64_t *of = label(&c, n_vec), *pairs = room((size_t)n, 8);
	struct vs_between between = { .n_both = n_vec };
	int64_t *row = sets ? choose_sets(n_vec, &between) : NULL;
	uint64_t all = 0, largest = 0;
	struct vs_plan run;
	struct vs_stages s;
	int wrong = 0;

	if (vs_plan_between(&run, &between, 1, tile) ||
		vs_stages_make(&s, &run, VS_STAGES_CHROMOSOMES, &c, row, n))
		exit(4);
	of = sets ? reorder(of, row, run.n_vec) : of;
	for (uint64_t t = 0; t < vs_plan_n_tile(&run); t++) {
		int64_t bi, bj;
		uint64_t w;
		int stage;

		vs_plan_tile_of(&run, t, &bi, &bj);
		stage = vs_stages_of(&s, bi, bj);
		w = weigh(&run, of, bi, bj);
		wrong += stage < 0 || stage >= n;
		if (stage >= 0 && stage < n)
			pairs[stage] += w;
		all += w;
		largest = w > largest ? w : largest;
	}
	for (int k = 0; k < n; k++)
		wrong += fabs((double)pairs[k] - (double)all / n) >
			(double)largest + 1;
	for (int k = 0; k < n; k += n < 20 ? 1 : n / 9)
		wrong += deal(&run, &s, of, k, 1 + k % 5);
	T_OK(!wrong,
		"%llu vectors%s in blocks of %lld, chromosomes %s, %d stages: "
		"each tile in one stage and of one rank, equal shares",
		(unsigned long long)n_vec, sets ? ", two sets," : "",
		(long long)tile, d->name, n);
	vs_stages_free(&s);
	vs_chromosomes_free(&c);
	free(row);
	free(of);
	free(pairs);
}

/* Blocks and pairs of a stage. */
struct need {
	uint8_t *met;
	int64_t n;
	uint64_t pairs;
};

static void
note(struct need *s, int64_t b)
{
	s->n += !s->met[b];
	s->met[b] = 1;
}

/* The most that one of n stages needs, as a share of n_vec, and has of the
 * pairs, of the mean; blocks are as vsim-run has them. */
static void
measure(const struct vs_chromosomes *c, const struct vs_between *of,
	const int64_t *row, double n_pair, int n, double *need, double *pairs,
	double *block)
{
	const uint64_t n_vec = of->n_first + of->n_both + of->n_second;
	const double n_block =
		fmin(16 * sqrt(n / n_pair / 2) * (double)n_vec, 1999);
	struct need *s = room((size_t)n, sizeof(*s));
	struct vs_chromosome_path *path;
	struct vs_stages stages;
	struct vs_plan run;

	if (vs_plan_between(&run, of, 1,
		    (int64_t)ceil((double)n_vec / ceil(n_block))) ||
		vs_stages_make(&stages, &run, VS_STAGES_CHROMOSOMES, c, row, n))
		exit(4);
	path = stages.within;
	for (int k = 0; k < n; k++)
		s[k].met = room((size_t)run.n_block, 1);
	for (int64_t i = 0; i < run.second; i++)
		for (int64_t j = i > run.column ? i : run.column; j < run.rest;
			j++) {
			const uint64_t w =
				vs_chromosome_path_weight(path, i, j);
			struct need *to = &s[vs_stages_of(&stages, i, j)];

			if (!w)
				continue;
			note(to, i);
			note(to, j);
			to->pairs += w - 1;
		}
	*block = (double)run.tile / (double)n_vec;
	*need = *pairs = 0;
	for (int k = 0; k < n; k++) {
		*need = fmax(*need, (double)s[k].n * *block);
		*pairs = fmax(*pairs, (double)s[k].pairs * n / n_pair);
		free(s[k].met);
	}
	free(s);
	vs_stages_free(&stages);
}

/* No stage needs more vectors than its share of all and the rows and columns of
 * a square of its pairs, where a spread one needs nearly all. */
static void
few(const struct division *d, uint64_t n_vec, bool sets)
{
	struct vs_chromosomes c = divide(n_vec, d);
	struct vs_between of = { .n_both = n_vec };
	int64_t *row = sets ? choose_sets(n_vec, &of) : NULL;
	double n_pair = 0, worst = 0, uneven_most = 0, need[65] = { 0 };

	for (uint64_t k = 0; k < c.n; k++) {
		double first = 0, both = 0, second = 0;
		uint64_t lo, hi;

		vs_chromosomes_rows(&c, k, n_vec, &lo, &hi);
		for (uint64_t v = lo; v < hi; v++) {
			const int at = (int)(v % 7);

			first += sets && (at == 1 || at == 4);
			both += !sets || at == 2;
			second += sets && (at == 0 || at == 3 || at == 6);
		}
		n_pair += first * (both + second) + both * second +
			both * (both - 1) / 2;
	}
	n_vec = of.n_first + of.n_both + of.n_second;
	for (int n = 1; n <= 64; n += T_LONG || n < 8 ? 1 : 8) {
		double bound, pairs, block;

		measure(&c, &of, row, n_pair, n, &need[n], &pairs, &block);
		/* a stage of two sets may begin in a strip of one chromosome
		 * and end in one of the next, of other heights; each part
		 * of the plan has a block that is not full */
		bound = (sets ? 2. : 1.) / n +
			(sets ? 7 : 3) * sqrt(n_pair / n) / (double)n_vec +
			(sets ? 4 : 2) * block;
		worst = fmax(worst,
			need[n] / fmin(bound, 1 + (sets ? 3 : 1) * block));
		uneven_most = fmax(uneven_most, pairs);
	}
	T_OK(worst <= 1 && uneven_most < 1.05,
		"chromosomes %s%s: a stage of 2, 8, 64 needs %.3f, %.3f, %.3f "
		"of "
		"the vectors at the most, %.3f of the bound, and "
		"has %.3f of a share of the pairs",
		d->name, sets ? ", two sets" : "", need[2], need[8], need[64],
		worst, uneven_most);
	vs_chromosomes_free(&c);
	free(row);
}

/* Rows that wanted pairs do not cross, pair by pair. */
static void
found(const char *what, const int32_t *contig, const int64_t *want,
	uint64_t n_want, uint64_t n_vec)
{
	const struct vs_pair_rules rules = { .within = true };
	struct vs_chromosomes c = { 0 };
	struct vs_wanted w = { .n_vec = n_vec, .n_way = 2 };
	int64_t *source = room(n_vec, sizeof(*source));
	bool good;

	for (uint64_t v = 0; v < n_vec; v++)
		source[v] = (int64_t)v;
	if (vs_wanted_by_place(&w, &rules, contig, NULL, NULL, source) ||
		vs_chromosomes_find(&c, &w))
		exit(4);
	good = c.n == n_want && vs_chromosomes_rise(&c, n_vec) &&
		!memcmp(c.first, want, n_want * sizeof(*want));
	T_OK(good, "%s: %llu runs of rows", what, (unsigned long long)c.n);
	for (uint64_t k = 0; k < c.n; k++) {
		uint64_t lo, hi;

		vs_chromosomes_rows(&c, k, n_vec, &lo, &hi);
		for (uint64_t i = lo; i < hi; i++)
			for (uint64_t j = hi; j < n_vec; j++)
				good &= !vs_wanted_near(&w, i, j);
	}
	T_OK(good, "%s: no pair of two of them is wanted", what);
	vs_chromosomes_free(&c);
	vs_wanted_free(&w);
	free(source);
}

int
main(void)
{
	static const int stages[] = { 1, 2, 3, 7, 16, 30, 100 };
	static const uint64_t n_vec[] = { 1, 2, 33, 96, 731, 1500 };
	static const int64_t tile[] = { 32, 5, 64 };

	for (size_t k = 0; k < 1000; k++)
		contigs[k] = 1;
	for (size_t d = 0; d < sizeof(divisions) / sizeof(*divisions); d++) {
		for (size_t v = 0; v < sizeof(n_vec) / sizeof(*n_vec); v++)
			for (size_t k = 0; k < 14; k++)
				cover(&divisions[d], n_vec[v],
					tile[(v + k) % 3], stages[k % 7],
					k > 6);
		few(&divisions[d], 100000, false);
		few(&divisions[d], 100000, true);
	}
	found("in order", (const int32_t[]){ 4, 4, 2, 2, 2, 7 },
		(const int64_t[]){ 0, 2, 5 }, 3, 6);
	found("one within another", (const int32_t[]){ 1, 2, 3, 2, 5, 5 },
		(const int64_t[]){ 0, 1, 4 }, 3, 6);
	found("not known", (const int32_t[]){ 1, -1, 1, -1, 2, 2 },
		(const int64_t[]){ 0, 4 }, 2, 6);
	found("mixed", (const int32_t[]){ 1, 2, 1, 2, 3, 1 },
		(const int64_t[]){ 0 }, 1, 6);
	return T_DONE();
}
