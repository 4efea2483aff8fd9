/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bands of rows leave every pair that passes, of leaders and of those they
 * stand for, by the plain definition: with sums over all fields and over the
 * first ones, calls missing or not, on every step of the CPU; and of vectors
 * that hardly any pair of passes they leave few. Sums just beyond the bounds of
 * a row alone, in double precision, are left, most of those within them not;
 * by the row filter none of these.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/batch_filter.h"
#include "libcore/engine/prune/row_filter.h"
#include "tests/unit/copies.h"
#include "tests/unit/panels.h"
#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

#define N_VEC 200
#define TURNED 8
#define SORTED 99
#define COMMON 98 /* one allele is common: no cell of unlike labels passes */
#define LD 256    /* columns, padded */

static struct {
	uint8_t *g; /* 3: missing */
	size_t n_field;
	struct copies copies;
	double value[N_VEC][N_VEC]; /* the largest of a pair of vectors */
	struct vs_panel panel;
	double most[N_VEC][N_VEC]; /* the largest value of a pair of places */
} d;

/*
 * Field f past the first 512 of a vector, the others as alike as they can be:
 * what they add to a sum is what the bounds allow, and the more there is in
 * them the less is in the first ones.
 */
static uint8_t
sorted(size_t v, size_t f)
{
	size_t n = d.n_field - 512, window = (v * 37 % 100) * n / 1000;

	f -= 512;
	return (uint8_t)((f >= n / 5 + window) + (f >= n * 3 / 5 + window));
}

static uint8_t
like(uint8_t g, uint64_t kin)
{
	return kin > TURNED && g < 3 ? (uint8_t)(2 - g) : g;
}

/* Vectors alike to one before, or to it with its alleles turned, a little or
 * much, or to none; or sorted. */
static void
make(size_t n_field, bool missing, uint64_t kin)
{
	struct vs_rng rng;

	d.n_field = n_field;
	vs_rng_seed(&rng, n_field + kin);
	if (vs_mem_new(&d.g, N_VEC * n_field, 1, "genotypes"))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++) {
		uint64_t often = kin == COMMON ? 85 + vs_rng_below(&rng, 10)
					       : 20 + vs_rng_below(&rng, 60);
		uint64_t odd = vs_rng_below(&rng, 2) ? 5 : 60;

		for (size_t f = 0; f < n_field; f++) {
			uint8_t *g = &d.g[v * n_field + f];

			*g = (uint8_t)((vs_rng_below(&rng, 100) < often) +
				(vs_rng_below(&rng, 100) < often));
			if (kin == SORTED && f >= 512)
				*g = sorted(v, f);
			else if (kin == SORTED)
				*g = (uint8_t)((vs_rng_below(&rng, 1000) <
						       200 + v * 37 % 100 * 6) +
					(vs_rng_below(&rng, 1000) <
						200 + v * 37 % 100 * 6));
			else if (kin != COMMON && v && v % 4 < kin % TURNED &&
				vs_rng_below(&rng, 100) >= odd)
				*g = like(d.g[(v - 1) * n_field + f], kin);
			else if (missing && (v == 7 || !vs_rng_below(&rng, 20)))
				*g = 3;
			/* few fields shared */
			if (missing && v % 25 == 9 && vs_rng_below(&rng, 5) > 1)
				*g = 3;
		}
	}
	copies_make(&d.copies, d.g, N_VEC * n_field);
}

static void
make_panel(void)
{
	if (panel_new(&d.panel, N_VEC, d.n_field))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++)
		for (size_t f = 0; f < d.n_field; f++)
			vs_vec_set(&d.panel.vec, v, f, d.g[v * d.n_field + f]);
	panel_make(&d.panel, 0, N_VEC, 1);
}

