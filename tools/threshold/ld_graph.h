/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linkage disequilibrium (LD) graph of a merged result: variants in the order
 * of the genome, and of each the others whose value exceeds a bound.
 */
#ifndef VS_TOOLS_THRESHOLD_LD_GRAPH_H
#define VS_TOOLS_THRESHOLD_LD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/shared/prune.h"
#include "tools/shared/vector_names.h"

/* By place: chromosomes as they first occur in the input, there by position,
 * of one position as in the input; variants of no chromosome (0) come last. */
struct vs_ld_graph {
	uint64_t n;
	struct vs_vector_names names;
	uint32_t *vector; /* [n] index in the result */
	int32_t *contig;  /* [n] -1: not known */
	int64_t *pos;     /* [n] less than 1: not known */
	int64_t *source;  /* [n] row in the input */
	/* of the rarer allele, and of both; of dosages their sums times 2^14,
	 * but 0 where a pair stands with both variants; both 0 where all
	 * samples have one genotype, and no value is defined */
	int64_t (*alleles)[2];
	uint64_t *first; /* [n + 1] first of the others of each, in to */
	uint32_t *to;    /* places, rising */
};

/*
 * Read the pairs of a result above a bound.
 * path     merged, with one value per pair, greater being stronger
 * vectors  file that it was made from, or null: as it names it
 * above    bound; NaN: that of the run
 * window   the result must list all pairs in it that exceed the bound
 * both     list a pair with both variants, otherwise with the first only
 * returns  0; VS_EUSAGE: the result has not what is asked; VS_EINPUT;
 *          VS_EMACHINE. Free it in any case
 */
int vs_ld_graph_read(struct vs_ld_graph *g, const char *path,
	const char *vectors, double above, const struct vs_ld_window *window,
	bool both);

/* The same of a vectors file, which has no pairs: first and to are null. */
int vs_ld_graph_of_vectors(struct vs_ld_graph *g, struct vs_packed *f);

void vs_ld_graph_free(struct vs_ld_graph *g); /* all zero is accepted */

#endif
