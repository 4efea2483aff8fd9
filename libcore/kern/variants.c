/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <string.h>

#include "libcore/kern/minima.h"
#include "libcore/kern/tally.h"

/* rows of another processor's kernels are empty */
#if defined(__x86_64__)
#define DENSE86(...) DENSE(__VA_ARGS__)
#define SPARSE86(name) SPARSE(name)
#define MINIMA86(...) MINIMA(__VA_ARGS__)
#else
#define DENSE86(...)
#define SPARSE86(name)
#define MINIMA86(...)
#endif
#if defined(__aarch64__)
#define DENSE64(...) DENSE(__VA_ARGS__)
#define SPARSE64(name) SPARSE(name)
#else
#define DENSE64(...)
#define SPARSE64(name)
#endif

#define DENSE(name, ...) extern const struct vs_dense vs_dense_##name;
#define SPARSE(name) extern const struct vs_sparse vs_sparse_##name;
#define MINIMA(name, type) \
	extern const struct vs_minima vs_minima_##name##_##type;
#include "libcore/kern/rows.h"
#undef DENSE
#undef SPARSE
#undef MINIMA

#define MINIMA(...)
static const struct vs_dense *const denses[] = {
#define DENSE(name, ...) &vs_dense_##name,
#define SPARSE(name)
#include "libcore/kern/rows.h"
#undef DENSE
#undef SPARSE
	NULL
};

static const struct vs_cost costs[] = {
#define DENSE(name, ...) { __VA_ARGS__ },
#define SPARSE(name)
#include "libcore/kern/rows.h"
#undef DENSE
#undef SPARSE
};

static const struct vs_sparse *const sparses[] = {
#define DENSE(name, ...)
#define SPARSE(name) &vs_sparse_##name,
#include "libcore/kern/rows.h"
#undef DENSE
#undef SPARSE
#undef MINIMA
	NULL
};

static const struct vs_minima *const minimas[] = {
#define DENSE(...)
#define SPARSE(name)
#define MINIMA(name, type) &vs_minima_##name##_##type,
#include "libcore/kern/rows.h"
	NULL
};

const struct vs_dense *
vs_dense_at(int k)
{
	return denses[k];
}

const struct vs_sparse *
vs_sparse_at(int k)
{
	return sparses[k];
}

const struct vs_cost *
vs_dense_cost_at(int k)
{
	return &costs[k];
}

static bool
fits(int k, enum vs_cpu cpu, const char *name)
{
	return denses[k]->cpu <= cpu &&
		(!name || !strcmp(denses[k]->name, name));
}

const struct vs_dense *
vs_dense_pick(enum vs_cpu cpu, const char *name)
{
	int k = 0;

	while (denses[k] && !fits(k, cpu, name))
		k++;
	return denses[k];
}

double
vs_dense_cost(const struct vs_cost *cost, size_t n_col, size_t n_field,
	double share)
{
	size_t n_block = (n_col + cost->width - 1) / cost->width;
	double field = cost->field + share * cost->entry;

	return (double)n_block * (cost->block + (double)n_field * field) +
		(double)n_field * cost->row;
}

#define CLEARLY 0.8 /* costs are told to a fifth or so */

const struct vs_dense *
vs_dense_choose(enum vs_cpu cpu, const char *name, size_t n_col, size_t n_field,
	double share)
{
	const struct vs_dense *best = NULL;
	double least = 0;

	for (int k = 0; denses[k]; k++) {
		double cost = vs_dense_cost(&costs[k], n_col, n_field, share);

		if (!fits(k, cpu, name) || (best && cost >= CLEARLY * least))
			continue;
		best = denses[k];
		least = cost;
	}
	return best;
}

const struct vs_sparse *
vs_sparse_pick(enum vs_cpu cpu)
{
	int k = 0;

	while (sparses[k]->cpu > cpu)
		k++;
	return sparses[k];
}

const struct vs_minima *
vs_minima_at(int k)
{
	return minimas[k];
}

const struct vs_minima *
vs_minima_pick(enum vs_cpu cpu, enum vs_element element, const char *name)
{
	int k = 0;

	while (minimas[k] &&
		(minimas[k]->cpu > cpu || minimas[k]->element != element ||
			(name && strcmp(minimas[k]->name, name))))
		k++;
	return minimas[k];
}
