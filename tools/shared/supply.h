/* SPDX-License-Identifier: BSD-3-Clause */
/* From a vectors file to the engine: what it asks beforehand, and the vectors. */
#ifndef VS_TOOLS_SUPPLY_H
#define VS_TOOLS_SUPPLY_H

#include "formats/packed.h"
#include "formats/shard.h"
#include "libcore/engine/pairs.h"

/* Refuse vectors that the metric does not compare. 0; VS_EINPUT */
int vs_supply_check(const struct vs_packed *f, const char *path,
	const char *metric);

/* What the genotype counts tell of the question, a slice at a time;
 * of numbers there is nothing to tell. */
int vs_supply_look(struct vs_packed *f, struct vs_question *q);

/* What a result states of the vectors that it is of. 0; VS_EINPUT, VS_EMACHINE */
int vs_supply_describe(const struct vs_packed *f, const char *path,
	const struct vs_question *q, struct vs_run *run);

/* Vectors [lo, hi) behind those that the panel has, but for source and flip. */
int vs_supply_vectors(struct vs_packed *f, uint64_t lo, uint64_t hi,
	int n_thread, struct vs_panel *p);

/* The same and these two: as struct vs_pairs wants. */
int vs_supply_load(struct vs_packed *f, uint64_t lo, uint64_t hi, int n_thread,
	struct vs_panel *p);

#endif
