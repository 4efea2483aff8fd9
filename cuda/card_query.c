/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds, recipe and filter terms of a query in the form that a device
 * reads. */
#include <math.h>
#include <string.h>

#include "cuda/card_query.h"
#include "cuda/card_tables.h"

/* a threshold that no r reaches; a u that passes every threshold */
#define UNREACHABLE 1e30f

static bool
has_moment(const struct vs_metric *m)
{
	switch (m->device) {
	case VS_DEVICE_R2:
	case VS_DEVICE_R:
	case VS_DEVICE_COSINE:
	case VS_DEVICE_JACCARD:
	case VS_DEVICE_DICE:
		return m->least != NULL;
	case VS_DEVICE_NONE:
	case VS_DEVICE_ALLELES:
	case VS_DEVICE_K2:
	case VS_DEVICE_LBF:
	case VS_DEVICE_MI:
	case VS_DEVICE_G:
	case VS_DEVICE_INTER:
	case VS_DEVICE_BETA:
	case VS_DEVICE_ALPHA:
		break;
	}
	return false;
}

static bool
is_moment(const struct vs_query *q)
{
	return vs_query_family(q) == VS_FAMILY_MOMENTS;
}

/* Sums of bytes fit 32 bits. */
#define MOST_NUMBERS (1 << 24)

bool
vs_card_has(const struct vs_query *q)
{
	if (vs_query_beyond_devices(q))
		return false;
	switch (vs_query_family(q)) {
	case VS_FAMILY_ALLELES:
		return q->metric->device == VS_DEVICE_ALLELES;
	case VS_FAMILY_MOMENTS:
		return has_moment(q->metric);
	case VS_FAMILY_TABLES:
		return q->metric->device >= VS_DEVICE_K2;
	case VS_FAMILY_MINIMA:
		return !q->has_missing && q->n_field < MOST_NUMBERS;
	case VS_FAMILY_INNER:
	case VS_FAMILY_NONE:
		break;
	}
	return false;
}

/* rho of chi_bound.h by the share of cases if d > 0, of controls if d < 0. */
static double
rho(double share)
{
	return fmax(0.5, -log(share) * share / (1 - share));
}

/* The bits of up to 27 cells fit 32 bits: 27 lg(n / 27) is less than 512. */
#define MOST_SAMPLES (1 << 23)
#define OCTAVE (1 << 23) /* bits of the float 2 x less bits of x */
#define BY_SIGN 0.066    /* for a cell of factorials, if signs count */
/* error of a reciprocal, and of sums of 27 floats */
#define ROUNDED (1.0532 * (1 + 1e-5))

void
vs_card_chi_make(const int64_t n[2], double need, bool entropy,
	struct vs_card_chi *to)
{
	const double all = (double)(n[0] + n[1]);
	const double p = (double)(float)((double)n[1] / all), q = 1 - p;
	const double cell = 0.5 * log(2 / M_PI);

	*to = (struct vs_card_chi){ .least = { -INFINITY, -INFINITY },
		.entropy = entropy };
	if (need == INFINITY)
		to->least[0] = to->least[1] = INFINITY;
	if (!(p > 0 && q > 0 && all < MOST_SAMPLES && isfinite(need)))
		return;
	to->skew = fmin(p, q) < 0.4;
	to->share = (float)p;
	to->scale = (float)((to->skew ? rho(q) : fmax(rho(p), rho(q))) /
		(p * q) * ROUNDED);
	to->more = (float)((rho(p) - rho(q)) / (p * q) * ROUNDED);
	to->half = (float)(0.5 * log(2) / OCTAVE * (1 - 1e-6));
	need -= (double)n[1] * log(p) + (double)n[0] * log(q);
	for (int way = 0; way < 2; way++) {
		const double cells = way ? 27 : 9;
		const double least = entropy
			? need
			: need + cells * (cell - (to->skew ? BY_SIGN : 0));

		to->least[way] = (float)(least - 1e-3 - 1e-6 * fabs(least));
	}
}

void
vs_card_chi_called(const int64_t n[2], enum vs_device_code table,
	struct vs_card_chi *to)
{
	const double p = (double)to->share, a = (double)n[0], b = (double)n[1];
	double base = (double)to->least[1], per[2] = { 0, 0 };

