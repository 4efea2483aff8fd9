/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sums of a row lie beyond bounds by column. */
#ifndef VS_KERN_SCREEN_SCREEN_H
#define VS_KERN_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

#define VS_SCREEN_COLS 64 /* bits of a word */

/*
 * Bounds of p + up[0] rest[0] + up[1] rest[1] from above and, if mixed, of
 * p + down[0] rest[0] + down[1] rest[1] from below, by column.
 */
struct vs_screen_cols {
	float *most[2], *least[2];
	float *up[2], *down[2]; /* not read where sloped is not set */
	bool sloped;
};

/* What a row adds: its sums may be beyond a bound if they are more than
 * most[k] - more[k], or less than least[k] + less[k]. */
struct vs_screen_row {
	float more[2], less[2], rest[2];
	bool mixed;
	/* what is beyond bound k is beyond the other one too */
	bool idle_most[2], idle_least[2];
};

/*
 * Of n columns, a multiple of VS_SCREEN_COLS: bit c % 64 of hit[c / 64] says
 * that p[c] may be beyond a bound. Terms are rounded, at most
 * eight times each.
 * returns  how many there are
 */
size_t vs_screen_row(enum vs_cpu cpu, const struct vs_screen_cols *cols,
	const struct vs_screen_row *row, const int32_t *p, size_t n,
	uint64_t *hit);

#endif
