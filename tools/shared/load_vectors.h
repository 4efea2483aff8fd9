/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a vectors file to the engine: what it asks beforehand, and the vectors.
 */
#ifndef VS_TOOLS_SHARED_LOAD_VECTORS_H
#define VS_TOOLS_SHARED_LOAD_VECTORS_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/sched/pair_run.h"

/* Refuse vectors that the metric does not compare. 0; VS_EINPUT */
int vs_load_vectors_check(const struct vs_packed *f, const char *path,
	const char *metric);

/*
 * What a panel for this metric holds: of bits whose numbers are compared, u8.
 */
enum vs_element vs_load_vectors_element(const struct vs_packed *f,
	const char *metric);

/* Of which vectors no planes are needed. */
struct vs_known {
	const uint64_t *dead; /* a bit per vector: by its counts it is */
	const struct vs_query *query; /* by which it is */
	const struct vs_plan *plan;   /* whose blocks have the dead last */
};

/* What the genotype counts tell of the query, a slice at a time, and of which
 * vectors they tell that they pass with none: bits, to be freed. Of numbers
 * there is nothing to tell. */
int vs_load_vectors_look(struct vs_packed *f, struct vs_query *q,
	uint64_t **dead);

/*
 * What a result states of the vectors that it is of. 0; VS_EINPUT, VS_EMACHINE
 */
int vs_load_vectors_describe(struct vs_packed *f, const char *path,
	const struct vs_query *q, struct vs_run *run);

/*
 * Vectors [lo, hi) behind those that the panel has, but for source and flip.
 * known  null: all of them are wanted, in the order of the file
 */
int vs_load_vectors_range(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p);

/* Some rows of a file, rising, and their places among themselves; null: in this
 * order. The panel calls them by numbers from first on. */
struct vs_rows {
	const int64_t *row;
	const uint32_t *place;
	uint64_t n, first;
};

/* Those behind what the panel has, named by themselves, without labels. */
int vs_load_vectors_rows(struct vs_packed *f, const struct vs_rows *rows,
	struct vs_panel *p);

/* The same as vs_load_vectors_range() and these two: as struct vs_job wants. */
int vs_load_vectors_panel(struct vs_packed *f, uint64_t lo, uint64_t hi,
	const struct vs_known *known, struct vs_panel *p);

#endif
