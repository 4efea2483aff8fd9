/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread block of the engine mma: 1-bit products on tensor cores, mma
 * m16n8k256 of AND and POPC, which Ampere and Hopper have (later ones only
 * pretend). Compiled by nvcc for the card and by a C compiler for the tests.
 *
 * With the planes t1 = [g >= 1] and t2 = [g == 2], g g' is the sum of all four
 * products of the one's planes with the other's. With m = [present] beside
 * them the nine products fall into the four sums g g', g m', m g', m m'. Either
 * way a thread holds 128 sums, so that dense tiles have 128 x 256 pairs, the
 * others 64 x 128, and a warp 2 x 4 of the block's eight.
 *
 * Stages of 256 fields go round: while one is counted, copies of the next ones
 * are under way, those of the next tile too, so that its begin is there when
 * the sums of this one have been looked at. A block takes every n-th tile.
 *
 * The sums are exact while 4 n_field < 2^31.
 */
#ifndef VS_CUDA_MMA_H
#define VS_CUDA_MMA_H

#include <math.h>

#include "cuda/fragment.h"
#include "cuda/walk.h"

#define MMA_THREADS 256
#define MMA_SUMS 128
#define MMA_STAGES 4
#define MMA_FIELDS 256 /* of a stage */

/* Fragments of a warp, by planes (2: dense, 3: with missing calls). */
#define MMA_M(planes) ((planes) == 3 ? 2 : 4)
#define MMA_N(planes) ((planes) == 3 ? 4 : 8)
#define MMA_ROWS(planes) (2 * 16 * MMA_M(planes))
#define MMA_COLS(planes) (4 * 8 * MMA_N(planes))
#define MMA_STAGE_ROWS(planes) (MMA_ROWS(planes) + MMA_COLS(planes))
#define MMA_STAGE_BYTES(planes) (32 * (planes)*MMA_STAGE_ROWS(planes))
#define MMA_SHARED(planes) (MMA_STAGES * MMA_STAGE_BYTES(planes))

struct vs_mma_job {
	struct vs_card_work work;
	struct vs_walk walk;
	float all, slack; /* w w n; what floats may lose of an r */
	uint32_t n_stage; /* fields / MMA_FIELDS, rounded up */
};

/* A stage to be copied or counted: fields from MMA_FIELDS k on of a tile. */
struct mma_at {
	uint32_t tile, row, col, k;
};

/* What a launch needs beside the work itself; on the host. */
static inline void
vs_mma_make(struct vs_mma_job *job, const struct vs_card_work *work)
{
	const uint32_t planes = work->missing ? 3 : 2;
	const uint32_t n = (uint32_t)work->rule.n_field;
	const float w = (float)work->rule.weight;

	job->work = *work;
	vs_walk_make(&job->walk, work, MMA_ROWS(planes), MMA_COLS(planes));
	job->n_stage = (n + MMA_FIELDS - 1) / MMA_FIELDS;
	job->all = w * w * (float)n;
	job->slack = job->all < 1 << 24 ? 0 : job->all / (1 << 20);
}

VS_DEVICE void
mma_begin(const struct vs_mma_job *job, struct mma_at *at)
{
	at->k = 0;
	if (at->tile < job->walk.n_tile)
		vs_walk_tile(&job->walk, at->tile, &at->row, &at->col);
}

VS_DEVICE void
mma_next(const struct vs_mma_job *job, struct mma_at *at)
{
	if (++at->k < job->n_stage)
		return;
	at->tile += isa_n_block();
	mma_begin(job, at);
}

/* Chunk c of a vector's plane; past the end any vector will do. */
VS_DEVICE const void *
mma_chunk(const struct vs_card_part *p, uint32_t v, uint32_t plane, uint32_t c)
{
	uint32_t g = v / VS_TILE_VECS, most = p->n_vec / VS_TILE_VECS - 1;

	return p->plane + vs_tile_of(p, g < most ? g : most, c / 8, plane) +
		vs_tile_at(v % VS_TILE_VECS, c % 8 * 4);
}

