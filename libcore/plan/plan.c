/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-circulant work distribution of pairs over ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/rising.h"
#include "libcore/plan/chromosome_path.h"
#include "libcore/plan/golden_stride.h"
#include "libcore/plan/plan.h"

#define LEAST_TILE 32
#define LEAST_DEALT 256        /* smaller blocks cost more than balance saves */
#define BLOCKS_A_RANK 2        /* blocks per rank: an even count balances */
#define TILES_A_RANK 24        /* of several: the last block is soon done */
#define MOST_BLOCKS 999        /* blocks that may be cut in halves */
#define SHARE 200              /* tiles per rank: half a percent apart */
#define LIMIT_VEC (1ull << 32) /* pairs are numbered below 2^63 */

int64_t
vs_plan_tile(uint64_t n_vec, int n_rank, double most_pairs, int rounds)
{
	double n_block = ceil((double)n_vec / fmax(floor(sqrt(most_pairs)), 1));
	/* all ranks own equally many blocks, an even number for even n_rank */
	double turn = n_rank % 2 ? n_rank : 2.0 * n_rank, tile;

	double dealt = fmax(rounds, ceil(sqrt(2.0 * TILES_A_RANK / n_rank)));

	if (n_rank > 1)
		n_block = fmax(n_block,
			fmin((double)n_vec / LEAST_DEALT, dealt * n_rank));
	n_block = fmin(n_block, MOST_BLOCKS);
	if (n_rank > 1)
		n_block = fmax(ceil(n_block / turn) * turn,
			BLOCKS_A_RANK * (double)n_rank);
	tile = ceil((double)n_vec / fmax(n_block, 1));
	return tile < LEAST_TILE ? LEAST_TILE : (int64_t)tile;
}

static int64_t
blocks(uint64_t n_vec, int64_t tile)
{
	return (int64_t)((n_vec + (uint64_t)tile - 1) / (uint64_t)tile);
}

/* Blocks for all pairs of some vectors. */
static int64_t
path_tile(uint64_t n_vec, int n_rank, double most_pairs)
{
	double n_block = ceil((double)n_vec / fmax(floor(sqrt(most_pairs)), 1));
	double tile;

	n_block = fmax(n_block, ceil(sqrt(2.0 * SHARE * n_rank)));
	n_block = fmin(n_block, VS_PLAN_MOST_BLOCKS);
	tile = ceil((double)n_vec / fmax(n_block, 1));
	return tile < LEAST_TILE ? LEAST_TILE : (int64_t)tile;
}

static uint64_t
tiles_of(const struct vs_between *of, int64_t tile)
{
	struct vs_plan p;

	return vs_plan_between(&p, of, 1, tile) ? 0 : vs_plan_n_tile(&p);
}

int64_t
vs_plan_path_tile(const struct vs_between *of, int n_rank, double most_pairs)
{
	const uint64_t rows =
		of->n_first > of->n_both ? of->n_first : of->n_both;
	const double pairs = (double)(of->n_first + of->n_both) *
		(double)(of->n_both + of->n_second);
	double n_tile = fmax((double)SHARE * n_rank, pairs / most_pairs), edge;
	int64_t tile, n;

	if (!of->n_first && !of->n_second)
		return path_tile(of->n_both, n_rank, most_pairs);
	edge = sqrt(pairs / fmin(n_tile, VS_PLAN_MOST_TILES));
	tile = edge < 1 ? 1 : (int64_t)edge;
	while (tiles_of(of, tile) > VS_PLAN_MOST_TILES)
		tile += tile / 256 + 1;
	/* the short last block, if there are few, would be the short row of a
	 * share */
	n = blocks(rows, tile);
	return n ? (int64_t)((rows + (uint64_t)n - 1) / (uint64_t)n) : tile;
}

int
vs_plan_make(struct vs_plan *p, uint64_t n_vec, int n_rank, int64_t tile)
{
	return vs_plan_between(p, &(struct vs_between){ .n_both = n_vec },
		n_rank, tile);
}

