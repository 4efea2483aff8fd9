/* SPDX-License-Identifier: BSD-3-Clause */
/* A tile's part of the counters of a run. */
#ifndef VS_BASE_COUNTED_H
#define VS_BASE_COUNTED_H

#include <stddef.h>

#include "libcore/base/num.h"

/* n counters, the first of which is number `at` of all; a list ends with an n
 * of 0. */
struct vs_counted {
	const vs_wide *count;
	size_t at, n;
};

#endif
