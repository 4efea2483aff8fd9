/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of the candidate graph: counts of pairs and bounds of their cells. */
#include <omp.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/layout.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/candidates/candidate_edges.h"
#include "libcore/engine/joint_sums.h"
#include "libcore/engine/pair/missing.h"

#define ROWS 128
#define LEAST_ROWS 8
#define AT_ONCE 200000000 /* fields of pairs */
#define LOOK 128

/* Pairs of a row with a cell that may be an edge, to be tested together. */
struct batch {
	size_t n;
	uint32_t j[LOOK];
	int32_t c[LOOK], r[LOOK];
	float e[LOOK], two[LOOK];
	/* whether there are third alleles for it, and their grades */
	int32_t open[LOOK], least[LOOK], most[LOOK];
};

/* State of one thread. */
struct counter {
	const struct vs_triple_data *t;
	const struct vs_dense *dense;
	void *memory, *scratch;
	/* columns by label, both if calls are missing; marks of missing calls
	 * in the rows */
	void *cols[2], *lost;
	int32_t *sums[4];    /* p; if calls are missing, vs_missing_sums, too */
	int32_t hit[LOOK];   /* cells that may be edges: bits */
	struct batch *batch; /* by cell */
	struct vs_candidate_strip *strip; /* pairs being tested */
};

static void
lay_out(struct counter *k, const struct vs_query *q, bool complete,
	struct vs_layout *l)
{
	const size_t n = q->n_field, n_sum = ROWS * VS_CANDIDATE_EDGES_COLS;

	k->dense = vs_registry_dense_pick(q->cpu, q->kernel);
	for (int label = complete; label < 2; label++)
		k->cols[label] = vs_layout_next(l,
			k->dense->col_room(VS_CANDIDATE_EDGES_COLS, n));
	k->lost = vs_layout_next(l, complete ? 0 : vs_missing_bytes(ROWS, n));
	k->scratch = vs_layout_next(l, k->dense->row_room(ROWS, n));
	for (int x = 0; x < 4; x++)
		k->sums[x] = x && complete
			? k->sums[0]
			: vs_layout_next(l, n_sum * sizeof(int32_t));
	k->batch = vs_layout_next(l, 4 * sizeof(*k->batch));
}

static size_t
bytes_of(const struct vs_query *q, bool complete)
{
	struct counter k;
	struct vs_layout l = { 0 };

	lay_out(&k, q, complete, &l);
	return l.used;
}

uint64_t
vs_candidate_edges_bytes(const struct vs_query *q)
{
	return bytes_of(q, !q->has_missing);
}

static int
counter_new(struct counter *k, const struct vs_triple_data *t)
{
	struct vs_layout l = { 0 };
	int code = vs_mem_room(&l.at, bytes_of(&t->q, t->complete), 1,
		"columns and sums of pairs");

	if (code)
		return code;
	k->t = t;
	k->memory = l.at;
	lay_out(k, &t->q, t->complete, &l);
	for (int cell = 0; cell < 4; cell++)
		k->batch[cell].n = 0;
	return 0;
}

static struct vs_joint_sums
sums_at(const struct counter *k, size_t at)
{
	return (struct vs_joint_sums){ k->sums[0] + at,
		{ k->sums[1] + at, k->sums[2] + at, k->sums[3] + at },
		VS_CANDIDATE_EDGES_COLS };
}

static struct vs_pair_sums
pair_at(const struct counter *k, size_t i, size_t j, size_t at)
{
	const struct vs_panel *a = &k->t->all;
	const struct vs_joint_sums sums = sums_at(k, at);

	if (k->t->complete)
		return (struct vs_pair_sums){ (int32_t)k->t->q.n_field,
			a->sum[i], a->sum[j], *sums.p };
	return vs_joint_sums_at(&sums, (int32_t)k->t->q.n_field,
		(struct vs_vector_counts){ a->present[i], a->sum[i] },
		(struct vs_vector_counts){ a->present[j], a->sum[j] }, 0);
}