	if (!isfinite(base))
		return;
	switch (table) {
	case VS_DEVICE_K2:
		per[0] = -log(1 - p);
		per[1] = -log(p);
		base -= per[0] * a + per[1] * b;
		break;
	case VS_DEVICE_BETA:
		to->mixed = 2;
		/* fall through */
	case VS_DEVICE_MI:
	case VS_DEVICE_ALPHA:
		per[0] = per[1] = base / (a + b) -
			(double)to->mixed * a * b / ((a + b) * (a + b));
		base = 0;
		break;
	case VS_DEVICE_LBF:
	case VS_DEVICE_G:
	case VS_DEVICE_INTER:
	case VS_DEVICE_NONE:
	case VS_DEVICE_ALLELES:
	case VS_DEVICE_R2:
	case VS_DEVICE_R:
	case VS_DEVICE_COSINE:
	case VS_DEVICE_JACCARD:
	case VS_DEVICE_DICE:
		break;
	}
	base -= 1e-3 +
		1e-6 * (fabs(base) + fabs(per[0]) * a + fabs(per[1]) * b);
	to->least[1] = (float)base;
	to->per[0] = (float)per[0];
	to->per[1] = (float)per[1];
}

bool
vs_card_has_triples(const struct vs_query *q)
{
	return vs_card_has(q) && (q->classes || q->alleles);
}

/* A threshold of 0 or less is passed by all, and never met by an infinite 1 /
 * u. */
static void
raise_alleles(const struct vs_query *q, struct vs_card_rule *r)
{
	for (int ones = 0; ones < 4; ones++) {
		const double least = vs_query_threshold(q, 3, ones);
		const float need = (float)(q->alleles->scale3 * least);

		r->eight[ones] = q->threshold > 0 && need > 0 ? need : -1;
	}
}

void
vs_card_rule_raise(const struct vs_query *q, struct vs_card_rule *r)
{
	const struct vs_query now = vs_query_now(q);
	int64_t n[2];
	double need;

	if (r->table == VS_DEVICE_ALLELES)
		raise_alleles(&now, r);
	if (r->element || r->moment)
		r->thresholds.one[0] = now.threshold;
	if (r->moment) {
		need = vs_metric_least(q->metric, now.threshold);
		r->need = need < 0 ? -1 : (float)(need * need * (1 - 0x1p-18));
	}
	if (!q->classes)
		return;
	r->least = now.threshold - vs_query_room(&now);
	for (int k = 0; k < 2; k++)
		n[k] = (int64_t)q->classes->n[k];
	need = q->metric->needed(q->logs, n, r->least);
	vs_card_chi_make(n, need, q->metric->log == VS_LOG_ENTROPY, &r->chi);
	if (q->has_missing)
		vs_card_chi_called(n, (enum vs_device_code)r->table, &r->chi);
}

void
vs_card_rule_make(const struct vs_query *q, bool triples,
	struct vs_card_rule *r)
{
	uint32_t mask = q->cell_mask;

	r->n_field = (int32_t)q->n_field;
	r->f32 = q->f32;
	r->has_missing = q->has_missing;
	r->min_joint = (int32_t)q->min_joint;
	r->has_num = vs_query_has_num(q);
	if (q->classes) {
		r->table = (int32_t)q->metric->device;
		r->logs = *q->logs;
		vs_card_rule_raise(q, r);
		return;
	}
	if (triples) {
		r->table = VS_DEVICE_ALLELES;
		vs_card_rule_raise(q, r);
		return;
	}
	if (vs_element_is_number(q->element)) {
		r->element = (int32_t)q->element;
		vs_card_rule_raise(q, r);
		return;
	}
	if (is_moment(q)) {
		r->moment = (int32_t)q->metric->device;
		r->centred = q->metric->centred;
		r->squared = q->metric->squared;
		vs_card_rule_raise(q, r);
		r->weight = 2;
		r->cell_mask = 1;
		r->test_mask = 15;
		return;
	}
	for (int k = 0; k < 4; k++)
		r->thresholds.one[k] =
			q->thresholds ? q->thresholds->one[k] : q->threshold;
	r->thresholds.sum = q->thresholds ? q->thresholds->sum : INFINITY;
	r->recipe = q->alleles->recipe;
	r->weight = q->alleles->weight;
	r->cell_mask = mask;
	/*
	 * a pair may be stored swapped, so cells 1 and 2 are kept or dropped
	 * together
	 */
	r->test_mask = mask & 6 ? mask | 6 : mask;
	for (int cell = 0; cell < 4; cell++)
		if (isinf(vs_query_threshold(q, 2, (cell >> 1) + (cell & 1))))
			r->test_mask &= ~(1u << cell);
}

/* ---- segments of tables ---- */

#define STEP 8 /* a segment has a multiple of this many words */

/* Without classes, all samples are in the first. */
static uint32_t
class_size(const struct vs_query *q, int k)
{
	return q->classes ? (uint32_t)q->classes->n[k]
		: k       ? 0
			  : (uint32_t)q->n_field;
}

