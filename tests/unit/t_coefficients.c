/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coefficients of the float filter: the bounds on a pair's sum that its header
 * states hold for every pair that passes, by the plain definition, for leaders
 * and for the vectors they represent; without missing calls and followers they
 * leave nothing that is clearly below the threshold.
 */
#include <float.h>

#include "libcore/engine/prune/coefficients.h"
#include "tests/unit/test.h"
#include "tests/unit/vectors.h"

#define N_VEC 72
#define PADDED VS_ROW_FILTER_LANES
#define BEYOND -12345 /* of what no array has */

static float room[10][PADDED + 1];

static struct vs_sides sides = { .bl = room[0],
	.bo = room[1],
	.ws = room[2],
	.c = room[3],
	.loose = { .above = room[4], .below = room[5] } };

static struct vs_rest rest = { 0, { room[6], room[7] },
	{ .above = room[8], .below = room[9] } };

static bool
clustered(const struct vs_representatives *l, size_t k)
{
	return l->begin[k + 1] - l->begin[k] > 1 ||
		vs_representatives_place(l, k) != (size_t)l->begin[k];
}

/*
 * Threshold of a cell; infinity: off. The greater of two values with a passing
 * sum is above half of the sum's threshold.
 */
static double
threshold_of(const struct vs_query *q, int cell)
{
	int ones = (cell >> 1) + (cell & 1);

	if (!q->thresholds)
		return q->threshold;
	return ones == 1
		? q->thresholds->one[1]
		: fmin(q->thresholds->one[ones], q->thresholds->sum / 2);
}

/* How far a value of some pair from two clusters is above its threshold. */
static double
excess(const struct vectors *d, const struct vs_representatives *l, size_t i,
	size_t j)
{
	double most = -INFINITY;

	for (int32_t v = l->begin[i]; v < l->begin[i + 1]; v++)
		for (int32_t w = l->begin[j]; w < l->begin[j + 1]; w++) {
			const struct vs_plain_pair *p =
				vectors_pair(d, (size_t)v, (size_t)w);

			for (int c = 0; c < 4; c++)
				if (p->nvalid >= d->q.min_joint)
					most = fmax(most,
						p->value[c] -
							threshold_of(&d->q, c));
		}
	return most;
}

/* The inequalities of the header; p, bounded using the remaining fields, low or
 * high. */
static bool
left(const struct vs_coefficients *e, const struct vs_loose *loose, size_t j,
	float low, float high)
{
	float c = vs_coefficients_both(e, sides.c[j]), ws = sides.ws[j];
	float above = loose->above[j], below = loose->below[j];

	return high > e->ll * (sides.bl[j] * c) - e->above - above ||
		high > e->oo * (sides.bo[j] * c) + e->high + ws - below ||
		(e->mixed &&
			(low < e->low - e->lo * (sides.bo[j] * c) + below ||
				low < ws + e->below -
						e->ol * (sides.bl[j] * c) +
						above));
}

/* at_least() of all fields, once computed; else -1. Reset by look(). */
static int known[PADDED][3];

/* Fields from lo on with s copies of the leading allele or more. */
static int
at_least(const struct vectors *d, size_t v, size_t lo, int s)
{
	const uint8_t *g = vectors_at(d, v);
	int n = 0;

	if (!lo && known[v][s] >= 0)
		return known[v][s];
	for (size_t f = lo; f < d->n_field; f++)
		n += vectors_copies(g[f], d->q.lead) >= s;
	if (!lo)
		known[v][s] = n;
	return n;
}

/* The most and the least that fields from lo on add to a sum of leaders. */
static void
fields_add(const struct vectors *d, const struct vs_representatives *l,
	size_t i, size_t j, size_t lo, float range[2])
{
	const int n = (int)(d->n_field - lo);

	range[0] = range[1] = 0;
	for (int s = 1; s <= 2; s++)
		for (int t = 1; t <= 2; t++) {
			int a = at_least(d, vs_representatives_place(l, i), lo,
				s);
			int b = at_least(d, vs_representatives_place(l, j), lo,
				t);

			range[0] += (float)(a + b > n ? a + b - n : 0);
			range[1] += (float)(a < b ? a : b);
		}
}

