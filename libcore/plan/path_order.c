/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of the tiles in a share of a path, by the arrival of their blocks. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/plan/path_order.h"

#define GROUP 4 /* approximate number of blocks of a group of ranks */

/* A block of the share. */
struct block {
	int64_t number;
	int64_t group;    /* blocks of a later group come later */
	int32_t first, n; /* its tiles, in the list of tiles by block */
	int32_t gain;     /* tiles whose other block has come */
	int32_t turn;     /* turn in which it comes; -1: not yet */
};

struct order {
	int32_t *of; /* place in `block` of each block of the plan; or -1 */
	struct block *block;
	int32_t n_block;
	int32_t (*tile)[2]; /* the tiles, by places of blocks */
	size_t n;
	int32_t *list;  /* tiles of each block, one block after another */
	int32_t *count; /* tiles of each turn; then where they begin */
	int32_t (*sorted)[2];
};

bool
vs_path_order_has(const struct vs_path_order *of, const struct vs_plan *plan,
	int rank, int64_t b)
{
	uint64_t lo, hi;

	vs_plan_block(plan, b, &lo, &hi);
	return of->n_own && lo / of->n_own == (uint64_t)rank &&
		(hi - 1) / of->n_own == (uint64_t)rank;
}

/* List the blocks in the order in which the tiles first use them. */
static int
find_blocks(struct order *o, const struct vs_plan *plan, int32_t (*tile)[2])
{
	int code = vs_mem_room(&o->of, (size_t)plan->n_block, sizeof(*o->of),
		"order of tiles");

	VS_MEM_NEW(&code, o->block, (size_t)plan->n_block, "order of tiles");
	if (code)
		return code;
	memset(o->of, -1, (size_t)plan->n_block * sizeof(*o->of));
	for (size_t k = 0; k < 2 * o->n; k++) {
		const int32_t b = tile[k / 2][k % 2];

		if (o->of[b] < 0) {
			o->block[o->n_block].number = b;
			o->block[o->n_block].turn = -1;
			o->of[b] = o->n_block++;
		}
	}
	return 0;
}

static int
list_tiles(struct order *o, int32_t (*tile)[2])
{
	int32_t at = 0;
	int code =
		vs_mem_room(&o->tile, o->n, sizeof(*o->tile), "order of tiles");

	VS_MEM_ROOM(&code, o->list, 2 * o->n, "order of tiles");
	if (code)
		return code;
	for (size_t k = 0; k < o->n; k++)
		for (int x = 0; x < 2; x++) {
			o->tile[k][x] = o->of[tile[k][x]];
			o->block[o->tile[k][x]].n++;
		}
	for (int32_t b = 0; b < o->n_block; b++) {
		o->block[b].first = at;
		at += o->block[b].n;
		o->block[b].n = 0;
	}
	for (size_t k = 0; k < 2 * o->n; k++) {
		struct block *b = &o->block[o->tile[k / 2][k % 2]];

		o->list[b->first + b->n++] = (int32_t)(k / 2);
	}
	return 0;
}

static void
come(struct order *o, int32_t b, int32_t turn)
{
	const struct block *x = &o->block[b];

	o->block[b].turn = turn;
	for (int32_t k = x->first; k < x->first + x->n; k++) {
		const int32_t *t = o->tile[o->list[k]];

		o->block[t[0] == b ? t[1] : t[0]].gain++;
	}
}

/*
 * If several ranks loaded from the same rank at once, others would be idle:
 * rank r first loads from the ranks after it, last from those before it, a few
 * blocks from each group of neighbours.
 */
static void
set_groups(struct order *o, const struct vs_path_order *of,
	const struct vs_plan *plan, int rank)
{
	const int64_t n_rank = plan->n_rank;
	const int64_t most = o->n_block / GROUP + 1;
	const int64_t n_group = n_rank < most ? n_rank : most;

	for (int32_t b = 0; b < o->n_block && of->n_own; b++) {
		uint64_t lo, hi;
		int64_t holder;

		vs_plan_block(plan, o->block[b].number, &lo, &hi);
		holder = (int64_t)(lo / of->n_own);
		o->block[b].group =
			(holder - rank + n_rank) % n_rank * n_group / n_rank;
	}
}

/* A block that completes no tile comes last, whatever its group. */
static bool
is_before(const struct block *a, const struct block *b)
{
	if (!a->gain != !b->gain)
		return a->gain;
	return a->group != b->group ? a->group < b->group : a->gain > b->gain;
}

/* Determine when each block comes: in its group, the one that completes the
 * most tiles is first. */
static void
set_turns(struct order *o, const struct vs_path_order *of,
	const struct vs_plan *plan, int rank)
{
	int32_t left = o->n_block;

	for (int32_t b = 0; b < o->n_block; b++)
		if (vs_path_order_has(of, plan, rank, o->block[b].number)) {
			come(o, b, 0);
			left--;
		}
	for (int32_t turn = 1; left; turn++, left--) {
		int32_t best = -1;

		for (int32_t b = 0; b < o->n_block; b++)
			if (o->block[b].turn < 0 &&
				(best < 0 ||
					is_before(&o->block[b],
						&o->block[best])))
				best = b;
		come(o, best, turn);
	}
}

static int32_t
turn_of(const struct order *o, size_t k)
{
	const int32_t a = o->block[o->tile[k][0]].turn,
		      b = o->block[o->tile[k][1]].turn;

	return a > b ? a : b;
}

/* Sort by turns; tiles of one turn keep their order. */
static int
sort_tiles(struct order *o, int32_t (*tile)[2])
{
	const size_t n_turn = (size_t)o->n_block + 2;
	int code = vs_mem_new(&o->count, n_turn, sizeof(*o->count),
		"order of tiles");

	VS_MEM_ROOM(&code, o->sorted, o->n, "order of tiles");
	if (code)
		return code;
	for (size_t k = 0; k < o->n; k++)
		o->count[turn_of(o, k) + 1]++;
	for (size_t t = 1; t < n_turn; t++)
		o->count[t] += o->count[t - 1];
	for (size_t k = 0; k < o->n; k++)
		memcpy(o->sorted[o->count[turn_of(o, k)]++], tile[k],
			sizeof(*tile));
	memcpy(tile, o->sorted, o->n * sizeof(*tile));
	return 0;
}

int
vs_path_order(const struct vs_path_order *of, const struct vs_plan *plan,
	int rank, int32_t (*tile)[2], size_t n)
{
	struct order o = { .n = n };
	int code = 0;

	if (!of->most || !n)
		return 0;
	code = find_blocks(&o, plan, tile);
	if (!code && o.n_block <= of->most) {
		code = list_tiles(&o, tile);
		if (!code)
			set_groups(&o, of, plan, rank);
		if (!code)
			set_turns(&o, of, plan, rank);
		if (!code)
			code = sort_tiles(&o, tile);
	}
	free(o.sorted);
	free(o.count);
	free(o.list);
	free(o.tile);
	free(o.block);
	free(o.of);
	return code;
}
