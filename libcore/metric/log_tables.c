/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed-point tables of ln n! and n ln n, by series of ln (n / (n - 1)). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/metric/log_tables.h"

/* A number as a sum of two doubles, the second below half a unit in the last
 * place of the first: twice the precision. */
struct wide {
	double hi, lo;
};

static struct wide
add(struct wide a, double b)
{
	double s = a.hi + b, t = s - a.hi;
	double lo = (a.hi - (s - t)) + (b - t) + a.lo;

	return (struct wide){ s + lo, lo - ((s + lo) - s) };
}

/*
 * a + ln (n / (n - 1)) = a + 2 (x + x^3 / 3 + x^5 / 5 + ...), x = 1 / (2 n -
 * 1). Only the first term needs twice the precision. fma() rounds once on every
 * machine.
 */
static struct wide
add_log(struct wide a, int64_t n)
{
	double m = (double)(2 * n - 1), x = 1 / m, rest = fma(-x, m, 1) / m;
	double power = x, tail = 0;

	for (int k = 3; power > 1e-22; k += 2) {
		power = power * x * x;
		tail += power / k;
	}
	a = add(a, 2 * x);
	a = add(a, 2 * rest);
	return add(a, 2 * tail);
}

/* n a, rounded to whole units. */
static int64_t
units(struct wide a, double n, double scale)
{
	double hi = n * a.hi, lo = fma(n, a.hi, -hi) + n * a.lo;
	double whole;

	/* scale is a power of two: hi is split exactly */
	hi *= scale;
	whole = floor(hi);
	return (int64_t)whole + (int64_t)llrint((hi - whole) + lo * scale);
}

/* A power of two as scale that keeps the sum over a table below 2^62: it
 * consists of three sums, none above the entry for all fields plus 27. */
static double
scale_of(int64_t n_field)
{
	double n = (double)n_field + 30;

	/* ln n < 0.7 (1 + log2 n), and log2 of n below 2^24 is below ilogb + 1
	 */
	return ldexp(1, 61 - ilogb(3 * n * 0.7 * (ilogb(n) + 2)));
}

int
vs_log_tables_new(struct vs_log_tables *t, enum vs_log_kind kind,
	int64_t n_field)
{
	const double scale = scale_of(n_field);
	struct wide log = { 0, 0 }, sum = { 0, 0 };
	int code;

	memset(t, 0, sizeof(*t));
	code = vs_mem_new(&t->memory, (size_t)n_field + 2, sizeof(*t->memory),
		"table of logarithms");
	if (code)
		return code;
	t->n_field = n_field;
	t->unit = 1 / scale;
	for (int64_t n = 2; n < n_field + 2; n++) {
		log = add_log(log, n);
		sum = add(add(sum, log.hi), log.lo);
		t->memory[n] = kind == VS_LOG_FACTORIAL
			? units(sum, 1, scale)
			: units(log, (double)n, scale);
	}
	t->one = t->memory;
	t->both = t->memory + (kind == VS_LOG_FACTORIAL);
	return 0;
}

void
vs_log_tables_free(struct vs_log_tables *t)
{
	free(t->memory);
	memset(t, 0, sizeof(*t));
}