int
vs_plan_between(struct vs_plan *p, const struct vs_between *of, int n_rank,
	int64_t tile)
{
	uint64_t n_vec = of->n_first + of->n_both + of->n_second + of->n_rest;

	if (n_vec >= LIMIT_VEC)
		return vs_fail(VS_EINPUT,
			"%llu vectors: pairs are numbered below 2^63, so fewer "
			"than %llu vectors fit a run",
			(unsigned long long)n_vec, LIMIT_VEC);
	p->n_vec = n_vec;
	p->of = *of;
	p->n_rank = n_rank;
	p->tile = tile;
	p->row_tiles = p->by_path = false;
	p->order = p->cut = NULL;
	p->within = NULL;
	p->n_order = 0;
	p->both = blocks(of->n_first, tile);
	p->second = p->both + blocks(of->n_both, tile);
	p->rest = p->second + blocks(of->n_second, tile);
	p->n_block = p->rest + blocks(of->n_rest, tile);
	p->column = of->triples ? 0 : p->both;
	/*
	 * if no vector is in one set only, these are all pairs of some vectors
	 */
	p->n_common = of->n_first || of->n_second ? p->second : 0;
	return 0;
}

/* The part that contains block b: its first block, and its vectors [lo, hi). */
static int64_t
part_of(const struct vs_plan *p, int64_t b, uint64_t *lo, uint64_t *hi)
{
	const uint64_t both = p->of.n_first, second = both + p->of.n_both,
		       rest = second + p->of.n_second;
	const uint64_t end[] = { both, second, rest, p->n_vec };
	const int64_t first[] = { 0, p->both, p->second, p->rest };
	const int k = (b >= p->both) + (b >= p->second) + (b >= p->rest);

	*lo = k ? end[k - 1] : 0;
	*hi = end[k];
	return first[k];
}

void
vs_plan_block(const struct vs_plan *p, int64_t b, uint64_t *lo, uint64_t *hi)
{
	uint64_t from, end;
	int64_t first = part_of(p, b, &from, &end);

	*lo = from + (uint64_t)((b - first) * p->tile);
	*hi = *lo + (uint64_t)p->tile;
	if (*lo > end)
		*lo = end;
	if (*hi > end)
		*hi = end;
}

int64_t
vs_plan_find(const struct vs_plan *p, uint64_t v)
{
	const uint64_t both = p->of.n_first, second = both + p->of.n_both,
		       rest = second + p->of.n_second;

	return v < both      ? (int64_t)v / p->tile
		: v < second ? p->both + (int64_t)(v - both) / p->tile
		: v < rest   ? p->second + (int64_t)(v - second) / p->tile
			     : p->rest + (int64_t)(v - rest) / p->tile;
}

int64_t
vs_plan_n_own(const struct vs_plan *p, int rank)
{
	return p->n_common +
		(p->n_block - p->n_common - rank + p->n_rank - 1) / p->n_rank;
}

uint64_t
vs_plan_place(const struct vs_plan *p, int64_t b)
{
	uint64_t lo, unused;

	vs_plan_block(p, b < p->n_common ? b : p->n_common, &lo, &unused);
	/* all distributed blocks but the last are full */
	if (b >= p->n_common)
		lo += (uint64_t)((b - p->n_common) / p->n_rank * p->tile);
	return lo;
}

uint64_t
vs_plan_held(const struct vs_plan *p, int rank)
{
	int64_t n = vs_plan_n_own(p, rank);
	uint64_t lo, hi;

	if (!n)
		return 0;
	n = vs_plan_own(p, rank, n - 1);
	vs_plan_block(p, n, &lo, &hi);
	return vs_plan_place(p, n) + hi - lo;
}

uint64_t
vs_plan_most(const struct vs_plan *p)
{
	/* rank 0 has a short last block and one more block than the others */
	return vs_plan_held(p, 0);
}

int
vs_plan_n_step(const struct vs_plan *p)
{
	return p->n_common || p->by_path ? 1 : p->n_rank / 2 + 1;
}

int
vs_plan_partner(const struct vs_plan *p, int rank, int step)
{
	return (rank + step) % p->n_rank;
}

