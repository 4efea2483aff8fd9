/* SPDX-License-Identifier: BSD-3-Clause */
/* Leader clustering of a panel by the L1 distance of genotypes. */

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

/*
 * Leaders compared with each vector. Linkage reaches about this far: comparing
 * twice as many adds one follower in a hundred.
 */
#define LEADERS 32
/* Vectors per work item; clusters do not cross segments. */
#define SEGMENT 2048
/*
 * Leader and follower differ in total by at most one copy per 64 fields, so a
 * range of vectors has tight frequency bounds and clusters stay together.
 */
#define FIELDS_PER_COPY 64
/*
 * Words compared first. Unrelated vectors differ in half of the fields or more,
 * far more than any gap allows, so a few words reject nearly all of them.
 */
#define SAMPLE_WORDS 8

/*
 * sum |G - G'| over n_word words, from the planes h and p of each. The bits of
 * G = 2 are h & p (label 0: h & ~p); those of G >= 1 are ~(h ^ p) (label 0:
 * ~p). Past the last field both vectors are equal.
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

/* sum |G_u - G_v| over words [lo, hi) of the planes. */
static int64_t
gap_between(const struct vs_panel *p, size_t u, size_t v, int label, size_t lo,
	size_t hi)
{
	const uint64_t *a = vs_vec_plane(&p->vec, u, 0) + lo;
	const uint64_t *b = vs_vec_plane(&p->vec, v, 0) + lo;

	return gap_words(vs_cpu_best(), a, b, p->vec.stride, hi - lo, label);
}

/* Ring buffer of the last leaders. */
struct leaders {
	size_t v[LEADERS], n;
};

/* The nearest leader within the gap, and its distance; v: none. */
static size_t
nearest(const struct vs_panel *p, size_t v, int label, const struct leaders *l,
	int64_t *gap)
{
	size_t n = l->n < LEADERS ? l->n : LEADERS, best = v;
	size_t n_word = p->vec.n_word,
	       n_sample = n_word > SAMPLE_WORDS ? SAMPLE_WORDS : n_word;
	int64_t sum = vs_panel_sum(p, v, label);
	int64_t most_copies = (int64_t)(p->vec.n_field / FIELDS_PER_COPY);

	for (size_t k = 0; k < n; k++) {
		size_t u = l->v[k];
		int64_t d = sum - vs_panel_sum(p, u, label), rest;

		if (d > *gap || -d > *gap || d > most_copies ||
			-d > most_copies)
			continue;
		d = gap_between(p, u, v, label, 0, n_sample);
		/* reject above twice the proportional gap plus a few fields */
		if (d * (int64_t)n_word > (*gap + 512) * 2 * (int64_t)n_sample)
			continue;
		rest = gap_between(p, u, v, label, n_sample, n_word);
		if (d + rest > *gap)
			continue;
		*gap = d + rest;
		best = u;
		if (!*gap)
			break;
	}
	return best;
}

/*
 * sum |G - G'| is above + below; the difference of the sums is above - below.
 */
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

/* ---- prefixes ---- */

static int32_t
positive_part(int32_t a)
{
	return a > 0 ? a : 0;
}

/* Copies, and fields with two, of the prefix: how many more v has than u. */
static void
prefix_difference(const struct vs_panel_counts *c, size_t u, size_t v,
	int label, int32_t *sum, int32_t *two)
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

		gap += (int32_t)gap_between(p, u, v, label, lo, hi);
		prefix_difference(&p->first_of[k], u, v, label, &s, &t);
		/*
		 * plus the most that the remaining fields can add: those with
		 * at least one copy, and those with two
		 */
		p->first_of[k].above[v] = (gap + s) / 2 +
			positive_part(sum - s - (two - t)) +
			positive_part(two - t);
		lo = hi;
	}
}
