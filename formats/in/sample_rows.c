/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposition of calls that stand sample by sample. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/sample_rows.h"
#include "libcore/base/mem.h"

/* Sites turned over together: those of a cache line of each sample. */
#define SITES 256

int
vs_sample_rows_add(struct vs_sample_rows *s, uint8_t **row)
{
	size_t bytes = (s->n_site + 3) / 4;
	int code = vs_mem_grow(&s->calls, &s->room, s->n_sample + 1, bytes,
		"calls");

	if (code)
		return code;
	*row = s->calls + s->n_sample++ * bytes;
	memset(*row, 0, bytes);
	return 0;
}

/* Turn over the sites from one on. */
static void
turn(struct vs_sample_rows *s, size_t at)
{
	size_t left = s->n_site - at, n = left < SITES ? left : SITES;
	size_t bytes = (s->n_site + 3) / 4;

	memset(s->block, 0, SITES * s->column_bytes);
	for (size_t q = 0; q < s->n_sample; q++) {
		const uint8_t *row = s->calls + q * bytes + at / 4;

		for (size_t v = 0; v < n; v++)
			vs_code_put(s->block + v * s->column_bytes, q,
				row[v / 4] >> (2 * (v % 4)) & 3);
	}
}

int
vs_sample_rows_site(struct vs_sample_rows *s, size_t v, const uint8_t **codes)
{
	int code = 0;

	if (!s->block) {
		s->column_bytes = (s->n_sample + 3) / 4 + 8;
		code = vs_mem_new(&s->block, SITES, s->column_bytes, "calls");
	}
	if (code)
		return code;
	if (v % SITES == 0)
		turn(s, v);
	*codes = s->block + v % SITES * s->column_bytes;
	return 0;
}

void
vs_sample_rows_free(struct vs_sample_rows *s)
{
	free(s->calls);
	free(s->block);
	memset(s, 0, sizeof(*s));
}
