/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of a path in the order in which blocks come: the same tiles, each as
 * soon as its blocks are there, and those of blocks that a rank has first.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/plan/path_order.h"
#include "tests/unit/test.h"

struct list {
	int32_t (*tile)[2];
	size_t n;
};

static struct list
share_of(const struct vs_plan *plan, int rank)
{
	const uint64_t lo = vs_plan_share(plan, rank),
		       hi = vs_plan_share(plan, rank + 1);
	struct list l = { .n = (size_t)(hi - lo) };

	vs_mem_new(&l.tile, l.n + 1, sizeof(*l.tile), "tiles");
	for (size_t k = 0; k < l.n; k++) {
		int64_t bi, bj;

		vs_plan_along(plan, lo + k, &bi, &bj);
		l.tile[k][0] = (int32_t)bi;
		l.tile[k][1] = (int32_t)bj;
	}
	return l;
}

static int
by_blocks(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(int32_t[2]));
}

static bool
are_equal(const struct list *a, const struct list *b)
{
	return a->n == b->n &&
		!memcmp(a->tile, b->tile, a->n * sizeof(*a->tile));
}

static bool
have_equal_tiles(struct list a, struct list b)
{
	qsort(a.tile, a.n, sizeof(*a.tile), by_blocks);
	qsort(b.tile, b.n, sizeof(*b.tile), by_blocks);
	return are_equal(&a, &b);
}

/* True if a rank has block b, vector by vector. */
static bool
has(const struct vs_plan *plan, uint64_t n_own, int rank, int64_t b)
{
	uint64_t lo, hi;

	vs_plan_block(plan, b, &lo, &hi);
	for (uint64_t v = lo; v < hi; v++)
		if (!n_own || v / n_own != (uint64_t)rank)
			return false;
	return true;
}

/*
 * Read the blocks of the tiles one by one. Late are tiles behind one that needs
 * a block which they do not; middle is how many are done when half of the
 * blocks are there.
 */
struct judged {
	size_t n_block, late, middle;
};

static struct judged
judge(const struct vs_plan *plan, uint64_t n_own, int rank,
	const struct list *l)
{
	uint8_t *there = NULL, *needed = NULL;
	struct judged j = { 0 };
	size_t n_there = 0, n_free = 0;

	vs_mem_new(&there, (size_t)plan->n_block, 1, "blocks");
	vs_mem_new(&needed, (size_t)plan->n_block, 1, "blocks");
	for (size_t k = 0; k < 2 * l->n; k++)
		needed[l->tile[k / 2][k % 2]] = 1;
	for (int64_t b = 0; b < plan->n_block; b++) {
		there[b] = needed[b] && has(plan, n_own, rank, b);
		n_free += there[b];
		j.n_block += needed[b];
	}
	for (size_t k = 0; k < l->n; k++) {
		const int32_t *t = l->tile[k];

		if (!there[t[0]] || !there[t[1]])
			for (size_t x = k + 1; x < l->n; x++)
				j.late += there[l->tile[x][0]] &&
					there[l->tile[x][1]];
		for (int x = 0; x < 2; x++) {
			n_there += !there[t[x]];
			there[t[x]] = 1;
		}
		j.middle += 2 * n_there <= j.n_block - n_free;
	}
	free(needed);
	free(there);
	return j;
}

static void
try_plan(uint64_t n_vec, int n_rank, int64_t tile, bool own)
{
	const struct vs_path_order none = { 0 };
	size_t wrong = 0, late = 0, plain = 0, middle = 0, n = 0;
	struct vs_plan plan;

	if (vs_plan_make(&plan, n_vec, n_rank, tile)) {
		T_OK(false, "plan");
		return;
	}
	vs_plan_by_path(&plan, INT64_MAX);
	for (int rank = 0; rank < n_rank; rank++) {
		struct list path = share_of(&plan, rank),
			    less = share_of(&plan, rank),
			    list = share_of(&plan, rank);
		struct vs_path_order of = { .n_own = own
				? (n_vec + (uint64_t)n_rank - 1) /
					(uint64_t)n_rank
				: 0 };
		const struct judged before =
			judge(&plan, of.n_own, rank, &path);
		struct judged now;

		of.most = (int64_t)before.n_block - 1;
		wrong += vs_path_order(&none, &plan, rank, less.tile, less.n) ||
			!are_equal(&path, &less);
		wrong += vs_path_order(&of, &plan, rank, less.tile, less.n) ||
			!are_equal(&path, &less);
		of.most++;
		wrong +=
			vs_path_order(&of, &plan, rank, list.tile, list.n) != 0;
		now = judge(&plan, of.n_own, rank, &list);
		wrong += !have_equal_tiles(path, list);
		late += now.late;
		plain += before.middle;
		middle += now.middle;
		n += list.n;
		free(path.tile);
		free(less.tile);
		free(list.tile);
	}
	T_OK(!wrong && !late,
		"%llu vectors, %d ranks, blocks of %lld%s: %zu wrong, %zu late",
		(unsigned long long)n_vec, n_rank, (long long)tile,
		own ? ", some its own" : "", wrong, late);
	/* a square of half of the edge; a column after the other has none */
	T_OK(n < 200 * (size_t)n_rank || (5 * middle > n && middle >= plain),
		"%zu of %zu tiles when half of the blocks are there; %zu "
		"along the path",
		middle, n, plain);
}

int
main(void)
{
	static const struct {
		uint64_t n_vec;
		int n_rank;
		int64_t tile;
	} plans[] = { { 1, 1, 1 }, { 7, 3, 2 }, { 40, 50, 1 }, { 100, 4, 10 },
		{ 1203, 4, 30 }, { 1200, 5, 17 }, { 900, 40, 10 },
		{ 640, 1, 10 } };

	for (size_t k = 0; k < sizeof(plans) / sizeof(*plans); k++)
		for (int own = 0; own < 2; own++)
			try_plan(plans[k].n_vec, plans[k].n_rank, plans[k].tile,
				own);
	return T_DONE();
}
