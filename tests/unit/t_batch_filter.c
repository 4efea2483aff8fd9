/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bands of rows leave every pair that passes, of leaders and of those they
 * stand for, by the plain definition: with sums over all fields and over the
 * first ones, calls missing or not, on every step of the CPU; and of vectors
 * that hardly any pair of passes they leave few.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/batch_filter.h"
#include "libcore/metric/plain.h"
#include "tests/unit/test.h"

#define N_VEC 200
#define TURNED 8
#define SORTED 99
#define LD 256 /* columns, padded */

static struct {
	uint8_t *g; /* 3: missing */
	size_t n_field;
	struct vs_panel panel;
	double most[N_VEC][N_VEC]; /* the largest value of a pair of places */
} d;

static const uint8_t *
genotypes(size_t v)
{
	return d.g + (size_t)d.panel.row[v] * d.n_field;
}

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
	if (vs_mem_new(&d.g, N_VEC * n_field, 1, "genotypes") ||
		vs_panel_new(&d.panel, N_VEC, n_field))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++) {
		uint64_t often = 20 + vs_rng_below(&rng, 60);
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
			else if (v && v % 4 < kin % TURNED &&
				vs_rng_below(&rng, 100) >= odd)
				*g = like(d.g[(v - 1) * n_field + f], kin);
			else if (missing && (v == 7 || !vs_rng_below(&rng, 20)))
				*g = 3;
			vs_vec_set(&d.panel.vec, v, f, *g);
		}
	}
	vs_panel_make(&d.panel, 0, N_VEC, 1);
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
	if (vs_panel_sort(&d.panel, 0, N_VEC, 1))
		exit(4);
	vs_panel_count_first(&d.panel, q->lead, 1);
	for (size_t i = 0; i < N_VEC; i++)
		for (size_t j = 0; j < N_VEC; j++) {
			struct vs_plain_pair pair;

			vs_plain_ccc(genotypes(i), genotypes(j), d.n_field,
				&pair);
			d.most[i][j] = 0;
			for (int c = 0; c < 4; c++)
				if (pair.value[c] > d.most[i][j])
					d.most[i][j] = pair.value[c];
		}
	if (kin == SORTED)
		q->threshold = middle();
}

/* The dense sum of leaders over the first n fields. */
static int32_t
product(const struct vs_representatives *l, size_t i, size_t j, size_t n,
	int label)
{
	const uint8_t *a = genotypes(vs_representatives_place(l, i));
	const uint8_t *b = genotypes(vs_representatives_place(l, j));
	int32_t sum = 0;

	for (size_t f = 0; f < n; f++)
		if (a[f] != 3 && b[f] != 3)
			sum += label ? a[f] * b[f] : (2 - a[f]) * (2 - b[f]);
	return sum;
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

/* first < 0: all fields. */
static void
look(struct vs_query *q, int first, double most_left)
{
	static float room[10][LD];
	static int32_t p[N_VEC * LD];
	struct vs_sides sides = { .bl = room[0],
		.bo = room[1],
		.ws = room[2],
		.c = room[3],
		.loose = { .above = room[4], .below = room[5] } };
	struct vs_rest rest = { first, { room[6], room[7] },
		{ .above = room[8], .below = room[9] } };
	struct vs_batch_filter_work work = { .sides = &sides,
		.p = p,
		.ld = LD };
	size_t n = first < 0 ? d.n_field : vs_first_fields(d.n_field, first);
	struct vs_batch_filter batch;
	struct vs_representatives l;

	if (vs_representatives_room(&l, LD) ||
		vs_batch_filter_room(&batch, N_VEC, LD))
		exit(4);
	vs_representatives_take(&l, &d.panel, 0, N_VEC, LD, false);
	vs_coefficients_sides(q, &l, &sides);
	work.rows = &l;
	if (first >= 0) {
		vs_coefficients_rest(q, &l, 0, l.n, &rest);
		work.rest = &rest;
	}
	for (size_t i = 0; i < l.n; i++)
		for (size_t j = 0; j < l.n; j++)
			p[i * LD + j] = product(&l, i, j, n, q->lead);
	for (int c = 0; c <= (int)vs_cpu_best(); c++) {
		q->cpu = (enum vs_cpu)c;
		look_in_parts(q, &batch, &work, LD, most_left);
		look_in_parts(q, &batch, &work, 64, most_left);
	}
	vs_batch_filter_free(&batch);
	vs_representatives_free(&l);
}

static void
try(size_t n_field, bool missing, uint64_t kin, double most_left)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = 0.7,
		.prune = true,
		.n_field = n_field,
		.has_missing = missing };

	for (q.lead = 0; q.lead < 2; q.lead++) {
		q.threshold = 0.7;
		make(n_field, missing, kin);
		arrange(&q, kin);
		look(&q, -1, most_left);
		for (int k = 0; k < VS_FIRSTS && n_field > 2047; k += 3)
			look(&q, k, 1);
		free(d.g);
		vs_panel_free(&d.panel);
	}
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
	return T_DONE();
}
