/* SPDX-License-Identifier: BSD-3-Clause */
/* Work distribution of triples over ranks. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/record.h"
#include "libcore/plan/cube.h"

#define CELLS 8
#define TILE 1024        /* with few vectors, enough columns for a kernel */
#define BLOCKS 16        /* blocks per rank; for R ranks per square root of R */
#define MOST_BLOCKS 1024 /* half a million tiles can be listed in a file */
#define MOST_ROWS (1 << 19)

static uint64_t
choose2(uint64_t n)
{
	return n < 2 ? 0 : n * (n - 1) / 2;
}

/*
 * The product may exceed 64 bits, the quotient for n <= VS_CUBE_MOST does not.
 */
static uint64_t
choose3(uint64_t n)
{
	return n < 3 ? 0
		     : (uint64_t)((unsigned __int128)choose2(n) * (n - 2) / 3);
}

/*
 * True if the values of every tile fit 63 bits; the first tiles have most
 * triples.
 */
static bool
fits(const struct vs_between *of, uint64_t tile)
{
	const uint64_t n_vec =
		of->n_first + of->n_both + of->n_second + of->n_rest;
	const uint64_t t = tile < n_vec ? tile : n_vec;
	const unsigned __int128 limit = ((unsigned __int128)1 << 63) / CELLS;
	unsigned __int128 own =
		(unsigned __int128)choose2(t) * (n_vec - t) + choose3(t);
	unsigned __int128 other = of->n_second || of->n_rest
		? (unsigned __int128)t * t * n_vec
		: 2 * t < n_vec ? (unsigned __int128)t * t * (n_vec - 2 * t)
				: 0;

	return own < limit && other < limit;
}

int
vs_cube_between(struct vs_plan *p, const struct vs_between *of, int n_rank,
	int64_t tile)
{
	const uint64_t n_vec =
		of->n_first + of->n_both + of->n_second + of->n_rest;
	double n_block = ceil((double)n_vec / TILE);
	double least = n_rank > 1 ? ceil(BLOCKS * sqrt(n_rank)) : 1;

	if (n_vec > VS_CUBE_MOST)
		return vs_fail(VS_EINPUT,
			"%llu vectors: triples are numbered below 2^64, so no "
			"more than %d vectors fit a run",
			(unsigned long long)n_vec, VS_CUBE_MOST);
	n_block = fmin(fmax(n_block, least), MOST_BLOCKS);
	if (!tile)
		tile = (int64_t)ceil((double)n_vec / n_block);
	if (tile && !fits(of, (uint64_t)tile))
		return vs_fail(VS_EINPUT,
			"%llu vectors: values of a tile are numbered below "
			"2^63: tiles of %lld vectors are too large, smaller "
			"ones fit",
			(unsigned long long)n_vec, (long long)tile);
	return vs_plan_between(p, of, n_rank, tile ? tile : 1);
}

int
vs_cube_retile(struct vs_plan *p, int64_t tile)
{
	const struct vs_between of = p->of;

	return vs_plan_between(p, &of, p->n_rank, tile);
}

int
vs_cube_row_tiles(struct vs_plan *p, int64_t grain)
{
	int64_t least = (int64_t)(p->n_vec / MOST_ROWS) + 1;
	int64_t tile = (least + grain - 1) / grain * grain;
	int code = vs_plan_make(p, p->n_vec, p->n_rank,
		tile < p->tile ? tile : p->tile);

	p->row_tiles = !code;
	return code;
}

uint64_t
vs_cube_tile_of(const struct vs_plan *p, uint64_t i, uint64_t j, uint64_t k)
{
	int64_t bi = vs_plan_find(p, i), bj = vs_plan_find(p, j);

	if (k == VS_NO_VEC)
		return vs_plan_number_unordered(p, bi, bj);
	if (p->row_tiles)
		bj = bi;
	else if (!vs_cube_by_first_two(p) && vs_plan_find(p, k) == bj)
		bi = bj;
	return vs_plan_number(p, bi, bj);
}