bool
vs_plan_mine(const struct vs_plan *p, int rank, int step, int64_t a, int64_t b)
{
	if (a < b ? !vs_plan_has(p, a, b) : !vs_plan_has(p, b, a))
		return false;
	/*
	 * tiles of common blocks are spread over the ranks; the arguments are
	 * swapped so that this is independent of how tiles of triples go to
	 * stages
	 */
	if (p->n_common)
		return a <= b &&
			(b >= p->n_common ||
				vs_plan_spread(b, a, p->n_rank) == rank);
	if (!step)
		return a <= b;
	if (2 * step < p->n_rank)
		return true;
	return ((a / p->n_rank + b / p->n_rank) & 1) ==
		(rank > vs_plan_partner(p, rank, step));
}

/* ---- shares of a path through all tiles ---- */

/* The part of block b, 0 to 2: its first block and its number of blocks. */
static int
path_part(const struct vs_plan *p, int64_t b, int64_t *first, int64_t *n)
{
	const int64_t start[] = { 0, p->both, p->second, p->rest };
	const int k = (b >= p->both) + (b >= p->second);

	*first = start[k];
	*n = start[k + 1] - start[k];
	return k;
}

void
vs_plan_by_path(struct vs_plan *p, int64_t most)
{
	const int64_t end[] = { 0, p->both, p->second, p->rest };
	int64_t height = (int64_t)sqrt((double)vs_plan_n_tile(p) / p->n_rank);

	height = height < most ? height : most;
	p->by_path = vs_plan_n_tile(p) > 0;
	for (int k = 0; k < 3; k++)
		vs_golden_stride(end[k + 1] - end[k], &p->stride[k],
			&p->inverse[k]);
	for (int k = 0; k < 2; k++) {
		const int64_t n = end[k + 1] - end[k];
		int64_t strip = height < 1 ? 1 : height > n ? n : height;

		/* between two sets, all strips of a part are about equally
		 * high */
		if (strip && (p->both || p->rest > p->second)) {
			int64_t n_strip = (n + strip / 2) / strip;

			strip = n_strip < 2 ? n : (n + n_strip - 1) / n_strip;
		}
		p->strip[k] = strip;
	}
}

void
vs_plan_by_rows(struct vs_plan *p)
{
	p->by_path = vs_plan_n_tile(p) > 0;
	for (int k = 0; k < 3; k++)
		p->stride[k] = p->inverse[k] = 1;
	p->strip[0] = p->strip[1] = 1;
}

void
vs_plan_free(struct vs_plan *p)
{
	free(p->order);
	free(p->cut);
	vs_chromosome_path_free(p->within);
	p->order = p->cut = NULL;
	p->within = NULL;
	p->n_order = 0;
}

/* Number of tiles on the path. */
static uint64_t
path_length(const struct vs_plan *p)
{
	return p->order ? p->n_order : vs_plan_n_tile(p);
}

uint64_t
vs_plan_share(const struct vs_plan *p, int rank)
{
	if (p->cut)
		return p->cut[rank];
	return (uint64_t)((unsigned __int128)path_length(p) * (unsigned)rank /
		(unsigned)p->n_rank);
}

/* Number of tiles in rows before this one. */
static uint64_t
before(const struct vs_plan *p, int64_t row)
{
	const int64_t n = p->rest - p->both, i = row - p->both;

	return i <= 0 ? (uint64_t)(row * n)
		      : (uint64_t)(p->both * n + i * n - i * (i - 1) / 2);
}

/* Row and column of block b along the path. */
static int64_t
path_row(const struct vs_plan *p, int64_t b)
{
	int64_t first, n;
	int k = path_part(p, b, &first, &n);

	return first + (b - first) * p->stride[k] % n;
}

static int64_t
path_block(const struct vs_plan *p, int64_t row)
{
	int64_t first, n;
	int k = path_part(p, row, &first, &n);

	return first + (row - first) * p->inverse[k] % n;
}

