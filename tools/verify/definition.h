/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain definitions of metrics, to recompute the values of a run. */
#ifndef VS_TOOLS_VERIFY_DEFINITION_H
#define VS_TOOLS_VERIFY_DEFINITION_H

#include <stdbool.h>

#include "libcore/bits/element.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/plain.h"
#include "tools/shared/case_control.h"

/* A metric for vectors with these elements. */
struct vs_definition {
	const struct vs_metric *metric;
	enum vs_element element;
	bool missing;                        /* some numbers are */
	int ploidy;                          /* of genotypes */
	struct vs_plain_recipe how;          /* for metrics of alleles */
	const struct vs_case_control *cases; /* for metrics of tables */
};

/* True if there is a definition for n_way such vectors. */
bool vs_definition_has(const struct vs_definition *d, int n_way);

/*
 * All values of a pair, and of a triple, of vectors with n_field entries: for
 * genotypes a byte each, 3 if missing; numbers as in the file. A metric of one
 * value stores it as the first cell.
 */
void vs_definition_pair(const struct vs_definition *d, const uint8_t *i,
	const uint8_t *j, size_t n_field, struct vs_plain_pair *out);
void vs_definition_triple(const struct vs_definition *d,
	const uint8_t *const v[3], size_t n_field, struct vs_plain_triple *out);

/*
 * The value of a metric of moments by the number of fields with genotype x in
 * the first vector and y in the second, 3 for missing.
 */
double vs_definition_moment(const struct vs_metric *m, int ploidy,
	const int64_t joint[4][4]);

/* An upper bound of the value of two or three vectors, if the metric has one
 * that is cheaper than the value; else infinity. */
double vs_definition_most(const struct vs_definition *d,
	const uint8_t *const *v, int n_way, size_t n_field);

#endif
