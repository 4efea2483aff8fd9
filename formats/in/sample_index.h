/* SPDX-License-Identifier: BSD-3-Clause */
/* Index of samples by id, and by family and id. */
#ifndef VS_FORMATS_IN_SAMPLE_INDEX_H
#define VS_FORMATS_IN_SAMPLE_INDEX_H

#include "formats/in/fields.h"
#include "formats/in/text/lines.h"
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

/* A file with lines about samples. */
struct vs_sample_lines {
	struct vs_lines *l;
	struct vs_sample_index index;
	uint8_t *seen;    /* by the caller: samples that have a line */
	size_t n_unknown; /* lines of other samples */
	const char *hint; /* by the caller: ends "names none", or null */
};

/* 0; VS_EINPUT; VS_EMACHINE; in either case call vs_sample_index_close() */
int vs_sample_index_open(struct vs_sample_lines *x, const struct vs_samples *s,
	const char *path);

/* Row of the sample of a line, -1 for an unknown one; refuses an id without a
 * family, whose text is null, that samples of several families have. */
int vs_sample_index_look_up(struct vs_sample_lines *x, struct vs_word family,
	struct vs_word id, int64_t *row);

/* After code is 0, refuse a file without any of the samples, and state the
 * source. returns code, or why */
int vs_sample_index_close(struct vs_sample_lines *x, int code,
	struct vs_provenance *provenance, size_t *n_found);

#endif
