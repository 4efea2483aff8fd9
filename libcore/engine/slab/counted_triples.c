/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of triples that a device has counted, as tables or as sums. */
#include "libcore/engine/slab/counted_triples.h"
#include "libcore/engine/tables/tables.h"

struct counted {
	const struct vs_triple_data *data;
	const size_t *first;
	struct vs_hits *found;
};

static int
add(void *ctx, const struct vs_counted_table *x, struct vs_record **rec)
{
	const struct counted *c = ctx;
	int code = vs_hits_more(c->found, rec);

	if (code)
		return code;
	**rec = (struct vs_record){ .num = -1,
		.nvalid = -1,
		.cell = VS_NO_CELL };
	vs_triple_data_name(c->data,
		(const size_t[]){ c->first[0] + x->u, c->first[1] + x->i,
			c->first[2] + x->j },
		*rec);
	return 0;
}

/* The same of metrics of alleles, by the exact recipe. */
static int
add_alleles(const struct counted *c, const struct vs_counted_table *x)
{
	const size_t v[3] = { c->first[0] + x->u, c->first[1] + x->i,
		c->first[2] + x->j };
	struct vs_sums sums;

	memcpy(sums.g, x->n[1], sizeof(sums.g));
	return vs_triple_data_keep(c->data, v, &sums, 0xff, c->found);
}

int
vs_counted_triples_add(void **memory, const struct vs_triple_data *data,
	const size_t first[3], const struct vs_counted_table *from, size_t n,
	struct vs_hits *found)
{
	struct counted c = { data, first, found };
	int code = 0;

	for (size_t k = 0; data->q.alleles && k < n && !code; k++)
		code = add_alleles(&c, &from[k]);
	if (data->q.alleles)
		return code;
	return vs_tables_counted(memory, &data->q, VS_TABLES_CELLS, from, n,
		add, &c);
}
