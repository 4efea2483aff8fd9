/* SPDX-License-Identifier: BSD-3-Clause */
/* Path through the tiles of pairs within chromosomes. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rising.h"
#include "libcore/plan/chromosome_path.h"
#include "libcore/plan/golden_stride.h"
#include "libcore/plan/plan.h"

#define BITS 21 /* of strip, column and row in a key */

/* The tiles of a chromosome. */
struct part {
	uint64_t lo, hi;         /* its vectors */
	int64_t first, end, col; /* blocks: rows [first, end), columns to col */
	int64_t stride, inverse; /* of its blocks, see struct vs_plan */
	int64_t height, strip;   /* rows of a strip; number of the first one */
	int64_t place;           /* of its first row and column */
};

struct vs_chromosome_path {
	uint64_t n_vec;
	int64_t tile, n_block;
	int32_t *of;        /* of each block: the part that has its tiles */
	uint64_t *diagonal; /* weight of each block's tile with itself */
	struct part *part;
	size_t n_part;
	int64_t n_place;
};

/* Vectors [lo, hi) of block b. */
static void
rows_of(const struct vs_chromosome_path *p, int64_t b, uint64_t *lo,
	uint64_t *hi)
{
	*lo = (uint64_t)(b * p->tile);
	*hi = *lo + (uint64_t)p->tile;
	*hi = *hi < p->n_vec ? *hi : p->n_vec;
}

static int64_t
size_of(const struct part *t)
{
	return t->col - t->first;
}

/* ---- making ---- */

/* Add block b to the last part, or begin one. */
static int
add_block(struct vs_chromosome_path *p, const struct vs_chromosomes *of,
	int64_t b, size_t *room)
{
	uint64_t lo, hi, k;
	struct part *last = p->n_part ? &p->part[p->n_part - 1] : NULL;
	int code = 0;

	rows_of(p, b, &lo, &hi);
	k = vs_chromosomes_of(of, hi - 1);
	if (!last || (uint64_t)of->first[k] != last->lo) {
		code = vs_mem_grow(&p->part, room, p->n_part + 1,
			sizeof(*p->part), "chromosomes");
		if (code)
			return code;
		last = &p->part[p->n_part++];
		*last = (struct part){ .first = b };
		vs_chromosomes_rows(of, k, p->n_vec, &last->lo, &last->hi);
		last->col = (int64_t)(last->hi - 1) / p->tile + 1;
	}
	last->end = b + 1;
	p->of[b] = (int32_t)(p->n_part - 1);
	p->diagonal[b] = 1 + vs_chromosomes_pairs(of, lo, hi);
	return 0;
}

/* Tiles of a part: its first rows are a triangle, the last column may be that
 * of a block of the next part. */
static double
tiles_of(const struct part *t)
{
	const double rows = (double)(t->end - t->first);

	return rows * (rows + 1) / 2 + (double)(t->col - t->end) * rows;
}

static int
set_strips(struct vs_chromosome_path *p, int64_t n_share, int64_t most)
{
	double tiles = 0;
	int64_t rows, strip = 0;

	for (size_t k = 0; k < p->n_part; k++)
		tiles += tiles_of(&p->part[k]);
	rows = (int64_t)sqrt(tiles / (double)n_share);
	rows = rows < most ? rows : most;
	for (size_t k = 0; k < p->n_part; k++) {
		struct part *t = &p->part[k];
		const int64_t n = size_of(t);

		vs_golden_stride(n, &t->stride, &t->inverse);
		t->height = rows < 1 ? 1 : rows < n ? rows : n;
		t->strip = strip;
		t->place = p->n_place;
		strip += (n + t->height - 1) / t->height;
		p->n_place += n;
	}
	if (p->n_place + p->n_block > VS_PLAN_MOST_KEYS)
		return vs_fail(VS_EINPUT,
			"%lld blocks of vectors are too many for stages: "
			"larger tiles make fewer",
			(long long)p->n_block);
	return 0;
}

