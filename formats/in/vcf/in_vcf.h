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
	const char *field; /* of FORMAT, to take numbers from; or null */
	bool bcf;
	uint8_t *codes, *haploid;
	struct vs_site easy;         /* of a common line */
	struct vs_bcf_record record; /* for any other site */
	kstring_t copy;              /* copy of a line, for htslib */
	bcf1_t *parsed;              /* by htslib */
	int64_t n_seen;
	int counted;       /* number of the allele delivered; 0 also if none */
	int n_counted;     /* alleles of v->record delivered so far */
	const char *given; /* text of that allele, of v->record; or "." */
	/* of v->record: 1 for each non-allele; all others */
	uint8_t *none;
	size_t room_none;
	int n_own;
	struct vs_text others; /* of v->record, where sites are whole */
	struct vs_text where;  /* CHROM:POS, once known */
	bool part;             /* for a BCF, unless it is the last part: */
	uint64_t past;         /* bytes that the records reach past its end */
};

/*
 * Read the header of v->lines; v->field is set, the rest is zero. r has the
 * samples then. vs_in_vcf_free() frees all but the lines.
 */
int vs_in_vcf_begin(struct vs_vcf *v, struct vs_reader *r);
void vs_in_vcf_free(struct vs_vcf *v);

/*
 * The next site of two alleles that has GT, or v->field; or, depending on
 * r->multiallelic, the next ALT or allele of any site.
 * returns  0: v->record is filled, GT or the field as its calls; 1: there is
 *          none; 2: a common line, v->easy and v->codes are filled; negative
 */
int vs_in_vcf_next(struct vs_reader *r, struct vs_vcf *v);

/* Describe the site of v->record, named if it has no id. */
int vs_in_vcf_site(struct vs_reader *r, struct vs_vcf *v, struct vs_site *s);

/*
 * Fill v->record, whose sizes are set, from the rest of a record, as
 * vs_bcf_record_read() does, and check it against the header. Or from a whole
 * BCF record: n bytes of its site, then n_calls of its samples.
 * returns  0; VS_EINPUT: not a record, nothing is recorded; VS_EMACHINE
 */
int vs_in_vcf_read(struct vs_vcf *v, const void *site, size_t n,
	const void *calls, size_t n_calls);
int vs_in_vcf_record(struct vs_vcf *v, const void *bytes, size_t n,
	size_t n_calls);

/* Deliver only the sites of a part, as vs_lines_cut() does. */
int vs_in_vcf_cut(struct vs_vcf *v, struct vs_part *part);

/*
 * Check whether all of a part's BCF records have been delivered.
 * returns  0; VS_EINPUT: the next part does not begin here; VS_EMACHINE
 */
int vs_in_vcf_cut_ended(struct vs_vcf *v, bool *ended);

/* Check, at the end, that the file was whole and had sites to use. */
int vs_in_vcf_finish(struct vs_reader *r, const struct vs_vcf *v);

/*
 * vs_fail(VS_EINPUT) at this place: "FILE: line 12 (1:100)" in text, "FILE:
 * site 3 (1:100)" in BCF, then the three words.
 */
int vs_in_vcf_fail(const struct vs_vcf *v, const char *what, const char *which,
	const char *why);

#endif
