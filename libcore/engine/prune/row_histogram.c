/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of the values of a row of sums, vectorised. */
#include "libcore/engine/prune/row_histogram.h"
#include "libcore/engine/pair_sums.h"
#include "libcore/engine/prune/row_filter.h"

#define LANES VS_VALUE_HISTOGRAM_LANES

/*
 * The row's factors for all columns, by one label, the base, and the other.
 * Sums are exact integers, and the value of a cell, in buckets, is r times
 * three floats: at most nine roundings of 2^-24.
 */
struct row {
	int32_t n, w, s, c;   /* all fields, weight, copies, present */
	int32_t joint;        /* fields that a pair must share */
	float base, other;    /* 1000 u / scale, and u, of this row */
	const float *eb, *eo; /* 1 / u of the columns */
	const int32_t *sum, *present;
	uint32_t class[3], n_bucket; /* of classes, by number of base labels */
	uint32_t sums;               /* place of the row of sums */
	uint32_t least[3];           /* buckets below these do not pass */
};

/* Four sums of a pair: [2a + b], a and b 1 if the label is the base. */
struct four {
	int32_t r[4], c;
};

/* Via a local array: cells behind a pointer are not vectorised. */
VS_INLINE void
set_cells(const struct row *x, struct vs_pair_sums s, struct four *f)
{
	int32_t r[4];

	vs_pair_sums_cells(x->w, s, r);
	*f = (struct four){ { r[0], r[1], r[2], r[3] }, s.c };
}

/* The sums of column j from one product of vectors without missing calls. */
VS_INLINE void
sums_of_one(const struct row *x, const int32_t *pl, size_t j, int label,
	struct four *f)
{
	const int32_t s1 = x->sum[j];

	const struct vs_pair_sums s = { x->n, x->s, label ? s1 : 2 * x->n - s1,
		pl[j] };

	set_cells(x, s, f);
}

/* The same with missing calls. */
VS_INLINE void
sums_of_all(const struct row *x, const struct vs_joint_sums *t, size_t j,
	int label, struct four *f)
{
	const int32_t c = x->present[j], s1 = x->sum[j];
	const struct vs_vector_counts i = { x->c, x->s };
	const struct vs_vector_counts of_j = { c, label ? s1 : 2 * c - s1 };

	set_cells(x, vs_joint_sums_at(t, x->n, i, of_j, j), f);
}

/* All cells of column k; the column's u is over the fields shared. */
VS_INLINE void
look_four(const struct row *x, const struct four *f, float base, float other,
	size_t k, struct vs_value_histogram_look *look)
{
	const int32_t few = f->c < x->joint;
	const float u[4] = { x->other * other, x->other * base, x->base * other,
		x->base * base };
	int32_t doubt = 0, may = 0, apart = 0;
	uint32_t sum;

#pragma GCC unroll 4
	for (int c = 0; c < 4; c++) {
		const int class = (c & 1) + (c >> 1);
		const uint32_t at = vs_value_histogram_near(
			(float)f->r[c] * u[c], !f->r[c], x->n_bucket, &doubt);

		may |= at >= x->least[class];
		look->at[c][k] = x->class[class] + (few ? x->n_bucket : at);
	}
	sum = vs_value_histogram_near_sum((float)f->r[0] * u[0], f->r[0],
		(float)f->r[3] * u[3], f->r[3], x->n_bucket, &doubt, &apart);
	look->at[4][k] = x->sums + (few ? x->n_bucket : sum);
	look->doubt[k] = few ? 0 : doubt;
	look->may[k] = few ? 0 : may;
	look->few[k] = few;
	look->apart[k] = few ? 0 : apart;
}

VS_INLINE void
look_one(const struct vs_row_filter *t, const struct row *row, size_t j0,
	size_t n, int label, struct vs_value_histogram_look *look)
{
	const struct row x = *row;
	const int32_t *pl = t->pl;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		struct four f;

		sums_of_one(&x, pl, j0 + k, label, &f);
		look_four(&x, &f, 1 / x.eb[j0 + k], 1 / x.eo[j0 + k], k, look);
	}
}

