/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel registry: tables made of rows.h, and the choice by CPU and cost. */
#include <stdbool.h>
#include <string.h>

#include "libcore/kern/dots/dots.h"
#include "libcore/kern/kernels.h"
#include "libcore/kern/lanes/lanes.h"
#include "libcore/kern/minima/minima.h"

#define DENSE(name, ...) extern const struct vs_dense vs_dense_##name;
#define SPARSE(name) extern const struct vs_sparse vs_sparse_##name;
#define MINIMA(name, type) \
	extern const struct vs_minima vs_minima_##name##_##type;
#define INNER(name, type) \
	extern const struct vs_minima vs_inner_##name##_##type;
#define DOTS(name) extern const struct vs_dots vs_dots_##name;
#define TRIPLE(name) extern const struct vs_triple vs_triple_##name;
#define LANES(name) extern const struct vs_lanes vs_lanes_##name;
#include "libcore/kern/host_rows.h"

const struct vs_dense *const vs_registry_dense[] = {
#define DENSE(name, ...) &vs_dense_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_cost vs_registry_dense_costs[] = {
#define DENSE(name, ...) { __VA_ARGS__ },
#include "libcore/kern/host_rows.h"
};

const struct vs_sparse *const vs_registry_sparse[] = {
#define SPARSE(name) &vs_sparse_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_minima *const vs_registry_minima[] = {
#define MINIMA(name, type) &vs_minima_##name##_##type,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_minima *const vs_registry_inner[] = {
#define INNER(name, type) &vs_inner_##name##_##type,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_dots *const vs_registry_dots[] = {
#define DOTS(name) &vs_dots_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_lanes *const vs_registry_lanes[] = {
#define LANES(name) &vs_lanes_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_triple *const vs_registry_triple[] = {
#define TRIPLE(name) &vs_triple_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

static bool
fits(int k, enum vs_cpu cpu, const char *name)
{
	return vs_registry_dense[k]->cpu <= cpu &&
		(!name || !strcmp(vs_registry_dense[k]->name, name));
}

const struct vs_dense *
vs_registry_dense_pick(enum vs_cpu cpu, const char *name)
{
	int k = 0;

	while (vs_registry_dense[k] && !fits(k, cpu, name))
		k++;
	return vs_registry_dense[k];
}

double
vs_registry_dense_cost(const struct vs_cost *cost, size_t n_col, size_t n_field,
	double share)
{
	size_t n_block = (n_col + cost->width - 1) / cost->width;
	double field = cost->field + share * cost->entry;

	return (double)n_block * (cost->block + (double)n_field * field) +
		(double)n_field * cost->row;
}

#define MIN_GAIN 0.8 /* the model errs by 20 %: switch only if it gains more */

const struct vs_dense *
vs_registry_dense_choose(enum vs_cpu cpu, const char *name, size_t n_col,
	size_t n_field, double share)
{
	const struct vs_dense *best = NULL;
	double least = 0;

	for (int k = 0; vs_registry_dense[k]; k++) {
		double cost = vs_registry_dense_cost(
			&vs_registry_dense_costs[k], n_col, n_field, share);

		if (!fits(k, cpu, name) || (best && cost >= MIN_GAIN * least))
			continue;
		best = vs_registry_dense[k];
		least = cost;
	}
	return best;
}

/* The first of a list that cpu allows, or null. */
#define PICK(family)                                                           \
	const struct vs_##family *vs_registry_##family##_pick(enum vs_cpu cpu) \
	{                                                                      \
		int k = 0;                                                     \
                                                                               \
		while (vs_registry_##family[k] &&                              \
			vs_registry_##family[k]->cpu > cpu)                    \
			k++;                                                   \
		return vs_registry_##family[k];                                \
	}

PICK(sparse)
PICK(dots)
PICK(lanes)

static const struct vs_minima *
pick_number(const struct vs_minima *const *from, enum vs_cpu cpu,
	enum vs_element element, bool bits, const char *name)
{
	while (*from &&
		((*from)->cpu > cpu || (*from)->element != element ||
			(*from)->bits > bits ||
			(name && strcmp((*from)->name, name))))
		from++;
	return *from;
}

const struct vs_minima *
vs_registry_minima_pick(enum vs_cpu cpu, enum vs_element element, bool bits,
	const char *name)
{
	return pick_number(vs_registry_minima, cpu, element, bits, name);
}

const struct vs_minima *
vs_registry_inner_pick(enum vs_cpu cpu, enum vs_element element, bool bits,
	const char *name)
{
	return pick_number(vs_registry_inner, cpu, element, bits, name);
}

const struct vs_triple *
vs_registry_triple_pick(enum vs_cpu cpu, const struct vs_dense *dense)
{
	int k = 0;

	while (vs_registry_triple[k] &&
		(vs_registry_triple[k]->cpu > cpu ||
			strcmp(vs_registry_triple[k]->cols, dense->name)))
		k++;
	return vs_registry_triple[k];
}

static double
triple_cost(const struct vs_triple *t, size_t n_row, size_t n_block,
	size_t n_field, double share)
{
	double field = t->cost.field + share * t->cost.entry;
	double block = t->cost.block + (double)n_field * field;

	return (double)n_row * (t->cost.row + (double)n_block * block) +
		(double)(n_block * n_field) * t->cost.second;
}

const struct vs_triple *
vs_registry_triple_choose(const struct vs_triple *best, size_t n_row,
	size_t n_block, size_t n_field, double share)
{
	double least = triple_cost(best, n_row, n_block, n_field, share);
	const struct vs_triple *found = best;

	for (int k = 0; vs_registry_triple[k]; k++) {
		const struct vs_triple *t = vs_registry_triple[k];
		double cost = triple_cost(t, n_row, n_block, n_field, share);

		if (t->take_cols || t->cpu > best->cpu || cost >= least ||
			t->lanes != best->lanes || strcmp(t->cols, best->cols))
			continue;
		found = t;
		least = cost;
	}
	return found;
}