/* The largest values by the definition, which pairs have either way round. */
static void
value(void)
{
	for (size_t i = 0; i < N_VEC; i++)
		for (size_t j = i; j < N_VEC; j++) {
			struct vs_plain_pair pair;
			double most = 0;

			plain_ccc(d.g + i * d.n_field, d.g + j * d.n_field,
				d.n_field, &pair);
			for (int c = 0; c < 4; c++)
				most = most > pair.value[c] ? most
							    : pair.value[c];
			d.value[i][j] = d.value[j][i] = most;
		}
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Half of the pairs are beyond it. */
static double
middle(void)
{
	static double all[N_VEC * N_VEC];

	memcpy(all, d.most, sizeof(all));
	qsort(all, N_VEC * N_VEC, sizeof(*all), by_value);
	return all[N_VEC * N_VEC / 2];
}

static void
arrange(struct vs_query *q, uint64_t kin)
{
	vs_panel_follow(&d.panel, 0, N_VEC, q->lead,
		vs_representatives_most_gap(q), 1);
	if (vs_panel_sort(&d.panel, 0, N_VEC, 0, N_VEC, 1))
		exit(4);
	vs_panel_count_first(&d.panel, q->lead, 1);
	for (size_t i = 0; i < N_VEC; i++)
		for (size_t j = 0; j < N_VEC; j++)
			d.most[i][j] = d.value[d.panel.row[i]][d.panel.row[j]];
	if (kin == SORTED)
		q->threshold = middle();
}

/* The dense sum of leaders over the first n fields. */
static int32_t
product(const struct vs_representatives *l, size_t i, size_t j, size_t n,
	int label)
{
	const uint8_t *of = d.copies.of[label ? COPIES_1 : COPIES_0];
	size_t a = (size_t)d.panel.row[vs_representatives_place(l, i)];
	size_t b = (size_t)d.panel.row[vs_representatives_place(l, j)];

	return copies_product(of + a * d.n_field, of + b * d.n_field, n);
}

/* Pairs inferred from representatives i and j that pass though they are left
 * out. */
static int
lost(const struct vs_representatives *l, const struct vs_batch_filter *batch,
	size_t i, size_t j, double threshold)
{
	int wrong = 0;

	if (batch->hit[i * batch->n_word + j / 64] >> (j % 64) & 1)
		return 0;
	for (int32_t v = l->begin[i]; v < l->begin[i + 1]; v++)
		for (int32_t w = l->begin[j]; w < l->begin[j + 1]; w++)
			wrong += d.most[v][w] > threshold;
	return wrong;
}

/* Batches of columns; few are of about the same frequency. */
static void
look_in_parts(const struct vs_query *q, struct vs_batch_filter *batch,
	const struct vs_batch_filter_work *all, size_t n_col, double most_left)
{
	const struct vs_representatives *l = all->rows;
	struct vs_batch_filter_work work = *all;
	double n_pair = (double)(l->n * l->n);
	size_t left = 0;
	int wrong = 0;

	memset(batch->hit, 0, l->n * batch->n_word * 8);
	vs_batch_filter_rows(batch, q, &work);
	for (work.lo = 0; work.lo < l->n; work.lo = work.hi) {
		work.hi = l->n - work.lo < n_col ? l->n : work.lo + n_col;
		left += vs_batch_filter_look(batch, q, &work);
	}
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->n; j++)
			wrong += lost(l, batch, i, j, q->threshold);
	T_OK(!wrong && (double)left <= most_left * n_pair,
		"%s, first %d of %zu fields, label %d: %zu leaders by %zu, "
		"%.3f left, %d wrong",
		vs_cpu_name(q->cpu), all->rest ? all->rest->first : -1,
		d.n_field, q->lead, l->n, n_col, (double)left / n_pair, wrong);
}

/* Leaders, their coefficients, and room for sums and bits. */
static struct {
	struct vs_representatives l;
	struct vs_sides sides;
	struct vs_rest rest;
	struct vs_batch_filter batch;
	struct vs_batch_filter_work work;
	float room[10][LD];
	int32_t p[N_VEC * LD];
} s;

