/* SPDX-License-Identifier: BSD-3-Clause */
/* Header of VCF and of BCF, which is the same text, parsed by htslib. */
#ifndef VS_FORMATS_IN_VCF_VCF_HEADER_H
#define VS_FORMATS_IN_VCF_VCF_HEADER_H

#include <htslib/vcf.h>
#include <stdbool.h>

#include "formats/in/reader.h"
#include "formats/in/text/lines.h"

/*
 * Read the header, and leave l at the first site.
 *
 * bcf      l has a BCF, at its beginning; else a VCF
 * header   for bcf_hdr_destroy()
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_vcf_header_read(struct vs_lines *l, bool bcf, bcf_hdr_t **header);

/* Give samples and contigs to r. 0; VS_EINPUT: no samples; VS_EMACHINE */
int vs_vcf_header_state(const bcf_hdr_t *header, const struct vs_lines *l,
	struct vs_reader *r);

/*
 * Prepare a call of htslib that only works in memory; then check whether memory
 * ran out: htslib silently drops bytes if it does.
 */
void vs_vcf_header_watch(void);
bool vs_vcf_header_short(void);

/* VS_EINPUT: a header or a record has more than VS_LINES_MOST bytes. */
int vs_vcf_header_fail_long(const struct vs_lines *l);

#endif