/* Findings over all pairs of a configuration. */
struct found {
	int lost;  /* pass, but are outside the bounds */
	int loose; /* are left although far below the threshold */
	int wrong; /* arrays with wrong contents */
	size_t passing, n_left, n_mixed;
};

static void
judge(const struct vectors *d, const struct vs_representatives *l, size_t i,
	const struct vs_coefficients *e, const struct vs_rest *r,
	struct found *x)
{
	size_t n = r ? vs_first_fields(d->n_field, r->first) : d->n_field;

	for (size_t j = 0; j < l->n; j++) {
		float p = (float)vectors_product(d,
			vs_representatives_place(l, i),
			vs_representatives_place(l, j), d->q.lead, 0, n);
		double over = excess(d, l, i, j);
		float add[2] = { 0, 0 };
		bool may;

		if (r)
			fields_add(d, l, i, j, n, add);
		may = left(e, r ? &r->loose : &sides.loose, j, p + add[0],
			p + add[1]);
		x->passing += over > 0;
		x->n_left += may;
		x->lost += over > 0 && !may;
		/* with every call there and no follower the bounds are sharp */
		x->loose += may && !r && !d->missing && over < -0.002 &&
			!clustered(l, i) && !clustered(l, j);
	}
}

/* The minima over some columns' entries are no greater than any entry, and are
 * attained. */
static int
wrong_least(const struct vectors *d, const struct vs_representatives *l)
{
	float bl = FLT_MAX, bo = FLT_MAX, c = FLT_MAX, ws = 0;

	for (size_t k = 0; k < l->n; k++) {
		if (!l->panel.present[k])
			continue;
		bl = vs_min_f32(bl, sides.bl[k]);
		bo = vs_min_f32(bo, sides.bo[k]);
		c = vs_min_f32(c, sides.c[k]);
		ws = vs_max_f32(ws, sides.ws[k]);
	}
	return bl != sides.least_bl || bo != sides.least_bo ||
		vs_min_f32(c, (float)d->n_field) != sides.least_c ||
		ws != sides.most_ws;
}

/* The most of columns' deviations is that of one of them; there are none in
 * padding. */
static int
wrong_loose(const struct vs_loose *loose, size_t n)
{
	float above = 0, below = 0;
	int wrong = 0;

	for (size_t k = 0; k < n; k++) {
		above = vs_max_f32(above, loose->above[k]);
		below = vs_max_f32(below, loose->below[k]);
	}
	for (size_t k = n; k % PADDED; k++)
		wrong |= loose->above[k] != 0 || loose->below[k] != 0;
	return wrong || above != loose->most_above ||
		below != loose->most_below;
}

/* Nothing is written past whole VS_ROW_FILTER_LANES. */
static int
wrong_end(void)
{
	int wrong = 0;

	for (size_t a = 0; a < sizeof(room) / sizeof(*room); a++)
		wrong |= room[a][PADDED] != BEYOND;
	return wrong;
}

/*
 * Cells of unlike labels may pass if the least sum by counts, of the row's
 * leader and of any column's, is below what one of them needs: e->mixed says
 * so, but where the two differ by no more than the slack.
 */
static int
wrong_mixed(const struct vectors *d, const struct vs_representatives *rows,
	size_t i, const struct vs_representatives *cols,
	const struct vs_coefficients *e)
{
	const struct vs_loose *loose = &sides.loose;
	const double both = fmax(e->window + sides.least_c, e->joint);
	const double need =
		fmax(e->low + loose->most_below - e->lo * sides.least_bo * both,
			sides.most_ws + loose->most_above -
				e->ol * sides.least_bl * both + e->below);
	const double margin = 3 * (e->slack + 1e-4);
	double least[2] = { (double)d->n_field, (double)d->n_field }, p = 0;

	for (size_t k = 0; k < cols->n; k++)
		for (int s = 1; s <= 2 && cols->panel.present[k]; s++) {
			size_t v = vs_representatives_place(cols, k);
			least[s - 1] = fmin(least[s - 1], at_least(d, v, 0, s));
		}
	for (int s = 1; s <= 2; s++)
		for (int t = 1; t <= 2; t++) {
			size_t v = vs_representatives_place(rows, i);

			p += fmax(0,
				at_least(d, v, 0, s) + least[t - 1] -
					(double)d->n_field);
		}
	return both <= 0            ? !e->mixed
		: p < need - margin ? !e->mixed
		: p > need + margin ? e->mixed
				    : 0;
}

