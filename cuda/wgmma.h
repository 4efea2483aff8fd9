/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block of the engine wgmma: 1-bit products by groups of four warps
 * directly from shared memory, on Hopper only. Compiled by nvcc for the device
 * and by a C compiler for the tests.
 *
 * Three products count a pair: by planes t1 = [g >= 1], t2 = [g == 2] and
 * h = [g == 1], sum g g' = 2 (t1 t1' + t2 t2') - h h'. The sums first take the
 * products of t1 and t2, are multiplied by -2 and then take h's product, so a
 * pair needs one register, which ends as a bias less sum g g'.
 *
 * A tile has 128 x 256 pairs, 64 rows for each of two groups. A stage has 1024
 * fields of a plane of these rows and columns, 48 KB, and there are four
 * stages. In a third group one thread copies: the barrier `full` of a stage
 * completes when all bytes have arrived, `empty` when all warps have counted
 * them. Its other three warps find the next tiles and compute which of their
 * sums can be rejected, while this tile is being counted. The third group
 * releases registers to the others. The sums are exact while 4 n_field < 2^31.
 */
#ifndef VS_CUDA_WGMMA_H
#define VS_CUDA_WGMMA_H

#include "cuda/sum_filter.h"

#define WGMMA_THREADS 384
#define WGMMA_COUNTING 256 /* stages of plane h, the last ones */
#define WGMMA_ROWS 128
#define WGMMA_COLS 256
#define WGMMA_FIELDS 1024
#define WGMMA_STEPS (WGMMA_FIELDS / 256)
#define WGMMA_PLANES 3
#define WGMMA_BLOCK 16384
#define WGMMA_STAGES 4
#define WGMMA_STAGE_BYTES (3 * WGMMA_BLOCK)
/* per tile: its place, or that there is none, and two limits per row */
#define WGMMA_LIMITS 3
#define WGMMA_LIMIT_BYTES (16 + 2 * 4 * WGMMA_ROWS)
#define WGMMA_BARS (2 * WGMMA_STAGES + 2 * WGMMA_LIMITS)
#define WGMMA_SHARED                                                           \
	(WGMMA_STAGES * WGMMA_STAGE_BYTES + WGMMA_LIMITS * WGMMA_LIMIT_BYTES + \
		8 * WGMMA_BARS)
/* Adjacent tiles are numbered consecutively, so that blocks at work at the same
 * time share rows in the device's cache. */
#define WGMMA_SIDE 4

/* Offset of the rows of a stage; the columns come after. */
VS_DEVICE uint32_t
wgmma_stage(uint32_t slot)
{
	return isa_shared() + slot * WGMMA_STAGE_BYTES;
}

VS_DEVICE uint32_t
wgmma_limit(uint32_t slot)
{
	return wgmma_stage(WGMMA_STAGES) + slot * WGMMA_LIMIT_BYTES;
}

VS_DEVICE uint32_t
wgmma_bar(uint32_t k)
{
	return wgmma_limit(WGMMA_LIMITS) + 8 * k;
}

VS_DEVICE uint32_t
wgmma_full(uint32_t slot)
{
	return wgmma_bar(2 * slot);
}

VS_DEVICE uint32_t
wgmma_empty(uint32_t slot)
{
	return wgmma_bar(2 * slot + 1);
}

VS_DEVICE uint32_t
wgmma_limit_full(uint32_t slot)
{
	return wgmma_full(WGMMA_STAGES + slot);
}

VS_DEVICE uint32_t
wgmma_limit_empty(uint32_t slot)
{
	return wgmma_empty(WGMMA_STAGES + slot);
}

/* Position in a ring of slots, and parity of the round. */
struct wgmma_slot {
	uint32_t slot, parity;
};

VS_DEVICE void
wgmma_turn(struct wgmma_slot *s, const uint32_t n)
{
	if (++s->slot < n)
		return;
	s->slot = 0;
	s->parity ^= 1;
}

/* A tile of this block; blocks take every n-th. */
struct wgmma_tile {
	uint32_t t, x, row, col;
};

