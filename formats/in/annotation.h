/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annotations of variants, for LD scores by annotation: tables in the form of
 * LDSC's .annot, plain or packed. A header line names the columns: CHR, BP, SNP
 * and CM, in any order, and an annotation in each other column; or annotations
 * alone, as in the "thin" files of LDSC, whose rows are the variants in order.
 */
#ifndef VS_FORMATS_IN_ANNOTATION_H
#define VS_FORMATS_IN_ANNOTATION_H

#include "formats/h5/provenance.h"
#include "formats/vectors/sites.h"

/*
 * Fill in sites->annotation and sites->annotated, by id or, if the table has
 * no ids, by row. Rows of other variants are ignored.
 * note     one sentence on the annotations and how their rows were found
 * returns  0; VS_EINPUT, also if a variant has no row or two; VS_EMACHINE
 */
int vs_annotation_apply(struct vs_sites *sites, const char *path,
	struct vs_text *note, struct vs_provenance *provenance);

#endif