/* Rows [lo, hi) of the strip of a row, and its first column. */
static void
strip_of(const struct vs_plan *p, int64_t row, int64_t *lo, int64_t *hi,
	int64_t *col)
{
	const int k = row >= p->both;
	const int64_t start = k ? p->both : 0, end = k ? p->second : p->both;

	*lo = start + (row - start) / p->strip[k] * p->strip[k];
	*hi = *lo + p->strip[k] < end ? *lo + p->strip[k] : end;
	*col = k ? *lo : p->both;
}

/* The place of the tile of two blocks, whichever comes first. */
static uint64_t
place_of(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	int64_t u = path_row(p, bi), w = path_row(p, bj), lo, hi, from;
	int64_t row = u < w ? u : w, col = u < w ? w : u;

	strip_of(p, row, &lo, &hi, &from);
	if (from < lo || from >= hi)
		return before(p, lo) +
			(uint64_t)((col - from) * (hi - lo) + row - lo);
	/* the first columns of the rows rise like stairs */
	if (col < hi)
		return before(p, lo) +
			(uint64_t)((col - lo) * (col - lo + 1) / 2 + row - lo);
	return before(p, lo) +
		(uint64_t)((hi - lo) * (hi - lo + 1) / 2 +
			(col - hi) * (hi - lo) + row - lo);
}

#define KEY_BITS 21 /* at most VS_PLAN_MOST_KEYS */

uint64_t
vs_plan_key(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	int64_t u, w;
	uint64_t row, col;

	if (p->within)
		return vs_chromosome_path_key(p->within, bi, bj);
	u = path_row(p, bi);
	w = path_row(p, bj);
	row = (uint64_t)(u < w ? u : w);
	col = (uint64_t)(u < w ? w : u);
	return row / (uint64_t)p->strip[0] << 2 * KEY_BITS | col << KEY_BITS |
		row;
}

void
vs_plan_sort_keys(uint64_t *key, uint64_t n)
{
	if (n)
		qsort(key, n, sizeof(*key), vs_rising_u64);
}

void
vs_plan_take_order(struct vs_plan *p, uint64_t *key, uint64_t n)
{
	vs_plan_sort_keys(key, n);
	p->order = key;
	p->n_order = n;
}

/* Find a key's place in the order; false: it is not there. */
static bool
find_key(const struct vs_plan *p, uint64_t key, uint64_t *place)
{
	const uint64_t *at =
		bsearch(&key, p->order, p->n_order, sizeof(key), vs_rising_u64);

	if (at)
		*place = (uint64_t)(at - p->order);
	return at;
}

/* The first row of the strip that contains the place. */
static int64_t
find_strip(const struct vs_plan *p, uint64_t place)
{
	const int k = place >= before(p, p->both);
	const int64_t start = k ? p->both : 0, end = k ? p->second : p->both;
	int64_t first = 0, last = (end - start - 1) / p->strip[k];

	while (first < last) {
		int64_t mid = (first + last + 1) / 2;

		if (before(p, start + mid * p->strip[k]) <= place)
			first = mid;
		else
			last = mid - 1;
	}
	return start + first * p->strip[k];
}

/* The tile at a place, by its row and column. */
static void
find(const struct vs_plan *p, uint64_t place, int64_t *row, int64_t *col)
{
	int64_t x, lo, hi, from, stairs;

	strip_of(p, find_strip(p, place), &lo, &hi, &from);
	x = (int64_t)(place - before(p, lo));
	stairs = from < lo || from >= hi ? 0 : (hi - lo) * (hi - lo + 1) / 2;
	if (x >= stairs) {
		*col = (stairs ? hi : from) + (x - stairs) / (hi - lo);
		*row = lo + (x - stairs) % (hi - lo);
		return;
	}
	for (*col = lo; x > *col - lo; ++*col)
		x -= *col - lo + 1;
	*row = lo + x;
}

