/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotype inputs behind one interface; their list is formats/rows.h. */
#ifndef VS_FORMATS_READER_H
#define VS_FORMATS_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/provenance.h"
#include "formats/sites.h"
#include "libcore/base/text.h"

/*
 * One site as the input gives it. Texts live until the next call.
 * allele[0] is the first (REF, A1), allele[1] the second (ALT, A2).
 */
struct vs_input_site {
	struct vs_site site;
	/*
	 * ceil(n_field / 4) bytes; field q is bits 2 (q % 4) and above of byte
	 * q / 4, by how many copies of the SECOND allele it has:
	 * 0 -> 00, 1 -> 10, 2 -> 11, missing -> 01 (the codes of a .bed).
	 * Bits past the last field are zero. Room for 8 bytes more.
	 */
	uint8_t *codes;
};

struct vs_reader;

/* What was passed over or reinterpreted, told when the reading is done. */
struct vs_reader_tally {
	int64_t multiallelic, no_gt, haploid, half_missing;
};

struct vs_reader_kind {
	const char *name; /* "bfile": the option of vsim-pack */
	const char *arg;  /* PREFIX or FILE */
	const char *help;
	int (*open)(struct vs_reader *r, const char *name);
	/* 1: *site filled; 0: no more; negative: error */
	int (*next)(struct vs_reader *r, struct vs_input_site *site);
	void (*close)(struct vs_reader *r);
};

struct vs_reader {
	const struct vs_reader_kind *kind;
	void *state;
	const char *name;
	struct vs_samples samples;
	struct vs_pool contig_name; /* known beforehand, e.g. a VCF header */
	int64_t *contig_length;
	int64_t n_site; /* -1 when not known beforehand */
	struct vs_reader_tally tally;
	struct vs_provenance *provenance; /* sources are added to it */
};

#endif
