/* SPDX-License-Identifier: BSD-3-Clause */
/* Strip: rows and columns of a tile that are counted in one call. */
#ifndef VS_ENGINE_STRIP_H
#define VS_ENGINE_STRIP_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/bits/panel.h"

/*
 * A strip: rows [i_lo, i_hi) of panel i against columns [j_lo, j_hi) of panel
 * j, at most as many as the backend takes at a time. The VS_SPAN columns from
 * j_lo + VS_SPAN k on are span k, which wants only the rows of its range. On
 * the diagonal, where both panels are one block, only pairs i < j are wanted.
 */
#define VS_SPAN 512
#define VS_SPANS 16
struct vs_strip {
	const struct vs_panel *i, *j;
	size_t i_lo, i_hi, j_lo, j_hi;
	struct {
		size_t lo, hi;
	} span[VS_SPANS];
	bool diagonal;
};

/*
 * Cut rows [lo, hi) and columns [col, end) out of a strip; col is a whole
 * number of spans, or a power of two below a span, past the strip's first
 * column.
 * returns  false: no pair of them is wanted
 */
bool vs_strip_part(const struct vs_strip *s, size_t lo, size_t hi, size_t col,
	size_t end, struct vs_strip *part);

#endif
