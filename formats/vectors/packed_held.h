/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors of genotypes in memory, which programs then read as if from a file,
 * so that genotype input needs no file.
 */
#ifndef VS_FORMATS_VECTORS_PACKED_HELD_H
#define VS_FORMATS_VECTORS_PACKED_HELD_H

#include "formats/vectors/packed.h"

/* Part of struct vs_packed, instead of a file. */
struct vs_packed_held {
	char *name;   /* of the input, for messages */
	uint8_t *row; /* rows, one after another */
	size_t room;
	struct vs_sites sites;
	uint64_t *male;  /* of the samples, if any vector is haploid; or null */
	uint8_t *status; /* case status, or null */
	double *trait;   /* or null */
};

/*
 * Begin vectors of n_field samples and ploidy 2, about n_vec of them; close
 * them in either case with vs_packed_close(). 0; VS_EMACHINE
 */
int vs_packed_held_new(struct vs_packed **p, const char *name, uint64_t n_field,
	uint64_t n_vec);

/* Append rows [lo, hi) of a block. */
int vs_packed_held_add(struct vs_packed *p, const struct vs_vec *vec,
	uint64_t lo, uint64_t hi);

/* End of input: move the sites here, which leaves *sites empty, and store the
 * sex, status and trait of the samples. */
int vs_packed_held_end(struct vs_packed *p, struct vs_sites *sites,
	const struct vs_samples *samples);

void vs_packed_held_free(struct vs_packed_held *h); /* null is accepted */

#endif
