/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of a .pvar, PLINK 2's table of variants, with a VCF's columns, or
 * those of a .bim if no line names them; and of a .bim.
 */
#ifndef VS_FORMATS_IN_PVAR_H
#define VS_FORMATS_IN_PVAR_H

#include "formats/in/reader.h"
#include "formats/in/text/lines.h"

struct vs_pvar {
	struct vs_lines *lines;
	uint8_t column[VS_WORDS]; /* indices, from 0 */
	size_t n_column;          /* required columns */
	size_t n_all;             /* all columns */
	bool named, tabs;         /* a line names the columns, between tabs */
	bool bim; /* no line does: lines that begin with # are comments */
};

/* Number of lines with variants. 0; VS_EINPUT, also if there is none;
 * VS_EMACHINE */
int vs_pvar_count(const char *path, bool bim, uint64_t *n);

/* All zero is closed. */
int vs_pvar_open(struct vs_pvar *p, const char *path, bool bim);

/*
 * The next variant; alleles are REF and ALT, in a .bim A1 and A2.
 * multiallelic  out: it has several ALT, all in allele[1]
 * returns       0; VS_EINPUT, also if there is none; VS_EMACHINE
 */
int vs_pvar_next(struct vs_pvar *p, struct vs_reader *r, struct vs_site *site,
	bool *multiallelic);

/* Skip the next n variants without parsing. 0; VS_EINPUT; VS_EMACHINE */
int vs_pvar_pass(struct vs_pvar *p, uint64_t n);

/* Check that there are no more, and state the source. */
int vs_pvar_finish(struct vs_pvar *p, struct vs_provenance *provenance);
void vs_pvar_close(struct vs_pvar *p);

#endif
