/* SPDX-License-Identifier: BSD-3-Clause */
/* The K strongest records: a buffer that is sorted and cut now and then. */
#include <assert.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/strongest.h"

void
vs_strongest_trim(struct vs_strongest *s)
{
	size_t n = 0;

	vs_record_sort_in(s->order, s->rec, s->n);
	for (size_t x = 0; x < s->n && n < s->most; x++)
		if (!n || vs_record_compare(&s->rec[x], &s->rec[n - 1]))
			s->rec[n++] = s->rec[x];
	s->n = s->n_sorted = n;
}

int
vs_strongest_make_room(struct vs_strongest *s)
{
	if (s->n > s->most + s->most / 2)
		vs_strongest_trim(s);
	return vs_mem_grow(&s->rec, &s->room, s->n + 1, sizeof(*s->rec),
		"strongest records");
}

void
vs_strongest_free(struct vs_strongest *s)
{
	free(s->rec);
	*s = (struct vs_strongest){ 0 };
}

int
vs_strongest_each_open(struct vs_strongest_each *s, uint64_t n_vec, size_t k,
	enum vs_record_order order)
{
	int code;

	s->n = n_vec ? n_vec : 1;
	code = vs_mem_new(&s->of, s->n, sizeof(*s->of), "strongest records");
	for (uint64_t v = 0; v < s->n && !code; v++)
		s->of[v] = (struct vs_strongest){ .most = k, .order = order };
	return code;
}

/* Find whose strongest a record may be; returns how many these are. */
static int
find(const struct vs_strongest_each *s, const struct vs_record *rec,
	struct vs_strongest *of[3])
{
	const uint64_t v[3] = { s->n == 1 ? 0 : rec->i, rec->j, rec->k };
	const int n = s->n == 1 ? 1 : rec->k == VS_NO_VEC ? 2 : 3;

	for (int x = 0; x < n; x++) {
		assert(v[x] < s->n);
		of[x] = &s->of[v[x]];
	}
	return n;
}

int
vs_strongest_each_add(struct vs_strongest_each *s, const struct vs_record *rec)
{
	struct vs_strongest *of[3];
	const int n = find(s, rec, of);
	int code = 0;

	for (int x = 0; x < n && !code; x++)
		if (vs_strongest_takes(of[x], rec))
			code = vs_strongest_add(of[x], rec);
	return code;
}

bool
vs_strongest_each_has(struct vs_strongest_each *s, const struct vs_record *rec)
{
	struct vs_strongest *of[3];
	const int n = find(s, rec, of);
	bool has = false;

	for (int x = 0; x < n && !has; x++) {
		if (of[x]->n != of[x]->n_sorted)
			vs_strongest_trim(of[x]);
		has = vs_strongest_takes(of[x], rec);
	}
	return has;
}

void
vs_strongest_each_close(struct vs_strongest_each *s)
{
	for (uint64_t v = 0; v < s->n && s->of; v++)
		vs_strongest_free(&s->of[v]);
	free(s->of);
}
