/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbering of the tiles that a tensor kernel computes. Only tiles with a
 * wanted pair have a number, so pruned tiles cost nothing.
 */
#ifndef VS_CUDA_WALK_H
#define VS_CUDA_WALK_H

#include "cuda/card.h"
#include "cuda/isa.h"

/* Columns of tiles: of at least 128 vectors; the first may begin early. */
#define VS_WALK_COLS (VS_CARD_SPAN * VS_CARD_SPANS / 128 + 1)

/*
 * Tiles of rows x cols pairs, each beginning at a multiple of its size. Column
 * x of tiles, the vectors from col + x cols on, contains the tiles numbered
 * before[x] to before[x + 1], downwards from row[x].
 */
struct vs_walk {
	uint32_t rows, cols, col;
	uint32_t n_col, n_tile;
	uint32_t before[VS_WALK_COLS + 1], row[VS_WALK_COLS];
};

/* Rows [*lo, *hi) that column j wants; none: *lo >= *hi. */
VS_BOTH void
vs_import_wanted_rows(const struct vs_card_work *w, uint32_t j, uint32_t *lo,
	uint32_t *hi)
{
	uint32_t k = vs_span_of(w, j);
	int64_t own = (int64_t)(w->j.first + j) - (int64_t)w->i.first;

	*lo = *hi = 0;
	if (j < w->j_lo || j >= w->j_hi)
		return;
	*lo = w->span[k].lo > w->i_lo ? w->span[k].lo : w->i_lo;
	*hi = w->span[k].hi < w->i_hi ? w->span[k].hi : w->i_hi;
	if (w->diagonal && own < (int64_t)*hi)
		*hi = own < 0 ? 0 : (uint32_t)own;
}

/*
 * First row and column of tile t; *x starts at 0 and is kept between calls with
 * rising t.
 */
VS_BOTH void
vs_walk_tile(const struct vs_walk *w, uint32_t t, uint32_t *x, uint32_t *row,
	uint32_t *col)
{
	while (*x + 1 < w->n_col && w->before[*x + 1] <= t)
		++*x;
	*row = w->row[*x] + (t - w->before[*x]) * w->rows;
	*col = w->col + *x * w->cols;
}

/* Rows, in whole tiles, that columns [j, end) want; none: *lo = *hi. */
static inline void
vs_walk_rows(const struct vs_card_work *w, uint32_t j, uint32_t end,
	uint32_t rows, uint32_t *lo, uint32_t *hi)
{
	*lo = UINT32_MAX;
	*hi = 0;
	end = end < w->j_hi ? end : w->j_hi;
	for (j = j > w->j_lo ? j : w->j_lo; j < end; j++) {
		uint32_t left =
			(uint32_t)((int32_t)j - w->span_from) % VS_CARD_SPAN;
		uint32_t first, past;

		/* the last column of a span wants most rows */
		j += VS_CARD_SPAN - 1 - left;
		j = j < end ? j : end - 1;
		vs_import_wanted_rows(w, j, &first, &past);
		if (first >= past)
			continue;
		*lo = first < *lo ? first : *lo;
		*hi = past > *hi ? past : *hi;
	}
	*lo = *lo < *hi ? *lo / rows * rows : *hi;
}

/* Number the tiles of a launch; rows and cols are multiples of 32. */
static inline void
vs_walk_make(struct vs_walk *t, const struct vs_card_work *w, uint32_t rows,
	uint32_t cols)
{
	uint32_t j = w->j_lo / cols * cols, x = 0, past;

	t->rows = rows;
	t->cols = cols;
	t->col = j;
	for (t->before[0] = 0; j < w->j_hi; j += cols, x++) {
		vs_walk_rows(w, j, j + cols, rows, &t->row[x], &past);
		t->before[x + 1] =
			t->before[x] + (past - t->row[x] + rows - 1) / rows;
	}
	t->n_col = x;
	t->n_tile = t->before[x];
}

#endif
