/* SPDX-License-Identifier: BSD-3-Clause */
/* Leader clustering: choice of leaders, gaps of their followers. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/prune/representatives.h"

/*
 * Two clusters widen a pair's margin by at most twice the gap, as `above` is
 * about half of it. Between a quarter and four tenths the time is the same:
 * more followers, but more of them examined one by one.
 */
#define SHARE 0.3
#define MOST 0.25 /* a gap as a share of the fields, for any threshold */

/* The arrays of a panel's counts. */
#define N_COUNT (3 * (1 + VS_FIRSTS))

static void
counts_of(struct vs_panel *p, int32_t **array[N_COUNT])
{
	size_t n = 0;

	array[n++] = &p->sum;
	array[n++] = &p->present;
	array[n++] = &p->two;
	for (int k = 0; k < VS_FIRSTS; k++) {
		array[n++] = &p->first_of[k].sum;
		array[n++] = &p->first_of[k].present;
		array[n++] = &p->first_of[k].two;
	}
}

size_t
vs_representatives_bytes(size_t most)
{
	return ((2 + N_COUNT) * most + 1) * sizeof(int32_t);
}

int
vs_representatives_room(struct vs_representatives *l, size_t most)
{
	int code;

	memset(l, 0, sizeof(*l));
	code = vs_mem_room(&l->memory, vs_representatives_bytes(most), 1,
		"leaders");
	l->most = most;
	return code;
}

void
vs_representatives_free(struct vs_representatives *l)
{
	free(l->memory);
	memset(l, 0, sizeof(*l));
}

/* Make each vector from lo on its own leader. */
static void
share(struct vs_representatives *l, size_t lo)
{
	int32_t **count[N_COUNT];

	l->panel = *l->of;
	l->panel.vec.word += 2 * lo * l->panel.vec.stride;
	counts_of(&l->panel, count);
	for (size_t a = 0; a < N_COUNT; a++)
		*count[a] += *count[a] ? lo : 0;
}

/* Put leaders at the places given by pick. */
static void
copy(struct vs_representatives *l, const int32_t *pick)
{
	struct vs_panel from = *l->of;
	int32_t **old[N_COUNT], **new[N_COUNT];

	l->panel = from;
	l->panel.vec.pick = pick;
	counts_of(&from, old);
	counts_of(&l->panel, new);
	for (size_t a = 0; a < N_COUNT && *old[a]; a++) {
		int32_t *to = l->memory + (a + 1) * l->most;

		for (size_t k = 0; k < l->n; k++)
			to[k] = (*old[a])[pick[k]];
		*new[a] = to;
	}
}

size_t
vs_representatives_take(struct vs_representatives *l, const struct vs_panel *p,
	size_t lo, size_t hi, size_t most, bool plain)
{
	int32_t *pick = l->memory;
	size_t v = lo;

	l->of = p;
	l->begin = l->memory + (1 + N_COUNT) * l->most;
	l->n = 0;
	l->some = false;
	for (; v < hi; v++) {
		int32_t behind = plain ? 0 : p->behind[v];

		l->some |= behind > 0;
		if (behind && v > lo)
			continue;
		if (l->n == most)
			break;
		pick[l->n] = (int32_t)v - behind;
		l->begin[l->n++] = (int32_t)v;
	}
	l->begin[l->n] = (int32_t)v;
	if (l->some)
		copy(l, pick);
	else
		share(l, lo);
	return v;
}

size_t
vs_representatives_find(const struct vs_representatives *l, size_t v)
{
	size_t lo = 0, hi = l->n;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if ((size_t)l->begin[mid] <= v)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void
vs_representatives_gap(const struct vs_representatives *l,
	const struct vs_query *q, size_t k, int first, float *above,
	float *below)
{
	const struct vs_panel *p = l->of;
	const int32_t *gap = first < 0 ? p->above : p->first_of[first].above;
	int32_t sum = vs_panel_sum(&l->panel, k, q->lead);
	int32_t up = 0, down = 0;

	/* a vector that was meant to be a leader is not a follower */
	for (size_t v = (size_t)l->begin[k];
		l->some && v < (size_t)l->begin[k + 1]; v++) {
		int32_t a = gap[v];
		int32_t b = a - (vs_panel_sum(p, v, q->lead) - sum);

		up = a > up ? a : up;
		down = b > down ? b : down;
	}
	*above = (float)(q->alleles->weight * up);
	*below = (float)(q->alleles->weight * down);
}

/* The u of vectors of one frequency, and their value with each other by
 * chance. */
static double
by_chance(const struct vs_alleles *m, int64_t s, int64_t n, double *u)
{
	double r = (double)s * (double)s / (double)n;

	*u = vs_alleles_u(m, s, n, 1);
	return r * *u * *u / (m->scale * (double)n);
}

int32_t
vs_representatives_most_gap(const struct vs_query *q)
{
	const int64_t n = 1024;
	double most = 0, factor = 1, gap;

	/* moments do not use leaders */
	if (!vs_query_prunes(q) || !q->alleles ||
		vs_query_without(q, VS_WITHOUT_REPRESENTATIVES))
		return 0;
	for (int64_t s = 0; s <= q->alleles->weight * n; s++) {
		double u, value = by_chance(q->alleles, s, n, &u);

		if (value > most) {
			most = value;
			factor = u;
		}
	}
	gap = SHARE * (q->threshold - most) * q->alleles->scale /
		(factor * factor);
	gap = gap < 0 ? 0 : gap < MOST ? gap : MOST;
	return (int32_t)(gap * (double)q->n_field);
}
