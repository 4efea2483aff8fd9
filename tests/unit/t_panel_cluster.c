/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Followers are as near to their leaders as they say, by their genotypes; they
 * stand behind them in a sorted panel, and sums with any vector stay within
 * what is above and below, those of the first fields with all that the fields
 * left can add too.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/bits/panel.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define N_VEC 300

struct data {
	uint8_t *g; /* 3: missing */
	size_t n_field;
	int label;
	struct vs_panel panel;
};

/* Copies of the label's allele in field f of the vector at place v. */
static int
copies(const struct data *d, size_t v, size_t f)
{
	uint8_t g = d->g[(size_t)d->panel.row[v] * d->n_field + f];

	return g == 3 ? 0 : d->label ? g : 2 - g;
}

/* Sum over fields [lo, hi) of products; and the vectors' counts there. */
static int64_t
product(const struct data *d, size_t u, size_t v, size_t lo, size_t hi)
{
	int64_t sum = 0;

	for (size_t f = lo; f < hi; f++)
		sum += copies(d, u, f) * copies(d, v, f);
	return sum;
}

/* The most (the least) that fields [lo, n) add, whatever stands where. */
static int64_t
rearranged(const struct data *d, size_t u, size_t v, size_t lo, bool most)
{
	int64_t n = (int64_t)(d->n_field - lo), at[2][2] = { { 0 } }, sum = 0;

	for (size_t f = lo; f < d->n_field; f++)
		for (int t = 0; t < 2; t++) {
			at[0][t] += copies(d, u, f) > t;
			at[1][t] += copies(d, v, f) > t;
		}
	for (int s = 0; s < 2; s++)
		for (int t = 0; t < 2; t++) {
			int64_t a = at[0][s], b = at[1][t];

			sum += most ? a < b ? a : b : a + b > n ? a + b - n : 0;
		}
	return sum;
}

static int
judge_near(const struct data *d, size_t v, int32_t gap)
{
	const struct vs_panel *p = &d->panel;
	size_t u = v - (size_t)p->behind[v];
	int64_t above = 0, below = 0;

	for (size_t f = 0; f < d->n_field; f++) {
		int more = copies(d, v, f) - copies(d, u, f);

		above += more > 0 ? more : 0;
		below += more < 0 ? -more : 0;
	}
	return p->above[v] != above || above + below > gap || p->dead[v] ||
		p->dead[u] || p->behind[u] ||
		(v > u + 1 && p->behind[v] != p->behind[v - 1] + 1);
}

/* Sums with every vector. */
static int
judge_sums(const struct data *d, size_t v)
{
	const struct vs_panel *p = &d->panel;
	size_t u = v - (size_t)p->behind[v];
	int64_t less =
		vs_panel_sum(p, v, d->label) - vs_panel_sum(p, u, d->label);
	int wrong = 0;

	for (size_t j = 0; j < N_VEC; j += 7)
		for (int k = -1; k < VS_FIRSTS; k++) {
			size_t n = k < 0 ? d->n_field
					 : vs_first_fields(d->n_field, k);
			int64_t above, by_u,
				all = product(d, v, j, 0, d->n_field);

			if (!n)
				continue;
			above = k < 0 ? p->above[v] : p->first_of[k].above[v];
			by_u = product(d, u, j, 0, n);
			wrong += all >
				by_u + rearranged(d, u, j, n, true) + 2 * above;
			wrong += all < by_u + rearranged(d, u, j, n, false) -
					2 * (above - less);
		}
	return wrong;
}

static void
make(struct data *d, size_t n_field, bool missing, int label)
{
	struct vs_rng rng;

	*d = (struct data){ .n_field = n_field, .label = label };
	vs_rng_seed(&rng, n_field + (size_t)label);
	if (vs_mem_new(&d->g, N_VEC * n_field, 1, "genotypes") ||
		panel_new(&d->panel, N_VEC, n_field))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++) {
		uint64_t often = 10 + vs_rng_below(&rng, 80);
		/* alike to the one some before, all or nearly all of it */
		uint64_t back = v % 3 ? 1 + vs_rng_below(&rng, 3) : 0;
		uint64_t odd = v % 7 ? vs_rng_below(&rng, 30) : 0;

		for (size_t f = 0; f < n_field; f++) {
			uint8_t *g = &d->g[v * n_field + f];

			*g = (uint8_t)((vs_rng_below(&rng, 100) < often) +
				(vs_rng_below(&rng, 100) < often));
			if (back && back <= v && vs_rng_below(&rng, 300) >= odd)
				*g = d->g[(v - back) * n_field + f];
			else if (missing && !vs_rng_below(&rng, 20))
				*g = 3;
			vs_vec_set(&d->panel.vec, v, f, *g);
		}
	}
	panel_make(&d->panel, 0, N_VEC, 2);
	for (size_t v = 0; v < N_VEC; v++)
		d->panel.dead[v] = v % 11 == 5;
}

static void
try(size_t n_field, bool missing, int label, int n_thread)
{
	struct data d;
	int32_t gap = (int32_t)(n_field / 12);
	int wrong = 0, follow = 0;

	make(&d, n_field, missing, label);
	vs_panel_follow(&d.panel, 20, N_VEC, label, gap, n_thread);
	if (vs_panel_sort(&d.panel, 20, N_VEC, 0, N_VEC, n_thread))
		exit(4);
	vs_panel_count_first(&d.panel, label, n_thread);
	for (size_t v = 0; v < N_VEC; v++) {
		if (!d.panel.behind[v]) {
			wrong += d.panel.above[v] != 0;
			continue;
		}
		follow++;
		wrong += v < 20 || judge_near(&d, v, gap) || judge_sums(&d, v);
	}
	T_OK(!wrong && follow > N_VEC / 5,
		"%zu fields, %s missing, label %d: %d follow, %d wrong",
		n_field, missing ? "some" : "none", label, follow, wrong);
	vs_panel_free(&d.panel);
	free(d.g);
}

int
main(void)
{
	static const size_t fields[] = { 40, 513, 2048, 2600 };

	for (size_t k = 0; k < sizeof(fields) / sizeof(*fields); k++)
		for (int how = 0; how < 4; how++)
			try(fields[k], how & 1, how / 2, 1 + how % 3);
	return T_DONE();
}
