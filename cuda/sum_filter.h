/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Float filter on the sums of a tile, for the 1-bit engines: it tests the sums
 * in the registers where they are computed and appends the candidates. In each
 * engine a thread holds 128 sums: of each kind of sums four from each of m x n
 * fragments of 16 rows x 8 columns. Columns are the outer loop, so that a
 * thread has the terms of all its rows and of two columns at a time.
 */
#ifndef VS_CUDA_SUM_FILTER_H
#define VS_CUDA_SUM_FILTER_H

#include <math.h>

#include "cuda/fragment.h"
#include "cuda/reserve.h"
#include "cuda/walk.h"

#define FILTER_SUMS 128

/*
 * Ways to count, by planes t1 = [g >= 1], t2 = [g == 2] and m = [present], and
 * their kinds of sums:
 * four     g g', all products of t1 and t2 with t1' and t2'
 * three    t1 t1' + t2 t2' and h h', h = t1 - t2: g g' is twice the one less
 *          the other
 * missing  g g', g m', m g', m m', all nine products
 * wide     a bias less g g'; a warp has 16 rows of 256 columns
 */
enum { FILTER_FOUR, FILTER_THREE, FILTER_MISSING, FILTER_WIDE };
#define FILTER_PLANES(way) ((way) == FILTER_MISSING ? 3 : 2)
#define FILTER_M(way) \
	((way) == FILTER_WIDE ? 1 : (way) == FILTER_MISSING ? 2 : 4)
#define FILTER_N(way) ((way) == FILTER_WIDE ? 32 : (way) == FILTER_FOUR ? 8 : 4)

/* Arguments of a kernel. */
struct vs_tile_job {
	struct vs_card_work work;
	struct vs_walk walk;
	float all, slack; /* w w n; rounding error of an r */
	uint32_t n_stage; /* stages of fields of a vector */
};

/* Arguments for tiles of rows x cols and stages of some fields; on the host. */
static inline void
vs_tile_job_make(struct vs_tile_job *job, const struct vs_card_work *work,
	uint32_t rows, uint32_t cols, uint32_t fields)
{
	const uint32_t n = (uint32_t)work->rule.n_field;
	const float w = (float)work->rule.weight;

	job->work = *work;
	vs_walk_make(&job->walk, work, rows, cols);
	job->n_stage = (n + fields - 1) / fields;
	job->all = w * w * (float)n;
	job->slack = job->all < 1 << 24 ? 0 : job->all / (1 << 20);
}

/* A stage of a tile; tiles are visited in ascending order. */
struct filter_stage {
	uint32_t tile, x, row, col, k;
};

VS_DEVICE void
filter_first(const struct vs_tile_job *job, struct filter_stage *at,
	uint32_t tile)
{
	at->tile = tile;
	at->x = at->k = 0;
	if (tile < job->walk.n_tile)
		vs_walk_tile(&job->walk, tile, &at->x, &at->row, &at->col);
}

VS_DEVICE void
filter_next(const struct vs_tile_job *job, struct filter_stage *at)
{
	if (++at->k < job->n_stage)
		return;
	at->k = 0;
	at->tile += isa_n_block();
	if (at->tile < job->walk.n_tile)
		vs_walk_tile(&job->walk, at->tile, &at->x, &at->row, &at->col);
}

/*
 * Index of the first of four sums of a fragment. Those of a fragment column n,
 * all that a thread has of two columns of pairs, are adjacent.
 */
#define FILTER_EACH(way) (FILTER_SUMS / FILTER_N(way))
VS_DEVICE uint32_t
filter_index(uint32_t kind, uint32_t m, uint32_t n, const uint32_t way)
{
	return n * FILTER_EACH(way) + (kind * FILTER_M(way) + m) * 4;
}

