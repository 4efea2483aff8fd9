/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loading of vectors into panels of the engine, with their statistics.
 */
#ifndef VS_TOOLS_SHARED_LOAD_VECTORS_H
#define VS_TOOLS_SHARED_LOAD_VECTORS_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"

/*
 * Refuse vectors that the metric does not compare; then prepare to load them as
 * it reads calls of one allele. 0; VS_EINPUT
 */
int vs_load_vectors_check(struct vs_packed *f, const char *path,
	const char *metric);

/*
 * True if a metric takes the one allele of a haploid call, as of males on X or
 * in all vectors of ploidy 1, for two alike. Those of moments, r2 above all,
 * count one, as PLINK does: value() and plain() see 0 and 1.
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
 * Complete the query from the genotype counts, of which each rank reads a share
 * in slices, and set bits (to be freed) for the vectors that pass with no
 * other. Does nothing for numbers. Collective: returns the worst code of all.
 */
int vs_load_vectors_scan(struct vs_packed *f, struct vs_query *q,
	uint64_t **dead);

/*
 * Set what a result states of its vectors. 0; VS_EINPUT, VS_EMACHINE
 */
int vs_load_vectors_describe(struct vs_packed *f, const char *path,
	const struct vs_query *q, struct vs_run *run);

/*
 * Vectors [lo, hi) behind those that the panel has, but for source and flip.
 * known  null: all of them are wanted, in the order of the file
 */
int vs_load_vectors_range(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p);

/*
 * Likewise places [lo, hi) of an order, by which the panel calls them, without
 * labels.
 * rows  of all places, as the file stores them; row: of the file, by place
 */
void vs_load_vectors_places(const struct vs_packed *f, const void *rows,
	const int64_t *row, uint64_t lo, uint64_t hi, struct vs_panel *p);

/* Some rows of a file, rising, and their places among themselves; null: in this
 * order. The panel calls them by numbers from first on. */
struct vs_rows {
	const int64_t *row;
	const uint32_t *place;
	uint64_t n, first;
};

/* Append those rows to the panel, numbered by themselves, without labels. */
int vs_load_vectors_rows(struct vs_packed *f, const struct vs_rows *rows,
	struct vs_panel *p);

/* Load vectors, their names and labels: the callback of struct vs_job. */
int vs_load_vectors_panel(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p);

#endif
