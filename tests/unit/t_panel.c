/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting a panel moves every vector whole, and its counts are right. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/bits/panel.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define N_VEC 900

static uint8_t *genotype; /* by number in the file; 3: missing */
static size_t n_field;

/* Genotype of field f in the planes of vector v. */
static int
read(const struct vs_panel *p, size_t v, size_t f)
{
	int h = vs_vec_plane(&p->vec, v, 0)[f / 64] >> (f % 64) & 1;
	int two = vs_vec_plane(&p->vec, v, 1)[f / 64] >> (f % 64) & 1;

	return h ? 2 * two : two ? 3 : 1;
}

/* Fields [0, n) of a vector: sum, present, two as they should be. */
static int
counts_differ(const uint8_t *g, size_t n, int32_t sum, int32_t present,
	int32_t two)
{
	for (size_t f = 0; f < n; f++) {
		sum -= g[f] < 3 ? g[f] : 0;
		present -= g[f] < 3;
		two -= g[f] == 2;
	}
	return sum || present || two;
}

/* Wrong fields and counts of the vector at place v. */
static int
judge_vector(const struct vs_panel *p, size_t v)
{
	const uint8_t *g = genotype + (size_t)p->row[v] * n_field;
	int wrong =
		counts_differ(g, n_field, p->sum[v], p->present[v], p->two[v]);

	for (size_t f = 0; f < n_field; f++)
		wrong += read(p, v, f) != g[f];
	for (int k = 0;
		k < VS_FIRSTS && n_field >= VS_FIRSTS_LEAST && !p->dead[v];
		k++) {
		struct vs_panel first = vs_panel_first(p, k);

		wrong += first.vec.n_field > n_field * 3 / 4 ||
			first.vec.n_field % 512;
		wrong += counts_differ(g, first.vec.n_field, first.sum[v],
			first.present[v], first.two[v]);
	}
	return wrong;
}

/* Missing calls of a vector against shares of all of them, by definition. */
static int
missing_class(const struct vs_panel *p, size_t v)
{
	static const int one_in[] = { 64, 32, 16, 8, 4 };
	const size_t missing = p->vec.n_field - (size_t)p->present[v];
	int k = 0;

	while (k < 5 && missing > p->vec.n_field / (size_t)one_in[k])
		k++;
	return k;
}

/*
 * By class of missing calls, or not; in steps of 1 / 8192 or 1 / 8 of the rarer
 * allele's frequency; the dead are last.
 */
static int
step(const struct vs_panel *p, size_t v, unsigned order)
{
	int64_t s = p->sum[v], all = 2 * (int64_t)p->present[v];
	int class = order & VS_PANEL_BY_MISSING ? missing_class(p, v) : 0;
	int steps = order & VS_PANEL_BY_EIGHTHS ? 8 : 8192;

	return p->dead[v] ? 1 << 20
		: all     ? (class << 13) +
			(int)((s < all - s ? s : all - s) * steps / all)
		      : class << 13;
}

/* Homozygotes of the rarer allele among 2^24 present fields. */
static int64_t
twos(const struct vs_panel *p, size_t v)
{
	int64_t n[4] = { 0 };

	for (size_t f = 0; f < n_field; f++)
		n[genotype[p->row[v] * n_field + f]]++;
	return n[0] + n[1] + n[2] == 0
		? 0
		: ((n[1] + 2 * n[2] < n[1] + 2 * n[0] ? n[2] : n[0]) << 24) /
			(n[0] + n[1] + n[2]);
}

/* Vector v belongs behind v - 1 by what their run is ordered by. */
static bool
in_order(const struct vs_panel *p, size_t v, unsigned order)
{
	const bool by_twos = order & VS_PANEL_BY_TWOS;
	int64_t a = by_twos ? twos(p, v - 1) : step(p, v - 1, order);
	int64_t b = by_twos ? twos(p, v) : step(p, v, order);

	return a < b || (a == b && p->row[v - 1] < p->row[v]);
}

/* The least power of two, 128 to 2048, of at least 15 sqrt(all / sqrt(n)). */
static size_t
run_of(size_t all, size_t n_field)
{
	const double x = 225 * (double)all;
	size_t run = 128;

	while (run < 2048 && pow((double)run, 4) * (double)n_field < x * x)
		run *= 2;
	return run;
}

