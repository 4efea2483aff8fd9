/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of moments, from the table: tests walk all of them. */
#ifndef VS_TESTS_MOMENT_ROWS_H
#define VS_TESTS_MOMENT_ROWS_H

#include "libcore/metric/metric.h"
#include "libcore/metric/plain.h"

static inline int
moment_rows(void)
{
	const struct vs_metric *m;
	int n = 0;

	for (int k = 0; (m = vs_metric_at(k)); k++)
		n += m->family == VS_FAMILY_MOMENTS;
	return n;
}

/* Number k of them, from the first again after the last. */
static inline const struct vs_metric *
moment_row(uint64_t k)
{
	int left = (int)(k % (uint64_t)moment_rows());

	for (int row = 0;; row++) {
		const struct vs_metric *m = vs_metric_at(row);

		if (m->family == VS_FAMILY_MOMENTS && !left--)
			return m;
	}
}

/* The same of those with a bound: the others' pairs are never left out, and no
 * device has code for them. */
static inline int
bounded_rows(void)
{
	int n = 0;

	for (int k = 0; k < moment_rows(); k++)
		n += moment_row((uint64_t)k)->least != NULL;
	return n;
}

static inline const struct vs_metric *
bounded_row(uint64_t k)
{
	int left = (int)(k % (uint64_t)bounded_rows());

	for (uint64_t row = 0;; row++) {
		const struct vs_metric *m = moment_row(row);

		if (m->least && !left--)
			return m;
	}
}

/* The plain value of two vectors; *nvalid: fields present in both. */
static inline double
moment_plain(const struct vs_metric *m, const uint8_t *i, const uint8_t *j,
	size_t n_field, int64_t *nvalid)
{
	int64_t joint[4][4];

	vs_plain_joint(i, j, n_field, joint);
	*nvalid = 0;
	for (int x = 0; x < 9; x++)
		*nvalid += joint[x / 3][x % 3];
	return m->plain(joint);
}

#endif