size_t
vs_card_segments_make(const struct vs_query *q, struct vs_card_part *p)
{
	uint32_t end = 0;

	p->n_segment = 2;
	for (int k = 0; k < 2; k++) {
		const uint32_t n = class_size(q, k);

		end += (n + 32 * STEP - 1) / (32 * STEP) * STEP;
		p->end[k] = end;
		p->size[k] = (int32_t)n;
	}
	return (size_t)(end + 31) / 32 * 32;
}

void
vs_card_fields_make(const struct vs_query *q, const struct vs_card_part *p,
	uint32_t *field)
{
	const size_t n_word = vs_vec_words(q->n_field);
	const size_t all = (size_t)p->n_block * VS_TILE_FIELDS;
	size_t at = 0;

	while (!q->classes && at < q->n_field) {
		field[at] = (uint32_t)at;
		at++;
	}
	for (int k = 0; k < 2; k++) {
		for (size_t w = 0; w < n_word && q->classes; w++)
			for (uint64_t m = q->classes->of[k][w].mask; m;
				m &= m - 1)
				field[at++] = (uint32_t)(64 * w) +
					(uint32_t)__builtin_ctzll(m);
		while (at < (size_t)32 * p->end[k])
			field[at++] = VS_CARD_NO_FIELD;
	}
	while (at < all)
		field[at++] = VS_CARD_NO_FIELD;
}

/* ---- sides ---- */

static double
u_of(const struct vs_query *q, const struct vs_card_side *s, int label)
{
	return vs_alleles_u(q->alleles, s->sum, s->present, label);
}

/* Threshold scale t / u, reduced by the slack. */
static float
threshold_of(const struct vs_query *q, double u)
{
	double threshold = q->alleles->scale * q->threshold * VS_CARD_SLACK / u;

	return q->threshold < 0                    ? -1
		: u > 0 && threshold < UNREACHABLE ? (float)threshold
						   : UNREACHABLE;
}

/* Filter terms of a vector without missing calls: see vs_may_be(). */
static void
moment_side(const struct vs_query *q, struct vs_card_side *s)
{
	const double t = vs_metric_least(q->metric, q->threshold);
	double n = (double)q->n_field, sum = s->sum;
	double spread =
		sqrt(q->metric->centred ? (n * s->square - sum * sum) / n
					: s->square);

	s->u[0] = s->threshold[0] = q->metric->centred ? (float)sum : 0;
	s->u[1] = (float)(n * spread * t);
	s->threshold[1] = (float)spread;
	/* all pairs pass; or, if the vector is constant, none */
	if (t < 0) {
		s->u[1] = (float)n;
		s->threshold[1] = -UNREACHABLE;
	} else if (!(spread > 0)) {
		s->u[1] = s->threshold[1] = UNREACHABLE;
	}
}

bool
vs_card_sides_make(const struct vs_query *q, const struct vs_panel *p,
	size_t lo, size_t n, struct vs_card_side *out)
{
	bool complete = true;

	for (size_t k = 0; k < n || k % VS_TILE_VECS; k++) {
		struct vs_card_side *s = &out[k];

		memset(s, 0, sizeof(*s));
		if (p->total) {
			s->total = k < n ? p->total[lo + k] : 0;
			s->row = k < n ? p->row[lo + k] : 0;
			continue;
		}
		if (is_moment(q))
			s->u[1] = s->threshold[1] = UNREACHABLE;
		else
			s->threshold[0] = s->threshold[1] = threshold_of(q, 0);
		if (k >= n)
			continue;
		s->sum = p->sum[lo + k];
		s->present = p->present[lo + k];
		s->row = p->row[lo + k];
		s->square = s->sum + 2 * p->two[lo + k];
		complete &= (size_t)s->present == q->n_field;
		if (is_moment(q))
			moment_side(q, s);
		for (int label = 0; label < 2 && s->present && !is_moment(q);
			label++) {
			double u = u_of(q, s, label);

			s->u[label] = (float)u;
			s->threshold[label] = threshold_of(q, u);
		}
	}
	return complete;
}

void
vs_card_bounds_make(const struct vs_query *q, size_t n,
	const struct vs_card_side *exact, struct vs_card_side *out)
{
	const double all = (double)q->n_field;

	for (size_t k = 0; k < n || k % VS_TILE_VECS; k++) {
		struct vs_card_side *s = &out[k];
		double share, rest;

		*s = exact[k];
		share = s->present / all;
		rest = 1 - (all - s->present) / (double)q->least_present;
		for (int label = 0; label < 2 && s->present; label++) {
			double u = u_of(q, s, label);

			/* below this, rounding of rest to a double matters */
			s->u[label] =
				rest > 1e-6 ? (float)(u / rest) : UNREACHABLE;
			s->threshold[label] = threshold_of(q, u / share);
		}
	}
}
