/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of samples, by id or by family and id; samples of a list. */
#ifndef VS_FORMATS_IN_SAMPLE_LIST_H
#define VS_FORMATS_IN_SAMPLE_LIST_H

#include "formats/h5/provenance.h"
#include "formats/vectors/sites.h"

#define VS_SAMPLE_LIST_LINE 61 /* bytes of a line that a message quotes */

/*
 * Mark the samples of s that a list names: one sample per line, by id or by
 * family and id. In a line with tabs only these separate the two; else a line
 * may be a single id with blanks.
 *
 * marked     s->n bytes, of which those named are set to 1
 * n_marked   out: samples that the list names
 * n_unknown  out: lines whose sample is not among s
 * first      out: the first of them, or its beginning
 */
int vs_sample_list_mark(const struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, uint8_t *marked, size_t *n_marked,
	size_t *n_unknown, char first[VS_SAMPLE_LIST_LINE]);

/* Copy the samples row[0 .. n) of from, in this order, to empty s. */
int vs_sample_list_pick(struct vs_samples *s, const struct vs_samples *from,
	const int64_t *row, size_t n);

#endif
