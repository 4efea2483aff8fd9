/* SPDX-License-Identifier: BSD-3-Clause */
/* Contingency tables of records, recounted from the vectors file. */
#ifndef VS_TOOLS_SHARED_CONTINGENCY_H
#define VS_TOOLS_SHARED_CONTINGENCY_H

#include "formats/results/result.h"
#include "libcore/metric/scores.h"
#include "tools/shared/case_control.h"

/* Genotypes of all vectors in memory, and the status of the samples. */
struct vs_contingency {
	struct vs_case_control cases;
	uint64_t n_word, n_field;
	uint64_t *word;  /* plane p of vector v at (2 v + p) n_word */
	uint64_t *place; /* of a vector that a result names by source */
	struct vs_log_tables logs[VS_LOG_KINDS];
	const struct vs_metric *metric; /* of a trait; or null */
};

/*
 * Read the vectors file of a result, that is given or where its run says.
 * returns  0; VS_EINPUT: not found, of numbers, without status, or a part of
 *          the source that a result names its vectors by; VS_EMACHINE
 */
int vs_contingency_open(struct vs_contingency *c, struct vs_result *result,
	const char *given);
void vs_contingency_close(struct vs_contingency *c);

/*
 * Read the vectors alone, without status, for vs_contingency_r(): of a result,
 * or of a run from the open file or input. 0; VS_EINPUT; VS_EMACHINE
 */
int vs_contingency_open_pairs(struct vs_contingency *c,
	struct vs_result *result, const char *given);
int vs_contingency_of_vectors(struct vs_contingency *c,
	const struct vs_run *run, struct vs_packed *vectors);

/* r of a pair, named as in the result's records, to the bit as --metric r has
 * it. */
double vs_contingency_r(const struct vs_contingency *c, const uint64_t v[2]);

/* Genotypes of a vector, named as in the result's records: copies of the allele
 * labelled 1, 255 missing; n_field bytes. */
void vs_contingency_genotypes(const struct vs_contingency *c, uint64_t v,
	uint8_t *g);

/*
 * Count the table of 2 or 3 vectors, named as in the result's records, and set
 * its scores as vs_scores_set() does; for a trait, cells hold samples and sums.
 */
void vs_contingency_score(const struct vs_contingency *c, const uint64_t *v,
	int n_way, bool fit, struct vs_scores *out);

/*
 * Set out->permuted of a scored table: the share of n + 1 tables, itself and n
 * with the status or the trait permuted, that are as strong. 0; VS_EMACHINE
 */
int vs_contingency_permute(const struct vs_contingency *c, const uint64_t *v,
	int n_way, int64_t n, uint64_t seed, struct vs_scores *out);

#endif
