/* SPDX-License-Identifier: BSD-3-Clause */
/* Head of a worker that counts numbers, all sums or those that bounds leave. */
#include "libcore/engine/pair/bounded_pairs.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/pair/pair_rows.h"

#define COLS 2048
#define COLS_BYTES (1u << 20) /* of the L2; longer vectors: fewer columns */

static size_t
up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

void
vs_bounded_pairs_shape(struct vs_pair_plan *c)
{
	c->n_row = VS_BOUNDED_ROWS;
	c->n_col = COLS;
	while (c->n_col > VS_BOUNDED_LOOK &&
		(c->n_col / 2 >= c->most ||
			c->minima->col_room(c->n_col, c->q.n_field) >
				COLS_BYTES))
		c->n_col /= 2;
	/* not a power of two, or rows would meet in few sets of a cache */
	c->ld = up(c->n_col + VS_BOUNDED_LOOK, c->minima->lanes);
	c->n_taken = c->n_col;
}

size_t
vs_bounded_pairs_columns(const struct vs_pair_plan *c, bool follow)
{
	(void)follow;
	return vs_max_size(vs_byte_bound_columns(&c->q, c->most), c->n_col);
}

size_t
vs_bounded_pairs_cols_bytes(const struct vs_pair_plan *c)
{
	return vs_max_size(c->minima->col_room(c->n_taken, c->q.n_field),
		vs_byte_bound_cols_bytes(&c->q, c->most));
}

int
vs_bounded_pairs_open(const struct vs_pair_plan *c, void *worker)
{
	struct vs_bounded_pairs *w = worker;

	return vs_byte_bound_open(&w->byte_bound, &c->q, c->most, &w->head.held,
		w->cols);
}

size_t
vs_bounded_pairs_more_bytes(const struct vs_pair_plan *c)
{
	return vs_byte_bound_bytes(&c->q, c->most);
}

void
vs_bounded_pairs_close(void *worker)
{
	struct vs_bounded_pairs *w = worker;

	vs_byte_bound_close(w->byte_bound);
}

void
vs_bounded_pairs_forget(void *worker, const struct vs_panel *panel)
{
	struct vs_bounded_pairs *w = worker;

	vs_byte_bound_forget(w->byte_bound, panel);
}

size_t
vs_bounded_pairs_rows(const struct vs_pair_work *at)
{
	const struct vs_bounded_pairs *w = at->worker;

	return w->bounded ? vs_byte_bound_most_rows(w->byte_bound)
			  : VS_BOUNDED_ROWS;
}

size_t
vs_bounded_pairs_take(const struct vs_pair_plan *c, void *worker,
	const struct vs_strip *s, size_t lo)
{
	const struct vs_query now = vs_query_now(&c->q);
	struct vs_bounded_pairs *w = worker;

	if (lo == s->j_lo)
		w->bounded = w->byte_bound && vs_query_prunes(&now)
			? vs_byte_bound_choose(w->byte_bound, s, &now)
			: 0;
	return vs_min_size(lo + (w->bounded ? w->bounded : c->n_col), s->j_hi);
}

size_t
vs_bounded_pairs_hits(const uint64_t *hit, size_t from, uint16_t *column)
{
	size_t n = 0;

	for (size_t x = 0; x < VS_BYTE_BOUND_WORDS; x++)
		for (uint64_t bits = hit[x]; bits; bits &= bits - 1)
			column[n++] = (uint16_t)(from + 64 * x +
				(size_t)__builtin_ctzll(bits));
	return n;
}

int
vs_bounded_pairs_count(const struct vs_pair_family *family,
	const struct vs_pair_work *at, const struct vs_rectangle *k)
{
	struct vs_bounded_pairs *w = at->worker;
	struct vs_bounded_sums t = { .at = at, .k = k };
	double pairs = 0;
	int code = 0;

	vs_byte_bound_begin(w->byte_bound, at->part, &at->now);
	vs_byte_bound_rows(w->byte_bound, at->part, k);
	t.from = k->lo / VS_BYTE_BOUND_COLS * VS_BYTE_BOUND_COLS;
	for (; t.from < k->hi && !code; t.from += VS_BYTE_BOUND_COLS) {
		t.hit = vs_byte_bound_look(w->byte_bound, at->part, k, t.from,
			&pairs);
		code = vs_pair_rows(family, &t, k->n_row, k->hi - k->lo,
			at->found);
	}
	at->found->fields_skipped += pairs * (double)at->now.n_field;
	return code;
}
