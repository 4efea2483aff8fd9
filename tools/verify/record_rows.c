/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterator over records by row. */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "tools/verify/record_rows.h"

static int
read_row(struct vs_record_rows *r)
{
	int code = vs_mem_grow(&r->at, &r->room_at, r->hi - r->lo + 2,
		sizeof(*r->at), "rows");

	if (code)
		return code;
	r->at[r->hi - r->lo] = r->n;
	while (!code && r->got > 0 && r->next.i == r->hi) {
		code = vs_mem_grow(&r->rec, &r->room, r->n + 1, sizeof(*r->rec),
			"records of a vector");
		if (code)
			break;
		r->rec[r->n++] = r->next;
		r->got = vs_ordered_next(r->records, &r->next);
	}
	r->hi++;
	r->at[r->hi - r->lo] = r->n;
	return code ? code : r->got < 0 ? r->got : 0;
}

int
vs_record_rows_next(struct vs_record_rows *r, uint64_t n_row)
{
	int code = 0;

	if (!r->begun)
		r->got = vs_ordered_next(r->records, &r->next);
	r->begun = true;
	r->lo = r->hi;
	r->n = 0;
	do
		code = read_row(r);
	while (!code && r->hi < n_row && r->hi - r->lo < r->n_most &&
		r->n < r->most);
	return code;
}

void
vs_record_rows_free(struct vs_record_rows *r)
{
	free(r->rec);
	free(r->at);
}
