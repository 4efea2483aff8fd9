/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader and writer of vectors files, NAME.vec.h5: vsim-vectors(5). */
#ifndef VS_FORMATS_VECTORS_PACKED_H
#define VS_FORMATS_VECTORS_PACKED_H

#include "formats/h5/h5.h"
#include "formats/h5/provenance.h"
#include "formats/vectors/part.h"
#include "formats/vectors/sites.h"
#include "libcore/bits/element.h"
#include "libcore/bits/haploid.h"
#include "libcore/bits/synthetic.h"
#include "libcore/bits/vec.h"

/* Limits of vsim-vectors(5): 8 * n_field fits 32 bits in the kernels. */
#define VS_PACKED_FIELDS ((1u << 29) - 1)
#define VS_PACKED_VECTORS ((1ull << 32) - 1)

/* ---- reading ---- */

struct vs_packed {
	struct vs_h5_reader *file;
	struct vs_packed_held *held;    /* in memory, without a file; or null */
	struct vs_h5_reader_data *rows; /* the planes, or the numbers */
	struct vs_h5_reader_data *stated; /* their counts, or their sums */
	bool unheld; /* the caller checks rows against these */
	enum vs_element element;
	unsigned kinds; /* kinds of numbers allowed, of enum vs_number_kind */
	uint64_t n_vec, n_field;
	uint64_t row_bytes;   /* bytes of a stored vector */
	uint64_t plane_bytes; /* genotypes: 8 * ceil(n_field / 64), or 0 */
	bool sited; /* vectors have chromosome, position and alleles */
	int ploidy; /* genotypes: 2; 1: all entries are 0, 1 or missing */
	char *allele_rule;    /* genotypes: minor1 alt1 a1 a2 given, or null */
	char *uuid, *content; /* 36 and 32 characters */
	struct vs_part part;  /* part of a file; n is 0 for a whole file */
	char *settings;       /* for a part: options used to pack it; or null */
	/* treat two like alleles as one: vs_load_vectors_check() */
	bool doubled;
	bool zeroed; /* and a missing one as 0 */
	bool ranked; /* and the kind of ranks, of f64, for numbers */
	/* from vs_packed_read_haploid(): for each vector, enum vs_haploid, and
	 * the mask of the males; null: no vector has haploid fields */
	uint8_t *haploid;
	uint64_t *male;
	struct vs_h5_reader_data *stated_males;
};

/* flags  of vs_h5_reader_open; VS_PACKED_PART: a part of a file will do, which
 *        may have no vectors */
#define VS_PACKED_PART (1u << 16)
int vs_packed_open(struct vs_packed **p, const char *path, unsigned flags);
void vs_packed_close(struct vs_packed *p); /* null is accepted */

/* Its path, or the name of the input it was made from, for messages. */
const char *vs_packed_path(const struct vs_packed *p);

/* A user's word for one of its vectors. */
static inline const char *
vs_packed_noun(const struct vs_packed *p)
{
	return p->sited || !vs_element_is_number(p->element) ? "variant"
							     : "vector";
}

/*
 * Read vectors [lo, hi) as they are stored, row_bytes each, one after another:
 * for numbers n_field values of the element's C type, of the kinds allowed; for
 * genotypes plane 0 and plane 1, with bits past the last field zero. Each row
 * is checked against the genotype counts, or the sum, that the file states.
 * returns  0; VS_EINPUT, also if the file holds forbidden values; VS_EMACHINE
 */
int vs_packed_rows(struct vs_packed *p, uint64_t lo, uint64_t hi, void *out);

/* The same, and take() gets them as in vs_h5_reader_each(); out may be null. */
int vs_packed_each(struct vs_packed *p, uint64_t lo, uint64_t hi, void *out,
	vs_h5_reader_sink *sink, void *ctx);

/*
 * Sums of all vectors of numbers, n_vec values: exact uint64_t for integers,
 * else double, added in the order of libcore/bits/numbers.h; free with free().
 */
int vs_packed_sums(struct vs_packed *p, void *sums);

/* How the vectors were synthesised. VS_EINPUT: they were not, or in an unknown
 * way */
int vs_packed_synthetic(struct vs_packed *p, struct vs_synthetic *s);

/* Refuse numbers if genotypes are required, with one sentence. 0; VS_EINPUT */
int vs_packed_want_genotypes(const struct vs_packed *p);

