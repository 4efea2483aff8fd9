/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantiser of numbers into layers of bytes, whose dot products give upper
 * bounds of sums of minima.
 *
 * Edges 0 = T_0 < .. < T_K split a number a into layers: p_k(a), its part
 * between T_k and T_k+1, and e(a), its part above T_K. So
 *
 *   min(a, b) = sum_k min(p_k(a), p_k(b)) + min(e(a), e(b))
 *
 * A layer is quantised in steps of q_k, rounding up: x_k = ceil(p_k / q_k) <=
 * X_k, a byte. For x and y from 0 to X, and any wide >= X,
 *
 *   min(x, y) = (x + y) / 2 - |x - y| / 2
 *            <= (x + y) / 2 - (x - y)^2 / (2 wide)
 *
 * as |x - y| <= X. Times q_k, with wide_k = q_k / unit for one unit of all
 * layers, this is
 *
 *   unit / 2 (x (wide_k - x) + y (wide_k - y)) + unit x y
 *
 * so that with half(u) = sum unit / 2 x (wide_k - x) + e / 2 over all fields
 * and layers
 *
 *   sum min(u, v) <= half(u) + half(v) + unit sum x y
 *
 * Each term is monotonic in its parts. Numbers, steps and sums are rounded,
 * with a relative error below 2^-14 in all; so the bound multiplied by
 * VS_LAYERS_SLACK holds, also for sums of minima in the type of the numbers,
 * whose relative error is below 2^-16.
 */
#ifndef VS_KERN_DOTS_LAYERS_H
#define VS_KERN_DOTS_LAYERS_H

#include "libcore/bits/cpu.h"
#include "libcore/bits/numbers.h"
#include "libcore/kern/dots/dots.h"

#define VS_LAYERS 12
#define VS_LAYERS_SLACK (1 + 0x1p-12)

/*
 * Scaling by a power of two, applied to all numbers. A number that becomes
 * infinite has an infinite half.
 */
struct vs_layers {
	int n;
	double scale, unit;
	float from[VS_LAYERS], per[VS_LAYERS], most[VS_LAYERS], wide[VS_LAYERS];
	float top;
};

/*
 * Make layers between n + 1 rising edges, the first 0 and the last positive,
 * with bytes up to most.
 */
void vs_layers_make(struct vs_layers *l, const double *edge, int n,
	unsigned most, enum vs_element element);

/*
 * The largest byte value, at most `most`, such that no sum exceeds limit; 0:
 * none.
 */
unsigned vs_layers_most(size_t n_line, unsigned most, uint32_t limit);

/* Lines of a vector. */
static inline size_t
vs_layers_lines(size_t n_field, int n)
{
	return (n_field + VS_DOTS_LINE - 1) / VS_DOTS_LINE * (size_t)n;
}

/*
 * Convert vectors [lo, lo + n) of b to blocks of rows or of columns, padded to
 * whole pairs of blocks, and compute half of each vector.
 * scratch  a block, for columns; all 64-byte aligned
 */
void vs_layers_rows(enum vs_cpu cpu, const struct vs_layers *l,
	const struct vs_numbers *b, size_t lo, size_t n, uint8_t *rows,
	double *half);
void vs_layers_cols(enum vs_cpu cpu, const struct vs_layers *l,
	const struct vs_numbers *b, size_t lo, size_t n, uint8_t *cols,
	double *half, uint8_t *scratch);

/* Transpose lines of a block of rows into those of a block of columns. */
void vs_layers_turn(enum vs_cpu cpu, const uint8_t *from, uint8_t *to,
	size_t n_line);

#endif
