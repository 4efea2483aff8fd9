/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefix filter: how many leading fields decide most pairs. Gains 1.2 to 1.3
 * times for CCC at 0.7 on 2504 samples, 1.4 on 5000; for r2 2.4 times at 0.8
 * and 2.0 at 0.5 (alleles of 5 % and more, 100,000 x 2504), 1.4 at 0.8 on mice.
 */
#ifndef VS_ENGINE_PRUNE_PREFIX_H
#define VS_ENGINE_PRUNE_PREFIX_H

#include "libcore/engine/prune/coefficients.h"

/* Number of pairs that a choice is based on. */
#define VS_PREFIX_SAMPLES 4

/* The sum of a pair: the limits that it must cross, its mean by chance, its
 * range. */
struct vs_prefix_outlook {
	float least, most, mean, low, high;
};

/* A pair of vectors of n fields without limits: a[0] and b[0] fields have at
 * least one copy, a[1] and b[1] two. */
struct vs_prefix_outlook vs_prefix_outlook_of(const float a[2],
	const float b[2], float n);

/* The shortest prefix, `least` or longer, that decides n pairs which are alike
 * only by chance; VS_FIRSTS: there is none. */
int vs_prefix_least(const struct vs_prefix_outlook *o, size_t n, size_t n_field,
	int least);

/* Cost of a pair that the prefix leaves, relative to a dense count of the other
 * fields; between 12 and 50 the time is the same. */
#define VS_PREFIX_LEFT 16

/*
 * A prefix left more than one pair in VS_PREFIX_LEFT of columns [lo, hi): try a
 * longer one next.
 * least    shortest prefix worth a try, by VS_SPAN columns; VS_FIRSTS: none
 */
void vs_prefix_failed(int *least, size_t n_field, int first, size_t lo,
	size_t hi);

/*
 * For leaders of rows and of columns [lo, hi) that are alike only by chance,
 * choose the shortest prefix, `least` or longer, that leaves next to none;
 * VS_FIRSTS: there is none. No pair is lost, whatever it returns.
 */
int vs_prefix_choose(const struct vs_query *q,
	const struct vs_representatives *rows,
	const struct vs_representatives *cols, const struct vs_sides *sides,
	size_t lo, size_t hi, int least);

#endif