VS_DEVICE uint32_t
wgmma_find(const struct vs_tile_job *job, struct wgmma_tile *at)
{
	VS_ROLLED
	for (; at->t < WGMMA_SIDE * job->walk.n_tile; at->t += isa_n_block()) {
		vs_walk_tile(&job->walk, at->t / WGMMA_SIDE, &at->x, &at->row,
			&at->col);
		at->col += at->t % WGMMA_SIDE * WGMMA_COLS;
		if (vs_wants_any(&job->work, at->row, WGMMA_ROWS, at->col,
			    WGMMA_COLS))
			return 1;
	}
	return 0;
}

VS_DEVICE uint32_t
wgmma_first(const struct vs_tile_job *job, struct wgmma_tile *at)
{
	at->t = isa_block();
	at->x = 0;
	return wgmma_find(job, at);
}

VS_DEVICE uint32_t
wgmma_next(const struct vs_tile_job *job, struct wgmma_tile *at)
{
	at->t += isa_n_block();
	return wgmma_find(job, at);
}

/* ---- copies ---- */

/* The block of vectors from v on; past the end of the part, any block. */
VS_DEVICE const void *
wgmma_block(const struct vs_card_part *p, uint32_t v, uint32_t k,
	uint32_t plane)
{
	uint32_t g = v / VS_TILE_VECS, most = p->n_vec / VS_TILE_VECS - 1;

	return p->plane +
		vs_tile_of(p, g < most ? g : most, k,
			plane == 2 ? p->half : plane);
}

VS_DEVICE void
wgmma_copy(const struct vs_tile_job *job, const struct wgmma_tile *at,
	uint32_t plane, uint32_t k, uint32_t slot)
{
	const uint32_t full = wgmma_full(slot), to = wgmma_stage(slot);

	isa_bar_expect(full, WGMMA_STAGE_BYTES);
	isa_bulk(to, wgmma_block(&job->work.i, at->row, k, plane), WGMMA_BLOCK,
		full);
	VS_UNROLL
	for (uint32_t x = 0; x < 2; x++)
		isa_bulk(to + (x + 1) * WGMMA_BLOCK,
			wgmma_block(&job->work.j, at->col + 128 * x, k, plane),
			WGMMA_BLOCK, full);
}

/* Copying thread: keep the stages full. */
VS_DEVICE void
wgmma_fill(const struct vs_tile_job *job)
{
	struct wgmma_slot s = { 0, 0 };
	struct wgmma_tile at = { 0 };

	VS_ROLLED
	for (uint32_t any = wgmma_first(job, &at); any;
		any = wgmma_next(job, &at)) {
		VS_ROLLED
		for (uint32_t x = 0; x < WGMMA_PLANES * job->n_stage; x++) {
			/* in the first round stages are empty */
			isa_bar_wait(wgmma_empty(s.slot), s.parity ^ 1);
			wgmma_copy(job, &at, x / job->n_stage, x % job->n_stage,
				s.slot);
			wgmma_turn(&s, WGMMA_STAGES);
		}
	}
}

/* ---- what can be rejected ---- */

/* Bounds over the columns of a tile, whose terms are loaded four at a time. */
VS_DEVICE void
wgmma_span(const struct vs_tile_job *job, uint32_t col, struct filter_span *x)
{
	filter_span_none(x);
	VS_ROLLED
	for (uint32_t c = isa_thread() % 32; c < WGMMA_COLS; c += 4 * 32) {
		struct filter_col j[4];

		VS_UNROLL
		for (uint32_t k = 0; k < 4; k++)
			filter_col(job, col + c + 32 * k, &j[k]);
		VS_UNROLL
		for (uint32_t k = 0; k < 4; k++)
			filter_span_add(x, &j[k]);
	}
	filter_span_all(x);
}

/* Store the bias and the range of a tile's rows. */
VS_DEVICE void
wgmma_limits(const struct vs_tile_job *job, const struct wgmma_tile *at,
	uint32_t to)
{
	const uint32_t lane = isa_thread() % 32;
	struct filter_span x;

	wgmma_span(job, at->col, &x);
	VS_UNROLL
	for (uint32_t k = 0; k < WGMMA_ROWS / 32; k++) {
		const uint32_t row = lane + 32 * k;
		int32_t low, high, bias;
		uint32_t range;

		filter_interval(job, at->row + row, &x, &low, &high);
		filter_bias(low, high, &bias, &range);
		isa_store(to + 16 + 8 * row, (uint32_t)bias);
		isa_store(to + 16 + 8 * row + 4, range);
	}
}

