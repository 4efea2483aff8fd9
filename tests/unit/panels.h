/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels that a test fills itself, and plans of all triples. */
#ifndef VS_TESTS_UNIT_PANELS_H
#define VS_TESTS_UNIT_PANELS_H

#include <string.h>

#include "libcore/bits/panel.h"
#include "libcore/plan/cube.h"

/* A panel whose vectors are all 0. */
static inline int
panel_new(struct vs_panel *p, size_t n_vec, size_t n_field)
{
	int code = vs_panel_room(p, n_vec, n_field);

	if (!code)
		memset(p->vec.word, 0, p->bytes);
	return code;
}

/* Take vectors [lo, lo + n) of the file, whose planes follow those before. */
static inline void
panel_make(struct vs_panel *p, uint64_t lo, size_t n, int n_thread)
{
	size_t at = vs_panel_begin(p, lo, n);

#pragma omp parallel for num_threads(n_thread) if (n_thread > 1)
	for (size_t v = at; v < at + n; v++)
		vs_panel_take(p, v, lo + v - at);
}

static inline int
cube_plan(struct vs_plan *p, uint64_t n_vec, int n_rank, int64_t tile)
{
	return vs_cube_between(p, &(struct vs_between){ .n_both = n_vec },
		n_rank, tile);
}

#endif
