/* SPDX-License-Identifier: BSD-3-Clause */
/* The VCF and BCF reader: its state, and its other sources. */
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
	bool per_alt;      /* it has one number per ALT */
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

/* Check that the header declares v->field as a number. 0; VS_EINPUT */
int vs_in_vcf_field_check(struct vs_vcf *v);

/* Numbers of v->record, of struct vs_reader_kind. */
int vs_in_vcf_field_values(struct vs_reader *r, double *value);

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

/*
 * vs_fail(VS_EINPUT) at this place: "FILE: line 12 (1:100)" in text, "FILE:
 * site 3 (1:100)" in BCF, then the three words.
 */
int vs_in_vcf_fail(const struct vs_vcf *v, const char *what, const char *which,
	const char *why);

#endif
