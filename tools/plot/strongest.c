/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest records of those that a plot shows, in two passes. */
#include <stdlib.h>

#include "formats/results/top.h"
#include "libcore/base/mem.h"
#include "tools/plot/strongest.h"

struct strongest {
	struct vs_top *top;
	struct vs_record *rec;
	size_t n, k;
	uint64_t all;
};

static int
see_all(void *with, const struct vs_record *rec)
{
	struct strongest *s = with;

	s->all++;
	return vs_top_see(s->top, rec);
}

static int
see_kept(void *with, const struct vs_record *rec)
{
	struct strongest *s = with;

	if (s->n < s->k && vs_top_keeps(s->top, rec))
		s->rec[s->n++] = *rec;
	return 0;
}

static int
order(const struct vs_record *a, const struct vs_record *b)
{
	if (a->i != b->i)
		return a->i < b->i ? -1 : 1;
	if (a->j != b->j)
		return a->j < b->j ? -1 : 1;
	if (a->k != b->k)
		return a->k < b->k ? -1 : 1;
	return (int)a->cell - (int)b->cell;
}

static int
greatest_first(const void *a, const void *b)
{
	const struct vs_record *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return order(x, y);
}

static int
least_first(const void *a, const void *b)
{
	const struct vs_record *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? 1 : -1;
	return order(x, y);
}

int
vs_strongest_find(const struct vs_plot *p, size_t k, struct vs_record **rec,
	size_t *n, uint64_t *all)
{
	const bool lower = vs_run_is_lower(&p->result->run);
	struct strongest s = { .k = k };
	int code = vs_top_new(&s.top, 0, k, lower);

	if (!code)
		code = vs_mem_new(&s.rec, k, sizeof(*s.rec), "records");
	if (!code)
		code = vs_result_lines_see(p->lines, see_all, &s);
	if (!code)
		code = vs_result_lines_see(p->lines, see_kept, &s);
	vs_top_free(s.top);
	if (code) {
		free(s.rec);
		return code;
	}
	if (s.n)
		qsort(s.rec, s.n, sizeof(*s.rec),
			lower ? least_first : greatest_first);
	*rec = s.rec;
	*n = s.n;
	*all = s.all;
	return 0;
}