void
vs_cube_thirds(const struct vs_plan *p, int64_t bj, uint64_t *lo, uint64_t *hi)
{
	vs_plan_block(p, bj, lo, hi);
	*hi = p->n_vec;
	/* with only two of the first set, the third is of the second */
	if (bj < p->both) {
		*lo = p->of.n_first;
		*hi = p->n_vec - p->of.n_rest;
	}
}

uint64_t
vs_cube_triples(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	uint64_t lo, hi, other_lo, other_hi;

	vs_plan_block(p, bi, &lo, &hi);
	if (p->row_tiles)
		return choose3(p->n_vec - lo) - choose3(p->n_vec - hi);
	if (vs_cube_by_first_two(p) && bj < p->both) {
		vs_cube_thirds(p, bj, &other_lo, &other_hi);
		return vs_plan_pairs(p, bi, bj) * (other_hi - other_lo);
	}
	if (bi == bj && vs_cube_by_first_two(p))
		return choose2(hi - lo) * (p->n_vec - hi) + choose3(hi - lo);
	if (bi == bj)
		return choose2(hi - lo) * (p->n_vec - (hi - lo)) +
			choose3(hi - lo);
	vs_plan_block(p, bj, &other_lo, &other_hi);
	if (vs_cube_by_first_two(p))
		return (hi - lo) *
			(choose2(p->n_vec - other_lo) -
				choose2(p->n_vec - other_hi));
	return (hi - lo) * (other_hi - other_lo) * (p->n_vec - other_hi);
}

uint64_t
vs_cube_n_triple(const struct vs_plan *p)
{
	return vs_cube_triples_of(&p->of);
}

uint64_t
vs_cube_triples_of(const struct vs_between *of)
{
	const uint64_t second = of->n_both + of->n_second,
		       behind = second + of->n_rest;

	/* by the first vector: it is of the first set only, with or without
	 * another of that set, or of both sets */
	return choose2(of->n_first) * second +
		of->n_first * (choose2(behind) - choose2(of->n_rest)) +
		choose3(behind) - choose3(behind - of->n_both) -
		of->n_both * choose2(of->n_rest);
}

/* ---- dealing ---- */

struct tile {
	uint64_t cost, number;
};

static int
by_cost(const void *a, const void *b)
{
	const struct tile *x = a, *y = b;

	return x->cost != y->cost
		? x->cost < y->cost ? 1 : -1
		: (x->number > y->number) - (x->number < y->number);
}

/* Work assigned to a rank; min-heap by cost, then rank. */
struct share {
	uint64_t cost;
	int32_t rank;
};

static int
less(const struct share *a, const struct share *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->rank < b->rank;
}

/* Restore the heap of n after its top increased. */
static void
sift_down(struct share *heap, size_t n)
{
	size_t at = 0;

	for (;;) {
		size_t down = 2 * at + 1;
		struct share t = heap[at];

		if (down + 1 < n && less(&heap[down + 1], &heap[down]))
			down++;
		if (down >= n || !less(&heap[down], &t))
			return;
		heap[at] = heap[down];
		heap[down] = t;
		at = down;
	}
}

int
vs_cube_deal(int n_rank, uint64_t n, const uint64_t *cost, int32_t *owner)
{
	struct tile *tile = NULL;
	struct share *heap = NULL;
	int code = vs_mem_room(&tile, n, sizeof(*tile), "list of tiles");

	VS_MEM_NEW(&code, heap, (size_t)n_rank, "shares of ranks");
	if (code)
		goto out;
	for (uint64_t t = 0; t < n; t++)
		tile[t] = (struct tile){ cost[t], t };
	for (int r = 0; r < n_rank; r++)
		heap[r].rank = r;
	qsort(tile, n, sizeof(*tile), by_cost);
	for (uint64_t t = 0; t < n; t++) {
		owner[tile[t].number] = heap[0].rank;
		heap[0].cost += tile[t].cost;
		sift_down(heap, (size_t)n_rank);
	}
out:
	free(tile);
	free(heap);
	return code;
}
