/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a site of VCF or BCF, as the codes that a reader delivers. */
#ifndef VS_FORMATS_IN_VCF_VCF_CALLS_H
#define VS_FORMATS_IN_VCF_VCF_CALLS_H

#include "formats/in/reader.h"
#include "formats/in/vcf/bcf_record.h"

/*
 * True for *, <*>, <X> and <NON_REF> in ALT: a deletion that spans the site,
 * and any other allele.
 */
bool vs_vcf_calls_none(const char *allele, size_t len);

/*
 * Decode calls, phased or not: copies of one allele. A call of three alleles or
 * more, or with a non-allele such as *, is missing.
 *
 * counted  its number; the other ones of n_allele count as 0
 * none     n_allele flags: 1 for a non-allele; null: all are alleles
 * codes    n / 4 bytes, rounded up
 * tally    counts of calls by how they were treated are added to it
 * sample   out: the first with an invalid call, and *why: the reason; or the
 *          first with three alleles or more
 * returns  0; VS_EINPUT, nothing is recorded
 */
int vs_vcf_calls(const struct vs_bcf_calls *gt, size_t n, int n_allele,
	int counted, const uint8_t *none, uint8_t *codes,
	struct vs_reader_tally *tally, size_t *sample, const char **why);

/*
 * Take calls of two alleles apart, into n of one allele.
 *
 * sample   out: of those n, the first that is not phased, and *why
 * returns  0: gt has one allele each; VS_EINPUT, nothing is recorded
 */
int vs_vcf_calls_apart(struct vs_bcf_calls *gt, size_t n, size_t *sample,
	const char **why);

/* Mark the non-missing calls of one allele, in (n + 7) / 8 bytes. */
void vs_vcf_calls_haploid(const struct vs_bcf_calls *gt, size_t n,
	uint8_t *haploid);

#endif
