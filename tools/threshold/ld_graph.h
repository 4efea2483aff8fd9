/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linkage disequilibrium (LD) graph of a merged result: variants in genome
 * order and, for each, the others whose value with it exceeds a bound.
 */
#ifndef VS_TOOLS_THRESHOLD_LD_GRAPH_H
#define VS_TOOLS_THRESHOLD_LD_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/shared/prune.h"
#include "tools/shared/vector_names.h"

/* By place: chromosomes in order of first occurrence in the input, then by
 * position, then in input order; variants of no chromosome (0) come last. */
struct vs_ld_graph {
	uint64_t n;
	struct vs_vector_names names;
	uint32_t *vector; /* [n] index in the result */
	int32_t *contig;  /* [n] -1: not known */
	int64_t *pos;     /* [n] less than 1: not known */
	int64_t *source;  /* [n] row in the input */
	/* copies of the rarer allele, and of both; for dosages their sums times
	 * 2^14, but 0 if a pair is listed with both variants; both 0 if all
	 * samples have one genotype, and no value is defined */
	int64_t (*alleles)[2];
	uint64_t *first; /* [n + 1] start of each variant's others, in to */
	uint32_t *to;    /* places, ascending */
};

/*
 * Read the pairs of a result above a bound.
 * path     merged, with one value per pair, greater being stronger
 * vectors  file that it was made from, or null: the one it names
 * above    bound; NaN: that of the run
 * window   the result must list all pairs in it that exceed the bound
 * both     list a pair with both variants, otherwise with the first only
 * returns  0; VS_EUSAGE: the result does not have what is needed; VS_EINPUT;
 *          VS_EMACHINE. Free it in either case
 */
int vs_ld_graph_read(struct vs_ld_graph *g, const char *path,
	const char *vectors, double above, const struct vs_ld_window *window,
	bool both);

/* The same for a vectors file, which has no pairs: first and to are null. */
int vs_ld_graph_of_vectors(struct vs_ld_graph *g, struct vs_packed *f);

/* The variant of a place. */
void vs_ld_graph_site(const struct vs_ld_graph *g, uint64_t place,
	struct vs_site *s);

/* Bases in kb, with six digits as PLINK rounds them, a half to the even one. */
double vs_ld_graph_kb(int64_t bases);

void vs_ld_graph_free(struct vs_ld_graph *g); /* all zero is accepted */

#endif
