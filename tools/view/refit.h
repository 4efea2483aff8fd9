/* SPDX-License-Identifier: BSD-3-Clause */
/* Regression on the genotypes of a record, their products and covariates. */
#ifndef VS_TOOLS_VIEW_REFIT_H
#define VS_TOOLS_VIEW_REFIT_H

#include "tools/shared/contingency.h"

struct vs_refit {
	const struct vs_contingency *tables;
	/* of each sample: its trait about the mean in this unit, or 1 for
	 * cases and 0 for controls; NaN unknown */
	double *y, unit;
	/* likewise about their means, at most 1 from them */
	struct vs_samples covariates;
	/* for a result that names alleles as the source: the one that the
	 * vectors label 1, enum of sites.h; or null */
	uint8_t *allele1;
};

/*
 * Read the covariates of a file, if path is not null, for the samples of a
 * result's vectors file, and say which samples have none.
 *
 * tables   of the result, in use until vs_refit_close()
 * vectors  of --vectors, or null
 * names    as vs_sample_table_covar() reads them
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_refit_open(struct vs_refit *r, const struct vs_contingency *tables,
	struct vs_result *result, const char *vectors, const char *path,
	const char *names);
void vs_refit_close(struct vs_refit *r); /* all 0 is accepted */

/*
 * Set refit, n_refit and odds_ratio: of a linear model for a trait, else of a
 * logistic one. Its columns are a 1, the covariates, the copies of each vector
 * and for triples their products by two; the effect is the product's of all.
 * Samples count if all of these are known.
 * v        2 or 3 vectors, named as in the result's records
 * returns  0; VS_EMACHINE
 */
int vs_refit_score(const struct vs_refit *r, const uint64_t *v, int n_way,
	struct vs_scores *out);

#endif
