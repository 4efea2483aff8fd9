/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns that a worker has taken of a strip, while panels come and go. */
#ifndef VS_ENGINE_PACKED_COLUMNS_H
#define VS_ENGINE_PACKED_COLUMNS_H

#include "libcore/engine/backend.h"

struct vs_packed_columns {
	const struct vs_panel *panel; /* null: none */
	size_t lo, n;
};

/* And the room that they are taken in. */
struct vs_packed_columns_cols {
	struct vs_packed_columns held;
	void *at;
};

/*
 * Pieces of a strip come one after another, and its columns are taken once.
 * returns  true: they were; else they are the ones held from now on
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

/* What is in the room is no strip's columns from now on. */
static inline void
vs_packed_columns_drop(struct vs_packed_columns *h)
{
	__atomic_store_n(&h->panel, NULL, __ATOMIC_RELAXED);
}

/* Nobody is at work on this panel, but some may go on to another meanwhile. */
static inline void
vs_packed_columns_forget(struct vs_packed_columns *h,
	const struct vs_panel *panel)
{
	__atomic_compare_exchange_n(&h->panel, &panel, NULL, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
