/* SPDX-License-Identifier: BSD-3-Clause */
/* Significance of records: of correlations by Student's t, else by the
 * chi-square test of their tables. */
#ifndef VS_TOOLS_SHARED_P_VALUE_H
#define VS_TOOLS_SHARED_P_VALUE_H

#include "tools/shared/contingency.h"

/* The values of a correlation over n fields whose p is not clear; n 0: none. */
struct vs_p_bound {
	int64_t n;
	double most, low, high;
};
#define VS_P_BOUNDS 1024

/* The test: of correlation, which needs no tables; of interaction, for a result
 * of inter; else of association. */
struct vs_p_value {
	struct vs_contingency tables;
	bool of_correlation, of_interaction, squared;
	int64_t n_field;
	double compared;          /* pairs or triples, by the run */
	double most;              /* p-values up to this pass */
	struct vs_p_bound *bound; /* of n, at n % VS_P_BOUNDS */
	/* of n_seen records; from malloc() */
	double *seen; /* p, once ranked in ascending order */
	double *q;    /* of these p */
	size_t n_seen, room;
};

/* True if the values of the run are r or r2 of pairs. */
bool vs_p_value_is_of_correlation(const struct vs_run *run);

/*
 * Read the vectors of a result, given or at the path its run states; a
 * correlation needs none.
 * bonferroni  divide most by the number of combinations that the run compared
 * returns     0; VS_EINPUT; VS_EMACHINE
 */
int vs_p_value_open(struct vs_p_value *t, struct vs_result *result,
	const char *given, double most, bool bonferroni);
void vs_p_value_close(struct vs_p_value *t); /* all 0 is accepted */

bool vs_p_value_passes(const struct vs_p_value *t, const struct vs_record *r);

/* Keep the p-value of a record for the functions below. 0; VS_EMACHINE */
int vs_p_value_see(struct vs_p_value *t, const struct vs_record *r);

/*
 * The false discovery rates of the records seen, by Benjamini and Hochberg (J.
 * R. Statist. Soc. B 57, 289): of the k-th p-value in ascending order the least
 * p_m compared / m of all m >= k, at most 1. Combinations without a record
 * count as if their p were 1.
 *
 * select  set most to the greatest p-value of this rate; n_seen becomes the
 *         number that passes. p-values above the rate times the number of
 *         records that a combination may have need not be seen
 * rank    for vs_p_value_q(). 0; VS_EMACHINE
 */
void vs_p_value_select(struct vs_p_value *t, double rate);
int vs_p_value_rank(struct vs_p_value *t);

/* The false discovery rate of a record that was seen. */
double vs_p_value_q(const struct vs_p_value *t, const struct vs_record *r);

#endif
