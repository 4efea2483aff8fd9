/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text of records: their columns, and the vectors they name. */
#ifndef VS_TOOLS_SHARED_RECORD_LINE_H
#define VS_TOOLS_SHARED_RECORD_LINE_H

#include "formats/out/column_cache.h"
#include "formats/out/writer.h"
#include "tools/shared/vector_names.h"

/*
 * Columns for the records of a run: those listed in words or, if null, the
 * usual ones; none if the format has a fixed line.
 * column  room for VS_COLUMNS_MOST
 * needs   out: VS_NEEDS_... of all columns
 */
int vs_record_line_columns(const struct vs_run *run,
	const struct vs_writer_kind *kind, const char *words,
	const struct vs_column **column, int *n, unsigned *needs);

/* Refuse columns that records of this run do not have. path: of the result. 0;
 * VS_EUSAGE; VS_EINPUT */
int vs_record_line_check(const struct vs_run *run,
	const struct vs_writer_kind *kind, unsigned needs, const char *path);

/* Complete what is the same for all lines. */
void vs_record_line_show(const struct vs_run *run, struct vs_show *show);

/* Records whose values are printed at once. */
#define VS_RECORD_LINE_BATCH 64

/* True if the lines of a writer have the value of their record. */
bool vs_record_line_has_value(const struct vs_writer *w);

/* Records between the one shown and the one whose second name is prefetched. */
#define VS_RECORD_LINE_AHEAD 8

static inline void
vs_record_line_fetch(const struct vs_vector_names *names,
	const struct vs_column_cache *cache, const struct vs_record *r)
{
	vs_column_cache_fetch(cache, r,
		names->row ? (size_t)names->row[r->j] : r->j, 1);
}

/*
 * Prepare a record for display.
 * names     of its vectors; may have no rows if not needed
 * original  ends are named by their original rows, the lower one first
 * returns   0; VS_EINPUT: one of its vectors has no name
 */
int vs_record_line_make(const struct vs_vector_names *names, bool original,
	const struct vs_record *r, struct vs_line *line);

#endif
