/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterator over records by row: all that begin with one vector, some rows at a
 * time. */
#ifndef VS_TOOLS_VERIFY_RECORD_ROWS_H
#define VS_TOOLS_VERIFY_RECORD_ROWS_H

#include "formats/results/ordered.h"

/*
 * The rows [lo, hi) that were taken; the records of row i are rec[at[i - lo]]
 * up to rec[at[i - lo + 1]].
 */
struct vs_record_rows {
	/* the caller's: from where, and past how many no row is begun */
	struct vs_ordered *records;
	size_t most;     /* records */
	uint64_t n_most; /* rows */
	/* out */
	uint64_t lo, hi;
	struct vs_record *rec;
	size_t n, *at;
	/* its own */
	bool begun;
	int got; /* next is a record still to be taken */
	struct vs_record next;
	size_t room, room_at;
};

/* Take the rows after those taken last, up to row n_row; one at least. */
int vs_record_rows_next(struct vs_record_rows *r, uint64_t n_row);

void vs_record_rows_free(struct vs_record_rows *r);

#endif
