/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a site of VCF or BCF, as the codes that a reader gives. */
#ifndef VS_FORMATS_IN_VCF_CALLS_H
#define VS_FORMATS_IN_VCF_CALLS_H

#include "formats/in/bcf_record.h"
#include "formats/in/reader.h"

/*
 * Decode calls, haploid or diploid, phased or not: copies of one allele.
 *
 * counted  its number; the other ones of n_allele count as 0
 * codes    n / 4 bytes, rounded up
 * tally    haploid and half missing calls are added
 * sample   out: the first whose call is wrong; *why: a few words on it
 * returns  0; VS_EINPUT, nothing is recorded
 */
int vs_vcf_calls(const struct vs_bcf_calls *gt, size_t n, int n_allele,
	int counted, uint8_t *codes, struct vs_reader_tally *tally,
	size_t *sample, const char **why);

#endif