/* The same of all rows with each column, or cluster of columns, alone. */
static int
wrong_mixed_alone(const struct vectors *d, const struct vs_representatives *l)
{
	struct vs_representatives col;
	struct vs_coefficients e;
	int wrong = 0;

	if (vs_representatives_room(&col, 1))
		exit(4);
	for (size_t k = 0; k < l->n; k++) {
		vs_representatives_take(&col, &d->panel, (size_t)l->begin[k],
			(size_t)l->begin[k + 1], 1, !clustered(l, k));
		if (!col.panel.present[0])
			continue;
		vs_coefficients_sides(&d->q, &col, &sides);
		for (size_t i = 0; i < l->n; i++) {
			if (!l->panel.present[i])
				continue;
			vs_coefficients_row(&d->q, l, i, &sides, NULL, &e);
			wrong += wrong_mixed(d, l, i, &col, &e);
		}
	}
	vs_representatives_free(&col);
	return wrong;
}

/* Below by more than a float's rounding. */
static bool
below(double a, double b)
{
	return a < b * (1 - 1e-6);
}

/*
 * The least 1 / u by label and the fewest calls of a cluster: none of its
 * vectors has less, and one has exactly that. 1 / u = 3 c / (3 c - s), gamma
 * 2/3.
 */
static int
wrong_cluster(const struct vectors *d, const struct vs_representatives *l,
	size_t k, const double got[3])
{
	double want[3] = { 1e30, 1e30, 2 * (double)d->n_field };

	for (int32_t v = l->begin[k]; v < l->begin[k + 1]; v++) {
		double c = d->panel.present[v];

		for (int label = 0; label < 2 && c && c >= d->q.min_joint;
			label++) {
			double s = vs_panel_sum(&d->panel, (size_t)v,
				label ? !d->q.lead : d->q.lead);

			want[label] = fmin(want[label], 3 * c / (3 * c - s));
			want[2] = fmin(want[2], c);
		}
	}
	for (int x = 0; x < 3; x++)
		if (below(got[x], want[x]) || below(want[x], got[x]))
			return 1;
	return 0;
}

/* Coefficients of row i and of column i, from their definition. */
static int
wrong_parts(const struct vectors *d, const struct vs_representatives *l,
	size_t i, const struct vs_coefficients *e)
{
	const double scale = d->q.alleles->scale;
	const double lead = scale * threshold_of(&d->q, d->q.lead ? 3 : 0);
	const double mixed = scale * threshold_of(&d->q, 1);
	const double col[3] = { sides.bl[i], sides.bo[i], sides.c[i] };
	const double row[3] = { lead < 1e30 ? e->ll / lead : sides.bl[i],
		mixed < 1e30 ? e->ol / mixed : sides.bo[i],
		e->window + (double)d->n_field };
	float above, below;

	vs_representatives_gap(l, &d->q, i, -1, &above, &below);
	if (mixed >= 1e30 && (e->lo < 1e30f || e->ol < 1e30f))
		return 1;
	return e->slack < (float)d->n_field / 65536 + 1e-5f ||
		wrong_cluster(d, l, i, row) || wrong_cluster(d, l, i, col) ||
		e->above < above || e->below < below ||
		sides.loose.above[i] != above || sides.loose.below[i] != below;
}

