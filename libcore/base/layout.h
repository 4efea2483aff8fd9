/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout of several aligned arrays in one allocation. */
#ifndef VS_BASE_LAYOUT_H
#define VS_BASE_LAYOUT_H

#include <stddef.h>

/*
 * Arrays laid out one after the other. A first pass with at null only measures:
 * used is the size to allocate. A second pass with at set gives the addresses.
 */
struct vs_layout {
	char *at;
	size_t used;
};

/*
 * Address of the next array of `bytes` bytes, 64-byte aligned if at is; null if
 * at is null.
 */
static inline void *
vs_layout_next(struct vs_layout *l, size_t bytes)
{
	void *p = l->at ? l->at + l->used : NULL;

	l->used += (bytes + 63) / 64 * 64;
	return p;
}

#endif
