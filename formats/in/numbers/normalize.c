/* SPDX-License-Identifier: BSD-3-Clause */
/* Normalization of a vector of numbers to shares, ranks or z-scores. */
#include <math.h>
#include <stdlib.h>

#include "formats/in/numbers/normalize.h"
#include "libcore/bits/numbers.h"

static const char *
shares(double *x, size_t n)
{
	double sum = 0;

	for (size_t k = 0; k < n; k++) {
		if (x[k] < 0)
			return "a negative number has no share of a sum: take "
			       "--normalize rank or z";
		sum += x[k];
	}
	if (isinf(sum))
		return "its sum is above 1.8e308: divide all numbers by the "
		       "same one, or take --normalize rank";
	for (size_t k = 0; k < n && sum > 0; k++)
		x[k] /= sum;
	return NULL;
}

static double
sum_of(const double *x, size_t n)
{
	const struct vs_numbers b = { x, VS_NUM_F64, n, 0 };

	return vs_numbers_total(&b, 0);
}

/* Subtract the mean. */
static void
subtract_mean(double *x, size_t n)
{
	double mean = sum_of(x, n) / (double)n;

	for (size_t k = 0; k < n; k++)
		x[k] -= mean;
}

static void
z_scores(double *x, size_t n)
{
	double most = 0, lo = x[0], hi = x[0], sum = 0;
	int e;

	for (size_t k = 0; k < n; k++) {
		most = fmax(most, fabs(x[k]));
		lo = fmin(lo, x[k]);
		hi = fmax(hi, x[k]);
	}
	frexp(most, &e);
	/* a deviation within rounding of equal numbers counts as none */
	for (size_t k = 0; k < n; k++)
		x[k] = lo < hi ? ldexp(x[k], -e) : 0;
	if (!(lo < hi))
		return;
	subtract_mean(x, n);
	subtract_mean(x, n);
	for (size_t lo_run = 0; lo_run < n; lo_run += VS_NUMBERS_RUN) {
		double run = 0;

		for (size_t k = lo_run; k < n && k < lo_run + VS_NUMBERS_RUN;
			k++)
			run += x[k] * x[k];
		sum += run;
	}
	for (size_t k = 0; k < n; k++)
		x[k] /= sqrt(sum / (double)n);
}

static int
by_number(const void *a, const void *b)
{
	double x = ((const struct vs_normalize_item *)a)->x,
	       y = ((const struct vs_normalize_item *)b)->x;

	return (x > y) - (x < y);
}

/* The mean of ranks lo + 1 .. hi is exact: a sum of two integers, halved. */
static void
ranks(double *x, size_t n, struct vs_normalize_item *item)
{
	for (size_t k = 0; k < n; k++)
		item[k] = (struct vs_normalize_item){ x[k], k };
	qsort(item, n, sizeof(*item), by_number);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo; hi < n && item[hi].x == item[lo].x; hi++)
			;
		for (size_t k = lo; k < hi; k++)
			x[item[k].at] = (double)(lo + 1 + hi) / 2;
	}
}

static const char *
normalize(double *x, size_t n, enum vs_normalization how,
	struct vs_normalize_item *scratch)
{
	switch (how) {
	case VS_NORMALIZE_NONE:
		break;
	case VS_NORMALIZE_SUM:
		return shares(x, n);
	case VS_NORMALIZE_RANK:
		ranks(x, n, scratch);
		break;
	case VS_NORMALIZE_Z:
		z_scores(x, n);
	}
	return NULL;
}

const char *
vs_normalize(double *x, size_t n, enum vs_normalization how,
	struct vs_normalize_item *scratch)
{
	struct vs_normalize_item *place = scratch + n;
	size_t n_present = 0;
	const char *why;

	/* collect those present, normalize, and put each back in place */
	for (size_t k = 0; k < n; k++)
		if (!isnan(x[k])) {
			place[n_present].at = k;
			x[n_present++] = x[k];
		}
	why = n_present ? normalize(x, n_present, how, scratch) : NULL;
	for (size_t k = n; k-- > 0;)
		x[k] = n_present && place[n_present - 1].at == k
			? x[--n_present]
			: (double)NAN;
	return why;
}