/* Padding lets no sum pass that two vectors can have. */
static int
wrong_padding(const struct vectors *d, const struct vs_representatives *l,
	const struct vs_coefficients *e)
{
	int wrong = 0;

	for (size_t j = l->n; j % VS_ROW_FILTER_LANES; j++)
		wrong += d->q.threshold > 0 &&
			left(e, &sides.loose, j, 0, 4 * (float)d->n_field);
	return wrong;
}

/* Fields of a vector with one copy or two behind the first fields. */
static int
wrong_rest(const struct vectors *d, const struct vs_representatives *l)
{
	size_t n = vs_first_fields(d->n_field, rest.first);
	int wrong = 0;

	for (size_t k = 0; k < l->n; k++) {
		size_t v = vs_representatives_place(l, k);

		wrong += (int)rest.at_least[0][k] != at_least(d, v, n, 1) ||
			(int)rest.at_least[1][k] != at_least(d, v, n, 2);
	}
	for (size_t k = l->n; k % PADDED; k++)
		wrong += rest.at_least[0][k] != 0 || rest.at_least[1][k] != 0;
	return wrong + wrong_loose(&rest.loose, l->n);
}

static struct found
look(const struct vectors *d, bool plain, int first)
{
	const struct vs_rest *r = first < 0 ? NULL : &rest;
	struct vs_representatives l;
	struct found x = { 0 };

	memset(known, -1, sizeof(known));
	for (size_t a = 0; a < sizeof(room) / sizeof(*room); a++)
		room[a][PADDED] = BEYOND;
	if (vs_representatives_room(&l, d->n_vec))
		exit(4);
	vs_representatives_take(&l, &d->panel, 0, d->n_vec, d->n_vec, plain);
	vs_coefficients_sides(&d->q, &l, &sides);
	x.wrong = wrong_least(d, &l) + wrong_loose(&sides.loose, l.n);
	rest.first = first;
	if (r) {
		vs_coefficients_rest(&d->q, &l, 0, l.n, &rest);
		x.wrong += wrong_rest(d, &l);
	}
	for (size_t i = 0; i < l.n; i++) {
		struct vs_coefficients e;

		if (!l.panel.present[i])
			continue;
		vs_coefficients_row(&d->q, &l, i, &sides, r, &e);
		judge(d, &l, i, &e, r, &x);
		x.wrong += r ? 0 : wrong_padding(d, &l, &e);
		x.wrong += r ? 0 : wrong_parts(d, &l, i, &e);
		x.wrong += r ? 0 : wrong_mixed(d, &l, i, &l, &e);
		x.n_mixed += e.mixed;
	}
	x.wrong += wrong_end();
	if (!r && d->n_field < 1000)
		x.wrong += wrong_mixed_alone(d, &l);
	vs_representatives_free(&l);
	return x;
}

static void
add(struct found *sum, const struct found *x)
{
	sum->lost += x->lost;
	sum->loose += x->loose;
	sum->wrong += x->wrong;
	sum->passing += x->passing;
	sum->n_left += x->n_left;
	sum->n_mixed += x->n_mixed;
}

static void
try_threshold(struct vectors *d, double threshold, bool plain, int first,
	struct found *sum)
{
	struct found x;

	d->q.threshold = threshold;
	vectors_panel(d);
	x = look(d, plain, first);
	add(sum, &x);
}

/*
 * Single pairs, with the threshold a step below the larger value of their cells
 * of unlike labels: they are left, whether or not such cells seem possible.
 */
static int
lost_mixed(struct vectors *d, size_t i, size_t j, int *n_mixed)
{
	const struct vs_plain_pair *pair = vectors_pair(d, i, j);
	struct vs_representatives row, col;
	struct vs_coefficients e;
	bool may = true;
	float p;

	d->q.threshold = nextafter(fmax(pair->value[1], pair->value[2]), -1);
	if (vs_representatives_room(&row, 1) ||
		vs_representatives_room(&col, 1))
		exit(4);
	vs_representatives_take(&row, &d->panel, i, i + 1, 1, true);
	vs_representatives_take(&col, &d->panel, j, j + 1, 1, true);
	if (pair->nvalid && pair->nvalid >= d->q.min_joint) {
		vs_coefficients_sides(&d->q, &col, &sides);
		vs_coefficients_row(&d->q, &row, 0, &sides, NULL, &e);
		p = (float)vectors_product(d, i, j, d->q.lead, 0, d->n_field);
		may = left(&e, &sides.loose, 0, p, p);
		/* far above they are not possible */
		d->q.threshold += 0.2;
		vs_coefficients_row(&d->q, &row, 0, &sides, NULL, &e);
		*n_mixed += e.mixed;
	}
	vs_representatives_free(&row);
	vs_representatives_free(&col);
	return !may;
}

