/* SPDX-License-Identifier: BSD-3-Clause */
/* Tail of the chi-square distribution. */
#ifndef VS_METRIC_CHI_SQUARE_H
#define VS_METRIC_CHI_SQUARE_H

/* Probability that chi-square with df degrees of freedom is x or more; 1 where
 * df is 0. Abramowitz and Stegun, 26.4.4 and 26.4.5. */
double vs_chi_square_tail(double x, int df);

#endif
