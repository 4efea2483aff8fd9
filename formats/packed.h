/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors files, NAME.vec.h5: vsim-vectors(5). */
#ifndef VS_FORMATS_PACKED_H
#define VS_FORMATS_PACKED_H

#include "formats/h5.h"
#include "formats/provenance.h"
#include "formats/sites.h"
#include "libcore/bits/vec.h"

/* ---- reading ---- */

struct vs_packed {
	struct vs_h5r *file;
	struct vs_h5r_data *planes;
	uint64_t n_vec, n_field;
	uint64_t plane_bytes; /* 8 * ceil(n_field / 64) */
	char *allele_rule;    /* minor1 alt1 a1 a2 given */
	char *uuid, *content; /* 36 and 32 characters */
};

/* flags  of vs_h5r_open */
int vs_packed_open(struct vs_packed **p, const char *path, unsigned flags);
void vs_packed_close(struct vs_packed *p); /* null is accepted */

/*
 * Planes of vectors [lo, hi) into a block made by vs_vec_new() with at least
 * hi - lo vectors and n_field fields, at its row at.
 */
int vs_packed_read(struct vs_packed *p, uint64_t lo, uint64_t hi,
	struct vs_vec *out, uint64_t at);

/* The columns of all vectors / of all samples. */
int vs_packed_sites(struct vs_packed *p, struct vs_sites *s);
int vs_packed_samples(struct vs_packed *p, struct vs_samples *s);

/* Only the genotype counts [n_vec][4]; free with free(). */
int vs_packed_counts(struct vs_packed *p, int64_t (**count)[4]);

/* Source rows and label sources, n_vec each; free with free(). */
int vs_packed_source(struct vs_packed *p, int64_t **source_row,
	uint8_t **allele1_source);

/* ---- writing ---- */

struct vs_packed_writer;

/* /permutation, for vsim-permute. */
struct vs_permutation {
	const char
		*algorithm; /* "fisher-yates/xoshiro256**", "frequency" ... */
	uint64_t seed;
	const char *parent_content;
};

struct vs_packed_plan {
	const char *path;
	uint64_t n_field;
	uint64_t n_vec; /* VS_ROWS_UNKNOWN while streaming */
	const char *allele_rule;
	struct vs_codec codec;
	const char *generator;
	bool force;
};

int vs_packed_create(struct vs_packed_writer **w,
	const struct vs_packed_plan *plan);

/* Append rows [lo, hi) of a block. Pad bits must be zero. */
int vs_packed_add(struct vs_packed_writer *w, const struct vs_vec *block,
	uint64_t lo, uint64_t hi);

/*
 * Columns, provenance, seal. sites->n is the number of rows added.
 * permutation, content_hex may be null. w is freed either way.
 */
int vs_packed_finish(struct vs_packed_writer *w, const struct vs_sites *sites,
	const struct vs_samples *samples,
	const struct vs_permutation *permutation,
	const struct vs_provenance *provenance,
	char content_hex[VS_DIGEST_TEXT]);
void vs_packed_abandon(struct vs_packed_writer *w); /* null is accepted */

/* What the content digest of a vectors file covers. */
extern const struct vs_content vs_packed_content;

#endif
