/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of BCF 2.2: a site and its calls, in memory. htslib turns a line of
 * VCF into the same.
 */
#ifndef VS_FORMATS_IN_VCF_BCF_RECORD_H
#define VS_FORMATS_IN_VCF_BCF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/text.h"

/* Bytes of the fixed start of a record: two lengths, and numbers. */
#define VS_BCF_RECORD_SIZES 8
#define VS_BCF_RECORD_FIXED 24

/* Calls of all samples, n values each, of `size` bytes; null: none. */
struct vs_bcf_calls {
	const uint8_t *at;
	size_t n, size;
	bool real, text; /* floats, characters; otherwise integers */
};

struct vs_bcf_record {
	int32_t contig;
	int64_t pos; /* from 1; 0 is before the first */
	int n_info, n_allele, n_format;
	int64_t n_sample;
	struct vs_text text; /* freed by the owner */
	/*
	 * as text: id, REF and the first ALT, "." for each that is absent;
	 * further ALT follow, each after the NUL of the one before.
	 */
	const char *id, *allele[2];
	struct vs_bcf_calls gt;
};

/* n numbers of 32 bits. */
uint64_t vs_bcf_record_sum(const void *at, size_t n);

/* Read the VS_BCF_RECORD_FIXED bytes. */
void vs_bcf_record_fixed(struct vs_bcf_record *r, const void *bytes);

/*
 * Read the rest, n bytes of the site and n_calls of its samples, by the counts
 * in r.
 *
 * gt       key of GT, or of another field instead, in the header's dictionary;
 *          -1: not there
 * returns  0; VS_EINPUT: lengths or types do not fit, nothing is recorded;
 *          VS_EMACHINE
 */
int vs_bcf_record_read(struct vs_bcf_record *r, const void *site, size_t n,
	const void *calls, size_t n_calls, int gt);

#endif
