/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a run's counters that one tile contributes. */
#ifndef VS_BASE_COUNTED_H
#define VS_BASE_COUNTED_H

#include <stddef.h>

#include "libcore/base/num.h"

/* n counters, starting with counter number `at`; a list ends with n = 0. */
struct vs_counted {
	const vs_wide *count;
	size_t at, n;
};

#endif
