/* SPDX-License-Identifier: BSD-3-Clause */
/* Split of a strip into rectangles of rows that want the same columns. */
#include "libcore/engine/rectangle.h"

void
vs_rectangle_next(const struct vs_strip *s, size_t most, struct vs_rectangle *k)
{
	size_t n_col = s->j_hi - s->j_lo;
	size_t end = s->i_hi - k->row < most ? s->i_hi : k->row + most;

	k->lo = n_col;
	k->hi = 0;
	for (size_t x = 0; x * VS_SPAN < n_col; x++) {
		size_t lo = s->span[x].lo, hi = s->span[x].hi;
		size_t first = x * VS_SPAN, last = first + VS_SPAN;

		if (lo <= k->row && k->row < hi) {
			k->lo = first < k->lo ? first : k->lo;
			k->hi = last < n_col ? last : n_col;
		}
		if (lo > k->row && lo < end)
			end = lo;
		if (hi > k->row && hi < end)
			end = hi;
	}
	k->n_row = end - k->row;
	k->lo = vs_rectangle_from(s, k, k->row);
}

size_t
vs_rectangle_wanted(const struct vs_strip *s, size_t first, size_t row)
{
	size_t n = 0;

	for (size_t x = 0, lo = s->j_lo; lo < s->j_hi; x++, lo += VS_SPAN) {
		size_t hi = s->j_hi - lo < VS_SPAN ? s->j_hi : lo + VS_SPAN;
		size_t from = s->diagonal && row >= lo ? row + 1 : lo;

		if (s->span[x].lo <= first && first < s->span[x].hi)
			n += from < hi ? hi - from : 0;
	}
	return n;
}
