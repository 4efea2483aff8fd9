/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of sites (vectors) and samples (fields): ids, positions, alleles,
 * phenotypes. */
#ifndef VS_FORMATS_VECTORS_SITES_H
#define VS_FORMATS_VECTORS_SITES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "formats/h5/h5.h"
#include "libcore/base/text.h"

/* allele1_source: which source allele carries label 1. */
enum { VS_ALLELE_FIRST = 0, VS_ALLELE_SECOND = 1, VS_ALLELE_UNKNOWN = 255 };

/* The columns of a table of sites that hold numbers. */
enum vs_sites_numbers {
	VS_SITES_CONTIG,
	VS_SITES_POS,
	VS_SITES_SOURCE,
	VS_SITES_COUNT,
	VS_SITES_ROW,
	VS_SITES_HAPLOID, /* this one and those below may be absent */
	VS_SITES_MALES,
	VS_SITES_CM,
	VS_SITES_ANNOTATED,
	VS_SITES_NUMBERS
};

extern const struct vs_sites_column {
	const char *name; /* in a file */
	size_t at;        /* place of its pointer in struct vs_sites */
	enum vs_type type;
	int n;                /* numbers of a row; 0: one by annotation */
	size_t bytes;         /* of a row, or of one number if n is 0 */
	const char *expected; /* values in a file; null: any */
} vs_sites_columns[VS_SITES_NUMBERS];

/* Table of n vectors; all zero is empty. Row numbers are vector numbers. */
struct vs_sites {
	size_t n;
	struct vs_text_pool id; /* need not be unique */
	int32_t *contig;        /* row of contig_name, -1 unknown */
	int64_t *pos;           /* 1-based, 0 unknown */
	struct vs_text_pool
		allele[2]; /* allele labelled 0, allele labelled 1 */
	uint8_t *allele1_source;
	int64_t (*count)[4]; /* fields with genotype 0, 1, 2, missing */
	int32_t ploidy;      /* ploidy of genotypes; 0: none, or 2 */
	/* null if no vector has haploid fields; else for each the kind, enum
	 * vs_haploid, and how many of those fields have allele 0 and allele
	 * 1 */
	uint8_t *haploid;
	int64_t (*males)[2];
	/* null without a genetic map; else centimorgans, NaN: unknown */
	double *cm;
	/* annotations of LD scores, and the values of each row, [n][number of
	 * annotations]; null without */
	struct vs_text_pool annotation;
	double *annotated;
	int64_t *source_row; /* row in the first packed order */
	struct vs_text_pool contig_name;
	int64_t *contig_length;            /* 0 unknown */
	size_t room[VS_SITES_NUMBERS + 1]; /* and of the contigs */
	struct vs_text_index contig_index; /* of those that sites had */
	int32_t last_contig;               /* asked for; 0 at first */
	bool lent; /* everything is in another table's memory */
};

/* Greatest distance from 0 in centimorgans. */
#define VS_SITES_CM_MOST 1e6

/* Most annotations, and their greatest distance from 0. */
#define VS_SITES_ANNOTATIONS 256
#define VS_SITES_ANNOTATED_MOST 1e15

/* One row, as text, without the centimorgans. Alleles are by label. */
struct vs_site {
	const char *id, *contig, *allele[2];
	size_t id_len, contig_len, allele_len[2];
	int64_t pos;
	uint8_t allele1_source;
	int64_t count[4];
	uint8_t haploid; /* enum vs_haploid */
	int64_t males[2];
	int64_t source_row;
};

/* The rows of a column, null if it is absent. */
static inline void *
vs_sites_rows(const struct vs_sites *s, int column)
{
	void *rows;

	memcpy(&rows, (const char *)s + vs_sites_columns[column].at,
		sizeof(rows));
	return rows;
}

/* Bytes of a row of a column. */
static inline size_t
vs_sites_row_bytes(const struct vs_sites *s, int column)
{
	const struct vs_sites_column *c = &vs_sites_columns[column];

	return c->n ? c->bytes : c->bytes * s->annotation.n;
}

