/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transposition of calls that stand sample by sample: all are held, at two bits
 * each, and turned over some sites at a time.
 */
#ifndef VS_FORMATS_IN_SAMPLE_ROWS_H
#define VS_FORMATS_IN_SAMPLE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* n_site is set before the first row; the rest is all zero. */
struct vs_sample_rows {
	size_t n_site, n_sample;
	uint8_t *calls; /* ceil(n_site / 4) bytes a sample */
	size_t room;
	uint8_t *block; /* column_bytes a site, of some sites */
	size_t column_bytes;
};

/* One more sample, its codes zero; *row lives until the next. 0; VS_EMACHINE
 */
int vs_sample_rows_add(struct vs_sample_rows *s, uint8_t **row);

/*
 * Codes of a site, for a reader to give: sites are asked for in ascending
 * order, from 0. 0; VS_EMACHINE
 */
int vs_sample_rows_site(struct vs_sample_rows *s, size_t v,
	const uint8_t **codes);

void vs_sample_rows_free(struct vs_sample_rows *s);

#endif
