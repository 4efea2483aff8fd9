/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the K strongest records of each vector, or of all. */
#include <assert.h>
#include <stdlib.h>

#include "formats/results/top.h"
#include "libcore/base/mem.h"
#include "libcore/base/strongest.h"

struct vs_top {
	struct vs_strongest *of; /* of each vector, or one for all */
	uint64_t n_of;
};

int
vs_top_new(struct vs_top **out, uint64_t n_vec, size_t k, bool lower)
{
	const uint64_t n_of = n_vec ? n_vec : 1;
	struct vs_top *t = NULL;
	int code = vs_mem_new(&t, 1, sizeof(*t), "strongest records");

	if (!code)
		code = vs_mem_new(&t->of, n_of, sizeof(*t->of),
			"strongest records");
	if (code) {
		free(t);
		return code;
	}
	for (uint64_t v = 0; v < n_of; v++)
		t->of[v] = (struct vs_strongest){ .most = k,
			.order = lower ? VS_LEAST_FIRST : VS_GREATEST_FIRST };
	t->n_of = n_of;
	*out = t;
	return 0;
}

/* False: the record is weaker than the strongest of these so far. */
static bool
is_near(const struct vs_strongest *of, const struct vs_record *rec)
{
	const struct vs_record *last = vs_strongest_last(of);

	return !last || vs_record_compare_in(of->order, rec, last) <= 0;
}

/* The vectors whose strongest a record may be: their number. */
static int
vectors_of(const struct vs_top *t, const struct vs_record *rec, uint32_t v[3])
{
	v[0] = t->n_of == 1 ? 0 : rec->i;
	v[1] = rec->j;
	v[2] = rec->k;
	return t->n_of == 1 ? 1 : rec->k == VS_NO_VEC ? 2 : 3;
}

int
vs_top_see(struct vs_top *t, const struct vs_record *rec)
{
	uint32_t v[3];
	const int n = vectors_of(t, rec, v);
	int code = 0;

	for (int x = 0; x < n && !code; x++) {
		assert(v[x] < t->n_of);
		if (is_near(&t->of[v[x]], rec))
			code = vs_strongest_add(&t->of[v[x]], rec);
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
		struct vs_strongest *of = &t->of[v[x]];

		if (of->n != of->n_settled)
			vs_strongest_settle(of);
		is = is_near(of, rec);
	}
	return is;
}

void
vs_top_free(struct vs_top *t)
{
	if (!t)
		return;
	for (uint64_t v = 0; v < t->n_of; v++)
		vs_strongest_free(&t->of[v]);
	free(t->of);
	free(t);
}
