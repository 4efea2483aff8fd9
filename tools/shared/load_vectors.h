/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading of vectors into panels of the engine, with their statistics. */
#ifndef VS_TOOLS_SHARED_LOAD_VECTORS_H
#define VS_TOOLS_SHARED_LOAD_VECTORS_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"

/*
 * Refuse vectors that the metric does not compare; then prepare to load them
 * according to how it reads calls of one allele. 0; VS_EINPUT
 */
int vs_load_vectors_check(struct vs_packed *f, const char *path,
	const char *metric);

/*
 * True if a metric counts the single allele of a haploid call, such as of males
 * on X or in any vector of ploidy 1, as two equal ones. Metrics of moments, r2
 * above all, count it once, as PLINK does: value() and plain() see 0 and 1; but
 * those of haplotypes, phase.h, count two.
 */
bool vs_load_vectors_doubles(const char *metric);

/*
 * Element of a panel for this metric: u8 for bits that are compared as numbers.
 */
enum vs_element vs_load_vectors_element(const struct vs_packed *f,
	const char *metric);

/* Vectors whose planes are not needed. */
struct vs_known {
	const uint64_t *dead; /* bit per vector: by its counts it passes with no
			       * other */
	const struct vs_plan *plan; /* its blocks have those vectors last */
};

/*
 * Complete the query from the genotype counts, which the ranks read in shares,
 * slice by slice, and set bits (to be freed) for the vectors that pass with no
 * other. Does nothing for numbers. Collective: returns the worst code of all.
 */
int vs_load_vectors_scan(struct vs_packed *f, struct vs_query *q,
	uint64_t **dead);

/* Set what a result states about its vectors. 0; VS_EINPUT, VS_EMACHINE */
int vs_load_vectors_describe(struct vs_packed *f, const char *path,
	const struct vs_query *q, struct vs_run *run);

/*
 * Append vectors [lo, hi) to the panel, all but source and flip.
 * known  null: all of them are wanted, in file order
 */
int vs_load_vectors_range(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p);

/*
 * Likewise for places [lo, hi) of an order, by which the panel numbers them,
 * without labels.
 * rows  of all places, as the file stores them; row: of the file, by place
 */
void vs_load_vectors_places(const struct vs_packed *f, const void *rows,
	const int64_t *row, uint64_t lo, uint64_t hi, struct vs_panel *p);

/* Some rows of a file, ascending, and their places among themselves; null: in
 * this order. The panel numbers them from first on. */
struct vs_rows {
	const int64_t *row;
	const uint32_t *place;
	uint64_t n, first;
};

/* Append those rows to the panel, numbered separately, without labels. */
int vs_load_vectors_rows(struct vs_packed *f, const struct vs_rows *rows,
	struct vs_panel *p);

/* Load vectors, their names and labels: the callback of struct vs_job. */
int vs_load_vectors_panel(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p);

#endif
