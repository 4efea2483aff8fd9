/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the K strongest records of each vector, or of all. */
#include <assert.h>
#include <stdlib.h>

#include "formats/results/top.h"
#include "libcore/base/mem.h"
#include "libcore/base/strongest.h"

struct vs_top {
	struct vs_strongest *best; /* of each vector, or one for all */
	uint64_t n_best;
};

int
vs_top_new(struct vs_top **out, uint64_t n_vec, size_t k, bool lower)
{
	const uint64_t n_best = n_vec ? n_vec : 1;
	struct vs_top *t = NULL;
	int code = vs_mem_new(&t, 1, sizeof(*t), "strongest records");

	if (!code)
		code = vs_mem_new(&t->best, n_best, sizeof(*t->best),
			"strongest records");
	if (code) {
		free(t);
		return code;
	}
	for (uint64_t v = 0; v < n_best; v++)
		t->best[v] = (struct vs_strongest){ .most = k,
			.order = vs_record_strongest_first(lower) };
	t->n_best = n_best;
	*out = t;
	return 0;
}

/* False: the record is weaker than all of these. */
static bool
may_belong(const struct vs_strongest *best, const struct vs_record *rec)
{
	const struct vs_record *weakest = vs_strongest_weakest(best);

	return !weakest || vs_record_compare_in(best->order, rec, weakest) <= 0;
}

/* List the vectors among whose strongest a record may be; returns their
 * number. */
static int
vectors_of(const struct vs_top *t, const struct vs_record *rec, uint32_t v[3])
{
	v[0] = t->n_best == 1 ? 0 : rec->i;
	v[1] = rec->j;
	v[2] = rec->k;
	return t->n_best == 1 ? 1 : rec->k == VS_NO_VEC ? 2 : 3;
}

int
vs_top_see(struct vs_top *t, const struct vs_record *rec)
{
	uint32_t v[3];
	const int n = vectors_of(t, rec, v);
	int code = 0;

	for (int x = 0; x < n && !code; x++) {
		assert(v[x] < t->n_best);
		if (may_belong(&t->best[v[x]], rec))
			code = vs_strongest_add(&t->best[v[x]], rec);
	}
	return code;
}

bool
vs_top_keeps(struct vs_top *t, const struct vs_record *rec)
{
	uint32_t v[3];
	const int n = vectors_of(t, rec, v);
	bool is = false;

	for (int x = 0; x < n && !is; x++) {
		struct vs_strongest *best = &t->best[v[x]];

		if (best->n != best->n_sorted)
			vs_strongest_trim(best);
		is = may_belong(best, rec);
	}
	return is;
}

void
vs_top_free(struct vs_top *t)
{
	if (!t)
		return;
	for (uint64_t v = 0; v < t->n_best; v++)
		vs_strongest_free(&t->best[v]);
	free(t->best);
	free(t);
}
