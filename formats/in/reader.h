/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotype inputs behind one interface; their table is formats/in/readers.h. */
#ifndef VS_FORMATS_IN_READER_H
#define VS_FORMATS_IN_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/h5/provenance.h"
#include "formats/in/names.h"
#include "formats/in/text/lines.h"
#include "formats/vectors/part.h"
#include "formats/vectors/sites.h"
#include "libcore/base/text.h"

/*
 * One site as the input gives it; it lives until the next call.
 * allele[0] is the first (REF, A1), allele[1] the second (ALT, A2). Of site,
 * a reader fills id, contig, pos and alleles.
 */
struct vs_input_site {
	struct vs_site site;
	/*
	 * ceil(n_field / 4) bytes; field q is bits 2 (q % 4) and above of byte
	 * q / 4, by how many copies of the SECOND allele it has:
	 * 0 -> 00, 1 -> 10, 2 -> 11, missing -> 01 (the codes of a .bed).
	 * Bits past the last field mean nothing. 8 bytes more may be read.
	 */
	const uint8_t *codes;
	/* null, or a bit for each field, q % 8 of byte q / 8: its call has
	 * one allele and is not missing */
	const uint8_t *haploid;
};

enum { VS_CODE_0 = 0, VS_CODE_MISSING = 1, VS_CODE_1 = 2, VS_CODE_2 = 3 };

/* Set field q of codes whose bits were zero. */
static inline void
vs_code_put(uint8_t *codes, size_t q, unsigned code)
{
	codes[q / 4] |= (uint8_t)(code << (2 * (q % 4)));
}

/* True for calls past the last of n fields, where a .bed has zeros. */
static inline bool
vs_codes_past(const uint8_t *codes, size_t n)
{
	return n % 4 && codes[n / 4] >> (2 * (n % 4));
}

struct vs_reader;
struct vs_table_how;

/* Counts of skipped or reinterpreted items, reported at the end of input. */
struct vs_reader_tally {
	int64_t multiallelic, no_gt;   /* sites passed over */
	int64_t negative;              /* positions taken as unknown */
	int64_t haploid, half_missing; /* calls */
	int64_t polyploid;             /* calls of three alleles or more */
	int64_t polyploid_sites;       /* sites passed over for such a call */
	int64_t of_none;               /* calls of a non-allele, such as * */
	int64_t uncertain;             /* means that are close to no call */
	struct vs_names_said names;    /* of samples and sites */
	int64_t ignored;               /* samples left out, by their label */
	int64_t past;                  /* sites with calls past the samples */
};

struct vs_reader_kind {
	const char *name; /* "bfile": the option of vsim-pack */
	const char *arg;  /* PREFIX or FILE */
	const char *help;
	const char *const *suffixes; /* of a PREFIX: its files */
	const char *const *endings;  /* of a FILE: how its name ends; or null */
	bool splits;                 /* sites of several ALT, if asked to */
	bool phenotypes;             /* it has some of its own, as a .fam */
	bool ploidy;                 /* calls state theirs */
	bool table;                  /* options state its shape */
	/* words of --label that name the first and second allele */
	const char *label[2];
	/*
	 * Fill samples, n_site and, where known, the contigs. What open()
	 * leaves behind in r, close() frees, also after a failure.
	 */
	int (*open)(struct vs_reader *r, const char *name);
	/* 1: *site filled; 0: no more, sources stated; negative: error */
	int (*next)(struct vs_reader *r, struct vs_input_site *site);
	void (*close)(struct vs_reader *r);
	/*
	 * Give the sites of r->part alone, and fill it in. Null: where n_site
	 * is known sites of others are read and passed over.
	 */
	int (*cut)(struct vs_reader *r);
};

/* A site of several ALT: is passed over; is given for each ALT; and every site
 * for each allele, REF too, all others of it being the first allele. */
enum vs_multiallelic {
	VS_MULTIALLELIC_DROP,
	VS_MULTIALLELIC_SPLIT,
	VS_MULTIALLELIC_WHOLE,
};

