/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of BCF of a bounded length, for in_vcf.c. */
#ifndef VS_FORMATS_IN_BCF_RECORD_H
#define VS_FORMATS_IN_BCF_RECORD_H

#include <htslib/vcf.h>

/*
 * Behind the magic number of a BCF: whether its header is of a length that may
 * be; name is the file's.
 * returns  0, also where the file ends or cannot be read, which htslib will
 *          say; VS_EINPUT
 */
int vs_bcf_record_check_header(htsFile *file, const char *name);

/*
 * Like bcf_read(): 0, -1 at the end, -2 on failure; or, said, VS_EINPUT: the
 * record states more than VS_LINES_MOST bytes, VS_EMACHINE.
 */
int vs_bcf_record_read(htsFile *file, bcf_hdr_t *header, bcf1_t *site,
	const char *name);

#endif
