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
 * One site as in the input; valid until the next call. allele[0] is the first
 * (REF, A1), allele[1] the second (ALT, A2). Of site, a reader fills id,
 * contig, pos and alleles.
 */
struct vs_input_site {
	struct vs_site site;
	/*
	 * ceil(n_field / 4) bytes; field q is bits 2 (q % 4) and above of byte
	 * q / 4, by how many copies of the SECOND allele it has:
	 * 0 -> 00, 1 -> 10, 2 -> 11, missing -> 01 (the codes of a .bed).
	 * Bits past the last field mean nothing. Null if numbers are read.
	 */
	const uint8_t *codes;
	/* null, or a bit for each field, q % 8 of byte q / 8: the call has one
	 * allele and is not missing */
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
	int64_t multiallelic, no_gt;   /* sites skipped */
	int64_t negative;              /* positions set to unknown */
	int64_t haploid, half_missing; /* calls */
	int64_t polyploid;             /* calls of three alleles or more */
	int64_t polyploid_sites;       /* sites skipped for such a call */
	int64_t of_none;               /* calls of a non-allele, such as * */
	int64_t uncertain;             /* means not close to any call */
	struct vs_names_said names;    /* names, of samples and sites */
	int64_t ignored;               /* samples left out, by their label */
	int64_t past;                  /* sites with calls past the samples */
	int64_t dosages;               /* sites with dosages, not read */
	int64_t extra;                 /* columns of a .bim, not read */
	int64_t unended;               /* last lines without a line end */
};

#define VS_READER_FILES 3 /* most of a PREFIX */

struct vs_reader_kind {
	const char *name; /* "bfile": the option of vsim-pack */
	const char *arg;  /* PREFIX or FILE */
	const char *help;
	const char *const *suffixes; /* for a PREFIX: its files */
	const char *const *endings;  /* of a FILE: its suffixes; or null */
	bool phenotypes;             /* it has its own, as a .fam */
	bool ploidy;                 /* calls state their ploidy */
	bool table;                  /* options describe its shape */
	const char *field; /* the only one of its numbers; null: any, or none */
	/* words of --label that name the first and second allele */
	const char *label[2];
	size_t state; /* bytes of the reader's own, zero before open() */
	/*
	 * Fill samples, n_site and, where known, the contigs. close() frees
	 * what open() leaves in the state, also after a failure.
	 */
	int (*open)(struct vs_reader *r);
	/* 1: *site filled; 0: no more, sources stated; negative: error */
	int (*next)(struct vs_reader *r, struct vs_input_site *site);
	/* if r->field: numbers of that site, one for each sample, NaN for a
	 * missing one. 0; negative. Null: its files have no numbers */
	int (*values)(struct vs_reader *r, double *value);
	void (*close)(struct vs_reader *r);
	/*
	 * Deliver only the sites of r->part, and fill it in. Null: if n_site is
	 * known, sites of other parts are read and skipped.
	 */
	int (*cut)(struct vs_reader *r);
};

/* Sites of several ALT: skipped; delivered once per ALT; or every site
 * delivered once per allele, REF included, with all other alleles as the
 * first. */
enum vs_multiallelic {
	VS_MULTIALLELIC_DROP,
	VS_MULTIALLELIC_SPLIT,
	VS_MULTIALLELIC_WHOLE,
};

/* Calls of three alleles or more: missing; the site is skipped; or refused. */
enum vs_polyploid {
	VS_POLYPLOID_MISSING,
	VS_POLYPLOID_DROP,
	VS_POLYPLOID_REFUSE,
};

struct vs_reader {
	const struct vs_reader_kind *kind;
	void *state;
	/* its files, as suffixes; or FILE, then its .sample or null */
	char *path[VS_READER_FILES];
	struct vs_samples samples;
	struct vs_text_pool
		contig_name; /* known in advance, e.g. from a VCF header */
	int64_t *contig_length;
	int64_t n_site; /* -1 if not known in advance; of a part its own */
	struct vs_part part;
	int64_t n_given; /* sites of a part, if kind has no cut() */
	int ploidy;      /* the part that is wanted */
	bool haplotypes; /* each sample of the file is two, of ploidy 1 */
	int threads;     /* threads for unpacking */
	/* set after opening, of a VCF alone */
	enum vs_multiallelic multiallelic;
	enum vs_polyploid polyploid;
	const char *field;  /* whose numbers are read; null: calls */
	const char *status; /* name of the case status in a .fam, or null */
	const struct vs_table_how *table; /* if kind->table; null: detected */
	struct vs_reader_tally tally;
	struct vs_text note;       /* a line for -v on how it was read */
	struct vs_text_pool guess; /* sentences on what was guessed */
	struct vs_text site_id;    /* room for vs_reader_name() */
	struct vs_text short_id;
	struct vs_provenance *provenance; /* sources are added here */
};

/* The part of an input that is read. */
struct vs_reader_how {
	/* 1: calls have one allele, or two equal ones that count once; 0: the
	 * two alleles of a phased call of a VCF are two fields, of ploidy 1 */
	int ploidy;
	int threads;
	const char *sample; /* the .sample of a .bgen; or null */
	const char *field;  /* see struct vs_reader */
	const char *status;
	const struct vs_table_how
		*table; /* stated part of its shape, or null */
};

/*
 * Open an input. Refuses duplicate samples, and more samples than counts can
 * represent exactly. provenance may be null and outlives the reader, as how
 * does. 0; VS_EINPUT; VS_EUSAGE: no such numbers; VS_EMACHINE
 */
int vs_reader_open(struct vs_reader *r, const struct vs_reader_kind *kind,
	const char *name, const struct vs_reader_how *how,
	struct vs_provenance *provenance);

/* From now on deliver only the sites of part k of n. 0; VS_EINPUT;
 * VS_EMACHINE */
int vs_reader_cut(struct vs_reader *r, int64_t k, int64_t n);
int vs_reader_next(struct vs_reader *r, struct vs_input_site *site);

/* Lengths that the input states for the contigs that occur. 0; VS_EMACHINE */
int vs_reader_contigs(const struct vs_reader *r, struct vs_sites *sites);
void vs_reader_close(struct vs_reader *r); /* all zero is accepted */

/*
 * For readers: a site without id ("" or ".") is named CONTIG:POS:A1:A2; an
 * allele over 24 bytes is abbreviated to its first 16, its length and a digest.
 */
int vs_reader_name(struct vs_reader *r, struct vs_site *site);

#define VS_READER_POSITION 2147483646 /* the highest, as in PLINK */

/*
 * For readers of PLINK's files: parse a position, also as R writes 100000,
 * 1e+05. A fraction is truncated; a negative position is unknown, 0, and
 * counted; above VS_READER_POSITION it is invalid.
 */
bool vs_reader_position(struct vs_reader *r, const char *word, int64_t *pos);

/* For readers: refuse a word that vs_reader_position() does not accept. */
int vs_reader_no_position(const struct vs_lines *l, size_t column,
	const char *word);

/* Words of a line that describe a site; alleles as in struct vs_site. */
enum {
	VS_WORD_CHROM,
	VS_WORD_POS,
	VS_WORD_ID,
	VS_WORD_FIRST,
	VS_WORD_SECOND,
	VS_WORDS
};

/*
 * For readers: fill in a site from n words of a line l. at: the index of each
 * word above; an allele whose index is n or more is unseen, "0" as in a .bim.
 */
int vs_reader_words(struct vs_reader *r, const struct vs_lines *l,
	const uint8_t at[VS_WORDS], const struct vs_word *word, size_t n,
	struct vs_site *site);

#endif
