/* SPDX-License-Identifier: BSD-3-Clause */
/* Canonical order of the vectors and genotypes of a contingency table. */
#include <string.h>

#include "libcore/metric/table_order.h"

#define LEVELS 3

const int vs_table_order_stride[2][3] = { { 3, 1, 0 }, { 9, 3, 1 } };

/* Genotypes of a vector, sorted by the samples that have them. */
struct levels {
	int64_t n[LEVELS][2];
	uint8_t at[LEVELS]; /* genotype at each place */
};

/* all vectors alike, so that every order of them is tried */
static const struct levels in_order = { .at = { 0, 1, 2 } };

static int
compare(const int64_t *a, const int64_t *b, int n)
{
	for (int k = 0; k < n; k++)
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	return 0;
}

static void
count(const int64_t (*cell)[2], int n_way, int vector, int64_t (*n)[2])
{
	const int by = vs_table_order_stride[n_way - 2][vector];

	memset(n, 0, LEVELS * sizeof(*n));
	for (int x = 0; x < vs_table_order_cells(n_way); x++)
		for (int c = 0; c < 2; c++)
			n[x / by % LEVELS][c] += cell[x][c];
}

static struct levels
levels_of(const int64_t (*cell)[2], int n_way, int vector)
{
	int64_t n[LEVELS][2];
	struct levels l;

	count(cell, n_way, vector, n);
	for (uint8_t g = 0; g < LEVELS; g++) {
		int place = 0;

		for (int o = 0; o < LEVELS; o++) {
			const int order = compare(n[o], n[g], 2);

			place += order < 0 || (!order && o < g);
		}
		l.at[place] = g;
		memcpy(l.n[place], n[g], sizeof(n[g]));
	}
	return l;
}

static const uint8_t permutation[6][3] = { { 0, 1, 2 }, { 0, 2, 1 },
	{ 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

/* True if a permutation exchanges equal elements only or, of genotypes that
 * count copies, keeps or reverses them. */
static bool
keeps_levels(const struct levels *l, const uint8_t *p, enum vs_table_order how)
{
	if (how == VS_TABLE_ORDER_COPIES)
		return p[1] == 1;
	for (int k = 0; k < LEVELS; k++)
		if (compare(l->n[k], l->n[p[k]], 2) != 0)
			return false;
	return true;
}

/* The table with vector order[k] at k, and genotype places by which[k]. */
static void
arrange(const int64_t (*cell)[2], int n_way, const struct levels *l,
	const uint8_t *order, const int *which, int64_t (*out)[2])
{
	for (int x = 0; x < vs_table_order_cells(n_way); x++) {
		int from = 0;

		for (int k = 0; k < n_way; k++) {
			const struct levels *of = &l[order[k]];
			const int place = x /
				vs_table_order_stride[n_way - 2][k] % LEVELS;

			from += vs_table_order_stride[n_way - 2][order[k]] *
				of->at[permutation[which[k]][place]];
		}
		memcpy(out[x], cell[from], sizeof(*cell));
	}
}

/* Try all orders of equal genotypes; the least table is kept in best. */
static void
try_order(const int64_t (*cell)[2], int n_way, enum vs_table_order how,
	const struct levels *l, const uint8_t *order, int64_t (*best)[2],
	bool *any)
{
	for (int x = 0; x < (n_way == 3 ? 216 : 36); x++) {
		const int which[3] = { x % 6, x / 6 % 6, x / 36 };
		int64_t one[VS_TABLE_ORDER_MOST][2];
		bool may = true;

		for (int k = 0; k < n_way && may; k++)
			may = keeps_levels(&l[order[k]], permutation[which[k]],
				how);
		if (!may)
			continue;
		arrange(cell, n_way, l, order, which, one);
		if (*any &&
			compare(one[0], best[0],
				2 * vs_table_order_cells(n_way)) >= 0)
			continue;
		memcpy(best, one, sizeof(one));
		*any = true;
	}
}

void
vs_table_order(const int64_t (*cell)[2], int n_way, enum vs_table_order how,
	int64_t (*best)[2])
{
	const bool copies = how == VS_TABLE_ORDER_COPIES;
	struct levels l[3];
	bool any = false;

	memset(best, 0, VS_TABLE_ORDER_MOST * sizeof(*best));
	for (int k = 0; k < n_way; k++)
		l[k] = copies ? in_order : levels_of(cell, n_way, k);
	for (int p = 0; p < 6; p++) {
		const uint8_t *order = permutation[p];
		bool may = n_way == 3 || order[2] == 2;

		for (int k = 1; k < n_way && may; k++)
			may = compare(l[order[k - 1]].n[0], l[order[k]].n[0],
				      2 * LEVELS) <= 0;
		if (may)
			try_order(cell, n_way, how, l, order, best, &any);
	}
}

int
vs_table_order_levels(const int64_t (*cell)[2], int n_way, int vector)
{
	int64_t n[LEVELS][2];
	int occur = 0;

	count(cell, n_way, vector, n);
	for (int g = 0; g < LEVELS; g++)
		occur += n[g][0] + n[g][1] > 0;
	return occur;
}