/* Rows of a stage: plane after plane, of each the tile's rows, then columns. */
VS_DEVICE void
mma_copy(const struct vs_mma_job *job, const struct mma_at *at, uint32_t stage,
	const uint32_t planes)
{
	const uint32_t rows = MMA_STAGE_ROWS(planes), n = planes * rows;
	const uint32_t thread = isa_thread();
	const uint32_t c = thread & 1, first = thread / 2 & 127;

	VS_UNROLL
	for (uint32_t x0 = 0; x0 < n; x0 += MMA_THREADS / 2) {
		uint32_t x = x0 + first, y = x % rows;
		const struct vs_card_part *p =
			y < MMA_ROWS(planes) ? &job->work.i : &job->work.j;
		uint32_t v = y < MMA_ROWS(planes)
			? (at->row & ~(MMA_ROWS(planes) - 1)) + y
			: (at->col & ~127u) + (y - MMA_ROWS(planes));

		if (x < n)
			isa_copy16(stage + stage_chunk(x, c),
				mma_chunk(p, v, x / rows, 2 * at->k + c));
	}
}

/* The sum that the product of two planes belongs to: g g', g m', m g', m m'. */
VS_DEVICE uint32_t
mma_kind(uint32_t plane_i, uint32_t plane_j)
{
	return 2 * (plane_i == 2) + (plane_j == 2);
}

/* The first of four sums of a fragment. */
VS_DEVICE uint32_t
mma_sum(uint32_t kind, uint32_t m, uint32_t n, const uint32_t planes)
{
	return ((kind * MMA_M(planes) + m) * MMA_N(planes) + n) * 4;
}

/* First row and column of a warp within its tile. */
VS_DEVICE uint32_t
mma_warp_row(uint32_t thread, const uint32_t planes)
{
	return thread / 128 * 16 * MMA_M(planes);
}

VS_DEVICE uint32_t
mma_warp_col(uint32_t thread, const uint32_t planes)
{
	return thread / 32 % 4 * 8 * MMA_N(planes);
}

VS_DEVICE void
mma_count(uint32_t stage, int32_t sum[MMA_SUMS], const uint32_t planes)
{
	const uint32_t bytes = 32 * MMA_STAGE_ROWS(planes);
	const uint32_t thread = isa_thread(), lane = thread % 32;
	const uint32_t row = mma_warp_row(thread, planes);
	const uint32_t col = MMA_ROWS(planes) + mma_warp_col(thread, planes);
	uint32_t a[3][4][4], b[3][4];

	VS_UNROLL
	for (uint32_t x = 0; x < planes * MMA_M(planes); x++) {
		uint32_t p = x / MMA_M(planes), m = x % MMA_M(planes);

		isa_ldmatrix4(a[p][m],
			stage + bytes * p + fragment_a(row + 16 * m, lane));
	}
	VS_UNROLL
	for (uint32_t n = 0; n < MMA_N(planes); n += 2) {
		VS_UNROLL
		for (uint32_t q = 0; q < planes; q++)
			isa_ldmatrix4(b[q],
				stage + bytes * q +
					fragment_b(col + 8 * n, lane));
		VS_UNROLL
		for (uint32_t x = 0; x < planes * planes * 2; x++) {
			uint32_t p = x / 2 / planes, q = x / 2 % planes;

			VS_UNROLL
			for (uint32_t m = 0; m < MMA_M(planes); m++)
				isa_mma(sum +
						mma_sum(mma_kind(p, q), m,
							n + x % 2, planes),
					a[p][m], b[q] + 2 * (x % 2));
		}
	}
}

/* Which rows of a fragment column's sums are left: a bit a sum, 4 m + e. */
VS_DEVICE uint32_t
mma_wanted(const struct vs_mma_job *job, uint32_t row, uint32_t col,
	const uint32_t planes)
{
	const uint32_t lane = isa_thread() % 32;
	uint32_t lo[2], hi[2], bits = 0;

	VS_UNROLL
	for (uint32_t e = 0; e < 2; e++)
		vs_wanted_rows(&job->work, col + sum_col(lane, e), &lo[e],
			&hi[e]);
	VS_UNROLL
	for (uint32_t b = 0; b < 4 * MMA_M(planes); b++) {
		uint32_t i = row + b / 4 * 16 + sum_row(lane, b % 4);

		if (i >= lo[b % 2] && i < hi[b % 2])
			bits |= 1u << b;
	}
	return bits;
}

