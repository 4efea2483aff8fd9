/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefix filter: how many first fields decide most pairs. Gains 1.2 to 1.3
 * times at 0.7 on 2504 samples, 1.4 on 5000; nothing on fewer than
 * VS_FIRSTS_LEAST.
 */
#ifndef VS_ENGINE_PRUNE_PREFIX_H
#define VS_ENGINE_PRUNE_PREFIX_H

#include "libcore/engine/prune/coefficients.h"

/*
 * Choose, for leaders of rows and of columns [lo, hi) that are alike by chance
 * alone, the least first fields, those of `least` or more, that leave next to
 * none; VS_FIRSTS: there are none. Whatever it says, no pair is lost by it.
 */
int vs_prefix_choose(const struct vs_query *q,
	const struct vs_representatives *rows,
	const struct vs_representatives *cols, const struct vs_sides *sides,
	size_t lo, size_t hi, int least);

#endif
