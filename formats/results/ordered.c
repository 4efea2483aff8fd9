/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterator over the records of a result in order. */
#include <stdlib.h>

#include "formats/results/bucket_sort.h"
#include "formats/results/ordered.h"
#include "libcore/base/mem.h"

struct vs_ordered {
	struct vs_result *merged;
	struct vs_record *room; /* a block of these */
	uint64_t next;
	struct vs_bucket_sort *sort; /* or of shards */
	struct vs_record *rec;
	size_t at, n;
};

static int
read_merged(struct vs_ordered *o)
{
	const uint64_t left = o->merged->n_records - o->next;
	const uint64_t n = left < VS_RESULT_BLOCK ? left : VS_RESULT_BLOCK;
	int code = vs_result_read(o->merged, o->next, o->next + n, o->room);

	o->rec = o->room;
	o->n = (size_t)n;
	o->next += n;
	return code;
}

int
vs_ordered_new(struct vs_ordered **out, struct vs_result *const *r, size_t n,
	uint64_t memory)
{
	const struct vs_bucket_source source = { .n = n,
		.r = r,
		.n_vec = (uint64_t)r[0]->run.n_vectors };
	struct vs_ordered *o = NULL;
	int code = vs_mem_new(&o, 1, sizeof(*o), "records in order");

	if (code)
		return code;
	if (n == 1 && r[0]->kind == VS_KIND_MERGED) {
		o->merged = r[0];
		code = vs_mem_room(&o->room, VS_RESULT_BLOCK, sizeof(*o->room),
			"records in order");
	} else {
		code = vs_bucket_sort_new(&o->sort, &source, memory);
	}
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
				 : vs_bucket_sort_next(o->sort, &o->rec, &o->n);
	}
	if (code || o->at == o->n)
		return code;
	*rec = o->rec[o->at++];
	return 1;
}

void
vs_ordered_free(struct vs_ordered *o)
{
	if (!o)
		return;
	vs_bucket_sort_free(o->sort);
	free(o->room);
	free(o);
}
