/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

/*
 * Linkage reaches so many leaders back: twice as many make one follower more
 * in a hundred.
 */
#define LEADERS 32
/* Vectors that a thread takes at a time; no cluster goes beyond. */
#define SEGMENT 2048
/*
 * Leader and follower differ by at most one copy in so many fields in all:
 * bounds by frequency hold for ranges of vectors, and clusters stand together.
 */
#define FAR 64
/*
 * A few words tell nearly all of those that are no kin: by chance vectors
 * differ in half of the fields or more, and no gap is near that.
 */
#define TASTE 8

/*
 * sum |G - G'| over some words, by the planes h and p of each. The bits of
 * G = 2 are h & p, and h & ~p for label 0; those of G >= 1 ~(h ^ p), and ~p.
 * Behind the last field both vectors are alike.
 */
VS_INLINE int64_t
gap_words_any(const uint64_t *a, const uint64_t *b, size_t plane, size_t n_word,
	int label)
{
	const uint64_t turn = label ? 0 : ~0ull, some = label ? ~0ull : 0;
	int64_t n = 0;

#pragma omp simd reduction(+ : n)
	for (size_t w = 0; w < n_word; w++) {
		uint64_t h = a[w], p = a[plane + w];
		uint64_t h2 = b[w], p2 = b[plane + w];

		n += __builtin_popcountll(
			(h & (p ^ turn)) ^ (h2 & (p2 ^ turn)));
		n += __builtin_popcountll((p ^ p2) ^ ((h ^ h2) & some));
	}
	return n;
}

VS_BY_POPCNT(int64_t, gap_words, (a, b, plane, n_word, label),
	const uint64_t *a, const uint64_t *b, size_t plane, size_t n_word,
	int label)

int64_t
vs_panel_gap(const struct vs_panel *p, size_t u, size_t v, int label, size_t lo,
	size_t hi)
{
	const uint64_t *a = vs_vec_plane(&p->vec, u, 0) + lo;
	const uint64_t *b = vs_vec_plane(&p->vec, v, 0) + lo;

	return gap_words(vs_cpu_best(), a, b, p->vec.stride, hi - lo, label);
}

/* The last leaders, in a circle. */
struct leaders {
	size_t v[LEADERS], n;
};

/* The nearest leader that v may follow and the gap to it; v: none. */
static size_t
nearest(const struct vs_panel *p, size_t v, int label, const struct leaders *l,
	int64_t *gap)
{
	size_t n = l->n < LEADERS ? l->n : LEADERS, best = v;
	size_t n_word = p->vec.n_word, taste = n_word > TASTE ? TASTE : n_word;
	int64_t sum = vs_panel_sum(p, v, label);
	int64_t far = (int64_t)(p->vec.n_field / FAR);

	for (size_t k = 0; k < n; k++) {
		size_t u = l->v[k];
		int64_t d = sum - vs_panel_sum(p, u, label), rest;

		if (d > *gap || -d > *gap || d > far || -d > far)
			continue;
		d = vs_panel_gap(p, u, v, label, 0, taste);
		/* twice the gap's share, and more where it is a few fields */
		if (d * (int64_t)n_word > (*gap + 512) * 2 * (int64_t)taste)
			continue;
		rest = vs_panel_gap(p, u, v, label, taste, n_word);
		if (d + rest > *gap)
			continue;
		*gap = d + rest;
		best = u;
		if (!*gap)
			break;
	}
	return best;
}

/* sum |G - G'| is above + below, and the sums' difference above - below. */
static void
follow_segment(struct vs_panel *p, size_t lo, size_t hi, int label, int32_t gap)
{
	struct leaders l = { .n = 0 };

	for (size_t v = lo; v < hi; v++) {
		int64_t d = gap;
		size_t u = v;

		if (p->dead[v])
			continue;
		u = nearest(p, v, label, &l, &d);
		p->behind[v] = (int32_t)(v - u);
		if (u == v)
			l.v[l.n++ % LEADERS] = v;
		else
			p->above[v] = (int32_t)(d + vs_panel_sum(p, v, label) -
					      vs_panel_sum(p, u, label)) /
				2;
	}
}

void
vs_panel_follow(struct vs_panel *p, size_t lo, size_t hi, int label,
	int32_t gap, int n_thread)
{
#pragma omp parallel for num_threads(n_thread) schedule(dynamic)
	for (size_t at = lo; at < hi; at += SEGMENT)
		follow_segment(p, at, hi - at < SEGMENT ? hi : at + SEGMENT,
			label, gap);
}

/* ---- the first fields ---- */

static int32_t
rise(int32_t a)
{
	return a > 0 ? a : 0;
}

/* By how much v has more copies than u among the first fields, and more fields
 * with two. */
static void
more_of(const struct vs_panel_counts *c, size_t u, size_t v, int label,
	int32_t *sum, int32_t *two)
{
	int32_t s = c->sum[v] - c->sum[u], n = c->present[v] - c->present[u];
	int32_t t = c->two[v] - c->two[u];

	*sum = label ? s : 2 * n - s;
	*two = label ? t : n - s + t;
}

void
vs_panel_above_first(struct vs_panel *p, size_t v, int label)
{
	size_t u = v - (size_t)p->behind[v], lo = 0;
	int32_t sum = vs_panel_sum(p, v, label) - vs_panel_sum(p, u, label);
	int32_t two = vs_panel_two(p, v, label) - vs_panel_two(p, u, label);
	int32_t gap = 0;

	for (int k = 0; k < VS_FIRSTS; k++) {
		size_t hi = vs_first_fields(p->vec.n_field, k) / 64;
		int32_t s, t;

		gap += (int32_t)vs_panel_gap(p, u, v, label, lo, hi);
		more_of(&p->first_of[k], u, v, label, &s, &t);
		/* and what the counts of the fields left may add: of one copy
		 * or more, and of two */
		p->first_of[k].above[v] = (gap + s) / 2 +
			rise(sum - s - (two - t)) + rise(two - t);
		lo = hi;
	}
}
