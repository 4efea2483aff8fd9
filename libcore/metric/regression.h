/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Effect of one column in a linear or logistic regression, with its standard
 * error and p-value, by orthogonal columns (QR): by additions, multiplications,
 * divisions and square roots in a fixed order, so the same to the bit on every
 * machine.
 */
#ifndef VS_METRIC_REGRESSION_H
#define VS_METRIC_REGRESSION_H

#include <stddef.h>

/* Columns of a model: column c of sample q at x[c * n + q]. */
struct vs_regression_model {
	const double *x;
	size_t n;     /* samples */
	int n_column; /* the last one's effect is wanted */
	int n_free;   /* the first ones: left out if they follow from others */
};

/* NaN if there is no effect; then note says why. */
struct vs_regression {
	double effect, se, p;
	const char *note; /* a word; or null */
};

/* Doubles of scratch that the functions below use. */
size_t vs_regression_room(const struct vs_regression_model *m);

/*
 * linear    y of each sample by least squares; p by Student's t with as many
 *           degrees of freedom as samples less columns; as R's lm(). A column
 *           follows from others if they leave less than 1e-7 of its length,
 *           as there
 * logistic  y of 1 or 0 by maximum likelihood: Newton's method until no
 *           sample's log odds change by 1e-9; p by the normal distribution
 *           (Wald); as R's glm() with a small epsilon
 *
 * Notes: few, samples for the columns; collinear, a column after the free ones
 * follows from others; exact, nothing is left of y; separation, the likelihood
 * has no maximum.
 */
struct vs_regression vs_regression_linear(const struct vs_regression_model *m,
	const double *y, double *room);
struct vs_regression vs_regression_logistic(const struct vs_regression_model *m,
	const double *y, double *room);

#endif
