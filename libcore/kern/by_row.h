/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns kept row after row, for the kernels that run along the fields. */
#ifndef VS_KERN_BY_ROW_H
#define VS_KERN_BY_ROW_H

#include <string.h>

#include "libcore/kern/tally.h"

/* The prepared form: plane h, then plane p, of column after column. */
static inline const uint64_t *
by_row_plane(const void *cols, size_t col, int p, size_t n_word)
{
	return (const uint64_t *)cols + (2 * col + (size_t)p) * n_word;
}

static inline size_t
by_row_padded(size_t n_col)
{
	return (n_col + VS_COLS - 1) / VS_COLS * VS_COLS;
}

static size_t
by_row_room(size_t n_col, size_t n_field)
{
	return by_row_padded(n_col) * 2 * vs_vec_words(n_field) * 8;
}

static void
by_row_prepare(const struct vs_panel *b, size_t lo, size_t n_col, void *cols)
{
	size_t row = 2 * b->vec.n_word * 8;

	memcpy(cols, vs_vec_plane(&b->vec, lo, 0), n_col * row);
	memset((char *)cols + n_col * row, 0,
		(by_row_padded(n_col) - n_col) * row);
}

#endif