/*
 * One of the warps that find tiles and bound their sums: it does every third
 * tile, in the slot of its number. An entry for "none" follows the last tile.
 */
VS_DEVICE void
wgmma_bound(const struct vs_tile_job *job, uint32_t mine)
{
	const uint32_t to = wgmma_limit(mine);
	struct wgmma_tile at = { 0 };
	uint32_t any = wgmma_first(job, &at), k = 0, parity = 1;

	VS_ROLLED
	for (;; any = wgmma_next(job, &at), k = k == 2 ? 0 : k + 1) {
		if (k == mine) {
			isa_bar_wait(wgmma_limit_empty(mine), parity);
			parity ^= 1;
			if (any)
				wgmma_limits(job, &at, to);
			isa_store(to, any);
			isa_store(to + 4, at.row);
			isa_store(to + 8, at.col);
			isa_bar_arrive(wgmma_limit_full(mine));
		}
		if (!any)
			break;
	}
}

/* ---- counting ---- */

/* One product over 256 fields from byte `at` of the stage's rows on. */
VS_DEVICE void
wgmma_step(uint32_t stage, uint32_t at, uint32_t group, int add,
	int32_t sum[FILTER_SUMS])
{
	isa_wide(sum, fragment_wide(stage + group * (WGMMA_BLOCK / 2) + at),
		fragment_wide(stage + WGMMA_BLOCK + at), add);
}

/*
 * Begin all products of a stage. Unrolled, because at a loop's back edge ptxas
 * waits for every product begun so far, where waiting for the previous stage's
 * would do.
 */
VS_DEVICE void
wgmma_count(uint32_t stage, uint32_t group, int add, int32_t sum[FILTER_SUMS])
{
	isa_wide_begin();
	VS_UNROLL
	for (uint32_t step = 0; step < WGMMA_STEPS; step++)
		wgmma_step(stage, 32 * step, group, add || step, sum);
	isa_wide_commit();
}

/* Begin and complete the products of a stage that uses n_step steps. */
VS_DEVICE void
wgmma_count_some(uint32_t stage, uint32_t n_step, uint32_t group, int add,
	int32_t sum[FILTER_SUMS])
{
	VS_ROLLED
	for (uint32_t step = 0; step < n_step; step++) {
		isa_wide_begin();
		wgmma_step(stage, 32 * step, group, add || step, sum);
		isa_wide_commit();
		isa_wide_wait(0);
	}
}

/* A warp has read the whole stage. */
VS_DEVICE void
wgmma_release(uint32_t thread, uint32_t empty)
{
	if (thread % 32 == 0)
		isa_bar_arrive(empty);
}

/*
 * Consumer group: its progress in the stages. before: the barrier of the stage
 * whose products may still be computed, or 0
 */
struct wgmma_group {
	struct wgmma_slot s;
	uint32_t thread, before;
};

/* Complete all products and release their stage. */
VS_DEVICE void
wgmma_drain(struct wgmma_group *g)
{
	isa_wide_wait(0);
	if (g->before)
		wgmma_release(g->thread, g->before);
	g->before = 0;
}

/* Add the products of one plane to a group's sums. */
VS_DEVICE void
wgmma_plane(const struct vs_tile_job *job, struct wgmma_group *g, int add,
	int32_t sum[FILTER_SUMS])
{
	const uint32_t group = g->thread / 128;
	uint32_t left = ((uint32_t)job->work.rule.n_field + 255) / 256;

	VS_ROLLED
	for (; left >= WGMMA_STEPS; left -= WGMMA_STEPS) {
		isa_bar_wait(wgmma_full(g->s.slot), g->s.parity);
		wgmma_count(wgmma_stage(g->s.slot), group, add, sum);
		/* the products of the stage before are complete */
		isa_wide_wait(1);
		if (g->before)
			wgmma_release(g->thread, g->before);
		g->before = wgmma_empty(g->s.slot);
		wgmma_turn(&g->s, WGMMA_STAGES);
		add = 1;
	}
	if (left) {
		wgmma_drain(g);
		isa_bar_wait(wgmma_full(g->s.slot), g->s.parity);
		wgmma_count_some(wgmma_stage(g->s.slot), left, group, add, sum);
		wgmma_release(g->thread, wgmma_empty(g->s.slot));
		wgmma_turn(&g->s, WGMMA_STAGES);
	}
}

