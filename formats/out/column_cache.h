/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of columns with a separator, and a cache of the texts of vectors. */
#ifndef VS_FORMATS_OUT_COLUMN_CACHE_H
#define VS_FORMATS_OUT_COLUMN_CACHE_H

#include "formats/out/column.h"

/*
 * Direct-mapped cache of the text of adjacent columns of one vector, so that
 * names, alleles and frequencies are printed once and then copied. For one
 * thread and one kind of line.
 */
struct vs_column_cache;
int vs_column_cache_new(struct vs_column_cache **cache);
void vs_column_cache_free(struct vs_column_cache *cache); /* or null */

/*
 * Print one end of a line: from the cache, or by put() if the cache is null or
 * lacks it. run: number of such texts before it in the line
 */
typedef void vs_column_cache_put(struct vs_out *o, const void *with,
	const struct vs_line *line, int end);
void vs_column_cache_text(struct vs_column_cache *cache, int run,
	struct vs_out *o, const struct vs_line *line, int end,
	vs_column_cache_put *put, const void *with);

/* Prefetch the text of an end, by its row of the sites, of a record that is
 * written soon; for lines with one text per end. */
void vs_column_cache_fetch(const struct vs_column_cache *cache,
	const struct vs_record *rec, size_t row, int end);

/* All columns of a line and its end; the cache may be null. */
void vs_column_cache_line(struct vs_column_cache *cache, struct vs_out *o,
	const struct vs_show *show, const struct vs_line *line, char separator,
	const struct vs_column_style *style);

#endif