/* A call of three alleles or more is missing; or its site is passed over; or
 * refused. */
enum vs_polyploid {
	VS_POLYPLOID_MISSING,
	VS_POLYPLOID_DROP,
	VS_POLYPLOID_REFUSE,
};

struct vs_reader {
	const struct vs_reader_kind *kind;
	void *state;
	struct vs_samples samples;
	struct vs_text_pool
		contig_name; /* known beforehand, e.g. a VCF header */
	int64_t *contig_length;
	int64_t n_site; /* -1 when not known beforehand; of a part its own */
	struct vs_part part;
	int64_t n_given; /* sites of a part, where kind has no cut() */
	int ploidy;      /* that is wanted */
	int threads;     /* that unpacking may use */
	/* set after opening, where kind->splits */
	enum vs_multiallelic multiallelic;
	enum vs_polyploid polyploid;
	const char *status; /* name of the case status in a .fam, or null */
	const struct vs_table_how *table; /* of kind->table; null: found */
	struct vs_reader_tally tally;
	struct vs_text note;       /* a line for -v on how it was read */
	struct vs_text_pool guess; /* sentences on what was guessed */
	struct vs_text site_id;    /* room for vs_reader_name() */
	struct vs_text short_id;
	struct vs_provenance *provenance; /* sources are added to it */
};

/*
 * Open an input. Refuses duplicate samples, and more samples than counts can
 * represent exactly. provenance may be null and outlives the reader.
 *
 * ploidy   1: calls have one allele, or two equal ones that count once
 * status   of a .fam: name of the phenotype that is the case status; or null
 * table    the stated part of a text table's shape; or null
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_reader_open(struct vs_reader *r, const struct vs_reader_kind *kind,
	const char *name, int ploidy, int threads, const char *status,
	const struct vs_table_how *table, struct vs_provenance *provenance);

/* From now on give the sites of part k of n alone. 0; VS_EINPUT; VS_EMACHINE */
int vs_reader_cut(struct vs_reader *r, int64_t k, int64_t n);
int vs_reader_next(struct vs_reader *r, struct vs_input_site *site);

/*
 * For readers of numbers of sites, as vs_reader_open() and vs_reader_next():
 * shorten and count ids that are too long, and count names not in UTF-8.
 * returns  0; VS_EINPUT: a contig's name is too long; VS_EMACHINE
 */
int vs_reader_samples(struct vs_reader *r, struct vs_text_pool *id);
int vs_reader_site(struct vs_reader *r, struct vs_site *s);

/* Lengths that the input states, for the contigs that occur. 0; VS_EMACHINE */
int vs_reader_contigs(const struct vs_reader *r, struct vs_sites *sites);
void vs_reader_close(struct vs_reader *r); /* all zero is accepted */
void vs_reader_clear(struct vs_reader *r); /* the same but for its kind's */

/*
 * For readers: a site without id ("" or ".") is called CONTIG:POS:A1:A2; of an
 * allele over 24 bytes come the first 16, the length and a digest.
 */
int vs_reader_name(struct vs_reader *r, struct vs_site *site);

/*
 * For readers of PLINK's files: a position, also as R writes 100000, 1e+05. Of
 * a fraction the whole part counts; a negative one is unknown, 0, and counted;
 * more than 2^31 - 2 is none.
 */
bool vs_reader_position(struct vs_reader *r, const char *word, int64_t *pos);

/* For readers: refuse a word that vs_reader_position() does not take. */
int vs_reader_no_position(const struct vs_lines *l, size_t column,
	const char *word);

/*
 * For readers of PREFIX: the path of the file with suffix number n, the
 * caller's to free(). name is PREFIX or one of its files; where the file is not
 * there but packed, as PREFIX.bed.gz or PREFIX.bed.zst, it is that one.
 */
int vs_reader_part(char **path, const struct vs_reader *r, const char *name,
	size_t n);

#endif