/* The two limits of a thread's first row, or of the other one, 8 rows on. */
VS_DEVICE uint32_t
wgmma_limit_of(uint32_t thread, uint32_t of, uint32_t other)
{
	return of + 16 +
		8 * (thread / 32 * 16 + sum_row(thread % 32, 2 * other));
}

/* A group's sums of a tile, each the bias of its row less sum g g'. */
VS_DEVICE void
wgmma_sum(const struct vs_tile_job *job, struct wgmma_group *g, uint32_t of,
	int32_t sum[FILTER_SUMS])
{
	int32_t bias[2];

	VS_ROLLED
	for (int plane = 0; plane < 2; plane++)
		wgmma_plane(job, g, plane, sum);
	VS_UNROLL
	for (uint32_t x = 0; x < 2; x++)
		bias[x] = (int32_t)isa_load(wgmma_limit_of(g->thread, of, x));
	wgmma_drain(g);
	VS_UNROLL
	for (uint32_t k = 0; k < FILTER_SUMS; k++)
		sum[k] = bias[k / 2 % 2] - 2 * sum[k];
	wgmma_plane(job, g, 1, sum);
	wgmma_drain(g);
}

/* Test a group's sums of a tile. */
VS_DEVICE void
wgmma_test(const struct vs_tile_job *job, uint32_t thread, uint32_t of,
	const int32_t sum[FILTER_SUMS])
{
	uint32_t range[2];
	int32_t bias[2];

	VS_UNROLL
	for (uint32_t x = 0; x < 2; x++) {
		bias[x] = (int32_t)isa_load(wgmma_limit_of(thread, of, x));
		range[x] = isa_load(wgmma_limit_of(thread, of, x) + 4);
	}
	filter_wide(job, isa_load(of + 4) + thread / 32 * 16, isa_load(of + 8),
		bias, range, sum);
}

/* Consumer groups: count and filter tile after tile. */
VS_DEVICE void
wgmma_turns(const struct vs_tile_job *job, uint32_t thread)
{
	struct wgmma_group g = { { 0, 0 }, thread, 0 };
	struct wgmma_slot limit = { 0, 0 };
	int32_t sum[FILTER_SUMS];

	VS_UNROLL
	for (uint32_t k = 0; k < FILTER_SUMS; k++)
		sum[k] = 0;
	VS_ROLLED
	for (;;) {
		uint32_t of = wgmma_limit(limit.slot);

		isa_bar_wait(wgmma_limit_full(limit.slot), limit.parity);
		if (!isa_load(of))
			break;
		wgmma_sum(job, &g, of, sum);
		wgmma_test(job, thread, of, sum);
		/* all lanes have read the limits: they tested together */
		if (thread % 32 == 0)
			isa_bar_arrive(wgmma_limit_empty(limit.slot));
		wgmma_turn(&limit, WGMMA_LIMITS);
	}
}

/* ---- the block ---- */

VS_DEVICE void
wgmma_bars_new(void)
{
	for (uint32_t k = 0; k < WGMMA_STAGES; k++) {
		isa_bar_new(wgmma_full(k), 1);
		isa_bar_new(wgmma_empty(k), WGMMA_COUNTING / 32);
	}
	for (uint32_t k = 0; k < WGMMA_LIMITS; k++) {
		isa_bar_new(wgmma_limit_full(k), 32);
		isa_bar_new(wgmma_limit_empty(k), WGMMA_COUNTING / 32);
	}
	isa_bar_made();
}

/* Program of a thread block. */
VS_DEVICE void
wgmma_kernel(const struct vs_tile_job *job)
{
	const uint32_t thread = isa_thread();
	const uint32_t filling = WGMMA_THREADS - WGMMA_COUNTING;

	/* blocks are swizzled by bits of their address */
	if (isa_shared() % 1024)
		isa_trap();
	if (thread == 0)
		wgmma_bars_new();
	isa_sync();
	if (thread < filling) {
		isa_registers_fewer(56);
		if (thread == 0)
			wgmma_fill(job);
		else if (thread >= 32)
			wgmma_bound(job, thread / 32 - 1);
	} else {
		isa_registers_more(224);
		wgmma_turns(job, thread - filling);
	}
}

#endif
