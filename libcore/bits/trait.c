/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantitative trait of the samples in fixed point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/trait.h"

#define SUM_BITS 62   /* of all samples */
#define VALUE_BITS 52 /* a double has no more */

static double
mean_of(const double *value, size_t n_field, const struct vs_trait *t)
{
	double sum = 0;

	/* divided first: no sum of finite numbers overflows */
	for (size_t q = 0; q < n_field; q++)
		if (isfinite(value[q]))
			sum += value[q] / (double)t->n;
	return sum;
}

/* The exponent of 2 that half of every value about the mean is below. */
static int
exponent_of(const double *value, size_t n_field, double mean)
{
	double most = 0;
	int exponent;

	for (size_t q = 0; q < n_field; q++)
		if (isfinite(value[q]))
			most = fmax(most, fabs(value[q] / 2 - mean / 2));
	frexp(most, &exponent);
	return exponent;
}

int
vs_trait_new(struct vs_trait *t, const double *value, size_t n_field)
{
	int64_t *v, *square, at = 0;
	int bits = SUM_BITS, exponent, code;
	double mean;

	memset(t, 0, sizeof(*t));
	for (size_t q = 0; q < n_field; q++)
		t->n += isfinite(value[q]) != 0;
	for (int64_t n = t->n; n; n >>= 1)
		bits--;
	bits = bits < VALUE_BITS ? bits : VALUE_BITS;
	code = vs_mem_room(&v, 2 * (size_t)t->n, sizeof(*v), "trait");
	if (code)
		return code;
	square = v + t->n;
	t->weight[VS_TRAIT_VALUE] = v;
	t->weight[VS_TRAIT_SQUARE] = square;
	t->square = ldexp(1, bits);
	mean = mean_of(value, n_field, t);
	exponent = exponent_of(value, n_field, mean);
	for (size_t q = 0; q < n_field; q++) {
		if (!isfinite(value[q]))
			continue;
		/* halves, since a difference may overflow */
		v[at] = llrint(ldexp(value[q] / 2 - mean / 2, bits - exponent));
		square[at] = llrint((double)v[at] * (double)v[at] / t->square);
		t->squares += square[at++];
	}
	return 0;
}

void
vs_trait_free(struct vs_trait *t)
{
	free(t->weight[VS_TRAIT_VALUE]);
	memset(t, 0, sizeof(*t));
}
