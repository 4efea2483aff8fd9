/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix filter: how many first fields decide most pairs. */
#ifndef VS_ENGINE_PRUNE_PREFIX_H
#define VS_ENGINE_PRUNE_PREFIX_H

#include "libcore/engine/prune/coefficients.h"

/*
 * Of leaders of rows and of columns [lo, hi), were they alike by chance alone:
 * the least first fields, those of `least` or more, that leave next to none;
 * VS_FIRSTS: there are none. Whatever it says, no pair is lost by it.
 */
int vs_prefix_choose(const struct vs_query *q,
	const struct vs_representatives *rows,
	const struct vs_representatives *cols, const struct vs_sides *sides,
	size_t lo, size_t hi, int least);

#endif