static void
try_mixed(struct vectors *d)
{
	int n_mixed = 0, lost = 0, all = (int)(d->n_vec * d->n_vec);

	vectors_panel(d);
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = 0; j < d->n_vec; j++)
			lost += lost_mixed(d, i, j, &n_mixed);
	T_OK(!lost && n_mixed < all / 2,
		"pairs alone: %d of %d lost, %d may by 0.2 more", lost, all,
		n_mixed);
}

/* Thresholds at a value of some pair, and one step of a double away from it. */
static void
try(size_t n_vec, size_t n_field, unsigned missing, bool duo, int64_t min_joint,
	const struct vs_thresholds *classes)
{
	const double at[] = { 0.5, 0.9, 0.99, 0.9999 };
	struct vectors d;

	vectors_make(&d, n_vec, n_field, missing, duo, n_field + missing);
	vectors_pairs(&d);
	d.q.min_joint = min_joint;
	d.q.thresholds = classes;
	for (d.q.lead = 0; d.q.lead < 2; d.q.lead++) {
		struct found x = { 0 };

		for (int k = 0; k < 4; k++) {
			double value = vectors_value(&d, at[k]);

			try_threshold(&d, value, true, -1, &x);
			try_threshold(&d, nextafter(value, -1), true, -1, &x);
			try_threshold(&d, nextafter(value, 2), false, -1, &x);
			if (n_field >= VS_FIRSTS_LEAST)
				try_threshold(&d, nextafter(value, -1),
					n_vec == PADDED, k, &x);
		}
		T_OK(!x.lost && !x.loose && !x.wrong && x.passing > 1000 &&
				x.n_left < 2 * x.passing,
			"%s, %zu fields, %u missing, joint %d, label %d: %zu "
			"pass, %zu left, %d lost, %d far, %d wrong",
			d.q.metric->name, n_field, missing, (int)min_joint,
			d.q.lead, x.passing, x.n_left, x.lost, x.loose,
			x.wrong);
		if (!d.q.thresholds && n_field < 1000)
			try_mixed(&d);
	}
	vectors_free(&d);
}

int
main(void)
{
	static const struct vs_thresholds classes[] = {
		{ { 0.7, 0.6, 0.8 }, INFINITY },
		{ { INFINITY, INFINITY, 0.65 }, INFINITY },
		{ { INFINITY, INFINITY, INFINITY }, 1.2 },
	};

	try(N_VEC, 60, 0, false, 0, NULL);
	try(N_VEC, 300, 0, true, 0, NULL);
	try(N_VEC, 300, 20, false, 0, NULL);
	try(N_VEC, 300, 20, false, 140, NULL);
	try(N_VEC, 300, 20, true, 155, NULL);
	/* vectors with exactly as many calls as a pair must share */
	try(N_VEC, 300, 3, false, 298, NULL);
	try(N_VEC, 2100, 0, false, 0, NULL);
	try(N_VEC, 2100, 10, false, 1000, NULL);
	try(N_VEC, 300, 0, false, 0, &classes[0]);
	try(N_VEC, 300, 0, false, 0, &classes[1]);
	try(N_VEC, 300, 0, false, 0, &classes[2]);
	/* no padding */
	try(PADDED, 60, 0, false, 0, NULL);
	if (T_LONG)
		try(PADDED, 2100, 0, false, 0, NULL);
	return T_DONE();
}
