/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block of the engine wgmma: 1-bit products by groups of four warps
 * directly from shared memory, on Hopper only. Compiled by nvcc for the device
 * and by a C compiler for the tests.
 *
 * A tile has 128 x 256 pairs; two groups count 64 rows each by four products.
 * wgmma reads tile-ready blocks: of 1024 fields, a block of rows and two of
 * columns of each plane, 96 KB, fill a stage, and there are two stages. One
 * thread of a third group copies them: the barrier `full` of a stage completes
 * when all bytes have arrived, `empty` when all warps have counted them. The
 * third group releases registers to the others. The sums are exact while
 * 4 n_field < 2^31.
 */
#ifndef VS_CUDA_WGMMA_H
#define VS_CUDA_WGMMA_H

#include "cuda/sum_filter.h"

#define WGMMA_THREADS 384
#define WGMMA_COUNTING 256 /* of them, the last ones */
#define WGMMA_ROWS 128
#define WGMMA_COLS 256
#define WGMMA_FIELDS 1024
#define WGMMA_STEPS (WGMMA_FIELDS / 256)
#define WGMMA_BLOCK 16384
#define WGMMA_STAGES 2
#define WGMMA_STAGE_BYTES (2 * 3 * WGMMA_BLOCK)
#define WGMMA_SHARED (WGMMA_STAGES * (WGMMA_STAGE_BYTES + 2 * 8))

/* Offset of the rows of a plane in a stage; the columns come after. */
VS_DEVICE uint32_t
wgmma_plane(uint32_t slot, uint32_t plane)
{
	return isa_shared() + slot * WGMMA_STAGE_BYTES +
		plane * 3 * WGMMA_BLOCK;
}

VS_DEVICE uint32_t
wgmma_full(uint32_t slot)
{
	return isa_shared() + WGMMA_STAGES * WGMMA_STAGE_BYTES + 16 * slot;
}

VS_DEVICE uint32_t
wgmma_empty(uint32_t slot)
{
	return wgmma_full(slot) + 8;
}

/* Position in the ring of stages, and parity of the round. */
struct wgmma_slot {
	uint32_t slot, parity;
};

VS_DEVICE void
wgmma_turn(struct wgmma_slot *s)
{
	if (++s->slot < WGMMA_STAGES)
		return;
	s->slot = 0;
	s->parity ^= 1;
}

/* The block of vectors from v on; past the end of the part any block. */
VS_DEVICE const void *
wgmma_block(const struct vs_card_part *p, uint32_t v, uint32_t k,
	uint32_t plane)
{
	uint32_t g = v / VS_TILE_VECS, most = p->n_vec / VS_TILE_VECS - 1;

	return p->plane + vs_tile_of(p, g < most ? g : most, k, plane);
}

VS_DEVICE void
wgmma_copy(const struct vs_tile_job *job, const struct filter_stage *at,
	uint32_t slot)
{
	const struct vs_card_part *i = &job->work.i, *j = &job->work.j;

	isa_bar_expect(wgmma_full(slot), WGMMA_STAGE_BYTES);
	VS_UNROLL
	for (uint32_t plane = 0; plane < 2; plane++) {
		uint32_t to = wgmma_plane(slot, plane);

		isa_bulk(to, wgmma_block(i, at->row, at->k, plane), WGMMA_BLOCK,
			wgmma_full(slot));
		VS_UNROLL
		for (uint32_t x = 0; x < 2; x++)
			isa_bulk(to + (x + 1) * WGMMA_BLOCK,
				wgmma_block(j, at->col + 128 * x, at->k, plane),
				WGMMA_BLOCK, wgmma_full(slot));
	}
}

/* Producer thread: keep the stages full. */
VS_DEVICE void
wgmma_fill(const struct vs_tile_job *job)
{
	struct wgmma_slot s = { 0, 0 };
	struct filter_stage at = { 0 };

	filter_first(job, &at, isa_block());
	VS_ROLLED
	while (at.tile < job->walk.n_tile) {
		/* in the first round stages are empty */
		isa_bar_wait(wgmma_empty(s.slot), s.parity ^ 1);
		wgmma_copy(job, &at, s.slot);
		filter_next(job, &at);
		wgmma_turn(&s);
	}
}

