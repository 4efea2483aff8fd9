/* SPDX-License-Identifier: BSD-3-Clause */
/* Wanted pairs and triples: by chromosome and distance, and by sets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/cube.h"
#include "libcore/plan/wanted.h"

/* Bounds need another order of the vectors, and rarely leave more than a tenth
 * of the pairs; counting a band of an eighth of all pairs takes as long without
 * them. */
#define ONE_IN 8

/* Partners of a row, before and after it, up to which single pairs are faster
 * than spans of 512 columns: without missing calls, and with them. Measured for
 * 300 samples; with more samples single pairs gain more. */
#define NARROW 72
#define NARROW_GAPS 100

/* Before the genetic position of any vector, in 10^-9 cM. */
#define CM_LEAST (-((int64_t)1 << 62))

/* A vector to be ranked. */
struct place {
	int32_t contig; /* by first occurrence */
	bool known;     /* the vector; its position if rules need it */
	uint32_t row;
	int64_t pos, source;
	int64_t cm; /* in 10^-9 cM, where a rule needs it */
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
 * Number the chromosomes, -1 included, in order of occurrence; places are by
 * source. A vector without a position follows the one before it on its
 * chromosome, so that the others keep their order.
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
	VS_MEM_NEW(&code, last, (size_t)most + 2, "chromosomes");
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

static void
find_ranges(struct vs_wanted *w, const struct vs_pair_rules *r,
	const struct place *at)
{
	const int64_t least = vs_pair_rules_least(r),
		      most = vs_pair_rules_most(r);
	uint32_t start = 0, lo = 0, hi = 0;

	for (uint32_t b = 0; b < w->n_vec; b++) {
		if (b && at[b].contig != at[b - 1].contig)
			start = lo = hi = b;
		while (r->max_kb > 0 && at[b].pos - at[lo].pos > most)
			lo++;
		while (r->max_cm > 0 && at[b].cm - at[lo].cm > r->max_cm)
			lo++;
		while (r->max_sites > 0 && (int64_t)(b - lo) > r->max_sites)
			lo++;
		while (hi < b && at[b].pos - at[hi].pos >= least)
			hi++;
		w->start[b] = at[b].known ? start : VS_WANTED_UNPLACED;
		w->lo[b] = lo;
		w->hi[b] = r->inter ? start : hi;
		w->n_unplaced += !at[b].known;
		w->scattered |= b > start && !at[b].known && at[b - 1].known;
	}
}

/*
 * Rows near each. The least row of the ranks from lo on, and the greatest row
 * up to the last rank that has this one in its range, bound the rows of the
 * range. This holds even if vectors are a little out of order; vectors in no
 * pair are ignored.
 * least, most  [n_vec] by rank
 */
static void
find_near(struct vs_wanted *w, uint32_t *least, uint32_t *most)
{
	const uint32_t n = (uint32_t)w->n_vec;
	uint32_t end = 0, last = 0;

	/* first the row itself, or a value that bounds nothing */
	for (uint32_t v = 0; v < n; v++) {
		bool is = w->start[w->rank[v]] != VS_WANTED_UNPLACED;

		least[w->rank[v]] = is ? v : n;
		most[w->rank[v]] = is ? v + 1 : 0;
	}
	for (uint32_t r = 1; r < n; r++)
		if (most[r] < most[r - 1])
			most[r] = most[r - 1];
	for (uint32_t r = n; r-- > 1;)
		if (least[r - 1] > least[r])
			least[r - 1] = least[r];
	/* lo never decreases, and so the reverse holds */
	for (uint32_t b = 0; b < n; b++) {
		while (end < n && w->lo[end] <= b)
			end++;
		w->near_lo[b] = least[w->lo[b]];
		w->near_hi[b] = most[end - 1];
	}
	/* from ranks to rows */
	memcpy(least, w->near_lo, n * sizeof(*least));
	memcpy(most, w->near_hi, n * sizeof(*most));
	for (uint32_t v = 0; v < n; v++) {
		const uint32_t r = w->rank[v];

		if (w->start[r] != VS_WANTED_UNPLACED && last < most[r])
			last = most[r];
		w->near_hi[v] = last;
	}
	last = n;
	for (uint32_t v = n; v-- > 0;) {
		const uint32_t r = w->rank[v];

		if (w->start[r] != VS_WANTED_UNPLACED && last > least[r])
			last = least[r];
		w->near_lo[v] = last;
		if (w->near_hi[v] > last)
			w->n_near += w->near_hi[v] - last;
	}
}

/*
 * Genetic positions of the places, which are by rank: whole units are compared
 * exactly. A vector without one follows the one before it.
 */
static int
set_cm(struct place *place, uint64_t n, const double *cm)
{
	int64_t last = 0;

	for (uint64_t k = 0; k < n; k++) {
		struct place *p = place + k;

		if (!k || p->contig != place[k - 1].contig)
			last = CM_LEAST;
		p->known = p->known && !isnan(cm[p->row]);
		p->cm = p->known ? llrint(cm[p->row] * 1e9) : last;
		if (p->cm < last)
			return vs_fail(VS_EINPUT,
				"row %u is at %.9g cM, after a vector at %.9g; "
				"vsim-pack --map makes centimorgans rise with "
				"the position",
				p->row, (double)p->cm / 1e9,
				(double)last / 1e9);
		last = p->cm;
	}
	return 0;
}

/* Sort places, which most files have in order already. */
static void
sort(struct place *place, uint64_t n, int (*before)(const void *, const void *))
{
	uint64_t k = 1;

	while (k < n && before(&place[k - 1], &place[k]) <= 0)
		k++;
	if (k < n)
		qsort(place, n, sizeof(*place), before);
}

/* Ranges by source place, then in the order of ranks. */
static int
rank_all(struct vs_wanted *w, struct place *place, const int32_t *contig,
	const int64_t *pos, const double *cm, const int64_t *source)
{
	int code;

	for (uint64_t v = 0; v < w->n_vec; v++)
		place[v] = (struct place){ .contig = contig[v],
			.known = contig[v] >= 0 && (!pos || pos[v] > 0),
			.row = (uint32_t)v,
			.pos = pos && pos[v] > 0 ? pos[v] : 0,
			.source = source[v] };
	sort(place, w->n_vec, by_source);
	code = number_contigs(place, w->n_vec);
	if (code)
		return code;
	sort(place, w->n_vec, by_place);
	w->in_order = true;
	for (uint32_t k = 0; k < w->n_vec; k++) {
		w->rank[place[k].row] = k;
		w->in_order &= place[k].row == k;
	}
	return cm ? set_cm(place, w->n_vec, cm) : 0;
}

int
vs_wanted_by_place(struct vs_wanted *w, const struct vs_pair_rules *r,
	const int32_t *contig, const int64_t *pos, const double *cm,
	const int64_t *source)
{
	const uint64_t n_vec = w->n_vec;
	struct place *place = NULL;
	uint32_t *least = NULL, *most = NULL;
	uint32_t **const array[] = { &w->rank, &w->start, &w->lo, &w->hi,
		&w->near_lo, &w->near_hi, &least, &most };
	int code = vs_mem_room(&place, n_vec, sizeof(*place), "places");

	w->others = !r->within && !vs_pair_rules_is_window(r);
	for (size_t k = 0; k < sizeof(array) / sizeof(*array) && !code; k++)
		code = vs_mem_room(array[k], n_vec, sizeof(**array[k]),
			"ranges of partners");
	if (!code)
		code = rank_all(w, place, contig, pos, cm, source);
	if (!code) {
		find_ranges(w, r, place);
		find_near(w, least, most);
	}
	free(place);
	free(least);
	free(most);
	if (!code && w->n_unplaced == n_vec)
		code = vs_fail(VS_EINPUT,
			"no variant has a known %s, by which pairs are "
			"chosen; see the .bim, or pack a VCF",
			pos ? "position" : "chromosome");
	return code;
}

/* ---- by sets ---- */

int
vs_wanted_by_sets(struct vs_wanted *w, const uint8_t *in)
{
	const uint64_t n_vec = w->n_vec;
	uint64_t n[4] = { 0 }, at = 0;
	uint8_t part[4] = { 1, 3, 2, 0 }, begins = 0;
	bool turned;
	int code = vs_mem_room(&w->in, n_vec, 1, "sets");

	for (uint64_t v = 0; v < n_vec; v++) {
		if (!begins && (in[v] == 1 || in[v] == 2))
			begins = in[v];
		n[in[v] & 3]++;
	}
	turned = n[1] > n[2] || (n[1] == n[2] && begins == 2);
	w->by_sets = true;
	w->of = (struct vs_between){ .n_first = n[turned ? 2 : 1],
		.n_both = n[3],
		.n_second = n[turned ? 1 : 2],
		.n_rest = w->n_way == 3 ? n[0] : 0,
		.triples = w->n_way == 3 };
	VS_MEM_ROOM(&code, w->row, n_vec - n[0] + w->of.n_rest, "sets");
	for (uint64_t v = 0; v < n_vec && !code; v++)
		w->in[v] = turned && in[v] % 3 ? 3 - in[v] : in[v] & 3;
	for (int p = 0; p < (w->n_way == 3 ? 4 : 3) && !code; p++)
		for (uint64_t v = 0; v < n_vec; v++)
			if (w->in[v] == part[p])
				w->row[at++] = (int64_t)v;
	return code;
}

void
vs_wanted_by_order(struct vs_wanted *w, int64_t *row)
{
	free(w->row);
	w->row = row;
	w->of = (struct vs_between){ .n_both = row ? w->n_vec : 0 };
}

void
vs_wanted_free(struct vs_wanted *w)
{
	free(w->in);
	free(w->row);
	free(w->old);
	free(w->rank);
	free(w->start);
	free(w->lo);
	free(w->hi);
	free(w->near_lo);
	free(w->near_hi);
	memset(w, 0, sizeof(*w));
}

/* ---- questions ---- */

static bool
has_sets(unsigned a, unsigned b, unsigned c)
{
	return vs_wanted_cross(a, b) || vs_wanted_cross(a, c) ||
		vs_wanted_cross(b, c);
}

bool
vs_wanted_has(const struct vs_wanted *w, const struct vs_record *rec)
{
	const uint64_t i = rec->i, j = rec->j, k = rec->k;
	const bool pair = rec->k == VS_NO_VEC;

	if (!w)
		return true;
	if (w->in && !has_sets(w->in[i], w->in[j], pair ? 0 : w->in[k]))
		return false;
	return vs_wanted_near(w, i, j) &&
		(pair || (vs_wanted_near(w, i, k) && vs_wanted_near(w, j, k)));
}

/* Counts for each combination of sets that vectors are in, by the bits of
 * struct vs_wanted. */
struct census {
	const struct vs_wanted *w;
	uint8_t *of;            /* arrays by rank */
	uint64_t (*before)[4];  /* vectors of known place before each rank */
	uint64_t pair[4][4];    /* wanted with all ranks so far, */
	uint64_t earlier[4][4]; /* and with those before the chromosome */
	uint32_t start;         /* its first rank */
	uint8_t set[4];         /* combinations of sets that occur */
	int n_set;
};

static int
begin_census(struct census *c, const struct vs_wanted *w)
{
	int code = vs_mem_new(&c->before, w->n_vec + 1, sizeof(*c->before),
		"members of sets");

	VS_MEM_NEW(&code, c->of, w->n_vec, "members of sets");
	for (uint64_t v = 0; v < w->n_vec && !code; v++)
		c->of[w->rank[v]] = w->in ? w->in[v] : 3;
	for (uint64_t b = 0; b < w->n_vec && !code; b++) {
		memcpy(c->before[b + 1], c->before[b], sizeof(*c->before));
		c->before[b + 1][c->of[b]] += w->start[b] != VS_WANTED_UNPLACED;
	}
	for (uint8_t s = 0; s < 4 && !code; s++)
		if (c->before[w->n_vec][s])
			c->set[c->n_set++] = s;
	c->w = w;
	return code;
}

/* Vectors in ranks [lo, hi) that are in set s. */
static uint64_t
members(const struct census *c, uint32_t lo, uint32_t hi, uint8_t s)
{
	return hi > lo ? c->before[hi][s] - c->before[lo][s] : 0;
}

/* Triples of rank b, an earlier one on its chromosome, and any third before
 * that one. */
static uint64_t
triples_near(const struct census *c, uint32_t b)
{
	const struct vs_wanted *w = c->w;
	uint64_t n = 0;

	for (uint32_t a = w->lo[b]; a < w->hi[b]; a++) {
		const uint32_t lo = w->lo[a] > w->lo[b] ? w->lo[a] : w->lo[b],
			       hi = w->hi[a] < w->hi[b] ? w->hi[a] : w->hi[b];

		if (w->start[a] == VS_WANTED_UNPLACED)
			continue;
		for (int k = 0; k < c->n_set; k++) {
			const uint8_t s = c->set[k];

			if (has_sets(c->of[b], c->of[a], s))
				n += members(c, lo, hi, s) +
					(w->others ? c->before[w->start[a]][s]
						   : 0);
		}
	}
	return n;
}

/* Add the pairs of rank b with those before it. returns the number of wanted
 * pairs or triples, of the latter those with two vectors on other
 * chromosomes */
static uint64_t
add_rank(struct census *c, uint32_t b)
{
	const struct vs_wanted *w = c->w;
	const uint8_t own = c->of[b];
	uint64_t n = 0;

	if (w->start[b] != c->start)
		memcpy(c->earlier, c->pair, sizeof(c->pair));
	c->start = w->start[b];
	for (int k = 0; k < c->n_set; k++) {
		const uint8_t s = c->set[k];
		const uint64_t more = members(c, w->lo[b], w->hi[b], s) +
			(w->others ? c->before[w->start[b]][s] : 0);

		c->pair[own][s] += more;
		if (w->n_way == 2 && vs_wanted_cross(own, s))
			n += more;
		for (int x = 0; x < 4 && w->n_way == 3 && w->others; x++)
			if (has_sets(own, s, (unsigned)x))
				n += c->earlier[s][x];
	}
	return n;
}

int
vs_wanted_count(const struct vs_wanted *w, uint64_t *n)
{
	const struct vs_between of = vs_wanted_parts(w, w->n_vec);
	struct census c = { .start = VS_WANTED_UNPLACED };
	int code = 0;

	if (!w->rank) {
		*n = w->n_way == 3 ? vs_cube_triples_of(&of)
				   : of.n_both * (of.n_both - 1) / 2 +
				of.n_both * (of.n_first + of.n_second) +
				of.n_first * of.n_second;
		return 0;
	}
	code = begin_census(&c, w);
	*n = 0;
	for (uint32_t b = 0; b < w->n_vec && !code; b++)
		if (w->start[b] != VS_WANTED_UNPLACED)
			*n += add_rank(&c, b) +
				(w->n_way == 3 ? triples_near(&c, b) : 0);
	free(c.before);
	free(c.of);
	return code;
}

/* ---- order ---- */

int
vs_wanted_places(const struct vs_wanted *w, int64_t **place)
{
	const struct vs_between *of = &w->of;
	const uint64_t n = of->n_first + of->n_both + of->n_second + of->n_rest;
	int code = 0;

	*place = NULL;
	if (!w->row)
		return 0;
	code = vs_mem_room(place, w->n_vec, sizeof(**place),
		"places of vectors");
	if (code)
		return code;
	memset(*place, 0xff, w->n_vec * sizeof(**place));
	for (uint64_t k = 0; k < n; k++)
		(*place)[w->row[k]] = (int64_t)k;
	return 0;
}

void
vs_wanted_places_of(const int64_t *place, const struct vs_record *rec,
	uint64_t at[3])
{
	const uint64_t v[3] = { rec->i, rec->j, rec->k };
	const int n = rec->k == VS_NO_VEC ? 2 : 3;

	at[2] = VS_NO_VEC;
	for (int k = 0; k < n; k++) {
		const uint64_t own = place ? (uint64_t)place[v[k]] : v[k];
		int to = k;

		for (; to && at[to - 1] > own; to--)
			at[to] = at[to - 1];
		at[to] = own;
	}
}

uint64_t
vs_wanted_tile_of(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *rec)
{
	uint64_t at[3];

	vs_wanted_places_of(place, rec, at);
	return vs_cube_tile_of(plan, at[0], at[1], at[2]);
}

/* ---- band ---- */

bool
vs_wanted_is_band(const struct vs_wanted *w)
{
	double n;

	if (!vs_wanted_is_by_place(w))
		return false;
	n = (double)w->n_vec;
	return !w->others && w->n_near * ONE_IN < n * (n - 1);
}

uint64_t
vs_wanted_reach(const struct vs_wanted *w)
{
	uint64_t most = 0;

	for (uint64_t v = 0; v < w->n_vec; v++)
		if (v > w->near_lo[v] && v - w->near_lo[v] > most)
			most = v - w->near_lo[v];
	return most;
}

bool
vs_wanted_is_narrow(const struct vs_wanted *w, bool gaps)
{
	return vs_wanted_is_band(w) && !vs_wanted_is_by_sets(w) &&
		w->n_near < (gaps ? NARROW_GAPS : NARROW) * (double)w->n_vec;
}

bool
vs_wanted_all(const struct vs_wanted *w, uint64_t row, uint64_t col,
	uint64_t end)
{
	const uint64_t last = end - 1;

	/* ends of ranges never decrease from one vector to the next */
	return vs_wanted_is_band(w) && !vs_wanted_is_by_sets(w) &&
		w->in_order && !w->scattered && row < col &&
		w->start[row] != VS_WANTED_UNPLACED &&
		w->start[col] == w->start[row] &&
		w->start[last] == w->start[row] && w->lo[last] <= row &&
		row < w->hi[col];
}

void
vs_wanted_band(const struct vs_wanted *w, uint64_t col, uint64_t end,
	uint64_t *lo, uint64_t *hi)
{
	/* neither end of a range decreases from one vector to the next */
	*lo = w->in_order ? w->lo[col] : w->near_lo[col];
	*hi = w->in_order ? w->hi[end - 1] : w->near_hi[end - 1];
	if (*hi < *lo)
		*hi = *lo;
}

void
vs_wanted_reduce(const struct vs_wanted *w, size_t first, size_t end,
	size_t *lo, size_t *hi)
{
	size_t a = w->near_lo[first], b = w->near_hi[end - 1];

	if (w->others)
		return;
	*lo = *lo < a ? a : *lo;
	*hi = *hi > b ? b : *hi;
	if (*hi < *lo)
		*hi = *lo;
}
