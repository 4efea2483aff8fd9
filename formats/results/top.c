/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the K strongest records of each vector, or of all. */
#include <assert.h>
#include <stdlib.h>

#include "formats/results/top.h"
#include "libcore/base/mem.h"

/* A heap whose root is the weakest of the strongest seen. */
struct heap {
	struct vs_record *rec;
	size_t n, room;
};

struct vs_top {
	struct heap *heap; /* of each vector, or one for all */
	uint64_t n_heap;
	size_t k;
	bool all;
	enum vs_record_order order;
};

int
vs_top_new(struct vs_top **out, uint64_t n_vec, size_t k, bool lower)
{
	const uint64_t n_heap = n_vec ? n_vec : 1;
	struct vs_top *t = NULL;
	int code = vs_mem_new(&t, 1, sizeof(*t), "strongest records");

	if (!code)
		code = vs_mem_new(&t->heap, n_heap, sizeof(*t->heap),
			"strongest records");
	if (code) {
		free(t);
		return code;
	}
	t->n_heap = n_heap;
	t->all = !n_vec;
	t->k = k;
	t->order = lower ? VS_LEAST_FIRST : VS_GREATEST_FIRST;
	*out = t;
	return 0;
}

static bool
stronger(const struct vs_top *t, const struct vs_record *a,
	const struct vs_record *b)
{
	return vs_record_compare_in(t->order, a, b) < 0;
}

static void
swap(struct vs_record *a, struct vs_record *b)
{
	struct vs_record t = *a;

	*a = *b;
	*b = t;
}

static void
rise(const struct vs_top *t, struct vs_record *h, size_t at)
{
	for (; at && stronger(t, &h[(at - 1) / 2], &h[at]); at = (at - 1) / 2)
		swap(&h[(at - 1) / 2], &h[at]);
}

static void
sink(const struct vs_top *t, struct vs_record *h, size_t n)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && stronger(t, &h[child], &h[child + 1]))
			child++;
		if (!stronger(t, &h[at], &h[child]))
			break;
		swap(&h[at], &h[child]);
		at = child;
	}
}

static int
see(struct vs_top *t, uint64_t v, const struct vs_record *rec)
{
	struct heap *h = &t->heap[v];
	int code;

	assert(v < t->n_heap);
	if (h->n == t->k) {
		if (stronger(t, rec, &h->rec[0])) {
			h->rec[0] = *rec;
			sink(t, h->rec, h->n);
		}
		return 0;
	}
	code = vs_mem_grow(&h->rec, &h->room, h->n + 1, sizeof(*h->rec),
		"strongest records");
	if (code)
		return code;
	h->rec[h->n] = *rec;
	rise(t, h->rec, h->n++);
	return 0;
}

int
vs_top_see(struct vs_top *t, const struct vs_record *rec)
{
	int code = see(t, t->all ? 0 : rec->i, rec);

	if (t->all)
		return code;
	if (!code)
		code = see(t, rec->j, rec);
	if (!code && rec->k != VS_NO_VEC)
		code = see(t, rec->k, rec);
	return code;
}

static bool
keeps(const struct vs_top *t, uint64_t v, const struct vs_record *rec)
{
	const struct heap *h = &t->heap[v];

	return h->n < t->k || !stronger(t, &h->rec[0], rec);
}

bool
vs_top_keeps(const struct vs_top *t, const struct vs_record *rec)
{
	if (t->all)
		return keeps(t, 0, rec);
	return keeps(t, rec->i, rec) || keeps(t, rec->j, rec) ||
		(rec->k != VS_NO_VEC && keeps(t, rec->k, rec));
}

void
vs_top_free(struct vs_top *t)
{
	if (!t)
		return;
	for (uint64_t v = 0; v < t->n_heap; v++)
		free(t->heap[v].rec);
	free(t->heap);
	free(t);
}
