/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"

int
vs_hits_more(struct vs_hits *found, struct vs_record **rec)
{
	int code = vs_mem_grow(&found->rec, &found->room, found->n + 1,
		sizeof(*found->rec), "records of a tile");

	if (!code)
		*rec = &found->rec[found->n++];
	return code;
}

int
vs_hits_pair(struct vs_hits *found, const struct vs_strip *s, size_t i,
	size_t j, struct vs_record **rec)
{
	/* in a block the order is not that of the file */
	uint64_t a = s->i->first + s->i->row[i];
	uint64_t b = s->j->first + s->j->row[j];
	int code = vs_hits_more(found, rec);

	if (!code)
		**rec = (struct vs_record){ .i = a < b ? a : b,
			.j = a < b ? b : a,
			.k = VS_NO_VEC,
			.cell = VS_NO_CELL,
			.num = -1,
			.nvalid = -1 };
	return code;
}

void
vs_hits_drop(struct vs_hits *found, const struct vs_query *q)
{
	const struct vs_query now = vs_query_now(q);
	size_t n = 0;

	if (!q->shared_threshold)
		return;
	for (size_t k = 0; k < found->n; k++)
		if (found->rec[k].value > now.threshold)
			found->rec[n++] = found->rec[k];
	found->n = n;
}
