/* SPDX-License-Identifier: BSD-3-Clause */
/* Several arrays in one piece of memory. */
#ifndef VS_BASE_LAYOUT_H
#define VS_BASE_LAYOUT_H

#include <stddef.h>

/*
 * What is laid out one behind the other; with at null it is measured only, and
 * the same again with at having room for used bytes gives it its places.
 */
struct vs_layout {
	char *at;
	size_t used;
};

/* The place of so many bytes, 64-byte aligned if at is; null: at is null. */
static inline void *
vs_layout_next(struct vs_layout *l, size_t bytes)
{
	void *p = l->at ? l->at + l->used : NULL;

	l->used += (bytes + 63) / 64 * 64;
	return p;
}

#endif
