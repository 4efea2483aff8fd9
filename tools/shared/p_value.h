/* SPDX-License-Identifier: BSD-3-Clause */
/* Significance of records, by the chi-square test of their tables. */
#ifndef VS_TOOLS_SHARED_P_VALUE_H
#define VS_TOOLS_SHARED_P_VALUE_H

#include "tools/shared/contingency.h"

/* The test: of interaction for a result of inter, else of association. */
struct vs_p_value {
	struct vs_contingency tables;
	bool of_interaction;
	double most; /* p-values up to this pass */
};

/*
 * Read the vectors of a result, given or at the path its run states.
 * bonferroni  divide most by the number of combinations that the run compared
 * returns     0; VS_EINPUT; VS_EMACHINE
 */
int vs_p_value_open(struct vs_p_value *t, struct vs_result *result,
	const char *given, double most, bool bonferroni);
void vs_p_value_close(struct vs_p_value *t); /* all 0 is accepted */

bool vs_p_value_passes(const struct vs_p_value *t, const struct vs_record *r);

#endif