struct coefficients {
	float u[4], low;   /* u_i / (scale3 t) by cell; least_present - n */
	float joint;       /* min_joint, see vs_query_joint() */
	float peak, slope; /* 4 n / gamma; gamma / (8 n) */
};

/*
 * The bound of vs_triple_data_most() from 4 s and 2 r alone, for the four cells
 * of a pair; e is 1 / u.
 */
VS_INLINE int
may_be(struct vs_pair_sums x, const struct coefficients *k, float e0, float e1)
{
	float c = vs_max_f32((float)x.c + k->low, k->joint);
	float least_sum0 = c * e0, least_sum1 = c * e1;
	int hit = c <= 0 ? 15 : 0;
	int32_t r[4];

	vs_pair_sums_cells(2, x, r);

#pragma GCC unroll 4
	for (int cell = 0; cell < 4; cell++) {
		float most = 2 * (float)r[cell];

		most = most < k->peak ? most : k->peak;
		hit |= (most * (1 - most * k->slope) * k->u[cell] >
			       (cell & 1 ? least_sum1 : least_sum0))
			<< cell;
	}
	/* a branch here would prevent vectorisation */
	return hit & -((float)x.c >= k->joint);
}

/* Mark cells of n pairs, i with j on, that may be edges; sums from `at` on. */
VS_INLINE void
look_of(struct counter *k, size_t i, size_t j, size_t at, size_t n,
	const int complete)
{
	const struct vs_triple_data *t = k->t;
	const struct vs_query *q = &t->q;
	const int32_t *sum = t->all.sum + j, *present = t->all.present + j;
	const float *e0 = t->e[0] + j, *e1 = t->e[1] + j;
	const struct vs_joint_sums sums = sums_at(k, at);
	const int32_t n_field = (int32_t)q->n_field, si = t->all.sum[i];
	const int32_t ci = t->all.present[i];
	/* roundings, a few of 2^-24 each, must not hide an edge */
	struct coefficients coefficients = {
		{ 0 },
		(float)(q->least_present - (int64_t)q->n_field),
		vs_query_joint(q),
		(float)(4 * (double)n_field / q->alleles->gamma),
		(float)(q->alleles->gamma / (8 * (double)n_field)),
	};
	int32_t *hit = k->hit;

	for (int cell = 0; cell < 4; cell++)
		coefficients.u[cell] = (float)(1 /
			(q->alleles->scale3 *
				vs_triple_data_threshold(q, cell) * (1 - 1e-5) *
				(double)t->e[cell >> 1][i]));

#pragma omp simd
	for (size_t x = 0; x < n; x++) {
		struct vs_pair_sums pair = { n_field, si, sum[x], sums.p[x] };

		if (!complete)
			pair = vs_joint_sums_at(&sums, n_field,
				(struct vs_vector_counts){ ci, si },
				(struct vs_vector_counts){ present[x], sum[x] },
				x);
		hit[x] = may_be(pair, &coefficients, e0[x], e1[x]);
	}
}

VS_INLINE void
look_any(struct counter *k, size_t i, size_t j, size_t at, size_t n)
{
	if (k->t->complete)
		look_of(k, i, j, at, n, 1);
	else
		look_of(k, i, j, at, n, 0);
}

VS_BY_CPU(void, look, (k, i, j, at, n), struct counter *k, size_t i, size_t j,
	size_t at, size_t n)

/* ---- third alleles of an edge ---- */

/*
 * By vs_triple_data_most() a triple with this cell has r at most 4 s, 2 s + 4
 * m, s + 2 m + 2 (two_i + two_j) and 2 r_ij, where s, the copies of the third
 * allele where both are present, is at most 2 n f, f being its frequency; its u
 * is 1 - gamma f. So with y = r_ij / 2n and least_sum = scale t c / (2 n u_i
 * u_j), f must satisfy (rise f + start) (1 - gamma f) > least_sum for all
 * (rise, start), and 2 y (1 - gamma f) > least_sum. Each of these holds between
 * two roots.
 */
