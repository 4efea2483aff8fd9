/* SPDX-License-Identifier: BSD-3-Clause */
/* Index of samples by id, and by family and id. */
#ifndef VS_FORMATS_IN_SAMPLE_INDEX_H
#define VS_FORMATS_IN_SAMPLE_INDEX_H

#include "formats/vectors/sites.h"

/* Rows by id and by "family id". */
struct vs_sample_index {
	const struct vs_samples *s;
	uint8_t *shared; /* first row of an id that others have, too */
	struct vs_text_pool both;
	struct vs_text_index by_id, by_both;
	struct vs_text word;
};

/* 0; VS_EMACHINE; in either case call vs_sample_index_free() */
int vs_sample_index_make(struct vs_sample_index *f, const struct vs_samples *s);
void vs_sample_index_free(struct vs_sample_index *f);

/*
 * Row of the sample with this name; family may be null, and samples without
 * families are looked up by id.
 * row      -1: there is none
 * returns  0; VS_EMACHINE
 */
int vs_sample_index_find(struct vs_sample_index *f, const char *family,
	size_t n_family, const char *id, size_t n_id, int64_t *row);

#endif