/* first < 0: all fields. */
static void
set_up(const struct vs_query *q, int first)
{
	s.sides = (struct vs_sides){ .bl = s.room[0],
		.bo = s.room[1],
		.ws = s.room[2],
		.c = s.room[3],
		.loose = { .above = s.room[4], .below = s.room[5] } };
	s.rest = (struct vs_rest){ first, { s.room[6], s.room[7] },
		{ .above = s.room[8], .below = s.room[9] } };
	s.work = (struct vs_batch_filter_work){ .rows = &s.l,
		.sides = &s.sides,
		.p = s.p,
		.ld = LD };
	if (vs_representatives_room(&s.l, LD) ||
		vs_batch_filter_room(&s.batch, N_VEC, LD))
		exit(4);
	vs_representatives_take(&s.l, &d.panel, 0, N_VEC, LD, false);
	vs_coefficients_sides(q, &s.l, &s.sides);
	if (first < 0)
		return;
	vs_coefficients_rest(q, &s.l, 0, s.l.n, &s.rest);
	s.work.rest = &s.rest;
}

/* Sums beyond bounds[1] or, if mixed, below bounds[0] may pass. */
struct range {
	double bounds[2];
	bool mixed;
};

/* Range of a pair by the coefficients of its row, without a band. */
static struct range
range_of(const struct vs_query *q, const struct vs_coefficients *e, size_t i,
	size_t j)
{
	const struct vs_rest *rest = s.work.rest;
	const struct vs_loose *loose = rest ? &rest->loose : &s.sides.loose;
	double both = fmax((double)e->window + s.sides.c[j], e->joint);
	double el = s.sides.bl[j] * both, eo = s.sides.bo[j] * both;
	double ws = s.sides.ws[j], more = 0, less = 0, left;
	struct vs_panel first;
	float a[2];

	if (rest) {
		first = vs_panel_first(&s.l.panel, rest->first);
		left = (double)(d.n_field -
			vs_first_fields(d.n_field, rest->first));
		vs_coefficients_rest_of(&s.l.panel, &first, i, q->lead, &a[0],
			&a[1]);
		for (int x = 0; x < 2; x++)
			for (int y = 0; y < 2; y++) {
				double b = rest->at_least[y][j];

				more += a[x] < b ? a[x] : b;
				less += a[x] + b > left ? a[x] + b - left : 0;
			}
	}
	return (struct range){
		.bounds = { fmax(e->low - e->lo * eo + loose->below[j],
				    ws + e->below - e->ol * el +
					    loose->above[j]) -
				less,
			fmin(e->ll * el - e->above - loose->above[j],
				e->oo * eo + e->high + ws - loose->below[j]) -
				more },
		.mixed = e->mixed
	};
}

/*
 * Set sums beyond bound k of their pairs by so much, or, below 0, within both;
 * how many.
 */
static size_t
set_sums(const struct vs_query *q, int k, double beyond, uint64_t *want)
{
	size_t n = 0;

	memset(want, 0, N_VEC * LD / 8);
	for (size_t i = 0; i < s.l.n; i++) {
		struct vs_coefficients e;

		if (s.l.panel.present[i])
			vs_coefficients_row(q, &s.l, i, &s.sides, s.work.rest,
				&e);
		for (size_t j = 0; j < s.l.n; j++) {
			struct range r;
			double low, p;

			s.p[i * LD + j] = 0;
			if (!s.l.panel.present[i] || !s.l.panel.present[j])
				continue;
			r = range_of(q, &e, i, j);
			low = r.mixed ? r.bounds[0] : 0;
			p = k ? floor(r.bounds[1]) + beyond
			      : ceil(low) - beyond;
			if (!(fabs(p) < 1e6) || (!k && !r.mixed) ||
				(beyond < 0 && (p < low || p > r.bounds[1])))
				continue;
			s.p[i * LD + j] = (int32_t)p;
			want[(i * LD + j) / 64] |= 1ull << j % 64;
			n++;
		}
	}
	return n;
}