/* Room for n of this lane among those of its warp. */
VS_DEVICE uint32_t
mma_reserve(const struct vs_mma_job *job, uint32_t n)
{
	const uint32_t lane = isa_thread() % 32;
	uint32_t upto = n, at = 0;

	VS_UNROLL
	for (uint32_t by = 1; by < 32; by *= 2) {
		uint32_t below = isa_shuffle_up(upto, by);

		upto += lane >= by ? below : 0;
	}
	if (lane == 31 && upto)
		at = isa_add(job->work.n_cand, upto);
	return isa_shuffle(at, 31) + upto - n;
}

VS_DEVICE void
mma_put(struct vs_card_cand *c, uint32_t i, uint32_t j, const int32_t *sum,
	const uint32_t planes)
{
	c->i = i;
	c->j = j;
	VS_UNROLL
	for (uint32_t k = 0; k < (planes == 3 ? 4 : 1); k++)
		c->sum[k] = sum[mma_sum(k, 0, 0, planes)];
}

/* Append what is wanted of a fragment column: of sum 4 m + e when hit. */
VS_DEVICE void
mma_append(const struct vs_mma_job *job, const int32_t *sum, uint32_t row,
	uint32_t col, uint32_t hit, const uint32_t planes)
{
	const uint32_t lane = isa_thread() % 32;
	uint32_t at;

	hit &= mma_wanted(job, row, col, planes);
	at = mma_reserve(job, isa_popc(hit));
	row += sum_row(lane, 0);
	col += sum_col(lane, 0);
	VS_UNROLL
	for (uint32_t b = 0; b < 4 * MMA_M(planes); b++) {
		if (!(hit >> b & 1))
			continue;
		if (at < job->work.room)
			mma_put(&job->work.cand[at],
				row + b / 4 * 16 + sum_row(0, b % 4),
				col + sum_col(0, b % 4),
				sum + mma_sum(0, b / 4, 0, planes) + b % 4,
				planes);
		at = isa_anew(at + 1);
	}
}

/*
 * The float test, as vs_may_pass() but in floats from the sums on. Those are
 * exact below 2^24; above, a slack keeps r from being too low.
 */
struct mma_row {
	float u[2], ws, rest; /* w s; w w n - w s */
};

struct mma_col {
	float ws, bar[4]; /* by cell, of one that is not asked for infinite */
};

VS_DEVICE void
mma_row(const struct vs_mma_job *job, uint32_t i, struct mma_row *row)
{
	const struct vs_card_work *w = &job->work;
	const struct vs_card_side *side = &w->i.side[i < w->i.n_vec ? i : 0];
	float ws = (float)(w->rule.weight * side->sum);

	row->u[0] = side->u[0];
	row->u[1] = side->u[1];
	row->ws = ws + job->slack;
	row->rest = job->all - ws + 2 * job->slack;
}

VS_DEVICE void
mma_col(const struct vs_mma_job *job, uint32_t j, struct mma_col *col,
	const uint32_t planes)
{
	const struct vs_card_work *w = &job->work;
	const struct vs_card_side *side = &w->j.side[j < w->j.n_vec ? j : 0];
	float c = planes == 3 ? 1 : (float)w->rule.n_field;

	col->ws = (float)(w->rule.weight * side->sum) + job->slack;
	VS_UNROLL
	for (uint32_t k = 0; k < 4; k++)
		col->bar[k] = w->rule.test_mask >> k & 1 ? side->bar[k & 1] * c
							 : INFINITY;
}

/* Cells, 2 a + b, with r = 2, 1, 0 of them made of the sums by the caller. */
VS_DEVICE int
mma_passes(const struct mma_row *i, const float r[4], const float bar[4])
{
	int yes = 0;

	VS_UNROLL
	for (uint32_t k = 0; k < 4; k++)
		yes |= fmaf(r[k], i->u[k >> 1], -bar[k]) >= 0;
	return yes;
}

VS_DEVICE int
mma_dense(const struct mma_row *i, const struct mma_col *j, const int32_t *sum)
{
	float p = (float)sum[0];
	float r[4] = { i->rest - j->ws + p, j->ws - p, i->ws - p, p };

	return mma_passes(i, r, j->bar);
}