/* One sum of a pair whose first register is sum[0]. */
VS_DEVICE int32_t
filter_sum(const int32_t *sum, uint32_t kind, const uint32_t way)
{
	if (way == FILTER_THREE)
		return 2 * sum[0] - sum[filter_index(1, 0, 0, way)];
	return sum[filter_index(kind, 0, 0, way)];
}

/* Mask of the wanted pairs of a fragment column: one bit per sum, 4 m + e. */
VS_DEVICE uint32_t
filter_wanted(const struct vs_tile_job *job, uint32_t row, uint32_t col,
	const uint32_t way)
{
	const uint32_t lane = isa_thread() % 32;
	uint32_t lo[2], hi[2], bits = 0;

	VS_UNROLL
	for (uint32_t e = 0; e < 2; e++)
		vs_import_wanted_rows(&job->work, col + sum_col(lane, e),
			&lo[e], &hi[e]);
	VS_UNROLL
	for (uint32_t b = 0; b < 4 * FILTER_M(way); b++) {
		uint32_t i = row + b / 4 * 16 + sum_row(lane, b % 4);

		if (i >= lo[b % 2] && i < hi[b % 2])
			bits |= 1u << b;
	}
	return bits;
}

VS_DEVICE void
filter_put(struct vs_card_cand *c, uint32_t i, uint32_t j, const int32_t *sum,
	const uint32_t way)
{
	c->i = i;
	c->j = j;
	VS_UNROLL
	for (uint32_t k = 0; k < (way == FILTER_MISSING ? 4 : 1); k++)
		c->sum[k] = filter_sum(sum, k, way);
}

/*
 * Append the wanted pairs of a fragment column: sum 4 m + e if its hit is set.
 */
VS_DEVICE void
filter_append(const struct vs_tile_job *job, const int32_t *sum, uint32_t row,
	uint32_t col, uint32_t hit, const uint32_t way)
{
	const uint32_t lane = isa_thread() % 32;
	uint32_t at;

	hit &= filter_wanted(job, row, col, way);
	at = vs_warp_reserve(job->work.n_cand, isa_popc(hit));
	row += sum_row(lane, 0);
	col += sum_col(lane, 0);
	VS_UNROLL
	for (uint32_t b = 0; b < 4 * FILTER_M(way); b++) {
		if (!(hit >> b & 1))
			continue;
		if (at < job->work.room)
			filter_put(&job->work.cand[at],
				row + b / 4 * 16 + sum_row(0, b % 4),
				col + sum_col(0, b % 4),
				sum + filter_index(0, b / 4, 0, way) + b % 4,
				way);
		at = isa_anew(at + 1);
	}
}

/*
 * Float test of one pair, like vs_may_pass() but in floats from the sums on.
 * The sums are exact below 2^24; above, a slack keeps r from being too low. The
 * VS_CARD_SLACK of the threshold covers the at most four roundings of 2^-24.
 */
struct filter_row {
	/*
	 * by cell, 2 a + b: the row's u, dense over n; 0 for cells not wanted
	 */
	float u[4];
	float ws, rest; /* w s; w w n - w s */
	float squares;
};

struct filter_col {
	float ws, threshold[2], squares;
};

VS_DEVICE void
filter_row(const struct vs_tile_job *job, uint32_t i, struct filter_row *row,
	const uint32_t way)
{
	const struct vs_card_work *w = &job->work;
	const struct vs_card_side *side = &w->i.side[i < w->i.n_vec ? i : 0];
	float ws = (float)(w->rule.weight * side->sum);

	VS_UNROLL
	for (uint32_t k = 0; k < 4; k++) {
		float u = w->rule.test_mask >> k & 1 ? side->u[k >> 1] : 0;

		row->u[k] =
			way == FILTER_MISSING ? u : u / (float)w->rule.n_field;
	}
	row->squares = way == FILTER_MISSING ? vs_joint_squares(side) : 0;
	row->ws = ws + job->slack;
	row->rest = job->all - ws + 2 * job->slack;
}

