/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and columns cut off a piece of work. */
#include "libcore/engine/sched/piece.h"

/* Cost of a part of a piece, as a share of the piece's. */
static uint64_t
cost_of(const struct vs_piece *piece, const struct vs_piece *part, size_t some,
	size_t all, vs_piece_cost_fn *cost)
{
	return cost
		? cost(part)
		: (uint64_t)((double)piece->cost * (double)some / (double)all);
}

struct vs_piece
vs_piece_rows(const struct vs_piece *piece, size_t rows, bool end,
	vs_piece_cost_fn *cost)
{
	struct vs_piece part = *piece;
	size_t n = piece->hi - piece->lo;

	if (rows >= n)
		return part;
	if (end)
		part.lo = piece->hi - rows;
	else
		part.hi = piece->lo + rows;
	part.cost = cost_of(piece, &part, rows, n, cost);
	return part;
}

struct vs_piece
vs_piece_for(const struct vs_piece *piece, size_t step, uint64_t most, bool end,
	vs_piece_cost_fn *cost)
{
	size_t lo = 1, hi = (piece->hi - piece->lo) / step + 1;

	if (piece->cost <= most)
		return *piece;
	while (hi - lo > 1) {
		size_t half = lo + (hi - lo) / 2;

		if (vs_piece_rows(piece, half * step, end, cost).cost <= most)
			lo = half;
		else
			hi = half;
	}
	return vs_piece_rows(piece, lo * step, end, cost);
}

struct vs_piece
vs_piece_columns(const struct vs_piece *piece, size_t width,
	vs_piece_cost_fn *cost)
{
	struct vs_piece last = *piece;
	size_t n = piece->end - piece->col, some = (n - 1) % width + 1;

	if (some == n)
		return last;
	last.col = piece->end - some;
	last.cost = cost_of(piece, &last, some, n, cost);
	return last;
}