/* Four products over 256 fields from byte `at` of the stage's rows on. */
VS_DEVICE void
wgmma_step(uint32_t slot, uint32_t at, uint32_t group, int add,
	int32_t sum[FILTER_SUMS])
{
	VS_UNROLL
	for (uint32_t x = 0; x < 4; x++)
		isa_wide(sum,
			fragment_wide(wgmma_plane(slot, x / 2) +
				group * (WGMMA_BLOCK / 2) + at),
			fragment_wide(
				wgmma_plane(slot, x % 2) + WGMMA_BLOCK + at),
			add || x);
}

/*
 * Begin all products of a stage. Unrolled, because at a loop's back edge ptxas
 * waits for all products begun, this stage's too, not only for those of the
 * stage before.
 */
VS_DEVICE void
wgmma_count(uint32_t slot, uint32_t group, int add, int32_t sum[FILTER_SUMS])
{
	isa_wide_begin();
	VS_UNROLL
	for (uint32_t step = 0; step < WGMMA_STEPS; step++)
		wgmma_step(slot, 32 * step, group, add || step, sum);
	isa_wide_commit();
}

/* Begin and complete those of a last stage of which n_step steps are left. */
VS_DEVICE void
wgmma_count_last(uint32_t slot, uint32_t n_step, uint32_t group, int add,
	int32_t sum[FILTER_SUMS])
{
	VS_ROLLED
	for (uint32_t step = 0; step < n_step; step++) {
		isa_wide_begin();
		wgmma_step(slot, 32 * step, group, add || step, sum);
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

/* A group's sums of a tile. */
VS_DEVICE void
wgmma_sum(const struct vs_tile_job *job, uint32_t thread, struct wgmma_slot *s,
	int32_t sum[FILTER_SUMS])
{
	const uint32_t group = thread / 128;
	uint32_t left = ((uint32_t)job->work.rule.n_field + 255) / 256;
	uint32_t last = 0;

	VS_ROLLED
	for (; left >= WGMMA_STEPS; left -= WGMMA_STEPS) {
		isa_bar_wait(wgmma_full(s->slot), s->parity);
		wgmma_count(s->slot, group, last != 0, sum);
		/* the products of the stage before are complete */
		isa_wide_wait(1);
		if (last)
			wgmma_release(thread, last);
		last = wgmma_empty(s->slot);
		wgmma_turn(s);
	}
	isa_wide_wait(0);
	if (last)
		wgmma_release(thread, last);
	if (left) {
		isa_bar_wait(wgmma_full(s->slot), s->parity);
		wgmma_count_last(s->slot, left, group, last != 0, sum);
		wgmma_release(thread, wgmma_empty(s->slot));
		wgmma_turn(s);
	}
}

/* Consumer groups: count and filter tile after tile. */
VS_DEVICE void
wgmma_turns(const struct vs_tile_job *job, uint32_t thread)
{
	struct wgmma_slot s = { 0, 0 };
	uint32_t x = 0, row, col;
	int32_t sum[FILTER_SUMS];

	VS_UNROLL
	for (uint32_t k = 0; k < FILTER_SUMS; k++)
		sum[k] = 0;
	VS_ROLLED
	for (uint32_t t = isa_block(); t < job->walk.n_tile;
		t += isa_n_block()) {
		wgmma_sum(job, thread, &s, sum);
		vs_walk_tile(&job->walk, t, &x, &row, &col);
		filter_tile(job, row + thread / 32 * 16, col, sum, FILTER_WIDE);
	}
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
	if (thread == 0) {
		for (uint32_t k = 0; k < WGMMA_STAGES; k++) {
			isa_bar_new(wgmma_full(k), 1);
			isa_bar_new(wgmma_empty(k), WGMMA_COUNTING / 32);
		}
		isa_bar_made();
	}
	isa_sync();
	if (thread < filling) {
		isa_registers_fewer(24);
		if (thread == 0)
			wgmma_fill(job);
	} else {
		isa_registers_more(240);
		wgmma_turns(job, thread - filling);
	}
}

#endif
