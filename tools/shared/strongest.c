/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"
#include "tools/shared/names.h"
#include "tools/shared/strongest.h"

#define MORE 4096 /* records beyond n, or half of n, that wait to be sorted */

struct vs_strongest {
	struct vs_record *rec;
	size_t n, room, most;
	bool f32;
	double rising;
	struct vs_tile_done *tile; /* those taken, without records */
	size_t n_tile, room_tile;
};

int
vs_strongest_new(struct vs_strongest **out, uint64_t n, bool f32)
{
	struct vs_strongest *s = NULL;
	int code = vs_new(&s, 1, sizeof(*s), "strongest records");

	if (code)
		return code;
	s->most = (size_t)n;
	s->f32 = f32;
	s->rising = -INFINITY;
	*out = s;
	return 0;
}

void
vs_strongest_free(struct vs_strongest *s)
{
	if (!s)
		return;
	free(s->rec);
	free(s->tile);
	free(s);
}

double *
vs_strongest_rising(struct vs_strongest *s)
{
	return &s->rising;
}

static int
by_strength(const void *a, const void *b)
{
	const struct vs_record *x = a, *y = b;

	return x->value != y->value ? x->value > y->value ? -1 : 1
				    : vs_record_compare(x, y);
}

/*
 * Keep the strongest. A value below the weakest of them is out, an equal one
 * may come first; of values that are rounded to float one may be that is below
 * before.
 */
static void
settle(struct vs_strongest *s)
{
	double weakest;

	if (s->n)
		qsort(s->rec, s->n, sizeof(*s->rec), by_strength);
	if (s->n < s->most)
		return;
	s->n = s->most;
	weakest = s->rec[s->n - 1].value;
	weakest = s->f32 ? (double)nextafterf((float)weakest, -INFINITY)
			 : nextafter(weakest, -INFINITY);
	vs_question_raise(&s->rising, weakest);
}

int
vs_strongest_take(struct vs_strongest *s, const struct vs_tile_done *tile)
{
	size_t more = s->most / 2 < MORE ? MORE : s->most / 2;
	int code = vs_grow(&s->rec, &s->room, s->n + tile->n, sizeof(*s->rec),
		"strongest records");

	if (code)
		return code;
	for (size_t k = 0; k < tile->n; k++)
		if (tile->rec[k].value > s->rising)
			s->rec[s->n++] = tile->rec[k];
	if (s->n >= s->most + more || (s->n >= s->most && isinf(s->rising)))
		settle(s);
	if (!tile->last)
		return 0;
	code = vs_grow(&s->tile, &s->room_tile, s->n_tile + 1, sizeof(*s->tile),
		"list of tiles");
	if (code)
		return code;
	s->tile[s->n_tile++] = (struct vs_tile_done){ .bi = tile->bi,
		.bj = tile->bj,
		.last = true,
		.evaluated = tile->evaluated,
		.seconds = tile->seconds };
	return 0;
}

/* ---- over all ranks ---- */

/* What is compared, one after the other: the least is the strongest. */
#define N_KEY 5

static uint64_t
key(const struct vs_record *r, int which)
{
	uint64_t bits;
	double value = r->value + 0.0; /* one zero */

	switch (which) {
	case 0:
		memcpy(&bits, &value, sizeof(bits));
		return bits >> 63 ? bits : ~bits ^ 1ull << 63;
	case 1:
		return r->i;
	case 2:
		return r->j;
	case 3:
		return r->k;
	default:
		return r->cell;
	}
}

/* Records of all ranks with the first keys as given and the next up to x. */
static uint64_t
count(const struct vs_strongest *s, const uint64_t *first, int n_first,
	uint64_t x)
{
	uint64_t n = 0;

	for (size_t r = 0; r < s->n; r++) {
		int k = 0;

		while (k < n_first && key(&s->rec[r], k) == first[k])
			k++;
		n += k == n_first && key(&s->rec[r], k) <= x;
	}
	vs_comm_sum_u64(&n, 1);
	return n;
}

/* Each key of the last one that is kept is found by halving; all ranks do the
 * same steps. */
