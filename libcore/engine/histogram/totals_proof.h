/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control totals: the sum of the counts of all pairs, or of all triples,
 * computed field by field without visiting any combination. Equal totals prove
 * that none was left out or counted twice.
 */
#ifndef VS_ENGINE_HISTOGRAM_TOTALS_PROOF_H
#define VS_ENGINE_HISTOGRAM_TOTALS_PROOF_H

#include "libcore/base/num.h"
#include "libcore/bits/panel.h"

#define VS_TOTALS_PROOF_CLASSES 4 /* 0 to 3 labels that are 1 */

/* In each field, the number of vectors with g = 0, with g = 2 and without a
 * call. */
struct vs_totals_proof {
	size_t n_field, n_word;
	uint64_t n_vec;  /* vectors added */
	int n_plane;     /* bits of a counter */
	uint64_t *plane; /* three counters of n_plane rows of n_word words */
	uint64_t *n;     /* three rows of n_field, vs_totals_proof_count() */
};

/* Make room for up to n_vec vectors. 0; VS_EMACHINE */
int vs_totals_proof_new(struct vs_totals_proof *l, uint64_t n_vec,
	size_t n_field);
void vs_totals_proof_free(struct vs_totals_proof *l); /* all zero is accepted */

/* Add all vectors of a panel of genotypes. */
void vs_totals_proof_add(struct vs_totals_proof *l, const struct vs_panel *p);

/* Turn counters into l->n, which may then be summed over ranks, as may
 * n_vec. */
void vs_totals_proof_count(struct vs_totals_proof *l);

/*
 * Sums of r, rho(1) = g and rho(0) = 2 - g, over all pairs (way 2) or triples
 * (way 3), by how many of the labels are 1: the terms of the second and third
 * elementary symmetric function of the vectors' rho(0) x + rho(1) y.
 */
void vs_totals_proof_sums(const struct vs_totals_proof *l, int way,
	vs_wide sum[VS_TOTALS_PROOF_CLASSES]);

#endif