void
vs_plan_along(const struct vs_plan *p, uint64_t place, int64_t *bi, int64_t *bj)
{
	const int64_t mask = VS_PLAN_MOST_KEYS - 1;
	int64_t row, col, a, b;

	if (p->within) {
		vs_chromosome_path_tile(p->within, p->order[place], bi, bj);
		return;
	}
	if (p->order) {
		row = (int64_t)p->order[place] & mask;
		col = (int64_t)(p->order[place] >> KEY_BITS) & mask;
	} else {
		find(p, place, &row, &col);
	}
	a = path_block(p, row);
	b = path_block(p, col);
	*bi = a < b ? a : b;
	*bj = a < b ? b : a;
}

bool
vs_plan_wants(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	return !p->within || vs_chromosome_path_weight(p->within, bi, bj);
}

int64_t
vs_plan_share_blocks(const struct vs_plan *p, int rank)
{
	/* a bit per block that is in some tile */
	uint64_t met[VS_PLAN_MOST_TILES / 64 + 1];
	uint64_t end = vs_plan_share(p, rank + 1);
	int64_t n = 0;

	if (p->n_block > VS_PLAN_MOST_TILES)
		return p->n_block;
	memset(met, 0, (size_t)(p->n_block / 64 + 1) * sizeof(*met));
	for (uint64_t x = vs_plan_share(p, rank); x < end; x++) {
		int64_t b[2];

		vs_plan_along(p, x, &b[0], &b[1]);
		for (int k = 0; k < 2 && vs_plan_wants(p, b[0], b[1]); k++)
			met[b[k] / 64] |= (uint64_t)1 << b[k] % 64;
	}
	for (int64_t k = 0; k <= p->n_block / 64; k++)
		n += __builtin_popcountll(met[k]);
	return n;
}

uint64_t
vs_plan_n_read(const struct vs_plan *p, int rank)
{
	uint64_t n;

	if (!p->by_path)
		return vs_plan_most(p);
	n = (uint64_t)(vs_plan_share_blocks(p, rank) * p->tile);
	return n < p->n_vec ? n : p->n_vec;
}

/* The rank whose share has a place: the last rank whose share begins there or
 * before it. */
static int
rank_of(const struct vs_plan *p, uint64_t place)
{
	return (int)vs_rising_last(p->cut, sizeof(*p->cut), (size_t)p->n_rank,
		place);
}

static int
path_owner(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	uint64_t place;
	unsigned __int128 end;

	if (!p->order)
		place = place_of(p, bi, bj);
	else if (!find_key(p, vs_plan_key(p, bi, bj), &place))
		return -1;
	if (p->cut)
		return rank_of(p, place);
	/* the last rank whose share begins at the place or before it */
	end = (unsigned __int128)(place + 1) * (unsigned)p->n_rank - 1;
	return (int)(end / path_length(p));
}

static uint64_t
path_load(const struct vs_plan *p, int rank, const uint64_t *done)
{
	uint64_t end = vs_plan_share(p, rank + 1), pairs = 0, t;
	int64_t bi, bj;

	for (uint64_t x = vs_plan_share(p, rank); x < end; x++) {
		vs_plan_along(p, x, &bi, &bj);
		t = vs_plan_number(p, bi, bj);
		if (!vs_plan_is_done(done, t))
			pairs += vs_plan_pairs(p, bi, bj);
	}
	return pairs;
}

/* ---- owners and numbers ---- */

int
vs_plan_owner(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	int a, b, step;

	if (p->by_path)
		return path_owner(p, bi, bj);
	if (p->n_common)
		return bj < p->n_common ? vs_plan_spread(bj, bi, p->n_rank)
					: (int)((bj - p->n_common) % p->n_rank);
	a = (int)(bi % p->n_rank);
	b = (int)(bj % p->n_rank);
	step = (b - a + p->n_rank) % p->n_rank;
	if (2 * step > p->n_rank)
		return b;
	return vs_plan_mine(p, a, step, bi, bj) ? a : b;
}

bool
vs_plan_has(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	return 0 <= bi && bi <= bj && bj < p->rest && bi < p->second &&
		bj >= p->column && (!p->row_tiles || bi == bj);
}