static void
agree(struct vs_strongest *s)
{
	uint64_t last[N_KEY], all = s->n, left = s->most;
	size_t n = 0;

	vs_comm_sum_u64(&all, 1);
	if (all <= s->most)
		return;
	for (int k = 0; k < N_KEY; k++) {
		uint64_t lo = 0, hi = UINT64_MAX;

		while (lo < hi) {
			uint64_t mid = lo + (hi - lo) / 2;

			if (count(s, last, k, mid) >= left)
				hi = mid;
			else
				lo = mid + 1;
		}
		if (lo)
			left -= count(s, last, k, lo - 1);
		last[k] = lo;
	}
	for (size_t r = 0; r < s->n; r++) {
		int k = 0;

		while (k < N_KEY - 1 && key(&s->rec[r], k) == last[k])
			k++;
		if (key(&s->rec[r], k) <= last[k])
			s->rec[n++] = s->rec[r];
	}
	s->n = n;
}

/* ---- tile by tile ---- */

struct placed {
	int64_t bi, bj;
	const struct vs_record *rec;
};

static struct placed
find_tile(const struct vs_plan *plan, const int64_t *place,
	const struct vs_record *r)
{
	int64_t a = vs_plan_find(plan, place ? (uint64_t)place[r->i] : r->i);
	int64_t b = vs_plan_find(plan, place ? (uint64_t)place[r->j] : r->j);

	/* of a triple the block that has two of its vectors, or the first two */
	if (r->k != VS_NO_VEC && b == vs_plan_find(plan, r->k))
		a = b;
	return a < b ? (struct placed){ a, b, r } : (struct placed){ b, a, r };
}

static int
by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return x->bi != y->bi    ? x->bi < y->bi ? -1 : 1
		: x->bj != y->bj ? x->bj < y->bj ? -1 : 1
				 : vs_record_compare(x->rec, y->rec);
}

static int
by_tile(const void *a, const void *b)
{
	const struct vs_tile_done *x = a, *y = b;

	return x->bi != y->bi ? x->bi < y->bi ? -1 : 1
			      : (x->bj > y->bj) - (x->bj < y->bj);
}

static void
sum(struct vs_tile_done *t, const struct vs_source_map *map)
{
	for (size_t k = 0; k < t->n; k++) {
		struct vs_record r = t->rec[k];

		vs_sum_record(&t->sum, r.i, r.j, r.k, r.cell, r.value);
		vs_record_to_source(&r, map->row, map->allele1);
		vs_sum_record(&t->renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

/* Tiles and records are in the same order. */
static int
give(struct vs_strongest *s, const struct placed *at,
	const struct vs_source_map *map, struct vs_record *sorted,
	int (*sink)(void *ctx, const struct vs_tile_done *tile), void *ctx)
{
	size_t next = 0;
	int code = 0;

	for (size_t k = 0; k < s->n; k++)
		sorted[k] = *at[k].rec;
	for (size_t k = 0; k < s->n_tile && !code; k++) {
		struct vs_tile_done t = s->tile[k];

		t.rec = sorted + next;
		for (; next < s->n && at[next].bi == t.bi &&
			at[next].bj == t.bj;
			next++)
			t.n++;
		sum(&t, map);
		code = sink(ctx, &t);
	}
	return code;
}

int
vs_strongest_give(struct vs_strongest *s, const struct vs_plan *plan,
	const int64_t *place, struct vs_packed *vectors,
	int (*sink)(void *ctx, const struct vs_tile_done *tile), void *ctx)
{
	struct vs_source_map map = { 0 };
	struct vs_record *sorted = NULL;
	struct placed *at = NULL;
	int code;

	settle(s);
	agree(s);
	code = vs_source_map_read(&map, vectors);
	if (!code)
		code = vs_room(&at, s->n, sizeof(*at), "strongest records");
	if (!code)
		code = vs_room(&sorted, s->n, sizeof(*sorted),
			"strongest records");
	if (code)
		goto out;
	for (size_t k = 0; k < s->n; k++)
		at[k] = find_tile(plan, place, &s->rec[k]);
	if (s->n)
		qsort(at, s->n, sizeof(*at), by_place);
	if (s->n_tile)
		qsort(s->tile, s->n_tile, sizeof(*s->tile), by_tile);
	code = give(s, at, &map, sorted, sink, ctx);
out:
	free(at);
	free(sorted);
	vs_source_map_free(&map);
	return code;
}
