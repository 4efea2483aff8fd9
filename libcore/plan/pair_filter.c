/* SPDX-License-Identifier: BSD-3-Clause */
/* Pair filter: ranges of partners by chromosome and distance. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/pair_filter.h"

/* Bounds need another order of the vectors, and rarely leave more than a tenth
 * of the pairs; a band of an eighth of all is counted as fast without them. */
#define ONE_IN 8

/* A vector to be ranked. */
struct place {
	int32_t contig; /* by first occurrence; */
	bool known;     /* it, and the position where that is asked for */
	uint32_t row;
	int64_t pos, source;
};

static int
by_source(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->source != y->source ? (x->source > y->source ? 1 : -1)
				      : (x->row > y->row) - (x->row < y->row);
}

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->contig != y->contig ? (x->contig > y->contig ? 1 : -1)
		: x->pos != y->pos    ? (x->pos > y->pos ? 1 : -1)
				      : by_source(a, b);
}

/*
 * Number chromosomes, -1 too, as they occur; places are by source. What has no
 * position stands behind the one of its chromosome before it, so that it does
 * not disturb the order of the others.
 */
static int
number_contigs(struct place *place, uint64_t n)
{
	int32_t *number = NULL, most = -1, next = 0;
	int64_t *last = NULL;
	int code;

	for (uint64_t k = 0; k < n; k++)
		most = place[k].contig > most ? place[k].contig : most;
	code = vs_mem_new(&number, (size_t)most + 2, sizeof(*number),
		"chromosomes");
	if (!code)
		code = vs_mem_new(&last, (size_t)most + 2, sizeof(*last),
			"chromosomes");
	for (uint64_t k = 0; k < n && !code; k++) {
		size_t which = (size_t)(place[k].contig + 1);

		if (place[k].pos > 0)
			last[which] = place[k].pos;
		place[k].pos = last[which];
		if (!number[which])
			number[which] = ++next;
		place[k].contig = number[which];
	}
	free(number);
	free(last);
	return code;
}

/* Distances in bases, as far as positions go. */
static double
bases(double kb)
{
	return kb * 1000;
}

/* placed: [n_vec + 1], room for how many before each rank have a place */
static void
find_ranges(struct vs_pair_filter *f, const struct vs_pair_rules *r,
	const struct place *at, uint64_t *placed)
{
	uint32_t start = 0, lo = 0, hi = 0;

	for (uint32_t b = 0; b < f->n_vec; b++) {
		if (b && at[b].contig != at[b - 1].contig)
			start = lo = hi = b;
		while (r->max_kb > 0 &&
			(double)(at[b].pos - at[lo].pos) > bases(r->max_kb))
			lo++;
		while (r->max_sites > 0 && (int64_t)(b - lo) > r->max_sites)
			lo++;
		while (hi < b &&
			(!(r->min_kb > 0) ||
				(double)(at[b].pos - at[hi].pos) >=
					bases(r->min_kb)))
			hi++;
		f->start[b] = at[b].known ? start : VS_PAIR_UNPLACED;
		f->lo[b] = lo;
		f->hi[b] = r->inter ? start : hi;
		placed[b + 1] = placed[b] + at[b].known;
		if (!at[b].known)
			continue;
		if (f->hi[b] > lo)
			f->n_pair += placed[f->hi[b]] - placed[lo];
		f->n_pair += f->others ? placed[start] : 0;
	}
	f->n_unplaced = f->n_vec - placed[f->n_vec];
}

/*
 * Rows near each. Of ranks from lo on the least row, and up to the last that
 * has this one in its range the greatest, bound those of the range; so they do
 * where vectors are a little out of order, and vectors in no pair do not count.
 * least, most  [n_vec] by rank
 */
