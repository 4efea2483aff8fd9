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
	uint32_t **const array[] = { &f->rank, &f->start, &f->lo, &f->hi };
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
	free(place);
	free(placed);
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
	memset(f, 0, sizeof(*f));
}

bool
vs_pair_filter_is_band(const struct vs_pair_filter *f)
{
	double n = (double)f->n_vec;

	return f->in_order && !f->others &&
		(double)f->n_pair * ONE_IN < n * (n - 1) / 2;
}

void
vs_pair_filter_rows(const struct vs_pair_filter *f, uint64_t col, uint64_t end,
	uint64_t *lo, uint64_t *hi)
{
	/* both ends of a range never fall from one vector to the next */
	*lo = f->lo[col];
	*hi = f->hi[end - 1];
	if (*hi < *lo)
		*hi = *lo;
}
