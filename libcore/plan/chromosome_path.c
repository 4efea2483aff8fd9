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

#define BITS 21 /* bits of strip, column and row in a key */

/* The tiles of a chromosome. */
struct part {
	uint64_t lo, hi;         /* its vectors */
	int64_t first, end, col; /* blocks: rows [first, end), columns to col */
	int64_t stride, inverse; /* of its blocks, see struct vs_plan */
	int64_t height, strip;   /* rows per strip; number of its first strip */
	int64_t place;           /* places of its first row and column */
};

struct vs_chromosome_path {
	uint64_t n_vec;
	int64_t tile, n_block;
	int32_t *of;        /* for each block, the part that has its tiles */
	uint64_t *diagonal; /* weight of each block's tile with itself */
	struct part *part;
	size_t n_part;
	int64_t n_place;
	/* between two sets: the plan of their blocks and, for each part of it,
	 * where the vectors of each chromosome begin, [3][n + 1]; or null */
	struct vs_plan plan;
	uint64_t n_chromosome, *start;
	/* blocks sorted by their last vectors' chromosomes, as columns and, if
	 * they are rows, as rows; and the places of each block */
	int64_t *col, *row, *col_of, *row_of;
	int64_t *strip; /* for each row */
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

/* Add block b to the last part, or begin a new part. */
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

/* Number of tiles of a part: its first rows form a triangle; the last column
 * may be a block of the next part. */
static double
tiles_of(const struct part *t)
{
	const double rows = (double)(t->end - t->first);

	return rows * (rows + 1) / 2 + (double)(t->col - t->end) * rows;
}

static int
too_many(int64_t n_block)
{
	return vs_fail(VS_EINPUT,
		"%lld blocks of vectors are too many for stages: larger tiles "
		"make fewer",
		(long long)n_block);
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
	return p->n_place + p->n_block > VS_PLAN_MOST_KEYS
		? too_many(p->n_block)
		: 0;
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
	VS_MEM_ROOM(&code, p->diagonal, n_block, "tiles of chromosomes");
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

/* ---- between two sets ---- */

/* The part of the plan with block b, and the block's vectors [lo, hi). */
static int
rows_of_part(const struct vs_chromosome_path *p, int64_t b, uint64_t *lo,
	uint64_t *hi)
{
	const struct vs_plan *plan = &p->plan;
	const int part = (b >= plan->both) + (b >= plan->second);
	const int64_t first[] = { 0, plan->both, plan->second };
	const uint64_t both = plan->of.n_first, second = both + plan->of.n_both,
		       begin[] = { 0, both, second,
			       second + plan->of.n_second };

	*lo = begin[part] + (uint64_t)((b - first[part]) * plan->tile);
	*hi = *lo + (uint64_t)plan->tile;
	*hi = *hi < begin[part + 1] ? *hi : begin[part + 1];
	return part;
}

static void
find_starts(struct vs_chromosome_path *p, const struct vs_chromosomes *of,
	const int64_t *row)
{
	const struct vs_between *b = &p->plan.of;
	const uint64_t size[3] = { b->n_first, b->n_both, b->n_second };
	uint64_t v = 0;

	for (int k = 0; k < 3; k++) {
		uint64_t *start = p->start + (uint64_t)k * (of->n + 1), c = 0;

		for (uint64_t end = v + size[k]; v < end; v++)
			for (; c <= vs_chromosomes_of(of, (uint64_t)row[v]);
				c++)
				start[c] = v;
		for (; c <= of->n; c++)
			start[c] = v;
	}
}

/* The vectors of block b, and where the chromosomes of its part begin. */
struct block {
	uint64_t lo, hi;
	const uint64_t *start;
};

static struct block
block_of(const struct vs_chromosome_path *p, int64_t b)
{
	struct block x;

	x.start = p->start +
		(uint64_t)rows_of_part(p, b, &x.lo, &x.hi) *
			(p->n_chromosome + 1);
	return x;
}

/* The vectors of the block on chromosome c. */
static uint64_t
count_of(const struct block *x, uint64_t c)
{
	const uint64_t lo = x->start[c] > x->lo ? x->start[c] : x->lo,
		       hi = x->start[c + 1] < x->hi ? x->start[c + 1] : x->hi;

	return hi > lo ? hi - lo : 0;
}

static uint64_t
weight_between(const struct vs_chromosome_path *p, int64_t bi, int64_t bj)
{
	const struct block i = block_of(p, bi), j = block_of(p, bj);
	uint64_t c = vs_rising_last(i.start, sizeof(*i.start), p->n_chromosome,
		i.lo);
	uint64_t n = 0;
	bool some = false;

	for (; c < p->n_chromosome && i.start[c] < i.hi; c++) {
		const uint64_t a = count_of(&i, c), b = count_of(&j, c);

		some |= a && b;
		n += bi != bj ? a * b : a ? a * (a - 1) / 2 : 0;
	}
	return some ? 1 + n : 0;
}

/* The chromosome of a block's last vector. */
static uint64_t
last_of(const struct vs_chromosome_path *p, const struct vs_chromosomes *of,
	const int64_t *row, int64_t b)
{
	uint64_t lo, hi;

	rows_of_part(p, b, &lo, &hi);
	return vs_chromosomes_of(of, (uint64_t)row[hi - 1]);
}

/* Rows per strip that make shares nearly square. */
static int64_t
height_between(const struct vs_chromosome_path *p, int64_t n_share,
	int64_t most)
{
	const struct vs_plan *plan = &p->plan;
	int64_t n = 0;

	for (int64_t bi = 0; bi < plan->second; bi++)
		for (int64_t bj = plan->column > bi ? plan->column : bi;
			bj < plan->rest; bj++)
			n += weight_between(p, bi, bj) > 0;
	n = (int64_t)sqrt((double)n / (double)n_share);
	n = n < most ? n : most;
	return n < 1 ? 1 : n;
}

/* Cut the rows of each chromosome into strips of about that height; all are
 * about equal, since a low last strip would have all columns. */
static int
cut_rows(struct vs_chromosome_path *p, const struct vs_chromosomes *of,
	const int64_t *row, int64_t height)
{
	const int64_t n = p->plan.second;
	int64_t strip = 0;
	int code = vs_mem_room(&p->strip, (size_t)n + 1, sizeof(*p->strip),
		"tiles of chromosomes");

	for (int64_t lo = 0, hi; lo < n && !code; lo = hi) {
		const uint64_t c = last_of(p, of, row, p->row[lo]);
		int64_t size, m, h;

		for (hi = lo; hi < n && last_of(p, of, row, p->row[hi]) == c;)
			hi++;
		size = hi - lo;
		m = (size + height / 2) / height;
		h = m < 2 ? size : (size + m - 1) / m;
		for (int64_t k = 0; k < size; k++)
			p->strip[lo + k] = strip + k / h;
		strip += (size + h - 1) / h;
	}
	return code;
}

/* Order the blocks below n by the chromosome of their last vector. */
static int
order_blocks(const struct vs_chromosome_path *p,
	const struct vs_chromosomes *of, const int64_t *row, int64_t n,
	int64_t **out, int64_t **place)
{
	uint64_t *key = NULL;
	int code = vs_mem_new(&key, (size_t)n + 1, sizeof(*key),
		"tiles of chromosomes");

	VS_MEM_NEW(&code, *out, (size_t)n + 1, "tiles of chromosomes");
	VS_MEM_NEW(&code, *place, (size_t)n + 1, "tiles of chromosomes");
	for (int64_t b = 0; b < n && !code; b++)
		key[b] = last_of(p, of, row, b) << BITS | (uint64_t)b;
	if (!code)
		qsort(key, (size_t)n, sizeof(*key), vs_rising_u64);
	for (int64_t k = 0; k < n && !code; k++) {
		(*out)[k] = (int64_t)(key[k] & (((uint64_t)1 << BITS) - 1));
		(*place)[(*out)[k]] = k;
	}
	free(key);
	return code;
}

int
vs_chromosome_path_between(struct vs_chromosome_path **out,
	const struct vs_plan *plan, const struct vs_chromosomes *of,
	const int64_t *row, int64_t n_share, int64_t most)
{
	struct vs_chromosome_path *p = NULL;
	int code;

	if (plan->n_block > VS_PLAN_MOST_KEYS)
		return too_many(plan->n_block);
	code = vs_mem_new(&p, 1, sizeof(*p), "tiles of chromosomes");
	if (code)
		return code;
	p->plan = *plan;
	p->plan.order = p->plan.cut = NULL;
	p->plan.within = NULL;
	p->n_chromosome = of->n;
	code = vs_mem_room(&p->start, 3 * (of->n + 1), sizeof(*p->start),
		"tiles of chromosomes");
	if (!code)
		code = order_blocks(p, of, row, plan->rest, &p->col,
			&p->col_of);
	if (!code)
		code = order_blocks(p, of, row, plan->second, &p->row,
			&p->row_of);
	if (!code) {
		find_starts(p, of, row);
		code = cut_rows(p, of, row, height_between(p, n_share, most));
	}
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
	free(p->start);
	free(p->col);
	free(p->row);
	free(p->col_of);
	free(p->row_of);
	free(p->strip);
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
	const struct part *t;
	int64_t row, col;

	if (p->start)
		return join(p->strip[p->row_of[bi]], p->col_of[bj],
			p->row_of[bi]);
	t = &p->part[p->of[bi]];
	row = place_of(t, bi);
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

/* The part that a row is in. */
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
	const struct part *t;
	int64_t a, b;

	if (p->start) {
		*bi = p->row[row];
		*bj = p->col[col];
		return;
	}
	t = part_of(p, row);
	a = block_at(t, row - t->place);
	b = col < p->n_place ? block_at(t, col - t->place) : col - p->n_place;
	*bi = a < b ? a : b;
	*bj = a < b ? b : a;
}

/* Vectors of block b that belong to a part. */
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
	const struct part *t;

	if (p->start)
		return weight_between(p, bi, bj);
	t = &p->part[p->of[bi]];
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
		/* a tile belongs to the share of its middle; without pairs, to
		 * that of the tile before it */
		const int share =
			(int)((2 * before + w) * (unsigned)n_share / (2 * all));

		while (w && next <= share)
			cut[next++] = x;
		before += w;
	}
	while (next <= n_share)
		cut[next++] = n;
}
