/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterator over the records of a result in order. */
#include <stdlib.h>

#include "formats/results/ordered.h"
#include "formats/results/sorter.h"
#include "libcore/base/mem.h"

#define N_READ 65536 /* records at a time: a chunk of each column */

struct vs_ordered {
	struct vs_result *merged;
	struct vs_sorter *sorter;
	uint64_t next;
	struct vs_record *rec, *given;
	size_t at, n;
};

static int
read_merged(struct vs_ordered *o)
{
	uint64_t hi = o->next + N_READ;
	int code;

	if (hi > o->merged->n_records)
		hi = o->merged->n_records;
	code = vs_result_read(o->merged, o->next, hi, o->rec);
	o->n = code ? 0 : (size_t)(hi - o->next);
	o->next = hi;
	return code;
}

static int
sort_shards(struct vs_ordered *o, struct vs_result *const *r, size_t n,
	uint64_t memory)
{
	uint64_t hi;
	int code = vs_sorter_new(&o->sorter, VS_BY_PLACE, NULL, memory);

	for (size_t s = 0; s < n && !code; s++) {
		for (uint64_t lo = 0; lo < r[s]->n_records && !code; lo = hi) {
			hi = lo + N_READ;
			if (hi > r[s]->n_records)
				hi = r[s]->n_records;
			code = vs_result_read(r[s], lo, hi, o->rec);
			if (!code)
				code = vs_sorter_add(o->sorter, o->rec,
					(size_t)(hi - lo));
		}
		vs_result_rest(r[s]);
	}
	return code;
}

int
vs_ordered_new(struct vs_ordered **out, struct vs_result *const *r, size_t n,
	uint64_t memory)
{
	struct vs_ordered *o = NULL;
	int code = vs_mem_new(&o, 1, sizeof(*o), "records in order");

	if (code)
		return code;
	code = vs_mem_room(&o->rec, N_READ, sizeof(*o->rec),
		"records in order");
	if (!code && n == 1 && r[0]->kind == VS_KIND_MERGED)
		o->merged = r[0];
	else if (!code)
		code = sort_shards(o, r, n, memory);
	if (code)
		vs_ordered_free(o);
	else
		*out = o;
	return code;
}

int
vs_ordered_next(struct vs_ordered *o, struct vs_record *rec)
{
	int code = 0;

	if (o->at == o->n) {
		o->at = 0;
		code = o->merged ? read_merged(o)
				 : vs_sorter_next(o->sorter, &o->given, &o->n);
	}
	if (code || o->at == o->n)
		return code;
	*rec = (o->merged ? o->rec : o->given)[o->at++];
	return 1;
}

void
vs_ordered_free(struct vs_ordered *o)
{
	if (!o)
		return;
	vs_sorter_free(o->sorter);
	free(o->rec);
	free(o);
}
