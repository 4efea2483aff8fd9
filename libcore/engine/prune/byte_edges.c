/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiser: edges of byte layers by dynamic programming. */
#include <math.h>
#include <stdlib.h>

#include "libcore/engine/prune/byte_edges.h"

#define N_FIELD 64 /* of a vector */
#define MOST 2048  /* numbers in all */

static int
shared_threshold(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Sample some fields of each vector, others of the next one; sort those above
 * 0.
 */
static size_t
take_numbers(const struct vs_numbers *b, size_t n_vec, double *x)
{
	size_t n = 0, each = b->n_field < N_FIELD ? b->n_field : N_FIELD;

	for (size_t v = 0; v < n_vec && n + each <= MOST; v++)
		for (size_t k = 0; k < each; k++) {
			size_t q =
				(k * n_vec + v) * b->n_field / (each * n_vec);

			x[n] = vs_element_get(b->element, vs_numbers_of(b, v),
				q);
			n += x[n] > 0;
		}
	qsort(x, n, sizeof(*x), shared_threshold);
	return n;
}

/*
 * The loss of a layer is estimated from the sample: for a number between two
 * edges the bound is off by a twelfth of their distance, averaged over all
 * numbers there, and likewise for the other number; above the top edge by half
 * of the excess. These are shares and means, since a sum of the largest numbers
 * would be infinite.
 */
struct loss {
	/* share of the sample below an edge */
	double below[VS_BYTE_EDGES_EDGES];
	double equal[VS_BYTE_EDGES_EDGES];
	double over[VS_BYTE_EDGES_EDGES]; /* mean excess above it */
};

static double
loss_between(const struct vs_byte_edges *e, const struct loss *l, int a, int b)
{
	return (e->at[b] - e->at[a]) / 12 *
		(l->below[b] - l->below[a] - (a ? l->equal[a] : 0));
}

static void
find_best(struct vs_byte_edges *e, const struct loss *l)
{
	double cost[VS_BYTE_EDGES_EDGES], next[VS_BYTE_EDGES_EDGES];

	for (int b = 0; b < e->n; b++)
		cost[b] = b ? INFINITY : 0;
	for (int k = 0; k < VS_LAYERS; k++) {
		int last = 1;

		for (int b = 0; b < e->n; b++) {
			next[b] = INFINITY;
			for (int a = 0; a < b; a++) {
				double c = cost[a] + loss_between(e, l, a, b);

				if (c >= next[b])
					continue;
				next[b] = c;
				e->best[k][b] = (uint8_t)a;
			}
			if (next[b] + l->over[b] / 2 <
				next[last] + l->over[last] / 2)
				last = b;
		}
		e->last[k] = (uint8_t)last;
		for (int b = 0; b < e->n; b++)
			cost[b] = next[b];
	}
}

bool
vs_byte_edges_find(struct vs_byte_edges *e, const struct vs_numbers *b,
	size_t n_vec)
{
	double x[MOST], left, one;
	size_t n = take_numbers(b, n_vec, x);
	struct loss l = { { 0 }, { 0 }, { 0 } };

	if (!n)
		return false;
	one = 1 / (double)n;
	e->even = false;
	e->n = 1;
	e->at[0] = 0;
	for (size_t k = 1; k < VS_BYTE_EDGES_EDGES; k++) {
		double edge = x[(n - 1) * k / (VS_BYTE_EDGES_EDGES - 1)];

		if (edge > e->at[e->n - 1])
			e->at[e->n++] = edge;
	}
	for (int k = 0; k < e->n; k++)
		for (size_t q = 0; q < n; q++) {
			l.below[k] += x[q] < e->at[k] ? one : 0;
			l.equal[k] += x[q] == e->at[k] ? one : 0;
			left = x[q] - e->at[k];
			l.over[k] += left > 0 ? left * one : 0;
		}
	find_best(e, &l);
	return true;
}

int
vs_byte_edges_get(const struct vs_byte_edges *e, int n, double *edge)
{
	int b;

	/* no more edges are left */
	n = n < e->n - 1 ? n : e->n - 1;
	for (int k = 0; e->even && k <= n; k++)
		edge[k] = e->at[k * (e->n - 1) / n];
	if (e->even)
		return n;
	b = e->last[n - 1];
	for (int k = n; k > 0; k--) {
		edge[k] = e->at[b];
		b = e->best[k - 1][b];
	}
	edge[0] = 0;
	return n;
}