struct thirds {
	float least_sum, gamma, per_n; /* 1 / 2n */
	float two;                     /* of the row */
	float low, joint;              /* least_present - n; min_joint */
};

/*
 * Intersect [*lo, *hi) with the range between the roots. All values are of the
 * order of 1: the slack of the discriminant, and the 1e-5 taken off least_sum,
 * exceed all roundings of 2^-24 each.
 */
VS_INLINE int
between(float least_sum, float gamma, float rise, float start, float *lo,
	float *hi)
{
	float sum = rise + start * gamma, b = rise - start * gamma;
	float d = sum * sum - 4 * rise * gamma * least_sum + 1e-5f;
	float root = __builtin_sqrtf(d > 0 ? d : 0);
	float low = b > 0 ? 2 * (least_sum - start) / (b + root) : 0;
	float high = (b + root) / (2 * rise * gamma);

	*lo = low > *lo ? low : *lo;
	*hi = high < *hi ? high : *hi;
	return d >= 0;
}

VS_INLINE void
thirds_any(struct batch *x, const struct thirds *k)
{
	const float *e = x->e, *two = x->two;
	const int32_t *r = x->r, *all = x->c;
	const struct thirds t = *k;
	int32_t *open = x->open, *least = x->least, *most = x->most;

#pragma omp simd
	for (size_t y = 0; y < x->n; y++) {
		float c = vs_max_f32((float)all[y] + t.low, t.joint);
		float least_sum = t.least_sum * c * e[y];
		float m = two[y] < t.two ? two[y] : t.two;
		float both = two[y] + t.two, top = 2 * (float)r[y] * t.per_n;
		float lo = 0, hi = 1, end = (1 - least_sum / top) / t.gamma;
		int ok = between(least_sum, t.gamma, 4, 0, &lo, &hi);

		ok &= between(least_sum, t.gamma, 2, 4 * m * t.per_n, &lo, &hi);
		ok &= between(least_sum, t.gamma, 1, 2 * (m + both) * t.per_n,
			&lo, &hi);
		hi = end < hi ? end : hi;
		ok &= lo <= hi;
		open[y] = ok | (c <= 0);
		/* if c is 0 or less, nothing is known; without roots they are
		 * no numbers */
		ok &= c > 0;
		lo = ok ? lo : 0;
		hi = ok ? hi : 1;
		least[y] = (int32_t)(lo * VS_TRIPLE_DATA_GRADES) - 1;
		most[y] = (int32_t)(hi * VS_TRIPLE_DATA_GRADES) + 1;
	}
}

VS_BY_CPU(void, thirds, (x, k), struct batch *x, const struct thirds *k)

static void
look_thirds(struct counter *k, size_t i, int cell)
{
	const struct vs_query *q = &k->t->q;
	struct batch *x = &k->batch[cell];
	double n = (double)q->n_field;
	const struct thirds t = {
		.least_sum = (float)(q->alleles->scale3 *
			vs_triple_data_threshold(q, cell) * (1 - 1e-5) /
			(2 * n) * (double)k->t->e[cell >> 1][i]),
		.gamma = (float)q->alleles->gamma,
		.per_n = (float)(1 / (2 * n)),
		.two = (float)vs_panel_two(&k->t->all, i, cell >> 1),
		.low = (float)(q->least_present - (int64_t)q->n_field),
		.joint = vs_query_joint(q),
	};

	thirds(q->cpu, x, &t);
}