/* Sums beyond a bound of their pair are out of the range of the row. */
static void
ranges_at_bounds(const struct vs_query *q, int first)
{
	static uint64_t want[N_VEC * LD / 64];
	struct vs_loose *loose = first < 0 ? &s.sides.loose : &s.rest.loose;
	struct vs_block_sides block[1];

	/* columns that differ a little in some of what a bound is made of */
	for (size_t j = 0; j < s.l.n; j++) {
		loose->above[j] = (float)(j * 5 % 23);
		loose->below[j] = (float)(j * 7 % 19);
		s.sides.c[j] = s.sides.c[50] - (float)(j * 11 % 17);
		s.sides.bl[j] = s.sides.bl[50];
		s.sides.bo[j] = s.sides.bo[50];
	}
	s.work.lo = 0;
	s.work.hi = s.l.n;
	vs_batch_filter_blocks(&s.l.panel, &s.sides, s.work.rest, s.l.n, block);
	vs_batch_filter_rows(&s.batch, q, &s.work);
	for (int k = 0; k < 2; k++) {
		struct vs_some some =
			vs_batch_filter_ranges(&s.batch, q, &s.work, block);
		size_t n = set_sums(q, k, 1, want), within = 0;

		for (size_t i = 0; i < s.l.n; i++)
			for (size_t j = 0; j < s.l.n; j++) {
				int32_t p = s.p[i * LD + j];
				size_t w = (i * LD + j) / 64;

				within += (want[w] >> j % 64 & 1) &&
					p >= some.range[i].lo &&
					p <= some.range[i].hi;
			}
		T_OK(!within && some.n_block == 1,
			"first %d of %zu fields, label %d: of %zu sums beyond "
			"bound %d %zu are within their range",
			first, d.n_field, q->lead, n, k, within);
	}
}

/* Sums beyond a bound of the row are left, and few of those within. */
static void
look_at_bounds(struct vs_query *q, int first, size_t n_col, double most_within)
{
	static uint64_t want[N_VEC * LD / 64];
	/* terms are up to 4 n, and a band widens them by 1.5 % */
	const double margin = (double)d.n_field / 16 + 2;
	double most;

	for (int k = 0; k < 4; k++) {
		bool beyond = k < 2;
		size_t n = set_sums(q, k % 2, beyond ? 1 : -margin, want),
		       hit = 0, odd = 0;

		memset(s.batch.hit, 0, s.l.n * s.batch.n_word * 8);
		vs_batch_filter_rows(&s.batch, q, &s.work);
		for (s.work.lo = 0; s.work.lo < s.l.n; s.work.lo = s.work.hi) {
			s.work.hi = s.l.n - s.work.lo < n_col
				? s.l.n
				: s.work.lo + n_col;
			vs_batch_filter_look(&s.batch, q, &s.work);
		}
		most = 10 + most_within * (double)n;
		for (size_t w = 0; w < s.l.n * LD / 64; w++) {
			hit += (size_t)__builtin_popcountll(
				s.batch.hit[w] & want[w]);
			odd += s.batch.hit[w] &&
				!s.l.panel.present[w / (LD / 64)];
		}
		T_OK(!odd && (beyond ? hit == n : (double)hit <= most),
			"%s, first %d of %zu fields, label %d, by %zu: %zu of "
			"%zu sums %s bound %d are left",
			vs_cpu_name(q->cpu), first, d.n_field, q->lead, n_col,
			hit, n, beyond ? "beyond" : "within", k % 2);
	}
}

/*
 * The row filter, behind the batch filter or alone, leaves sums beyond a bound
 * by a whole number, none within, and no column that is not wanted.
 */