/*
 * Read the planes of vectors [lo, hi) into a block made by vs_vec_new() with at
 * least hi - lo vectors and n_field fields, from its row `at` on.
 */
int vs_packed_read(struct vs_packed *p, uint64_t lo, uint64_t hi,
	struct vs_vec *out, uint64_t at);

/*
 * The columns of all vectors / of all samples. Vectors of numbers have no place
 * and no alleles: contig -1, empty alleles, source unknown, counts 0. No two
 * samples have the same key.
 */
int vs_packed_sites(struct vs_packed *p, struct vs_sites *s);

/* The same, to be read only and while p is open: those of vectors in memory
 * are not copied. */
int vs_packed_lend_sites(struct vs_packed *p, struct vs_sites *s);

/* The id of vector v, truncated if too long. 0; VS_EINPUT; VS_EMACHINE */
#define VS_PACKED_ID 64
int vs_packed_id(struct vs_packed *p, uint64_t v, char id[VS_PACKED_ID]);

int vs_packed_samples(struct vs_packed *p, struct vs_samples *s);

/* Fill in haploid and male, if the file has them. */
int vs_packed_read_haploid(struct vs_packed *p);

/* The genotype counts that the file states for vectors [lo, hi), checked to add
 * up to the fields. 0; VS_EINPUT; VS_EMACHINE */
int vs_packed_stated(struct vs_packed *p, uint64_t lo, uint64_t hi,
	int64_t (*count)[4]);
/* The numbers of haploid calls with 0 and with 1 copy that it states. */
int vs_packed_stated_males(struct vs_packed *p, uint64_t lo, uint64_t hi,
	int64_t (*males)[2]);
/* Those of all vectors; free with free(). */
int vs_packed_counts(struct vs_packed *p, int64_t (**count)[4]);

/* A column of the sites of vectors [lo, hi), such as their source rows. */
int vs_packed_column(struct vs_packed *p, enum vs_sites_numbers column,
	uint64_t lo, uint64_t hi, void *to);

/* Case status of the samples, as in struct vs_samples; null if none is stated;
 * free with free(). */
int vs_packed_status(struct vs_packed *p, uint8_t **status);

/* The quantitative trait likewise. */
int vs_packed_trait(struct vs_packed *p, double **trait);

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
	uint64_t n_vec;          /* VS_ROWS_UNKNOWN while streaming */
	const char *allele_rule; /* genotypes only */
	struct vs_codec codec;
	const char *generator;
	bool force;
	enum vs_element element;
	int ploidy;                           /* genotypes only; 0: 2 */
	const struct vs_synthetic *synthetic; /* how they were made; null */
	const struct vs_part *part;           /* one of several parts; null */
	const char *settings; /* for a part, as in struct vs_packed */
};

int vs_packed_create(struct vs_packed_writer **w,
	const struct vs_packed_plan *plan);

/* Append n vectors in the form that vs_packed_rows() returns. */
int vs_packed_add_rows(struct vs_packed_writer *w, const void *rows,
	uint64_t n);

/* Set the sum of a row of numbers that was appended. */
double vs_packed_sum(const struct vs_packed_writer *w, uint64_t v);

/* Set the kinds of all numbers that were appended. */
unsigned vs_packed_kinds(const struct vs_packed_writer *w);

/* Append rows [lo, hi) of a block. Pad bits must be zero. */
int vs_packed_add(struct vs_packed_writer *w, const struct vs_vec *block,
	uint64_t lo, uint64_t hi);

/*
 * Columns, provenance, seal. sites->n is the number of rows added; for vectors
 * of numbers only ids and source rows are written.
 * permutation, content_hex may be null. w is freed either way.
 */
int vs_packed_finish(struct vs_packed_writer *w, const struct vs_sites *sites,
	const struct vs_samples *samples,
	const struct vs_permutation *permutation,
	const struct vs_provenance *provenance,
	char content_hex[VS_DIGEST_TEXT]);
void vs_packed_abandon(struct vs_packed_writer *w); /* null is accepted */

/* The type of /vectors/planes or /vectors/values. */
enum vs_type vs_packed_type(enum vs_element e);

/* Parts of the content digest of a vectors file. */
extern const struct vs_content vs_packed_content;

#endif
