/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leader clustering: every vector of a stretch belongs to one leader, wherever
 * the stretch is cut; the sums of a follower with any vector lie within its
 * leader's gap, over all fields and over first ones, and some come near it.
 */
#include "tests/unit/test.h"
#include "tests/unit/vectors.h"

#define N_VEC 96

/* The place in the panel of the leader of place v, by the panel itself. */
static size_t
leader(const struct vs_panel *p, size_t v, bool plain)
{
	return plain ? v : v - (size_t)p->behind[v];
}

/* Leader k's copies of the counts are those of its place. */
static int
wrong_counts(const struct vs_representatives *l, size_t k)
{
	const struct vs_panel *a = &l->panel, *b = l->of;
	size_t at = vs_representatives_place(l, k);
	int wrong = a->sum[k] != b->sum[at] ||
		a->present[k] != b->present[at] || a->two[k] != b->two[at];

	for (int x = 0; x < VS_FIRSTS; x++)
		wrong |= !a->first_of[x].sum != !b->first_of[x].sum ||
			!a->first_of[x].two != !b->first_of[x].two ||
			!a->first_of[x].present != !b->first_of[x].present;
	for (int x = 0; x < VS_FIRSTS && b->first_of[x].sum; x++)
		wrong |= a->first_of[x].sum[k] != b->first_of[x].sum[at] ||
			a->first_of[x].two[k] != b->first_of[x].two[at] ||
			a->first_of[x].present[k] != b->first_of[x].present[at];
	for (size_t w = 0; w < a->vec.n_word; w++)
		wrong |= vs_vec_plane(&a->vec, k, 0)[w] !=
				vs_vec_plane(&b->vec, at, 0)[w] ||
			vs_vec_plane(&a->vec, k, 1)[w] !=
				vs_vec_plane(&b->vec, at, 1)[w];
	return wrong;
}

/* A stretch cut into parts of at most a number of leaders. */
static int
wrong_stretch(const struct vectors *d, struct vs_representatives *l, size_t lo,
	size_t hi, size_t most, bool plain)
{
	const struct vs_panel *p = &d->panel;
	int wrong = 0;

	for (size_t at = lo, end; at < hi; at = end) {
		end = vs_representatives_take(l, p, at, hi, most, plain);
		wrong += end <= at || end > hi || l->n > most ||
			(end < hi && l->n < most) ||
			l->begin[0] != (int32_t)at ||
			l->begin[l->n] != (int32_t)end || l->of != p;
		if (wrong)
			return wrong;
		for (size_t k = 0; k < l->n; k++)
			/* a follower begins nothing but the stretch */
			wrong += wrong_counts(l, k) ||
				(k && !plain && p->behind[l->begin[k]]);
		for (size_t v = at; v < end; v++) {
			size_t k = vs_representatives_find(l, v);

			wrong += k >= l->n || (int32_t)v < l->begin[k] ||
				(int32_t)v >= l->begin[k + 1] ||
				vs_representatives_place(l, k) !=
					leader(p, v, plain);
		}
	}
	return wrong;
}

static void
try_stretches(const struct vectors *d)
{
	struct vs_representatives l;
	size_t n_follow = 0;
	int wrong = 0;

	if (vs_representatives_room(&l, N_VEC))
		exit(4);
	for (size_t v = 0; v < d->n_vec; v++)
		n_follow += d->panel.behind[v] > 0;
	for (size_t lo = 0; lo < d->n_vec; lo += 5)
		for (size_t hi = lo + 1; hi <= d->n_vec; hi += 13)
			for (size_t most = 1; most <= N_VEC; most += 19)
				for (int plain = 0; plain < 2; plain++)
					wrong += wrong_stretch(d, &l, lo, hi,
						most, plain);
	T_OK(!wrong && n_follow > 0,
		"%zu fields, label %d: %zu of %zu follow, "
		"%d wrong in stretches",
		d->n_field, d->q.lead, n_follow, d->n_vec, wrong);
	vs_representatives_free(&l);
}

/* Sum over fields [lo, hi) of the products of two places' leading copies. */
static int64_t
sum_of(const struct vectors *d, size_t i, size_t j, size_t lo, size_t hi)
{
	return vectors_product(d, i, j, d->q.lead, lo, hi);
}

/* Fields from lo on with s copies of the leading allele or more. */
static int64_t
at_least(const struct vectors *d, size_t v, size_t lo, int s)
{
	const uint8_t *g = vectors_at(d, v);
	int64_t n = 0;

	for (size_t f = lo; f < d->n_field; f++)
		n += vectors_copies(g[f], d->q.lead) >= s;
	return n;
}

/* Least and most that fields from lo on can add, by counts alone. */
static void
rearranged(const struct vectors *d, size_t i, size_t j, size_t lo,
	int64_t range[2])
{
	int64_t n = (int64_t)(d->n_field - lo);

	range[0] = range[1] = 0;
	for (int s = 1; s <= 2; s++)
		for (int t = 1; t <= 2; t++) {
			int64_t a = at_least(d, i, lo, s);
			int64_t b = at_least(d, j, lo, t);

			range[0] += a + b > n ? a + b - n : 0;
			range[1] += a < b ? a : b;
		}
}

/* The most by which a follower's sums are above those of leader k. */
static float
most_above(const struct vectors *d, const struct vs_representatives *l,
	size_t k, int first)
{
	const struct vs_panel *p = &d->panel;
	int32_t most = 0;

	for (int32_t v = l->begin[k]; v < l->begin[k + 1]; v++) {
		int32_t above =
			first < 0 ? p->above[v] : p->first_of[first].above[v];

		if (p->behind[v] && above > most)
			most = above;
	}
	return (float)(d->q.alleles->weight * most);
}