VS_INLINE void
look_all(const struct vs_row_filter *t, const struct row *row, size_t j0,
	size_t n, int label, struct vs_value_histogram_look *look)
{
	const struct row x = *row;
	const struct vs_joint_sums sums = t->sums;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		struct four f;
		float share;

		sums_of_all(&x, &sums, j0 + k, label, &f);
		share = 1 / (float)(f.c + !f.c);
		look_four(&x, &f, share / x.eb[j0 + k], share / x.eo[j0 + k], k,
			look);
	}
}

VS_INLINE void
look_any(const struct vs_row_filter *t, const struct row *x, size_t j0,
	size_t n, int label, struct vs_value_histogram_look *out)
{
	if (t->whole && label)
		look_all(t, x, j0, n, 1, out);
	else if (t->whole)
		look_all(t, x, j0, n, 0, out);
	else if (label)
		look_one(t, x, j0, n, 1, out);
	else
		look_one(t, x, j0, n, 0, out);
}

VS_BY_CPU(void, look, (t, x, j0, n, label, out), const struct vs_row_filter *t,
	const struct row *x, size_t j0, size_t n, int label,
	struct vs_value_histogram_look *out)

/* The value of cell c of column j, by the recipe. */
VS_INLINE double
value_of(const struct vs_row_filter *t, size_t j, int label,
	const struct four *f, int c)
{
	const struct vs_recipe *m = &t->q->alleles->recipe;
	const struct vs_panel *pi = &t->rows->panel, *pj = &t->cols->panel;
	int64_t ci = pi->present[t->i], cj = pj->present[j];
	int la = c & 2 ? label : !label, lb = c & 1 ? label : !label;

	return vs_recipe_value(m, f->r[c],
		vs_recipe_factor(m, pi->sum[t->i], ci, la), ci,
		vs_recipe_factor(m, pj->sum[j], cj, lb), cj, f->c);
}

/* Count only the values in doubt: some data have many. */
static void
settle(struct vs_value_histogram *b, const struct vs_row_filter *t,
	const struct row *x, size_t j, int label,
	const struct vs_value_histogram_look *look, size_t k)
{
	struct four f;

	if (t->whole)
		sums_of_all(x, &t->sums, j, label, &f);
	else
		sums_of_one(x, t->pl, j, label, &f);
	for (int c = 0; c < 4; c++) {
		int class = (c & 1) + (c >> 1);

		if (look->at[c][k] == x->class[class] + x->n_bucket)
			vs_value_histogram_value(b, label ? class : 2 - class,
				value_of(t, j, label, &f, c));
	}
	if (!look->apart[k] && look->at[4][k] == x->sums + x->n_bucket)
		vs_value_histogram_sum(b, value_of(t, j, label, &f, 0),
			value_of(t, j, label, &f, 3));
}

/* Sums of r over columns [lo, hi), by the number of base labels. */
VS_INLINE void
add_all(const struct vs_row_filter *t, const struct row *row, size_t lo,
	size_t hi, int label, int64_t *r)
{
	const struct row x = *row;
	const struct vs_joint_sums sums = t->sums;
	int64_t none = 0, one = 0, two = 0;

#pragma omp simd reduction(+ : none, one, two)
	for (size_t j = lo; j < hi; j++) {
		struct four f;

		sums_of_all(&x, &sums, j, label, &f);
		none += f.r[0];
		one += f.r[1] + f.r[2]; /* below 2^28 */
		two += f.r[3];
	}
	r[0] = none;
	r[1] = one;
	r[2] = two;
}

/* The same from one sum: without missing calls the others follow from it. */
VS_INLINE void
add_one(const struct vs_row_filter *t, const struct row *row, size_t lo,
	size_t hi, int label, int64_t *r)
{
	const int32_t *pl = t->pl, *sum = row->sum;
	const int64_t w = row->w, n = (int64_t)(hi - lo);
	int64_t p = 0, s = 0;

#pragma omp simd reduction(+ : p, s)
	for (size_t j = lo; j < hi; j++) {
		p += pl[j];
		s += sum[j];
	}
	s = n * row->s + (label ? s : 2 * n * row->n - s);
	r[0] = w * w * n * row->n - w * s + p;
	r[1] = w * s - 2 * p;
	r[2] = p;
}

VS_INLINE void
add_up_any(const struct vs_row_filter *t, const struct row *x, size_t lo,
	size_t hi, int label, int64_t *r)
{
	if (!t->whole)
		add_one(t, x, lo, hi, label, r);
	else if (label)
		add_all(t, x, lo, hi, 1, r);
	else
		add_all(t, x, lo, hi, 0, r);
}

