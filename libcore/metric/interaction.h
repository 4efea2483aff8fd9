/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Likelihood ratio test of pure interaction: the saturated logistic model of
 * the case-control status against the model without the interaction of all
 * vectors. For a pair this is the test of the log-linear model [AB][AC][BC], C
 * being the status (Wan et al., BOOST, Am. J. Hum. Genet. 87, 2010); for a
 * triple the model has all two-vector terms.
 */
#ifndef VS_METRIC_INTERACTION_H
#define VS_METRIC_INTERACTION_H

#include "libcore/metric/log_tables.h"

/*
 * cell    samples by cell and class, genotypes of the first vector most
 *         significant; 3^n_way cells
 * n_way   2 or 3
 * least   the result need not be exact if it is at most this: any such value
 * may be returned instead returns the deviance between the two models, 0 or
 * more. The same to the bit
 *         for any order of the vectors and of their genotypes, on any machine
 */
double vs_interaction_value(const int64_t (*cell)[2], int n_way, double least);

/* Degrees of freedom: the product of (genotypes that occur - 1) over the
 * vectors. */
int vs_interaction_df(const int64_t (*cell)[2], int n_way);

/* Upper bound: the association of all vectors less that of the best single
 * vector, or pair, among them. t has n ln n; a bound of at most `least` need
 * not be exact: any such value may be returned instead. */
double vs_interaction_most(const struct vs_log_tables *t,
	const int64_t (*cell)[2], int n_way, double least);

/* The slow definition, which shares no code with these: iterative proportional
 * fitting. Where counts of 0 put the model at the boundary it ends above. */
double vs_interaction_plain(const int64_t (*cell)[2], int n_cell);

#endif