VS_DEVICE int
mma_missing(const struct vs_mma_job *job, const struct mma_row *i,
	const struct mma_col *j, const int32_t *sum)
{
	const float w = (float)job->work.rule.weight, slack = job->slack;
	float p = (float)sum[mma_sum(VS_SUM_GG, 0, 0, 3)];
	float ws_i = fmaf(w, (float)sum[mma_sum(VS_SUM_GM, 0, 0, 3)], slack);
	float ws_j = fmaf(w, (float)sum[mma_sum(VS_SUM_MG, 0, 0, 3)], slack);
	float c = (float)sum[mma_sum(VS_SUM_MM, 0, 0, 3)];
	float some =
		c > 0 ? c : 1; /* without a field r = 0: a bar of 0 is met */
	float r[4] = { fmaf(w * w, c, 3 * slack) - ws_i - ws_j + p, ws_j - p,
		ws_i - p, p };
	float bar[4] = { j->bar[0] * some, j->bar[1] * some, j->bar[2] * some,
		j->bar[3] * some };

	return mma_passes(i, r, bar);
}

VS_DEVICE int
mma_hit(const struct vs_mma_job *job, const struct mma_row *i,
	const struct mma_col *j, const int32_t *sum, const uint32_t planes)
{
	return planes == 3 ? mma_missing(job, i, j, sum) : mma_dense(i, j, sum);
}

/* Look at the sums of a tile. */
VS_DEVICE void
mma_look(const struct vs_mma_job *job, const struct mma_at *at,
	const int32_t sum[MMA_SUMS], const uint32_t planes)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;
	const uint32_t row = at->row + mma_warp_row(thread, planes);
	const uint32_t col = at->col + mma_warp_col(thread, planes);
	struct mma_row i[8];
	struct mma_col j[2];

	VS_UNROLL
	for (uint32_t m = 0; m < 2 * MMA_M(planes); m++)
		mma_row(job, row + m / 2 * 16 + sum_row(lane, m % 2 * 2),
			&i[m]);
	VS_UNROLL
	for (uint32_t n = 0; n < MMA_N(planes); n++) {
		uint32_t c = isa_anew(col + 8 * n), hit = 0;

		mma_col(job, c + sum_col(lane, 0), &j[0], planes);
		mma_col(job, c + sum_col(lane, 1), &j[1], planes);
		VS_UNROLL
		for (uint32_t b = 0; b < 4 * MMA_M(planes); b++)
			if (mma_hit(job, &i[b / 2], &j[b % 2],
				    sum + mma_sum(0, b / 4, n, planes) + b % 4,
				    planes))
				hit |= 1u << b;
		if (isa_any(hit != 0))
			mma_append(job, sum + mma_sum(0, 0, n, planes), row, c,
				hit, planes);
	}
}

/* All of a thread block. */
VS_DEVICE void
mma_kernel(const struct vs_mma_job *job, const uint32_t planes)
{
	struct mma_at copy = { .tile = isa_block() }, at = copy;
	uint32_t slot = 0;
	int32_t sum[MMA_SUMS];

	mma_begin(job, &copy);
	mma_begin(job, &at);
	for (uint32_t k = 0; k < MMA_STAGES - 1; k++) {
		if (copy.tile < job->walk.n_tile)
			mma_copy(job, &copy,
				isa_shared() + k * MMA_STAGE_BYTES(planes),
				planes);
		isa_commit();
		mma_next(job, &copy);
	}
	VS_UNROLL
	for (uint32_t k = 0; k < MMA_SUMS; k++)
		sum[k] = 0;
	VS_ROLLED
	while (at.tile < job->walk.n_tile) {
		uint32_t stage = isa_shared() + slot * MMA_STAGE_BYTES(planes);
		uint32_t last = slot ? slot - 1 : MMA_STAGES - 1;

		/* the stage is there, and all have counted the one before */
		isa_wait(MMA_STAGES - 2);
		isa_sync();
		if (copy.tile < job->walk.n_tile)
			mma_copy(job, &copy,
				isa_shared() + last * MMA_STAGE_BYTES(planes),
				planes);
		isa_commit();
		mma_next(job, &copy);
		mma_count(stage, sum, planes);
		slot = slot + 1 == MMA_STAGES ? 0 : slot + 1;
		if (at.k + 1 == job->n_stage) {
			mma_look(job, &at, sum, planes);
			VS_UNROLL
			for (uint32_t k = 0; k < MMA_SUMS; k++)
				sum[k] = 0;
		}
		mma_next(job, &at);
	}
}

#endif