static void
find_near(struct vs_pair_filter *f, uint32_t *least, uint32_t *most)
{
	const uint32_t n = (uint32_t)f->n_vec;
	uint32_t end = 0, last = 0;

	/* first the row, or one that bounds nothing */
	for (uint32_t v = 0; v < n; v++) {
		bool is = f->start[f->rank[v]] != VS_PAIR_UNPLACED;

		least[f->rank[v]] = is ? v : n;
		most[f->rank[v]] = is ? v + 1 : 0;
	}
	for (uint32_t r = 1; r < n; r++)
		if (most[r] < most[r - 1])
			most[r] = most[r - 1];
	for (uint32_t r = n; r-- > 1;)
		if (least[r - 1] > least[r])
			least[r - 1] = least[r];
	/* lo never falls, and so it is the other way round */
	for (uint32_t b = 0; b < n; b++) {
		while (end < n && f->lo[end] <= b)
			end++;
		f->near_lo[b] = least[f->lo[b]];
		f->near_hi[b] = most[end - 1];
	}
	/* from ranks to rows */
	memcpy(least, f->near_lo, n * sizeof(*least));
	memcpy(most, f->near_hi, n * sizeof(*most));
	for (uint32_t v = 0; v < n; v++) {
		const uint32_t r = f->rank[v];

		if (f->start[r] != VS_PAIR_UNPLACED && last < most[r])
			last = most[r];
		f->near_hi[v] = last;
	}
	last = n;
	for (uint32_t v = n; v-- > 0;) {
		const uint32_t r = f->rank[v];

		if (f->start[r] != VS_PAIR_UNPLACED && last > least[r])
			last = least[r];
		f->near_lo[v] = last;
		if (f->near_hi[v] > last)
			f->n_near += f->near_hi[v] - last;
	}
}

/* Places by source, and then in the order of ranks. */
static int
rank_all(struct vs_pair_filter *f, struct place *place, const int32_t *contig,
	const int64_t *pos, const int64_t *source)
{
	int code;

	for (uint64_t v = 0; v < f->n_vec; v++)
		place[v] = (struct place){ .contig = contig[v],
			.known = contig[v] >= 0 && (!pos || pos[v] > 0),
			.row = (uint32_t)v,
			.pos = pos && pos[v] > 0 ? pos[v] : 0,
			.source = source[v] };
	qsort(place, f->n_vec, sizeof(*place), by_source);
	code = number_contigs(place, f->n_vec);
	if (code)
		return code;
	qsort(place, f->n_vec, sizeof(*place), by_place);
	f->in_order = true;
	for (uint32_t k = 0; k < f->n_vec; k++) {
		f->rank[place[k].row] = k;
		f->in_order &= place[k].row == k;
	}
	return 0;
}

int
vs_pair_filter_make(struct vs_pair_filter *f, const struct vs_pair_rules *r,
	uint64_t n_vec, const int32_t *contig, const int64_t *pos,
	const int64_t *source)
{
	struct place *place = NULL;
	uint64_t *placed = NULL;
	uint32_t *least = NULL, *most = NULL;
	uint32_t **const array[] = { &f->rank, &f->start, &f->lo, &f->hi,
		&f->near_lo, &f->near_hi };
	int code;

	memset(f, 0, sizeof(*f));
	f->n_vec = n_vec;
	f->others = !r->within && !(r->max_kb > 0) && !(r->max_sites > 0);
	code = vs_mem_new(&place, n_vec, sizeof(*place), "places");
	if (!code)
		code = vs_mem_new(&placed, n_vec + 1, sizeof(*placed),
			"places");
	for (size_t k = 0; k < sizeof(array) / sizeof(*array) && !code; k++)
		code = vs_mem_new(array[k], n_vec, sizeof(**array[k]),
			"ranges of partners");
	if (!code)
		code = rank_all(f, place, contig, pos, source);
	if (!code)
		find_ranges(f, r, place, placed);
	if (!code)
		code = vs_mem_new(&least, n_vec, sizeof(*least), "places");
	if (!code)
		code = vs_mem_new(&most, n_vec, sizeof(*most), "places");
	if (!code)
		find_near(f, least, most);
	free(place);
	free(placed);
	free(least);
	free(most);
	if (!code && f->n_unplaced == n_vec)
		code = vs_fail(VS_EINPUT,
			"no vector has a %s, by which pairs are chosen; a .bim "
			"or VCF tells it",
			pos ? "position" : "chromosome");
	return code;
}

void
vs_pair_filter_free(struct vs_pair_filter *f)
{
	free(f->rank);
	free(f->start);
	free(f->lo);
	free(f->hi);
	free(f->near_lo);
	free(f->near_hi);
	memset(f, 0, sizeof(*f));
}

bool
vs_pair_filter_is_band(const struct vs_pair_filter *f)
{
	double n = (double)f->n_vec;

	return !f->others && f->n_near * ONE_IN < n * (n - 1);
}

