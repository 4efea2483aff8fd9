/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cache of unpacked vectors for plain definitions, one byte per genotype, or
 * numbers: those requested, in limited memory, by the index that records use.
 */
#ifndef VS_TOOLS_VERIFY_UNPACKED_H
#define VS_TOOLS_VERIFY_UNPACKED_H

#include "formats/vectors/packed.h"

#define VS_UNPACKED_LEAST 4 /* fewest vectors that there must be room for */

struct vs_unpacked {
	/* set by the caller */
	struct vs_packed *file;
	size_t n_byte;                 /* bytes of an unpacked vector */
	bool in_source;                /* indices are the source's */
	const int64_t *source_row;     /* for each row, if in_source */
	const uint8_t *allele1_source; /* null: alleles are as labelled */
	bool presence;                 /* bits used as 0 and 1, 0 if missing */
	bool ranks;                    /* of f64, for the numbers */
	/* null, or for each row whether some fields are haploid, those of sex
	 * 1, whose single allele then counts twice */
	const uint8_t *kind, *sex;
	/* its own */
	int64_t *slot; /* slot of an index, or -1 */
	uint8_t *bytes;
	uint64_t room, n, n_loaded; /* vectors: most, wanted, loaded */
};

/* Make room for as many as fit in `memory` bytes. 0; VS_EMACHINE */
int vs_unpacked_new(struct vs_unpacked *u, uint64_t memory);

/* Request one; false: there is no room for it. */
bool vs_unpacked_want(struct vs_unpacked *u, uint64_t index);

/* Read the requested ones that are not loaded yet. */
int vs_unpacked_load(struct vs_unpacked *u);

/* Forget all but the first n requested. */
void vs_unpacked_keep(struct vs_unpacked *u, uint64_t n);

/* A vector that was loaded. */
const uint8_t *vs_unpacked_get(const struct vs_unpacked *u, uint64_t index);

void vs_unpacked_free(struct vs_unpacked *u); /* safe on all zero */

#endif