uint64_t
vs_plan_number(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	uint64_t n = (uint64_t)(p->rest - p->column), i;

	if (p->row_tiles)
		return (uint64_t)bi;
	/* rows before which columns are incomplete */
	if (bi < p->column)
		return (uint64_t)bi * n + (uint64_t)(bj - p->column);
	/* later rows hold n, n - 1, ... tiles */
	i = (uint64_t)(bi - p->column);
	return (uint64_t)p->column * n + i * n - (i ? i * (i - 1) / 2 : 0) +
		(uint64_t)(bj - bi);
}

uint64_t
vs_plan_number_unordered(const struct vs_plan *p, int64_t a, int64_t b)
{
	return a < b ? vs_plan_number(p, a, b) : vs_plan_number(p, b, a);
}

void
vs_plan_tile_of(const struct vs_plan *p, uint64_t number, int64_t *bi,
	int64_t *bj)
{
	int64_t n = p->rest - p->column, lo = p->column, hi = p->second - 1;

	if (p->row_tiles) {
		*bi = *bj = (int64_t)number;
		return;
	}
	if (number < (uint64_t)(p->column * n)) {
		*bi = (int64_t)number / n;
		*bj = p->column + (int64_t)number % n;
		return;
	}
	while (lo < hi) {
		int64_t mid = (lo + hi + 1) / 2;

		if (vs_plan_number(p, mid, mid) <= number)
			lo = mid;
		else
			hi = mid - 1;
	}
	*bi = lo;
	*bj = lo + (int64_t)(number - vs_plan_number(p, lo, lo));
}

uint64_t
vs_plan_n_tile(const struct vs_plan *p)
{
	/* start of the next row */
	return vs_plan_number(p, p->second, p->second);
}

uint64_t
vs_plan_pairs(const struct vs_plan *p, int64_t bi, int64_t bj)
{
	uint64_t ilo, ihi, jlo, jhi;

	vs_plan_block(p, bi, &ilo, &ihi);
	vs_plan_block(p, bj, &jlo, &jhi);
	if (bi != bj)
		return (ihi - ilo) * (jhi - jlo);
	return ihi > ilo ? (ihi - ilo) * (ihi - ilo - 1) / 2 : 0;
}

static uint64_t
choose2(uint64_t n)
{
	return n % 2 ? n * ((n - 1) / 2) : n ? n / 2 * (n - 1) : 0;
}

uint64_t
vs_plan_n_pair(const struct vs_plan *p)
{
	const struct vs_between *of = &p->of;

	return of->n_first * (of->n_both + of->n_second) +
		of->n_both * of->n_second + choose2(of->n_both);
}

uint64_t
vs_plan_load(const struct vs_plan *p, int rank, const uint64_t *done)
{
	uint64_t pairs = 0;
	int64_t n = vs_plan_n_own(p, rank);

	if (p->by_path)
		return path_load(p, rank, done);
	for (int s = 0; s < vs_plan_n_step(p); s++) {
		int remote = vs_plan_partner(p, rank, s);
		int64_t n_remote = vs_plan_n_own(p, remote);

		for (int64_t x = 0; x < n * n_remote; x++) {
			int64_t a = vs_plan_own(p, rank, x / n_remote);
			int64_t b = vs_plan_own(p, remote, x % n_remote);
			int64_t lo = a < b ? a : b, hi = a < b ? b : a;
			uint64_t t = vs_plan_number(p, lo, hi);

			if (vs_plan_mine(p, rank, s, a, b) &&
				!vs_plan_is_done(done, t))
				pairs += vs_plan_pairs(p, lo, hi);
		}
	}
	return pairs;
}

/*
 * Additive recurrence (Kronecker sequence): the fractional parts of the
 * multiples of an irrational number are equidistributed, and so are those of
 * every m-th tile.
 */
int
vs_plan_spread(int64_t bi, int64_t bj, int n)
{
	/* fractional parts of the golden ratio and of the root of 2 */
	const uint64_t along[2] = { 0x9e3779b97f4a7c15u, 0x6a09e667f3bcc909u };
	uint64_t part = (uint64_t)bi * along[0] + (uint64_t)bj * along[1];

	return (int)((part >> 32) * (uint64_t)n >> 32);
}