/* first < 0: all fields. *tight: vectors that come near their leader's gap. */
static int
wrong_gap(const struct vectors *d, const struct vs_representatives *l, size_t k,
	int first, double *tight)
{
	size_t n = first < 0 ? d->n_field : vs_first_fields(d->n_field, first);
	size_t lead = vs_representatives_place(l, k);
	float above, below;
	int wrong = 0;

	vs_representatives_gap(l, &d->q, k, first, &above, &below);
	wrong += above != most_above(d, l, k, first);
	wrong += above < 0 || below < 0 ||
		(l->begin[k + 1] - l->begin[k] == 1 &&
			(size_t)l->begin[k] == lead && (above || below));
	for (int32_t v = l->begin[k]; v < l->begin[k + 1]; v++)
		for (size_t j = (size_t)v % 3; j < d->n_vec; j += 3) {
			int64_t own[2], its[2];
			double most, least;

			rearranged(d, (size_t)v, j, n, own);
			rearranged(d, lead, j, n, its);
			most = (double)(sum_of(d, (size_t)v, j, 0, n) + own[1] -
				sum_of(d, lead, j, 0, n) - its[1]);
			least = (double)(sum_of(d, (size_t)v, j, 0, n) +
				own[0] - sum_of(d, lead, j, 0, n) - its[0]);
			wrong += most > above || -least > below;
			if (above > 0 && most / above > *tight)
				*tight = most / above;
		}
	return wrong;
}

static void
try_gaps(const struct vectors *d)
{
	struct vs_representatives l;

	if (vs_representatives_room(&l, N_VEC))
		exit(4);
	vs_representatives_take(&l, &d->panel, 0, d->n_vec, N_VEC, false);
	for (int first = -1; first < VS_FIRSTS; first++) {
		double tight = 0;
		int wrong = 0;

		if (first >= 0 && d->n_field < VS_FIRSTS_LEAST)
			break;
		for (size_t k = 0; k < l.n; k++)
			wrong += wrong_gap(d, &l, k, first, &tight);
		T_OK(!wrong && (first >= 0 || tight > 0.6),
			"%zu fields, first %d, label %d: %d beyond the gap, "
			"%.2f of it reached",
			d->n_field, first, d->q.lead, wrong, tight);
	}
	vs_representatives_free(&l);
}

/* If every vector is its own representative, no gap is left. */
static void
try_plain(const struct vectors *d)
{
	struct vs_representatives l;
	float above = 0, below = 0;
	int wrong = 0;

	if (vs_representatives_room(&l, N_VEC))
		exit(4);
	/* nothing is left of followers taken before */
	vs_representatives_take(&l, &d->panel, 0, d->n_vec, N_VEC, false);
	vs_representatives_take(&l, &d->panel, 0, d->n_vec, N_VEC, true);
	for (size_t k = 0; k < l.n; k++) {
		vs_representatives_gap(&l, &d->q, k, -1, &above, &below);
		wrong += above != 0 || below != 0;
	}
	T_OK(!wrong && !l.some && l.n == d->n_vec,
		"plain: %zu lead themselves, %d with a gap", l.n, wrong);
	/* the last array ends where the room does */
	T_OK((size_t)((char *)(l.begin + l.most + 1) - (char *)l.memory) ==
			vs_representatives_bytes(N_VEC),
		"room: all of it is of use");
	vs_representatives_free(&l);
	T_OK(!l.memory && !l.n && !l.begin, "room: nothing is left of it");
	vs_representatives_free(&l);
	if (vs_representatives_room(&l, 1))
		exit(4);
	T_OK(!l.n && !l.some && !l.of && !l.begin, "room: nobody leads yet");
	vs_representatives_free(&l);
}

static void
try_most_gap(struct vs_query q)
{
	int32_t before = 0, now = 0;
	int wrong = 0;

	for (int k = -10; k <= 200; k++) {
		q.threshold = k / 100.0;
		now = vs_representatives_most_gap(&q);
		wrong += now < before || now > (int32_t)q.n_field / 4 ||
			(k < 0 && now);
		before = now;
	}
	T_OK(!wrong && now > 0, "the gap rises with the threshold to %d", now);
	/*
	 * Two vectors of frequency f that are independent of each other have
	 * 9/2 (f (1 - 2/3 f))^2 in a cell, 81/128 at most.
	 */
	q.n_field = 1 << 24;
	q.threshold = 81 / 128.0;
	before = vs_representatives_most_gap(&q);
	q.threshold += 1e-5;
	now = vs_representatives_most_gap(&q);
	T_OK(!before && now > 0,
		"the gap is none where pairs pass by chance, %d above", now);
	q.prune = false;
	T_OK(!vs_representatives_most_gap(&q), "no gap without pruning");
	q.prune = true;
	q.alleles = NULL;
	q.metric = vs_metric_find("r2");
	T_OK(!vs_representatives_most_gap(&q), "no gap for moments");
}

static void
try(size_t n_field, unsigned missing)
{
	struct vectors d;

	vectors_make(&d, N_VEC, n_field, missing, false, n_field + missing);
	for (d.q.lead = 0; d.q.lead < 2; d.q.lead++) {
		d.q.threshold = 0.8;
		vectors_panel(&d);
		try_stretches(&d);
		try_gaps(&d);
		try_plain(&d);
	}
	try_most_gap(d.q);
	vectors_free(&d);
}

int
main(void)
{
	try(300, 0);
	try(300, 10);
	try(2100, 0);
	try(2100, 5);
	return T_DONE();
}