VS_DEVICE void
filter_col(const struct vs_tile_job *job, uint32_t j, struct filter_col *col)
{
	const struct vs_card_work *w = &job->work;
	const struct vs_card_side *side = &w->j.side[j < w->j.n_vec ? j : 0];

	col->ws = (float)(w->rule.weight * side->sum) + job->slack;
	col->squares = vs_joint_squares(side);
	col->threshold[0] = side->threshold[0];
	col->threshold[1] = side->threshold[1];
}

VS_DEVICE int
filter_passes(const struct filter_row *i, const float r[4],
	const float threshold[2])
{
	int yes = 0;

	VS_UNROLL
	for (uint32_t k = 0; k < 4; k++)
		yes |= fmaf(r[k], i->u[k], -threshold[k & 1]) >= 0;
	return yes;
}

VS_DEVICE int
filter_dense(const struct vs_tile_job *job, const struct filter_row *i,
	const struct filter_col *j, const int32_t *sum, const uint32_t way)
{
	float p = (float)filter_sum(sum, VS_SUM_GG, way), r1 = j->ws - p;
	float r[4] = { i->rest - r1, r1, i->ws - p, p };

	if (job->work.rule.moment)
		return vs_may_be(job->work.rule.moment, p,
			i->u[0] * j->threshold[0],
			i->u[3] * j->threshold[1] -
				vs_moment_slack(job->work.rule.n_field));

	return filter_passes(i, r, j->threshold);
}

VS_DEVICE int
filter_missing(const struct vs_tile_job *job, const struct filter_row *i,
	const struct filter_col *j, const int32_t *sum, const uint32_t way)
{
	const float w = (float)job->work.rule.weight, slack = job->slack;
	float p = (float)filter_sum(sum, VS_SUM_GG, way);
	float c = (float)filter_sum(sum, VS_SUM_MM, way);
	float ws_i = fmaf(w, (float)filter_sum(sum, VS_SUM_GM, way), slack);
	float r1 = fmaf(w, (float)filter_sum(sum, VS_SUM_MG, way), slack) - p;
	float r[4] = { fmaf(w * w, c, 2 * slack) - ws_i + slack - r1, r1,
		ws_i - p, p };
	/*
	 * a pair without a common field has r = 0, which would reach a
	 * threshold of 0
	 */
	float some = c > 0 ? c : 1;
	float threshold[2] = { j->threshold[0] * some, j->threshold[1] * some };

	if (job->work.rule.moment)
		return vs_joint_may_be(&job->work.rule, c, p,
			(float)filter_sum(sum, VS_SUM_GM, way),
			(float)filter_sum(sum, VS_SUM_MG, way), i->squares,
			j->squares);
	return filter_passes(i, r, threshold);
}

VS_DEVICE int
filter_hit(const struct vs_tile_job *job, const struct filter_row *i,
	const struct filter_col *j, const int32_t *sum, const uint32_t way)
{
	return way == FILTER_MISSING ? filter_missing(job, i, j, sum, way)
				     : filter_dense(job, i, j, sum, way);
}

/* Test a fragment column's pairs one by one. */
VS_DEVICE void
filter_pairs(const struct vs_tile_job *job, uint32_t row, uint32_t col,
	const int32_t *sum, const uint32_t way)
{
	const uint32_t lane = isa_thread() % 32;
	struct filter_row i = { 0 };
	struct filter_col j[2];
	uint32_t hit = 0;

	filter_col(job, col + sum_col(lane, 0), &j[0]);
	filter_col(job, col + sum_col(lane, 1), &j[1]);
	VS_UNROLL
	for (uint32_t b = 0; b < 4 * FILTER_M(way); b++) {
		if (b % 2 == 0)
			filter_row(job,
				isa_anew(row) + b / 4 * 16 +
					sum_row(lane, b % 4),
				&i, way);
		if (filter_hit(job, &i, &j[b % 2],
			    sum + filter_index(0, b / 4, 0, way) + b % 4, way))
			hit |= 1u << b;
	}
	if (isa_any(hit != 0))
		filter_append(job, sum, row, col, hit, way);
}