/* Make room for n rows in all, so that appending does not copy. */
int vs_sites_room(struct vs_sites *s, size_t n);

/*
 * Copies of allele 1, and of both alleles, in all calls: one for a haploid
 * field, whose genotype is 0 or 1.
 */
static inline void
vs_sites_alleles(const struct vs_site *s, int ploidy, int64_t *one,
	int64_t *all)
{
	const int64_t *n = s->count;

	*one = n[1] + 2 * n[2];
	*all = (ploidy == 1 ? 1 : 2) * (n[0] + n[1] + n[2]) - s->males[0] -
		s->males[1];
}

/* Row of a contig, added if new, or -1 of an empty name. 0; VS_EMACHINE */
int vs_sites_contig(struct vs_sites *s, const char *text, size_t len,
	int32_t *row);

/* Append one row; an empty contig is unknown. */
int vs_sites_add(struct vs_sites *s, const struct vs_site *site);
void vs_sites_get(const struct vs_sites *s, size_t row, struct vs_site *site);
void vs_sites_free(struct vs_sites *s);

/* A copy, which cannot be appended to. 0; VS_EMACHINE */
int vs_sites_copy(struct vs_sites *to, const struct vs_sites *from);

/* Message of -v if chromosome names matched that way. */
#define VS_CHR_TURNED "names of chromosomes match but for chr before them"

/* True if two chromosome names differ at most by a leading chr. */
bool vs_sites_contig_same(const char *a, size_t n_a, const char *b, size_t n_b);

/*
 * Look up an id as vs_text_index_find() does; an id that names a place,
 * 21:9411:A:G, is also found with or without a leading chr.
 *
 * turned  set if chr was added or removed, else left unchanged
 */
int64_t vs_sites_find(const struct vs_text_index *x, const char *id, size_t len,
	bool *turned);

/* Look up only the other name of one that names a place. */
int64_t vs_sites_find_turned(const struct vs_text_index *x, const char *id,
	size_t len);

/*
 * Count the ids that occur more than once, and find the first of their rows:
 * ids need not be unique, but lists by id take all rows that have one. 0;
 * VS_EMACHINE
 */
int vs_sites_repeats(const struct vs_sites *s, size_t *n, size_t *first);

/* Table of n fields. */
struct vs_samples {
	size_t n;
	struct vs_text_pool id, family; /* family may be empty (n = 0) */
	uint8_t *sex;         /* 0 unknown 1 male 2 female; may be null */
	uint8_t *child;       /* 1: the source names a parent; may be null */
	uint8_t *case_status; /* 0 control 1 case 255 missing; may be null */
	double *trait; /* the quantitative trait, NaN missing; may be null */
	/* a word in column 6 of a .fam, which is therefore left out; or
	 * empty */
	char odd_phenotype[41];
	struct vs_text_pool phenotype_name;
	double **phenotype; /* [phenotype_name.n][n], NaN missing */
};

/*
 * Names of samples into the empty pool name: family, between and id, or only
 * the id if s has no families or between is null.
 */
int vs_sites_samples_join(const struct vs_samples *s, const char *between,
	struct vs_text_pool *name);

/* Name n samples of a source without names s1, s2 and so on. 0; VS_EMACHINE */
int vs_sites_samples_number(struct vs_samples *s, size_t n);

/*
 * The keys of samples into the empty pool key: "FAMILY ID", or only the id if s
 * has no families. No two samples of a file have the same key.
 */
int vs_sites_samples_keys(const struct vs_samples *s, struct vs_text_pool *key);

/*
 * The first two samples with the same key.
 *
 * row  theirs, ascending, or both -1
 * key  that key, empty before
 */
int vs_sites_samples_twice(const struct vs_samples *s, int64_t row[2],
	struct vs_text *key);

/* Drop the phenotypes, and all. */
void vs_sites_samples_drop(struct vs_samples *s);
void vs_sites_samples_free(struct vs_samples *s);

#endif
