/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of vectors along the genome, by chromosome and position. */
#ifndef VS_TOOLS_PLOT_GENOME_H
#define VS_TOOLS_PLOT_GENOME_H

#include "tools/plot/plot.h"

#define VS_GENOME_NONE UINT32_MAX

/* Places [lo, hi) of one chromosome. */
struct vs_genome_segment {
	size_t lo, hi;
	int32_t contig;   /* of the sites, -1: unknown */
	int64_t from, to; /* first and last position; 0: unknown */
};

/*
 * Vectors that have names and are picked, by chromosomes as the sites list
 * them, there by position, and of one position as in the input; those without
 * one come last.
 */
struct vs_genome {
	size_t n;
	uint32_t *vector; /* [n] of the result */
	size_t *row;      /* [n] of the sites */
	int64_t *pos;     /* [n] 0: unknown */
	uint32_t *place;  /* of each vector of the result: [0, n) or none */
	struct vs_genome_segment *segment;
	size_t n_segment;
	const struct vs_sites *sites;
};

/* 0; VS_EMACHINE. Free it in any case */
int vs_genome_make(struct vs_genome *g, const struct vs_plot *p);
void vs_genome_free(struct vs_genome *g);

/* Name of a segment's chromosome; "" where there is none. */
const char *vs_genome_name(const struct vs_genome *g, size_t segment,
	size_t *len);

/* Unit of positions for a range of them, "kb" or "Mb", and its bases. */
const char *vs_genome_unit(int64_t range, double *bases);

#endif