/*
 * Bounds of the terms of some columns, so that one comparison of a sum rejects
 * most pairs: vectors are sorted by frequency, so adjacent columns are similar.
 */
struct filter_span {
	float threshold[2], least_ws, most_ws;
};

VS_DEVICE float
filter_least(float v)
{
	const uint32_t lane = isa_thread() % 32;

	VS_UNROLL
	for (uint32_t k = 1; k < 32; k *= 2)
		v = fminf(v, isa_float(isa_shuffle(isa_bits(v), lane ^ k)));
	return v;
}

/* Begin with no column. */
VS_DEVICE void
filter_span_none(struct filter_span *x)
{
	x->threshold[0] = x->threshold[1] = x->least_ws = INFINITY;
	x->most_ws = 0;
}

VS_DEVICE void
filter_span_add(struct filter_span *x, const struct filter_col *j)
{
	x->threshold[0] = fminf(x->threshold[0], j->threshold[0]);
	x->threshold[1] = fminf(x->threshold[1], j->threshold[1]);
	x->least_ws = fminf(x->least_ws, j->ws);
	x->most_ws = fmaxf(x->most_ws, j->ws);
}

/* Combine the bounds of a warp's lanes. */
VS_DEVICE void
filter_span_all(struct filter_span *x)
{
	x->threshold[0] = filter_least(x->threshold[0]);
	x->threshold[1] = filter_least(x->threshold[1]);
	x->least_ws = filter_least(x->least_ws);
	x->most_ws = -filter_least(-x->most_ws);
}

/* Bounds over the 8 FILTER_N columns of a warp. */
VS_DEVICE void
filter_span(const struct vs_tile_job *job, uint32_t col, struct filter_span *x,
	const uint32_t way)
{
	filter_span_none(x);
	VS_ROLLED
	for (uint32_t c = isa_thread() % 32; c < 8 * FILTER_N(way); c += 32) {
		struct filter_col j;

		filter_col(job, col + c, &j);
		filter_span_add(x, &j);
	}
	filter_span_all(x);
}

/*
 * Rejection interval: no pair of the row with a column of the span passes while
 * low < P < high. With thresholds t_0 and t_1, solved for P, cells require
 *   11: P >= t_1 / u_1            10: P <= w s_i - t_0 / u_1
 *   00: P >= t_0 / u_0 - rest + w s_j     01: P <= w s_j - t_1 / u_0
 * and a moment, of columns that all have a mean a_j and a spread b_j,
 *   P >= u_0 a_j + u_1 b_j                  or P <= u_0 a_j - u_1 b_j
 * The margin is more than all roundings. A NaN lets all pairs pass.
 */
VS_DEVICE void
filter_interval(const struct vs_tile_job *job, uint32_t i,
	const struct filter_span *x, int32_t *low, int32_t *high)
{
	const float room =
		job->all / (job->work.rule.moment ? 1 << 17 : 1 << 19) + 1;
	struct filter_row row;
	float least, most;

	filter_row(job, i, &row, FILTER_FOUR);
	if (job->work.rule.moment) {
		/*
		 * the columns' sums are half of ws, and their slack is in room
		 */
		float need = row.u[3] * x->threshold[1];

		least = row.u[0] * x->least_ws / 2 + need;
		most = job->work.rule.moment == VS_DEVICE_R2
			? row.u[0] * x->most_ws / 2 - need
			: -INFINITY;
	} else {
		least = fminf(isa_divide(x->threshold[1], row.u[3]),
			isa_divide(x->threshold[0], row.u[0]) - row.rest +
				x->least_ws);
		most = fmaxf(row.ws - isa_divide(x->threshold[0], row.u[2]),
			x->most_ws - isa_divide(x->threshold[1], row.u[1]));
	}
	*high = (int32_t)fminf(fmaxf(least - room, -1), 2e9f);
	*low = (int32_t)fmaxf(fminf(most + room, 2e9f), -1);
}

