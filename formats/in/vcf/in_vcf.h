/* SPDX-License-Identifier: BSD-3-Clause */
/* Sites of VCF and BCF, for the readers of their calls and of their numbers. */
#ifndef VS_FORMATS_IN_VCF_IN_VCF_H
#define VS_FORMATS_IN_VCF_IN_VCF_H

#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <stdbool.h>

#include "formats/in/reader.h"
#include "formats/in/text/lines.h"
#include "formats/in/vcf/bcf_record.h"

struct vs_vcf {
	struct vs_lines *lines;
	bcf_hdr_t *header;
	const char *field; /* of FORMAT, that numbers are taken from; or null */
	bool bcf;
	uint8_t *codes, *haploid;
	struct vs_site easy;         /* of a common line */
	struct vs_bcf_record record; /* of any other site */
	kstring_t copy;              /* of a line, for htslib */
	bcf1_t *parsed;              /* by htslib */
	int64_t n_seen;
	int counted;   /* number of the allele that is given; 0 also of none */
	int n_counted; /* alleles of v->record given so far */
	const char *given; /* text of that allele, of v->record; or "." */
	/* of v->record: 1 for each that is not a true allele; the others */
	uint8_t *none;
	size_t room_none;
	int n_own;
	struct vs_text others; /* of v->record, where sites are whole */
	struct vs_text where;  /* CHROM:POS, once known */
	bool part;             /* of a BCF, but the last one: */
	uint64_t past;         /* bytes that the records reach past its end */
};

/*
 * Read the header of v->lines; v->field is set, the rest is zero. r has the
 * samples then. vs_in_vcf_free() frees all but the lines.
 */
int vs_in_vcf_begin(struct vs_vcf *v, struct vs_reader *r);
void vs_in_vcf_free(struct vs_vcf *v);

/*
 * The next site of two alleles that has GT, or v->field; where r->multiallelic
 * asks for it, the next ALT or allele of any site.
 * returns  0: v->record is filled, GT or the field as its calls; 1: there is
 *          none; 2: a common line, v->easy and v->codes are filled; negative
 */
int vs_in_vcf_next(struct vs_reader *r, struct vs_vcf *v);

/* Describe the site of v->record, named if it has no id. */
int vs_in_vcf_site(struct vs_reader *r, struct vs_vcf *v, struct vs_site *s);

/*
 * Fill v->record, whose sizes are set, by what stands behind them: as
 * vs_bcf_record_read(); it has to fit the header, too. Or by all of a record of
 * BCF: n bytes of its site, then n_calls of its samples.
 * returns  0; VS_EINPUT: it is none, nothing is recorded; VS_EMACHINE
 */
int vs_in_vcf_read(struct vs_vcf *v, const void *site, size_t n,
	const void *calls, size_t n_calls);
int vs_in_vcf_record(struct vs_vcf *v, const void *bytes, size_t n,
	size_t n_calls);

/* Give the sites of a part alone, as vs_lines_cut(). */
int vs_in_vcf_cut(struct vs_vcf *v, struct vs_part *part);

/*
 * Whether a BCF's records of a part have all been given.
 * returns  0; VS_EINPUT: the next part does not begin here; VS_EMACHINE
 */
int vs_in_vcf_cut_ended(struct vs_vcf *v, bool *ended);

/* Check, at the end, that the file was whole and had sites to use. */
int vs_in_vcf_finish(struct vs_reader *r, const struct vs_vcf *v);

/*
 * vs_fail(VS_EINPUT) on this place: "FILE: line 12 (1:100)" of text, "FILE:
 * site 3 (1:100)" of BCF, then the three words.
 */
int vs_in_vcf_fail(const struct vs_vcf *v, const char *what, const char *which,
	const char *why);

#endif
