/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threshold filter of a row of integer sums: a bit mask of the columns beyond
 * their bounds.
 */
#ifndef VS_KERN_SCREEN_SCREEN_H
#define VS_KERN_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

#define VS_SCREEN_COLS 64 /* bits of a word */

/*
 * Upper bounds of p + up[0] rest[0] + up[1] rest[1] and, if mixed, lower bounds
 * of p + down[0] rest[0] + down[1] rest[1], by column.
 */
struct vs_screen_cols {
	float *most[2], *least[2];
	float *up[2], *down[2]; /* not read unless sloped is set */
	bool sloped;
};

/*
 * Contribution of a row: its sums may be beyond a bound if they are more than
 * most[k] - more[k], or less than least[k] + less[k].
 */
struct vs_screen_row {
	float more[2], less[2], rest[2];
	bool mixed;
	/* true: bound k implies the other one */
	bool idle_most[2], idle_least[2];
};

/*
 * Filter n columns, a multiple of VS_SCREEN_COLS: bit c % 64 of hit[c / 64] is
 * set if p[c] may be beyond a bound. Terms are rounded, at most eight times
 * each.
 * returns  the number of bits set
 */
size_t vs_screen_row(enum vs_cpu cpu, const struct vs_screen_cols *cols,
	const struct vs_screen_row *row, const int32_t *p, size_t n,
	uint64_t *hit);

/* Number of set bits of words [lo, hi) of n_row rows that are n_word apart. */
size_t vs_screen_count(enum vs_cpu cpu, const uint64_t *hit, size_t n_word,
	size_t n_row, size_t lo, size_t hi);

/* Bits of the numbers below 0. */
uint64_t vs_screen_signs(enum vs_cpu cpu, const float x[VS_SCREEN_COLS]);

#endif
