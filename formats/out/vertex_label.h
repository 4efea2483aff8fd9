/* SPDX-License-Identifier: BSD-3-Clause */
/* Unique labels of vectors or of their alleles. */
#ifndef VS_FORMATS_OUT_VERTEX_LABEL_H
#define VS_FORMATS_OUT_VERTEX_LABEL_H

#include "formats/vectors/sites.h"

/*
 * Labels into the empty pool label, without blanks. A vector's is its id,
 * "rs1", an allele's "rs1:A"; if another has the same label, "#row" is
 * appended, with the vector's original row.
 *
 * n_allele  1: a label for each row; 2: for each row and allele, n row + a
 */
int vs_vertex_label_make(struct vs_text_pool *label, const struct vs_sites *s,
	size_t n_allele);

#endif