int
vs_chromosome_path_new(struct vs_chromosome_path **out, uint64_t n_vec,
	int64_t tile, const struct vs_chromosomes *of, int64_t n_share,
	int64_t most)
{
	struct vs_chromosome_path *p = NULL;
	size_t n_block, room = 0;
	int code = vs_mem_new(&p, 1, sizeof(*p), "tiles of chromosomes");

	if (code)
		return code;
	n_block = (size_t)((n_vec + (uint64_t)tile - 1) / (uint64_t)tile);
	p->n_vec = n_vec;
	p->tile = tile;
	p->n_block = (int64_t)n_block;
	code = vs_mem_room(&p->of, n_block, sizeof(*p->of),
		"tiles of chromosomes");
	if (!code)
		code = vs_mem_room(&p->diagonal, n_block, sizeof(*p->diagonal),
			"tiles of chromosomes");
	for (int64_t b = 0; b < p->n_block && !code; b++)
		code = add_block(p, of, b, &room);
	if (!code)
		code = set_strips(p, n_share, most);
	if (code)
		vs_chromosome_path_free(p);
	else
		*out = p;
	return code;
}

void
vs_chromosome_path_free(struct vs_chromosome_path *p)
{
	if (!p)
		return;
	free(p->part);
	free(p->diagonal);
	free(p->of);
	free(p);
}

/* ---- keys ---- */

static int64_t
place_of(const struct part *t, int64_t b)
{
	return (b - t->first) * t->stride % size_of(t);
}

static int64_t
block_at(const struct part *t, int64_t place)
{
	return t->first + place * t->inverse % size_of(t);
}

static uint64_t
join(int64_t strip, int64_t col, int64_t row)
{
	return (uint64_t)strip << 2 * BITS | (uint64_t)col << BITS |
		(uint64_t)row;
}

uint64_t
vs_chromosome_path_key(const struct vs_chromosome_path *p, int64_t bi,
	int64_t bj)
{
	const struct part *t = &p->part[p->of[bi]];
	int64_t row = place_of(t, bi), col;

	if (bj >= t->col)
		return join(t->strip + row / t->height, p->n_place + bj,
			t->place + row);
	col = place_of(t, bj);
	if (col < row) {
		const int64_t other = row;

		row = col;
		col = other;
	}
	return join(t->strip + row / t->height, t->place + col, t->place + row);
}

/* The part of a row. */
static const struct part *
part_of(const struct vs_chromosome_path *p, int64_t place)
{
	return &p->part[vs_rising_last((const uint64_t *)&p->part->place,
		sizeof(*p->part), p->n_part, (uint64_t)place)];
}

void
vs_chromosome_path_tile(const struct vs_chromosome_path *p, uint64_t key,
	int64_t *bi, int64_t *bj)
{
	const int64_t mask = ((int64_t)1 << BITS) - 1;
	const int64_t row = (int64_t)key & mask,
		      col = (int64_t)(key >> BITS) & mask;
	const struct part *t = part_of(p, row);
	const int64_t a = block_at(t, row - t->place),
		      b = col < p->n_place ? block_at(t, col - t->place)
					   : col - p->n_place;

	*bi = a < b ? a : b;
	*bj = a < b ? b : a;
}

/* Vectors of block b that are of a part. */
static uint64_t
count(const struct vs_chromosome_path *p, const struct part *t, int64_t b)
{
	uint64_t lo, hi;

	rows_of(p, b, &lo, &hi);
	lo = lo > t->lo ? lo : t->lo;
	hi = hi < t->hi ? hi : t->hi;
	return hi - lo;
}

uint64_t
vs_chromosome_path_weight(const struct vs_chromosome_path *p, int64_t bi,
	int64_t bj)
{
	const struct part *t = &p->part[p->of[bi]];

	if (bj >= t->col)
		return 0;
	return bi == bj ? p->diagonal[bi]
			: 1 + count(p, t, bi) * count(p, t, bj);
}

/* ---- shares ---- */

static uint64_t
weight_at(const struct vs_chromosome_path *p, uint64_t key)
{
	int64_t bi, bj;

	vs_chromosome_path_tile(p, key, &bi, &bj);
	return vs_chromosome_path_weight(p, bi, bj);
}

void
vs_chromosome_path_cut(const struct vs_chromosome_path *p, const uint64_t *key,
	uint64_t n, int n_share, uint64_t *cut)
{
	unsigned __int128 before = 0, all = 0;
	int next = 1;

	for (uint64_t x = 0; x < n; x++)
		all += weight_at(p, key[x]);
	cut[0] = 0;
	for (uint64_t x = 0; x < n && all; x++) {
		const uint64_t w = weight_at(p, key[x]);
		/* where its middle is; without pairs it stays with the tile
		 * before it */
		const int share =
			(int)((2 * before + w) * (unsigned)n_share / (2 * all));

		while (w && next <= share)
			cut[next++] = x;
		before += w;
	}
	while (next <= n_share)
		cut[next++] = n;
}
