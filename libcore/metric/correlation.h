/* SPDX-License-Identifier: BSD-3-Clause */
/* Significance of correlations and of F statistics. */
#ifndef VS_METRIC_CORRELATION_H
#define VS_METRIC_CORRELATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Two-sided p-value of a correlation r over n fields, by Student's t with n - 2
 * degrees of freedom: the upper tail of t^2 = (n - 2) r^2 / (1 - r^2), which is
 * the regularized incomplete beta function I_x((n - 2) / 2, 1/2) at x = 1 - r^2
 * (Abramowitz and Stegun 26.7.1, 26.5.27). Relative error below 1e-12.
 *
 * value    r, -1 to 1, or if squared r^2, 0 to 1
 * returns  0 to 1; 1 where n < 3
 */
double vs_correlation_p(double value, bool squared, int64_t n);

/*
 * p-value of an F statistic: the upper tail, I_x(df2 / 2, df1 / 2) at x = df2 /
 * (df2 + df1 f) (26.6.2). Degrees of freedom are whole numbers, df1 up to 60.
 */
double vs_correlation_f(double f, double df1, double df2);

#endif