/*
 * The interval as a bias and a range: a pair is rejected if the bias less its
 * sum, as unsigned, is below the range.
 */
VS_DEVICE void
filter_bias(int32_t low, int32_t high, int32_t *bias, uint32_t *range)
{
	*bias = high - 1;
	*range = high > low ? (uint32_t)(high - low - 1) : 0;
}

/* Filter the sums of a warp, which begins at this row and column. */
VS_DEVICE void
filter_tile(const struct vs_tile_job *job, uint32_t row, uint32_t col,
	const int32_t sum[FILTER_SUMS], const uint32_t way)
{
	const uint32_t lane = isa_thread() % 32;
	int32_t low[8], high[8];
	struct filter_span x;

	if (way != FILTER_MISSING)
		filter_span(job, col, &x, way);
	VS_UNROLL
	for (uint32_t m = 0; m < 2 * FILTER_M(way) && way != FILTER_MISSING;
		m++)
		filter_interval(job,
			row + m / 2 * 16 + sum_row(lane, m % 2 * 2), &x,
			&low[m], &high[m]);
	VS_UNROLL
	for (uint32_t n = 0; n < FILTER_N(way); n++) {
		int near = way == FILTER_MISSING;

		VS_UNROLL
		for (uint32_t b = 0; b < 4 * FILTER_M(way); b++) {
			const int32_t *of =
				sum + filter_index(0, b / 4, n, way);
			int32_t p = filter_sum(of + b % 4, VS_SUM_GG, way);

			if (way != FILTER_MISSING)
				near |= p <= low[b / 2] || p >= high[b / 2];
		}
		if (isa_any(near))
			filter_pairs(job, row, isa_anew(col + 8 * n),
				sum + filter_index(0, 0, n, way), way);
	}
}

/*
 * The same for sums of the kind wide: they are the bias of the thread's first
 * or second row less sum g g', and those below its range are rejected.
 */
VS_DEVICE void
filter_wide(const struct vs_tile_job *job, uint32_t row, uint32_t col,
	const int32_t bias[2], const uint32_t range[2],
	const int32_t sum[FILTER_SUMS])
{
	/* bit n: test the pairs of fragment column n */
	uint32_t close = 0;
	/* separate predicates, which need not wait for one another */
	int near[4] = { 0 };

	VS_UNROLL
	for (uint32_t k = 0; k < FILTER_SUMS; k++)
		near[k % 4] |= (uint32_t)sum[k] >= range[k / 2 % 2];
	if (!isa_any(near[0] || near[1] || near[2] || near[3]))
		return;
	VS_UNROLL
	for (uint32_t n = 0; n < FILTER_N(FILTER_WIDE); n++) {
		int any = 0;

		VS_UNROLL
		for (uint32_t b = 0; b < 4; b++)
			any |= (uint32_t)sum[4 * n + b] >= range[b / 2];
		if (isa_any(any))
			close |= 1u << n;
	}
	/*
	 * with many columns of few sums each, one copy of the code handles all;
	 * registers cannot be indexed at run time, so the sums are moved
	 */
	VS_ROLLED
	for (; close; close &= close - 1) {
		uint32_t n = isa_popc((close & -close) - 1);
		int32_t of[FILTER_EACH(FILTER_WIDE)] = { 0 };

		VS_UNROLL
		for (uint32_t k = 0; k < FILTER_SUMS; k++)
			if (k / FILTER_EACH(FILTER_WIDE) == n)
				of[k % FILTER_EACH(FILTER_WIDE)] = sum[k];
		VS_UNROLL
		for (uint32_t b = 0; b < 4; b++)
			of[b] = bias[b / 2] - of[b];
		filter_pairs(job, row, col + 8 * n, of, FILTER_WIDE);
	}
}

#endif
