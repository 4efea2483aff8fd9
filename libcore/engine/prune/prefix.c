/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of the prefix of fields that decides most pairs. */
#include <math.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/prefix.h"

/*
 * Deviation above the mean by chance, in square roots of the number of fields:
 * two to three standard deviations. A pair that is left costs as much as
 * thousands of fields.
 */
#define CHANCE 1.0f

struct vs_prefix_outlook
vs_prefix_outlook_of(const float a[2], const float b[2], float n)
{
	struct vs_prefix_outlook o = { .least = -INFINITY,
		.most = INFINITY,
		.mean = (a[0] + a[1]) * (b[0] + b[1]) / n };

	for (int s = 0; s < 2; s++)
		for (int t = 0; t < 2; t++) {
			o.low += vs_above_f32(a[s] + b[t] - n);
			o.high += vs_min_f32(a[s], b[t]);
		}
	return o;
}

/* Whether a prefix of this many fields decides the pair. */
static bool
will_do(const struct vs_prefix_outlook *o, float fields, float n_field)
{
	float part = fields / n_field, chance = CHANCE * sqrtf(fields);
	float high = part * o->mean + (1 - part) * o->high + chance;
	float low = part * o->mean + (1 - part) * o->low - chance;

	return high <= o->most && low >= o->least;
}

int
vs_prefix_least(const struct vs_prefix_outlook *o, size_t n, size_t n_field,
	int least)
{
	for (size_t k = 0; k < n; k++)
		while (least < VS_FIRSTS &&
			!will_do(&o[k], (float)vs_first_fields(n_field, least),
				(float)n_field))
			least = vs_first_more(n_field, least);
	return least;
}

void
vs_prefix_failed(int *least, size_t n_field, int first, size_t lo, size_t hi)
{
	const int more = vs_first_more(n_field, first);

	for (size_t g = lo / VS_SPAN; g * VS_SPAN < hi; g++)
		least[g] = least[g] < more ? more : least[g];
}

/* Fields with at least one copy of the leading label's allele, and with two. */
static void
at_least(const struct vs_query *q, const struct vs_panel *p, size_t v,
	float a[2])
{
	a[1] = (float)vs_panel_two(p, v, q->lead);
	a[0] = (float)vs_panel_sum(p, v, q->lead) - a[1];
}

static struct vs_prefix_outlook
look_at(const struct vs_query *q, const struct vs_coefficients *e,
	const float a[2], const struct vs_panel *cols, const struct vs_sides *x,
	size_t j)
{
	float both = vs_coefficients_both(e, x->c[j]), b[2];
	float el = x->bl[j] * both, eo = x->bo[j] * both;
	float above = x->loose.above[j], below = x->loose.below[j];
	struct vs_prefix_outlook o;

	at_least(q, cols, j, b);
	o = vs_prefix_outlook_of(a, b, (float)q->n_field);
	o.most = vs_min_f32(e->ll * el - e->above - above,
		e->oo * eo + e->high + x->ws[j] - below);
	if (e->mixed)
		o.least = vs_max_f32(e->low - e->lo * eo + below,
			x->ws[j] + e->below - e->ol * el + above);
	return o;
}

int
vs_prefix_choose(const struct vs_query *q,
	const struct vs_representatives *rows,
	const struct vs_representatives *cols, const struct vs_sides *sides,
	size_t lo, size_t hi, int least)
{
	const size_t i = rows->n / 2;
	struct vs_prefix_outlook o[VS_PREFIX_SAMPLES];
	struct vs_coefficients edge;
	float a[2];

	if (least == VS_FIRSTS || !rows->panel.present[i])
		return least;
	vs_coefficients_row(q, rows, i, sides, NULL, &edge);
	at_least(q, &rows->panel, i, a);
	for (size_t k = 0; k < VS_PREFIX_SAMPLES; k++)
		o[k] = look_at(q, &edge, a, &cols->panel, sides,
			lo + (hi - lo) * (2 * k + 1) / (2 * VS_PREFIX_SAMPLES));
	return vs_prefix_least(o, VS_PREFIX_SAMPLES, q->n_field, least);
}
