/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of a strip: rows and columns cut out of it. */
#include "libcore/engine/strip.h"

bool
vs_strip_part(const struct vs_strip *s, size_t lo, size_t hi, size_t col,
	size_t end, struct vs_strip *part)
{
	size_t first = (col - s->j_lo) / VS_SPAN;

	*part = (struct vs_strip){ .i = s->i,
		.j = s->j,
		.i_lo = hi,
		.i_hi = lo,
		.j_lo = col,
		.j_hi = end < s->j_hi ? end : s->j_hi,
		.diagonal = s->diagonal };
	for (size_t k = 0; col + k * VS_SPAN < part->j_hi; k++) {
		size_t a = s->span[first + k].lo, b = s->span[first + k].hi;
		size_t last = col + (k + 1) * VS_SPAN;

		last = last < part->j_hi ? last : part->j_hi;
		a = a > lo ? a : lo;
		b = b < hi ? b : hi;
		if (s->diagonal && b > last - 1)
			b = last - 1;
		if (a >= b)
			continue;
		part->span[k].lo = a;
		part->span[k].hi = b;
		part->i_lo = a < part->i_lo ? a : part->i_lo;
		part->i_hi = b > part->i_hi ? b : part->i_hi;
	}
	return part->i_lo < part->i_hi;
}
