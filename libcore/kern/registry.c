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

static const struct vs_dense *const denses[] = {
#define DENSE(name, ...) &vs_dense_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

static const struct vs_cost costs[] = {
#define DENSE(name, ...) { __VA_ARGS__ },
#include "libcore/kern/host_rows.h"
};

static const struct vs_sparse *const sparses[] = {
#define SPARSE(name) &vs_sparse_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

static const struct vs_minima *const minimas[] = {
#define MINIMA(name, type) &vs_minima_##name##_##type,
#include "libcore/kern/host_rows.h"
	NULL
};

static const struct vs_minima *const inners[] = {
#define INNER(name, type) &vs_inner_##name##_##type,
#include "libcore/kern/host_rows.h"
	NULL
};

static const struct vs_dots *const dots[] = {
#define DOTS(name) &vs_dots_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

static const struct vs_lanes *const lanes[] = {
#define LANES(name) &vs_lanes_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

static const struct vs_triple *const triples[] = {
#define TRIPLE(name) &vs_triple_##name,
#include "libcore/kern/host_rows.h"
	NULL
};

const struct vs_dense *
vs_registry_dense_at(int k)
{
	return denses[k];
}

const struct vs_sparse *
vs_registry_sparse_at(int k)
{
	return sparses[k];
}

const struct vs_cost *
vs_registry_dense_cost_at(int k)
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
vs_registry_dense_pick(enum vs_cpu cpu, const char *name)
{
	int k = 0;

	while (denses[k] && !fits(k, cpu, name))
		k++;
	return denses[k];
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

#define MIN_GAIN 0.8 /* the model errs by 20 %: switch only for more */

const struct vs_dense *
vs_registry_dense_choose(enum vs_cpu cpu, const char *name, size_t n_col,
	size_t n_field, double share)
{
	const struct vs_dense *best = NULL;
	double least = 0;

	for (int k = 0; denses[k]; k++) {
		double cost = vs_registry_dense_cost(&costs[k], n_col, n_field,
			share);

		if (!fits(k, cpu, name) || (best && cost >= MIN_GAIN * least))
			continue;
		best = denses[k];
		least = cost;
	}
	return best;
}

const struct vs_sparse *
vs_registry_sparse_pick(enum vs_cpu cpu)
{
	int k = 0;

	while (sparses[k]->cpu > cpu)
		k++;
	return sparses[k];
}

const struct vs_minima *
vs_registry_minima_at(int k)
{
	return minimas[k];
}

const struct vs_minima *
vs_registry_inner_at(int k)
{
	return inners[k];
}

static const struct vs_minima *
pick_number(const struct vs_minima *const *from, enum vs_cpu cpu,
	enum vs_element element, const char *name)
{
	while (*from &&
		((*from)->cpu > cpu || (*from)->element != element ||
			(name && strcmp((*from)->name, name))))
		from++;
	return *from;
}

const struct vs_minima *
vs_registry_minima_pick(enum vs_cpu cpu, enum vs_element element,
	const char *name)
{
	return pick_number(minimas, cpu, element, name);
}

const struct vs_minima *
vs_registry_inner_pick(enum vs_cpu cpu, enum vs_element element,
	const char *name)
{
	return pick_number(inners, cpu, element, name);
}

const struct vs_dots *
vs_registry_dots_at(int k)
{
	return dots[k];
}

const struct vs_dots *
vs_registry_dots_pick(enum vs_cpu cpu)
{
	int k = 0;

	while (dots[k] && dots[k]->cpu > cpu)
		k++;
	return dots[k];
}

const struct vs_lanes *
vs_registry_lanes_at(int k)
{
	return lanes[k];
}

const struct vs_lanes *
vs_registry_lanes_pick(enum vs_cpu cpu)
{
	int k = 0;

	while (lanes[k]->cpu > cpu)
		k++;
	return lanes[k];
}

const struct vs_triple *
vs_registry_triple_at(int k)
{
	return triples[k];
}

const struct vs_triple *
vs_registry_triple_pick(enum vs_cpu cpu, const struct vs_dense *dense)
{
	int k = 0;

	while (triples[k] &&
		(triples[k]->cpu > cpu ||
			strcmp(triples[k]->cols, dense->name)))
		k++;
	return triples[k];
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

	for (int k = 0; triples[k]; k++) {
		const struct vs_triple *t = triples[k];
		double cost = triple_cost(t, n_row, n_block, n_field, share);

		if (t->take_cols || t->cpu > best->cpu || cost >= least ||
			t->lanes != best->lanes || strcmp(t->cols, best->cols))
			continue;
		found = t;
		least = cost;
	}
	return found;
}
