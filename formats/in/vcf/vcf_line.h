/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast parser of common VCF lines, without htslib. */
#ifndef VS_FORMATS_IN_VCF_VCF_LINE_H
#define VS_FORMATS_IN_VCF_VCF_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/vectors/sites.h"

/*
 * Parse a line with one ALT and only diploid calls of the alleles 0, 1 and ".";
 * GT must be the first field.
 *
 * line   NUL-terminated, of len bytes; on success cut in place
 * site   id, contig, pos, alleles; texts point into line
 * codes  (n_sample + 3) / 4 bytes of codes as reader.h has them
 * half_missing  increased by the half-missing calls
 * returns  1; 0 if the line is of another kind, or wrong: only codes has
 *          changed
 */
int vs_vcf_line(char *line, size_t len, size_t n_sample, struct vs_site *site,
	uint8_t *codes, int64_t *half_missing);

#endif