static void
rows_at_bounds(const struct vs_query *q, int first, bool batch)
{
	static uint64_t want[N_VEC * LD / 64];
	const size_t lo = 70, hi = s.l.n - 3;
	struct vs_row_filter t = { .q = q,
		.rows = &s.l,
		.cols = &s.l,
		.lo = lo,
		.hi = hi,
		.sides = &s.sides,
		.rest = s.work.rest,
		.batch = batch ? &s.batch : NULL };

	for (int k = 0; k < 4; k++) {
		size_t n = set_sums(q, k % 2, k < 2 ? 2 : -1, want), wrong = 0;

		memset(s.batch.hit, -1, s.l.n * s.batch.n_word * 8);
		s.work.lo = 0;
		s.work.hi = s.l.n;
		vs_batch_filter_rows(&s.batch, q, &s.work);
		if (batch)
			vs_batch_filter_look(&s.batch, q, &s.work);
		for (t.i = 0; t.i < s.l.n; t.i++) {
			uint64_t left[LD / 64] = { 0 };
			uint16_t column[LD];
			size_t n_left;

			t.pl = s.p + t.i * LD;
			n_left = vs_row_filter_row(&t, NULL, column);
			for (size_t x = 0; x < n_left; x++)
				left[column[x] / 64] |= 1ull << column[x] % 64;
			for (size_t j = 0; j < LD; j++) {
				size_t w = (t.i * LD + j) / 64;
				bool is = left[j / 64] >> j % 64 & 1;
				bool in = j >= lo && j < hi &&
					s.l.panel.present[t.i];

				wrong += !in                    ? is
					: want[w] >> j % 64 & 1 ? is != (k < 2)
								: 0;
			}
		}
		T_OK(!wrong,
			"%s, row filter%s, first %d of %zu fields, label %d: "
			"%zu sums %s bound %d, %zu wrong",
			vs_cpu_name(q->cpu), batch ? " behind batch" : "",
			first, d.n_field, q->lead, n,
			k < 2 ? "beyond" : "within", k % 2, wrong);
	}
}

static void
look(struct vs_query *q, int first, double most_left, double most_within)
{
	size_t n = first < 0 ? d.n_field : vs_first_fields(d.n_field, first);
	static int32_t p[N_VEC * LD];

	set_up(q, first);
	for (size_t i = 0; i < s.l.n; i++)
		for (size_t j = 0; j < s.l.n; j++)
			p[i * LD + j] = product(&s.l, i, j, n, q->lead);
	for (int c = 0; c <= (int)vs_cpu_best(); c++) {
		q->cpu = (enum vs_cpu)c;
		memcpy(s.p, p, sizeof(p));
		look_in_parts(q, &s.batch, &s.work, LD, most_left);
		look_in_parts(q, &s.batch, &s.work, 64, most_left);
		look_in_parts(q, &s.batch, &s.work, 100, 2);
		if (c && c != (int)vs_cpu_best())
			continue;
		look_at_bounds(q, first, LD, most_within);
		rows_at_bounds(q, first, false);
		rows_at_bounds(q, first, true);
		if (c == (int)vs_cpu_best())
			look_at_bounds(q, first, 100, most_within);
	}
	ranges_at_bounds(q, first);
	vs_batch_filter_free(&s.batch);
	vs_representatives_free(&s.l);
}

static void
try(size_t n_field, bool missing, uint64_t kin, double most_left)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = 0.7,
		.prune = true,
		.n_field = n_field,
		.has_missing = missing,
		.min_joint = missing ? (int64_t)n_field / 8 : 0 };

	make(n_field, missing, kin);
	value();
	for (q.lead = 0; q.lead < 2; q.lead++) {
		q.threshold = 0.7;
		make_panel();
		arrange(&q, kin);
		look(&q, -1, most_left, 0.1);
		for (int k = 0; k < VS_FIRSTS && n_field > 2047; k += 3)
			look(&q, k, 1, 0.2);
		vs_panel_free(&d.panel);
	}
	free(d.g);
	copies_free(&d.copies);
}

int
main(void)
{
	try(300, false, 0, 0.1);
	try(300, true, 2, 1);
	try(2100, false, 3, 1);
	try(2100, false, 0, 0.05);
	try(2100, true, 3, 1);
	try(2100, false, TURNED + 3, 1);
	try(2100, true, TURNED + 3, 1);
	try(2100, false, SORTED, 1);
	try(2100, false, COMMON, 1);
	return T_DONE();
}
