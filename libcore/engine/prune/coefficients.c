/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients of the float filter, for each row and column. */
#include "libcore/engine/prune/coefficients.h"
#include "libcore/base/minmax.h"

#define LANES VS_ROW_FILTER_LANES

/* 1 / u of a vector without any call: its bounds are never reached. */
#define NEVER 1e30f

static float
reciprocal(const struct vs_query *q, int64_t s, int64_t c, int label)
{
	return vs_min_f32((float)vs_alleles_by_u(q->alleles, s, c, label),
		NEVER);
}

/* The least 1 / u and the least c of leader k and its followers. */
struct least {
	float bl, bo, c;
};

static struct least
least_of(const struct vs_query *q, const struct vs_representatives *l, size_t k)
{
	const struct vs_panel *p = l->of;
	struct least x = { NEVER, NEVER, 2 * (float)q->n_field };

	for (size_t v = (size_t)l->begin[k]; v < (size_t)l->begin[k + 1]; v++) {
		int32_t s = p->sum[v], c = p->present[v];

		/* without a call, like padding, it seems to share all fields;
		 * with too few fields it is in no useful pair */
		if (!c || c < q->min_joint)
			continue;
		x.bl = vs_min_f32(x.bl, reciprocal(q, s, c, q->lead));
		x.bo = vs_min_f32(x.bo, reciprocal(q, s, c, !q->lead));
		x.c = vs_min_f32(x.c, (float)c);
	}
	return x;
}

static void
loose_fill(const struct vs_query *q, const struct vs_representatives *cols,
	size_t lo, size_t n, int first, struct vs_loose *x)
{
	x->most_above = x->most_below = 0;
	for (size_t k = 0; k < n || k % LANES; k++) {
		x->above[k] = x->below[k] = 0;
		if (k >= n)
			continue;
		vs_representatives_gap(cols, q, lo + k, first, &x->above[k],
			&x->below[k]);
		x->most_above = vs_max_f32(x->most_above, x->above[k]);
		x->most_below = vs_max_f32(x->most_below, x->below[k]);
	}
}

void
vs_coefficients_sides(const struct vs_query *q,
	const struct vs_representatives *cols, struct vs_sides *x)
{
	const struct vs_panel *p = &cols->panel;

	x->least_bl = x->least_bo = NEVER;
	x->least_c = x->least_one = x->least_two = (float)q->n_field;
	x->most_ws = 0;
	for (size_t k = 0; k < cols->n || k % LANES; k++) {
		struct least least = { NEVER, NEVER, 2 * (float)q->n_field };
		int32_t lead, two;

		if (k < cols->n)
			least = least_of(q, cols, k);
		x->bl[k] = least.bl;
		x->bo[k] = least.bo;
		x->c[k] = least.c;
		x->ws[k] = 0;
		if (k >= cols->n || !p->present[k])
			continue;
		lead = vs_panel_sum(p, k, q->lead);
		two = vs_panel_two(p, k, q->lead);
		x->ws[k] = (float)(q->alleles->weight * lead);
		x->least_bl = vs_min_f32(x->least_bl, x->bl[k]);
		x->least_bo = vs_min_f32(x->least_bo, x->bo[k]);
		x->least_c = vs_min_f32(x->least_c, x->c[k]);
		x->most_ws = vs_max_f32(x->most_ws, x->ws[k]);
		x->least_one = vs_min_f32(x->least_one, (float)(lead - two));
		x->least_two = vs_min_f32(x->least_two, (float)two);
	}
	loose_fill(q, cols, 0, cols->n, -1, &x->loose);
}

void
vs_coefficients_rest(const struct vs_query *q,
	const struct vs_representatives *cols, size_t lo, size_t n,
	struct vs_rest *rest)
{
	const struct vs_panel *p = &cols->panel;
	struct vs_panel first = vs_panel_first(p, rest->first);
	float *one = rest->at_least[0], *two = rest->at_least[1];

	for (size_t k = 0; k < n; k++)
		vs_coefficients_rest_of(p, &first, lo + k, q->lead, &one[k],
			&two[k]);
	for (size_t k = n; k % LANES; k++)
		one[k] = two[k] = 0;
	loose_fill(q, cols, lo, n, rest->first, &rest->loose);
}

/* ---- rows ---- */

/*
 * True if p can fall below the minimum that cells of unlike labels need. p is
 * at least the sum over s, t in {1, 2} of max(0, a_s + b_t - n), where a_s
 * (b_t) fields of the row (the column) have s (t) copies or more of the leading
 * label's allele. For alleles of similar frequency it never does, which halves
 * the work.
 */
static bool
may_mix(const struct vs_query *q, const struct vs_panel *rows, size_t i,
	const struct vs_sides *x, const struct vs_rest *rest,
	const struct vs_coefficients *e)
{
	const struct vs_loose *loose = rest ? &rest->loose : &x->loose;
	const float n = (float)q->n_field,
		    both = vs_coefficients_both(e, x->least_c);
	int32_t two = vs_panel_two(rows, i, q->lead);
	float a2 = (float)two;
	float a1 = (float)(vs_panel_sum(rows, i, q->lead) - two);
	float p = vs_above_f32(a1 + x->least_one - n) +
		vs_above_f32(a1 + x->least_two - n) +
		vs_above_f32(a2 + x->least_one - n) +
		vs_above_f32(a2 + x->least_two - n);

	return both <= 0 ||
		p < e->low + loose->most_below - e->lo * x->least_bo * both +
			e->slack ||
		p < x->most_ws + loose->most_above -
			e->ol * x->least_bl * both + e->below + e->slack;
}

/* Fill in what depends on the fields counted, except mixed. */
static void
fill_sums(const struct vs_query *q, const struct vs_representatives *rows,
	size_t i, const struct vs_rest *rest, struct vs_coefficients *e)
{
	const float n = (float)q->n_field, w = (float)q->alleles->weight;
	float ws = w * (float)vs_panel_sum(&rows->panel, i, q->lead);
	float above, below;

	vs_representatives_gap(rows, q, i, rest ? rest->first : -1, &above,
		&below);
	e->above = above + e->slack;
	e->below = below + e->slack;
	e->low = ws + e->above;
	e->high = ws - w * w * n - e->below;
}

void
vs_coefficients_row(const struct vs_query *q,
	const struct vs_representatives *rows, size_t i,
	const struct vs_sides *sides, const struct vs_rest *rest,
	struct vs_coefficients *e)
{
	const double scale = q->alleles->scale;
	const double mixed = scale * vs_query_threshold(q, 2, 1);
	const float n = (float)q->n_field;
	struct least least = least_of(q, rows, i);

	e->ll = (float)(scale * vs_query_threshold(q, 2, 2 * q->lead) *
		least.bl);
	e->oo = (float)(scale * vs_query_threshold(q, 2, 2 - 2 * q->lead) *
		least.bo);
	e->lo = (float)(mixed * least.bl);
	e->ol = (float)(mixed * least.bo);
	e->window = least.c - n;
	e->joint = vs_query_joint(q);
	e->slack = n / 65536 + 1e-5f;
	fill_sums(q, rows, i, rest, e);
	e->mixed = may_mix(q, &rows->panel, i, sides, rest, e);
}