/* Append the edges of row i by a cell, from the pairs that wait. */
static int
add_edges(struct counter *k, size_t i, int cell)
{
	struct batch *x = &k->batch[cell];
	struct vs_candidate_strip *s = k->strip;
	int code = vs_mem_grow(&s->edge, &s->room, s->n_edge + x->n,
		sizeof(*s->edge), "candidate pairs");

	look_thirds(k, i, cell);
	for (size_t y = 0; y < x->n && !code; y++) {
		int32_t lo = x->least[y], hi = x->most[y];

		if (!x->open[y])
			continue;
		lo = lo < 0 ? 0 : lo;
		hi = hi > VS_TRIPLE_DATA_GRADES ? VS_TRIPLE_DATA_GRADES : hi;
		s->edge[s->n_edge++] =
			(struct vs_candidate_edge){ 2 * (uint32_t)i +
					(uint32_t)(cell >> 1),
				2 * x->j[y] + (uint32_t)(cell & 1), x->r[y],
				x->c[y], (uint16_t)lo, (uint16_t)(hi - lo) };
	}
	x->n = 0;
	return code;
}

/* The cells of a pair of i that may be edges, from the sums at `at`. */
static int
add_pair(struct counter *k, size_t i, size_t j, size_t at, int cells)
{
	const struct vs_panel *a = &k->t->all;
	const struct vs_pair_sums x = pair_at(k, i, j, at);
	int32_t r[4];
	int code = 0;

	if (!a->present[j])
		return 0;
	vs_pair_sums_cells(2, x, r);
	for (; cells && !code; cells &= cells - 1) {
		const int cell = __builtin_ctz((unsigned)cells);
		struct batch *b = &k->batch[cell];

		b->j[b->n] = (uint32_t)j;
		b->c[b->n] = x.c;
		b->r[b->n] = r[cell];
		b->e[b->n] = k->t->e[cell & 1][j];
		b->two[b->n] = (float)vs_panel_two(a, j, cell & 1);
		if (++b->n == LOOK)
			code = add_edges(k, i, cell);
	}
	return code;
}

/* True if a triple may have the pair, and the strip has it. */
static bool
is_wanted(const struct counter *k, size_t i, size_t j)
{
	const struct vs_triple_data *t = k->t;

	return (!k->strip->own || j > i) &&
		vs_wanted_near(t->wanted, t->all.row[i], t->all.row[j]);
}

/* Edges of row r of the sums, vector i, with the strip's columns. */
static int
do_row(struct counter *k, size_t i, size_t r)
{
	const struct vs_candidate_strip *s = k->strip;
	int code = 0;

	for (size_t x = 0; x < s->n_col && !code; x += LOOK) {
		const size_t n = s->n_col - x < LOOK ? s->n_col - x : LOOK;
		const size_t j = s->lo + x,
			     at = r * VS_CANDIDATE_EDGES_COLS + x;

		if (s->own && j + n <= i + 1)
			continue;
		look(k->t->q.cpu, k, i, j, at, n);
		for (size_t y = 0; y < n && !code; y++)
			if (n - y >= 8 && !vs_triple_data_any_of_8(k->hit + y))
				y += 7;
			else if (k->hit[y] && is_wanted(k, i, j + y))
				code = add_pair(k, i, j + y, at + y, k->hit[y]);
	}
	for (int cell = 0; cell < 4 && !code; cell++)
		code = add_edges(k, i, cell);
	return code;
}

/* A panel's vectors from v on. */
static struct vs_panel
part_from(const struct vs_panel *p, size_t v)
{
	struct vs_panel part = *p;

	part.vec.word = vs_vec_plane(&p->vec, v, 0);
	part.sum += v;
	part.present += v;
	part.two += v;
	return part;
}

static void
count(const struct counter *k, const struct vs_panel *rows, size_t n_row,
	int label, int32_t *to)
{
	k->dense->count(rows, 0, n_row, label, k->cols[label], 0,
		k->strip->n_col, k->scratch, to, VS_CANDIDATE_EDGES_COLS);
}