void
vs_pair_filter_rows(const struct vs_pair_filter *f, uint64_t col, uint64_t end,
	uint64_t *lo, uint64_t *hi)
{
	/* both ends of a range never fall from one vector to the next */
	*lo = f->in_order ? f->lo[col] : f->near_lo[col];
	*hi = f->in_order ? f->hi[end - 1] : f->near_hi[end - 1];
	if (*hi < *lo)
		*hi = *lo;
}

void
vs_pair_filter_near(const struct vs_pair_filter *f, size_t first, size_t end,
	size_t *lo, size_t *hi)
{
	size_t a = f->near_lo[first], b = f->near_hi[end - 1];

	if (f->others)
		return;
	*lo = *lo < a ? a : *lo;
	*hi = *hi > b ? b : *hi;
	if (*hi < *lo)
		*hi = *lo;
}

/* Counts of vectors of known places before each rank, by sets. */
static void
count_members(const struct vs_pair_filter *f, const uint8_t *in,
	uint64_t (*before)[4], uint8_t *of)
{
	for (uint64_t v = 0; v < f->n_vec; v++)
		of[f->rank[v]] = in[v] & 3;
	for (uint64_t b = 0; b < f->n_vec; b++) {
		memcpy(before[b + 1], before[b], sizeof(*before));
		before[b + 1][of[b]] += f->start[b] != VS_PAIR_UNPLACED;
	}
}

int
vs_pair_filter_between(const struct vs_pair_filter *f, const uint8_t *in,
	uint64_t *n_pair)
{
	uint64_t(*before)[4] = NULL;
	uint8_t *of = NULL;
	uint64_t n = 0;
	int code = vs_mem_new(&before, f->n_vec + 1, sizeof(*before),
		"members of sets");

	if (!code)
		code = vs_mem_new(&of, f->n_vec, 1, "members of sets");
	if (!code)
		count_members(f, in, before, of);
	for (uint64_t b = 0; b < f->n_vec && !code; b++) {
		if (f->start[b] == VS_PAIR_UNPLACED)
			continue;
		for (int a = 1; a < 4; a++) {
			/* one of each set: not both of the one alone */
			if (!of[b] || (a == of[b] && a != 3))
				continue;
			if (f->hi[b] > f->lo[b])
				n += before[f->hi[b]][a] - before[f->lo[b]][a];
			n += f->others ? before[f->start[b]][a] : 0;
		}
	}
	free(before);
	free(of);
	if (!code)
		*n_pair = n;
	return code;
}

/* Vectors of known places in ranks [lo, hi). */
static uint64_t
known(const uint64_t *placed, uint32_t lo, uint32_t hi)
{
	return hi > lo ? placed[hi] - placed[lo] : 0;
}

/* Pairs before b that it makes a triple of with a vector of its chromosome. */
static uint64_t
triples_near(const struct vs_pair_filter *f, const uint64_t *placed, uint32_t b)
{
	uint64_t n = 0;

	for (uint32_t a = f->lo[b]; a < f->hi[b]; a++) {
		if (f->start[a] == VS_PAIR_UNPLACED)
			continue;
		n += known(placed, f->lo[a] > f->lo[b] ? f->lo[a] : f->lo[b],
			f->hi[a] < f->hi[b] ? f->hi[a] : f->hi[b]);
		n += f->others ? placed[f->start[a]] : 0;
	}
	return n;
}

int
vs_pair_filter_triples(const struct vs_pair_filter *f, uint64_t *n_triple)
{
	uint64_t *placed = NULL, *pairs = NULL, n = 0;
	int code = vs_mem_new(&placed, f->n_vec + 1, sizeof(*placed), "places");

	if (!code)
		code = vs_mem_new(&pairs, f->n_vec + 1, sizeof(*pairs),
			"places");
	for (uint32_t b = 0; b < f->n_vec && !code; b++) {
		bool is = f->start[b] != VS_PAIR_UNPLACED;

		placed[b + 1] = placed[b] + is;
		pairs[b + 1] = pairs[b];
		if (!is)
			continue;
		/* all pairs before its chromosome are of it, too */
		if (f->others) {
			n += pairs[f->start[b]];
			pairs[b + 1] += placed[f->start[b]];
		}
		pairs[b + 1] += known(placed, f->lo[b], f->hi[b]);
		n += triples_near(f, placed, b);
	}
	free(placed);
	free(pairs);
	if (!code)
		*n_triple = n;
	return code;
}
