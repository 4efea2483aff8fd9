/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs and triples of two sets of vectors, --pairs-between and
 * --triples-between, and triples with a vector of one, --triples-with. */
#ifndef VS_TOOLS_RUN_BETWEEN_H
#define VS_TOOLS_RUN_BETWEEN_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"

/* Two sets of vectors, or an order of all, as a supplement to struct vs_run. */
struct vs_between_chosen {
	int64_t *place; /* of a vector among run->wanted.row; null: none */
	/* of all vectors, as their file has it */
	int64_t *source;
	uint8_t *allele1;
	const uint8_t
		*planes; /* of struct vs_order, which owns them; or null */
};

/*
 * Set in run the sets that two words name; the second may be null, for all
 * vectors. A word is @FILE, with an id at the start of each line; LO-HI, rows
 * of the vectors file; or a region as in vsim-view. run must not move while the
 * job uses it.
 * returns     0; VS_EUSAGE, VS_EINPUT: no such vectors, or no pair between
 *             them; VS_EMACHINE
 * collective  yes
 */
int vs_between_begin(struct vs_between_chosen *c, const char *const word[2],
	struct vs_packed *f, struct vs_run *run);
/*
 * The same for sets that run has; names is how they were named.
 * returns  0; VS_EMACHINE
 */
int vs_between_set(struct vs_between_chosen *c, const char *names,
	struct vs_packed *f, struct vs_run *run);
void vs_between_free(struct vs_between_chosen *c); /* all zero is accepted */

/* Load vectors [lo, hi) of run->wanted.row; otherwise like
 * vs_load_vectors_panel(). */
int vs_between_load(const struct vs_between_chosen *c, struct vs_packed *f,
	const struct vs_run *run, uint64_t lo, uint64_t hi, struct vs_panel *p);

#endif