/* Count the sums of rows without the fields where a call is missing. */
static void
count_missing(const struct counter *k, const struct vs_panel *rows,
	size_t n_row)
{
	const struct vs_panel cols = part_from(&k->t->all, k->strip->lo);
	struct vs_panel lost;

	vs_missing_take(rows, n_row, VS_MARK_MISSING, k->lost, &lost);
	count(k, rows, n_row, 0, k->sums[1]);
	count(k, &lost, n_row, 1, k->sums[2]);
	count(k, &lost, n_row, 0, k->sums[3]);
	vs_missing_solve(k->t->q.cpu, rows, n_row, &cols, 0, k->strip->n_col, 1,
		&(struct vs_missing_sums){ k->sums[0], k->sums[1], k->sums[2],
			k->sums[3], VS_CANDIDATE_EDGES_COLS, NULL });
}

/* Edges of rows [i, i + n_row) with the strip's columns. */
static int
count_rows(struct counter *k, size_t i, size_t n_row)
{
	const struct vs_triple_data *t = k->t;
	const struct vs_panel rows = part_from(&t->all, i);
	int code = 0;

	count(k, &rows, n_row, 1, k->sums[0]);
	if (!t->complete)
		count_missing(k, &rows, n_row);
	for (size_t r = 0; r < n_row && !code; r++)
		if (t->all.present[i + r])
			code = do_row(k, i + r, r);
	return code;
}

/* Rows that any kernel counts in tenths of a second: stop() is checked after
 * them. */
static size_t
rows_at_once(const struct vs_triple_data *t)
{
	const size_t n = AT_ONCE / VS_CANDIDATE_EDGES_COLS /
		(t->complete ? 1 : 4) / ((size_t)t->q.n_field + 1);

	return n < LEAST_ROWS ? LEAST_ROWS : n < ROWS ? n : ROWS;
}

/* *left: number of edges that there is room for, for all threads. */
static int
count_strip(struct counter *k, struct vs_candidate_strip *s, int64_t *left)
{
	const struct vs_triple_data *t = k->t;
	const size_t n_row = rows_at_once(t);
	int code = 0;

	k->strip = s;
	if (s->row_lo >= s->row_hi)
		return 0;
	for (int label = t->complete; label < 2; label++)
		k->dense->take_cols(&t->all, s->lo, s->n_col, label,
			k->cols[label]);
	for (size_t i = s->row_lo; i < s->row_hi && !code; i += n_row) {
		int64_t before = (int64_t)s->n_edge, now;

		if (vs_triple_data_stopped(t))
			return VS_DONE;
		code = count_rows(k, i,
			s->row_hi - i < n_row ? s->row_hi - i : n_row);
#pragma omp atomic capture
		now = *left -= (int64_t)s->n_edge - before;
		if (!code && now < 0)
			code = VS_DONE;
	}
	return code;
}

int
vs_candidate_edges_count(const struct vs_triple_data *t,
	struct vs_candidate_strip *strip, size_t n_strip, int n_thread,
	int64_t left)
{
	struct counter *k = NULL;
	size_t at = 0;
	int code = vs_mem_new(&k, (size_t)n_thread, sizeof(*k), "workers");

	if (code)
		return code;
	for (int x = 0; x < n_thread && !code; x++)
		code = counter_new(&k[x], t);
#pragma omp parallel num_threads(n_thread)
	for (;;) {
		size_t mine;
		int failed, stop;

		vs_float_env_set();
#pragma omp atomic capture
		mine = at++;
#pragma omp atomic read
		stop = code;
		if (mine >= n_strip || stop)
			break;
		/* the last strips have most pairs */
		failed = count_strip(&k[omp_get_thread_num()],
			&strip[n_strip - 1 - mine], &left);
		if (failed) {
#pragma omp atomic write
			code = failed;
		}
	}
	for (int x = 0; x < n_thread; x++)
		free(k[x].memory);
	free(k);
	return code;
}