VS_BY_CPU(void, add_up, (t, x, lo, hi, label, r), const struct vs_row_filter *t,
	const struct row *x, size_t lo, size_t hi, int label, int64_t *r)

/* Bits of columns [j0, j0 + n). */
static void
note_may(const struct vs_value_histogram_look *look, size_t j0, size_t n,
	uint64_t *may)
{
	for (size_t k = 0; k < n; k += 64) {
		size_t end = n - k < 64 ? n - k : 64;
		uint64_t bits = 0;

		/* usually few columns may */
		if (!vs_value_histogram_any(look->may + k, end))
			end = 0;
		for (size_t z = 0; z < end; z++)
			bits |= (uint64_t)look->may[k + z] << z;
		may[(j0 + k) / 64] = bits;
	}
}

/* Columns that are not wanted have no value in any bucket. */
static void
leave_out(const struct row *x, const uint64_t *wanted, size_t j0, size_t n,
	struct vs_value_histogram_look *look)
{
	for (size_t k = 0; k < n; k++) {
		if (wanted[(j0 + k) / 64] >> (j0 + k) % 64 & 1)
			continue;
		for (int c = 0; c < 4; c++)
			look->at[c][k] =
				x->class[(c & 1) + (c >> 1)] + x->n_bucket;
		look->at[4][k] = x->sums + x->n_bucket;
		look->doubt[k] = look->may[k] = 0;
		look->few[k] = look->apart[k] = 0;
	}
}

void
vs_row_histogram(struct vs_value_histogram *b, const struct vs_row_filter *t,
	uint64_t *may)
{
	const struct vs_query *q = t->q;
	const struct vs_panel *pi = &t->rows->panel, *pj = &t->cols->panel;
	const int32_t si = pi->sum[t->i], ci = pi->present[t->i];
	const int label = q->lead;
	const double unit = VS_VALUE_HISTOGRAM_A_UNIT / q->alleles->scale /
		(!t->whole && q->n_field ? (double)q->n_field : 1);
	struct row x = { .n = (int32_t)q->n_field,
		.w = q->alleles->weight,
		.s = vs_panel_sum(pi, t->i, label),
		.c = ci,
		.eb = t->sides->bl,
		.eo = t->sides->bo,
		.sum = pj->sum,
		.present = pj->present,
		.joint = (int32_t)q->min_joint,
		.n_bucket = (uint32_t)b->n_bucket,
		.sums = (uint32_t)vs_value_histogram_class(b, b->n_class) };
	struct vs_value_histogram_look seen;
	int64_t r[3];

	add_up(q->cpu, t, &x, t->lo, t->hi > t->lo ? t->hi : t->lo, label, r);
	x.base = (float)(unit * vs_alleles_u(q->alleles, si, ci, label));
	x.other = (float)(unit * vs_alleles_u(q->alleles, si, ci, !label));
	for (int c = 0; c < 3; c++) {
		int ones = label ? c : 2 - c;

		x.class[c] = (uint32_t)vs_value_histogram_class(b, ones);
		x.least[c] = vs_value_histogram_least(b,
			vs_query_threshold(q, 2, ones));
		b->sum[ones] += (uint64_t)r[c];
	}
	if (t->hi > t->lo)
		vs_value_histogram_room(b, 4 * (t->hi - t->lo));
	for (size_t j0 = t->lo / LANES * LANES; j0 < t->hi; j0 += LANES) {
		size_t end = j0 + LANES < t->hi ? j0 + LANES : t->hi;
		size_t from = j0 < t->lo ? t->lo : j0;
		bool doubt;

		look(q->cpu, t, &x, j0, end - j0, label, &seen);
		if (vs_query_without(q, VS_WITHOUT_ROW_HISTOGRAM))
			vs_value_histogram_doubt(b, &seen, 4, end - j0);
		if (t->wanted)
			leave_out(&x, t->wanted, j0, end - j0, &seen);
		note_may(&seen, j0, end - j0, may);
		vs_value_histogram_count(b, &seen, 4, from - j0, end - j0);
		doubt = vs_value_histogram_any(seen.doubt, end - j0);
		for (size_t k = from - j0; doubt && k < end - j0; k++)
			if (seen.doubt[k])
				settle(b, t, &x, j0 + k, label, &seen, k);
	}
}
