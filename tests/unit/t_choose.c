/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of kernels by fields, columns and lists. */
#include <stdbool.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/kern/kernels.h"
#include "tests/unit/test.h"

/* A kernel's struct and its costs belong together. */
static const struct vs_cost *
cost_of(const struct vs_dense *d)
{
	int n = 0;

	while (vs_registry_dense[n] != d)
		n++;
	return &vs_registry_dense_costs[n];
}

/*
 * Number of times that an allowed kernel would cost less than four fifths of
 * the chosen one, or less than it while listed before it; and that the first
 * was rejected for one hardly cheaper.
 */
static int
dearer(enum vs_cpu cpu, struct vs_rng *rng)
{
	int wrong = 0;

	for (int k = 0; k < 1000; k++) {
		size_t n_col = 1 + vs_rng_below(rng, 2048);
		size_t n_field = 1 + vs_rng_below(rng, 100000);
		double share = (double)vs_rng_below(rng, 1000) * 1e-3;
		const struct vs_dense *d,
			*best = vs_registry_dense_choose(cpu, NULL, n_col,
				n_field, share);
		double cost = vs_registry_dense_cost(cost_of(best), n_col,
			n_field, share);
		double first = vs_registry_dense_cost(
			cost_of(vs_registry_dense_pick(cpu, NULL)), n_col,
			n_field, share);
		bool before = true;

		wrong += best->cpu > cpu;
		wrong += best != vs_registry_dense_pick(cpu, NULL) &&
			cost >= .8 * first;
		for (int n = 0; (d = vs_registry_dense[n]); n++) {
			double other = vs_registry_dense_cost(cost_of(d), n_col,
				n_field, share);

			before &= d != best;
			wrong += d->cpu <= cpu &&
				other < (before ? cost : .8 * cost);
		}
	}
	return wrong;
}

int
main(void)
{
	/* 1 block of 64 and one column more, 10 fields, half of them listed:
	 * 2 (5 + 10 (1 + 4 / 2)) + 10 x 0.5 */
	const struct vs_cost by_hand = { 64, 5, 1, 4, .5f };
	const struct vs_dense *d;
	struct vs_rng rng;
	int wrong = 0;

	vs_rng_seed(&rng, 7);
	T_OK(vs_registry_dense_cost(&by_hand, 65, 10, .5) == 75,
		"a cost by hand");
	for (int n = 0; (d = vs_registry_dense[n]); n++) {
		const struct vs_cost *c = &vs_registry_dense_costs[n];

		T_OK(c->width <= d->lanes && d->lanes % c->width == 0,
			"%s: %zu columns at a time, of %zu prepared", d->name,
			c->width, d->lanes);
		for (enum vs_cpu cpu = 0; cpu < VS_CPU_N; cpu++)
			wrong += vs_registry_dense_choose(cpu, d->name, 1, 1,
					 .5) != (d->cpu <= cpu ? d : NULL);
	}
	T_OK(!wrong, "a name chooses its kernel, where the CPU allows it");
	T_OK(!vs_registry_dense_choose(VS_CPU_N - 1, "none", 1, 1, .5),
		"no kernel has no name");
	for (enum vs_cpu cpu = 0; cpu < VS_CPU_N; cpu++) {
		const char *name = vs_cpu_name(cpu);

		T_OK(!dearer(cpu, &rng), "%s: none allowed costs clearly less",
			name);
		d = vs_registry_dense_choose(cpu, NULL, 1024, 2504, .3);
		T_OK(d == vs_registry_dense_pick(cpu, NULL),
			"%s: %s, the best, for many columns", name, d->name);
		d = vs_registry_dense_choose(cpu, NULL, 1, 2504, .4);
		T_OK(cost_of(d)->width <= VS_COLS,
			"%s: %s, by population counts, for one", name, d->name);
	}
	return T_DONE();
}
