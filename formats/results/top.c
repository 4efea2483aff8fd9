/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the K strongest records of each vector, or of all. */
#include <assert.h>
#include <stdlib.h>

#include "formats/results/top.h"
#include "libcore/base/mem.h"

struct key {
	double value;
	uint64_t i, j, k;
	uint32_t cell;
};

/* A heap whose root is the weakest of the strongest seen. */
struct heap {
	struct key *key;
	size_t n, room;
};

struct vs_top {
	struct heap *heap; /* of each vector, or one for all */
	uint64_t n_heap;
	size_t k;
	bool all, lower;
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
	t->lower = lower;
	*out = t;
	return 0;
}

static bool
stronger(const struct key *a, const struct key *b)
{
	if (a->value != b->value)
		return a->value > b->value;
	if (a->i != b->i)
		return a->i < b->i;
	if (a->j != b->j)
		return a->j < b->j;
	return a->k != b->k ? a->k < b->k : a->cell < b->cell;
}

static void
swap(struct key *a, struct key *b)
{
	struct key t = *a;

	*a = *b;
	*b = t;
}

static void
rise(struct key *h, size_t at)
{
	for (; at && stronger(&h[(at - 1) / 2], &h[at]); at = (at - 1) / 2)
		swap(&h[(at - 1) / 2], &h[at]);
}

static void
sink(struct key *h, size_t n)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && stronger(&h[child], &h[child + 1]))
			child++;
		if (!stronger(&h[at], &h[child]))
			break;
		swap(&h[at], &h[child]);
		at = child;
	}
}

static int
see(struct vs_top *t, uint64_t v, const struct key *key)
{
	struct heap *h = &t->heap[v];
	int code;

	assert(v < t->n_heap);
	if (h->n == t->k) {
		if (stronger(key, &h->key[0])) {
			h->key[0] = *key;
			sink(h->key, h->n);
		}
		return 0;
	}
	code = vs_mem_grow(&h->key, &h->room, h->n + 1, sizeof(*h->key),
		"strongest records");
	if (code)
		return code;
	h->key[h->n] = *key;
	rise(h->key, h->n++);
	return 0;
}

static struct key
key_of(const struct vs_top *t, const struct vs_record *r)
{
	return (struct key){ t->lower ? -r->value : r->value, r->i, r->j, r->k,
		r->cell };
}

int
vs_top_see(struct vs_top *t, const struct vs_record *rec)
{
	struct key key = key_of(t, rec);
	int code = see(t, t->all ? 0 : rec->i, &key);

	if (t->all)
		return code;
	if (!code)
		code = see(t, rec->j, &key);
	if (!code && rec->k != VS_NO_VEC)
		code = see(t, rec->k, &key);
	return code;
}

static bool
keeps(const struct vs_top *t, uint64_t v, const struct key *key)
{
	const struct heap *h = &t->heap[v];

	return h->n < t->k || !stronger(&h->key[0], key);
}

bool
vs_top_keeps(const struct vs_top *t, const struct vs_record *rec)
{
	struct key key = key_of(t, rec);

	if (t->all)
		return keeps(t, 0, &key);
	return keeps(t, rec->i, &key) || keeps(t, rec->j, &key) ||
		(rec->k != VS_NO_VEC && keeps(t, rec->k, &key));
}

void
vs_top_free(struct vs_top *t)
{
	if (!t)
		return;
	for (uint64_t v = 0; v < t->n_heap; v++)
		free(t->heap[v].key);
	free(t->heap);
	free(t);
}
