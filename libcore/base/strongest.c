/* SPDX-License-Identifier: BSD-3-Clause */
/* The K strongest records: a buffer that is sorted and cut now and then. */
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
