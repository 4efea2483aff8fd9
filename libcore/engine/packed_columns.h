/* SPDX-License-Identifier: BSD-3-Clause */
/* Tag of the columns that a worker has packed: panel and range. */
#ifndef VS_ENGINE_PACKED_COLUMNS_H
#define VS_ENGINE_PACKED_COLUMNS_H

#include "libcore/engine/backend.h"

struct vs_packed_columns {
	const struct vs_panel *panel; /* null: none */
	size_t lo, n;
};

/*
 * Pieces of a strip come one after another, and its columns are packed only
 * once.
 * returns  true: they are packed; else the tag names them from now on
 */
static inline bool
vs_packed_columns_already(struct vs_packed_columns *h, const struct vs_strip *s)
{
	size_t n = s->j_hi - s->j_lo;

	if (__atomic_load_n(&h->panel, __ATOMIC_RELAXED) == s->j &&
		h->lo == s->j_lo && h->n == n)
		return true;
	__atomic_store_n(&h->panel, s->j, __ATOMIC_RELAXED);
	h->lo = s->j_lo;
	h->n = n;
	return false;
}

/* Invalidate: the memory holds no strip's columns any more. */
static inline void
vs_packed_columns_drop(struct vs_packed_columns *h)
{
	__atomic_store_n(&h->panel, NULL, __ATOMIC_RELAXED);
}

/* Forget this panel: no thread uses it, though some may start on another. */
static inline void
vs_packed_columns_forget(struct vs_packed_columns *h,
	const struct vs_panel *panel)
{
	__atomic_compare_exchange_n(&h->panel, &panel, NULL, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
