/* SPDX-License-Identifier: BSD-3-Clause */
/* Null distribution of the maximum: the strongest value of each search of
 * permuted data, and family-wise p-values from it. */
#ifndef VS_FORMATS_RESULTS_NULL_MAXIMA_H
#define VS_FORMATS_RESULTS_NULL_MAXIMA_H

#include <stdbool.h>

#include "formats/h5/h5.h"
#include "libcore/base/strength.h"

#define VS_NULL_MAXIMA_MOST 1000000 /* permutations */

/* A value for each of n permutations, all NaN: not searched yet. Freed by the
 * caller. 0; VS_EMACHINE */
int vs_null_maxima_new(double **value, int64_t n);

bool vs_null_maxima_complete(const double *value, int64_t n);

/* False if both have a value for a permutation, and these differ. */
bool vs_null_maxima_agree(const double *a, const double *b, int64_t n);

/* Add to `to` the values that only `from`, read from path, has. 0; VS_EINPUT:
 * they contradict each other */
int vs_null_maxima_join(double *to, const double *from, int64_t n,
	const char *path);

/* Sort values of n permutations, none NaN, in ascending order. */
void vs_null_maxima_sort(double *value, int64_t n);

/*
 * Family-wise p-value: permutations whose strongest value is at least as
 * strong, plus 1 for the data themselves, divided by n + 1.
 * null   of n permutations, as vs_null_maxima_sort() leaves them
 * strong values that are stronger
 * f32    value was rounded to float, so the permutations' values are, too
 */
double vs_null_maxima_p(const double *null, int64_t n, enum vs_strong strong,
	bool f32, double value);

/* Data set /permutations/strongest of a shard or result. */
int vs_null_maxima_write(const double *value, int64_t n, struct vs_h5_writer *w,
	struct vs_codec codec);
/* 0; VS_EINPUT: it is absent, does not have n rows, or one is infinite */
int vs_null_maxima_read(double **value, int64_t n, struct vs_h5_reader *r);

#endif