/* In runs, none of which goes below the steps of those before it. */
static int
judge_order(const struct vs_panel *p, size_t lo, size_t hi, unsigned order,
	size_t all)
{
	int wrong = 0, most = -1, before = -1;
	const size_t whole = run_of(all, p->vec.n_field);
	size_t run = 0;

	for (size_t v = lo; v < hi; v++) {
		const bool first = v == lo;
		const bool other = !first && order & VS_PANEL_BY_MISSING &&
			missing_class(p, v) != missing_class(p, v - 1);

		if (p->dead[v]) {
			wrong += v + 1 < hi && !p->dead[v + 1];
			continue;
		}
		if (first || other ||
			(order & VS_PANEL_BY_TWOS && run == whole)) {
			run = 0;
			before = most;
		}
		wrong += step(p, v, order) < before ||
			(run && !in_order(p, v, order));
		most = step(p, v, order) > most ? step(p, v, order) : most;
		run++;
	}
	return wrong;
}

static int
judge(const struct vs_panel *p, size_t lo, size_t hi, unsigned order,
	size_t all)
{
	uint8_t seen[N_VEC] = { 0 };
	int wrong = judge_order(p, lo, hi, order, all);

	for (size_t v = 0; v < N_VEC; v++) {
		bool inside = v >= lo && v < hi;

		wrong += judge_vector(p, v);
		wrong += seen[p->row[v]]++;
		wrong += inside !=
			((size_t)p->row[v] >= lo && (size_t)p->row[v] < hi);
		wrong += !inside && (size_t)p->row[v] != v;
		wrong += p->dead[v] != (p->row[v] % 5 == 0);
	}
	return wrong;
}

static void
try(size_t fields, size_t lo, size_t hi, unsigned order, size_t all,
	int n_thread)
{
	struct vs_panel p;
	struct vs_rng rng;
	int wrong;

	n_field = fields;
	vs_rng_seed(&rng, fields);
	if (vs_mem_new(&genotype, N_VEC * fields, 1, "genotypes") ||
		panel_new(&p, N_VEC, fields))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++) {
		uint64_t often = vs_rng_below(&rng, 100);
		uint64_t one_in = 1 + vs_rng_below(&rng, 100);

		for (size_t f = 0; f < fields; f++) {
			uint8_t *g = &genotype[v * fields + f];

			*g = (uint8_t)((vs_rng_below(&rng, 100) < often) +
				(vs_rng_below(&rng, 100) < often));
			if (!vs_rng_below(&rng, one_in) || v == 17)
				*g = 3;
			vs_vec_set(&p.vec, v, f, *g);
		}
	}
	panel_make(&p, 0, N_VEC, n_thread);
	for (size_t v = 0; v < N_VEC; v++)
		p.dead[v] = v % 5 == 0;
	wrong = vs_panel_sort(&p, lo, hi, order, all, n_thread);
	vs_panel_count_first(&p, 1, n_thread);
	wrong += judge(&p, lo, hi, order, all);
	T_OK(!wrong,
		"%zu fields, vectors %zu to %zu sorted%s%s%s of %zu by %d "
		"threads: %d wrong",
		fields, lo, hi,
		order & VS_PANEL_BY_MISSING ? ", by missing calls first" : "",
		order & VS_PANEL_BY_TWOS ? ", runs by homozygotes" : "",
		order & VS_PANEL_BY_EIGHTHS ? ", in steps of 1 / 8" : "", all,
		n_thread, wrong);
	vs_panel_free(&p);
	free(genotype);
}

int
main(void)
{
	static const size_t fields[] = { 1, 64, 513, 2047, 2048, 2600, 5000 };

	for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++) {
		try(fields[k], 0, N_VEC, 0, N_VEC, 1);
		try(fields[k], 0, N_VEC, VS_PANEL_BY_MISSING, N_VEC, 2);
		/* from runs of 128 to one of 1,024 or more, that holds all */
		for (size_t all = 200; all < 800 * N_VEC; all *= 4)
			try(fields[k], 0, N_VEC, VS_PANEL_BY_TWOS, all, 2);
		try(fields[k], 100, 433, VS_PANEL_BY_MISSING, 333, 3);
		try(fields[k], 100, 833, VS_PANEL_BY_MISSING | VS_PANEL_BY_TWOS,
			733, 3);
		try(fields[k], 0, N_VEC, VS_PANEL_BY_EIGHTHS, N_VEC, 2);
		try(fields[k], 50, 50, 0, 0, 2);
	}
	return T_DONE();
}
