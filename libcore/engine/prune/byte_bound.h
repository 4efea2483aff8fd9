/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bounds of sums of minima by dot products of quantised bytes, as in
 * libcore/kern/dots/layers.h, and of inner products, as in signed_bytes.h
 * there: they leave out pairs of vectors of numbers that cannot pass. A sample
 * of the columns of each strip decides how many layers there are and where
 * their edges lie; no result depends on that. Gains 3.2 to 4.3 times on f32,
 * nothing on u8; of products 2.7 times on f32.
 */
#ifndef VS_ENGINE_PRUNE_BYTE_BOUND_H
#define VS_ENGINE_PRUNE_BYTE_BOUND_H

#include "libcore/engine/packed_columns.h"
#include "libcore/engine/rectangle.h"

/* One worker's. */
struct vs_byte_bound;

/* Columns looked at together, a word of bits each 64. */
#define VS_BYTE_BOUND_COLS 256
#define VS_BYTE_BOUND_WORDS (VS_BYTE_BOUND_COLS / 64)

/* Columns of a strip; 0: there is no use for it. */
size_t vs_byte_bound_columns(const struct vs_query *q, size_t most);
size_t vs_byte_bound_bytes(const struct vs_query *q, size_t most);
/* Bytes of these columns; not part of the above. */
size_t vs_byte_bound_cols_bytes(const struct vs_query *q, size_t most);

/*
 * cols     where columns are packed, and held, their tag: kept as long as this
 *          is open; the caller may pack others there while
 *          vs_byte_bound_choose() says that all are counted
 * returns  0, with *upper null where there is no use for it; VS_EMACHINE
 */
int vs_byte_bound_open(struct vs_byte_bound **byte_bound,
	const struct vs_query *q, size_t most, struct vs_packed_columns *held,
	void *cols);
void vs_byte_bound_close(
	struct vs_byte_bound *byte_bound); /* null is accepted */
void vs_byte_bound_forget(struct vs_byte_bound *byte_bound,
	const struct vs_panel *panel);

/*
 * Find layers for a strip, unless there are; no columns are held then.
 * now      the query as it is
 * returns  columns to be taken at a time, a power of two; 0: it is cheaper to
 *          count all
 */
size_t vs_byte_bound_choose(struct vs_byte_bound *byte_bound,
	const struct vs_strip *s, const struct vs_query *now);

/*
 * Take the columns of a part of it, unless they are there; the threshold is
 * used by later calls.
 */
void vs_byte_bound_begin(struct vs_byte_bound *byte_bound,
	const struct vs_strip *part, const struct vs_query *now);

/* Rows that are taken at a time, at most. */
size_t vs_byte_bound_most_rows(const struct vs_byte_bound *byte_bound);
void vs_byte_bound_rows(struct vs_byte_bound *byte_bound,
	const struct vs_strip *s, const struct vs_rectangle *k);

/*
 * Look at the rows taken, those of chunk k, with columns [at, at +
 * VS_BYTE_BOUND_COLS) of the strip, at a multiple of VS_BYTE_BOUND_COLS. Bit c
 * % 64 of word c / 64 of a row's VS_BYTE_BOUND_WORDS says that its pair with
 * column at + c may pass and is wanted.
 * pairs    wanted pairs that cannot pass are added
 * returns  the words of the first row
 */
const uint64_t *vs_byte_bound_look(struct vs_byte_bound *byte_bound,
	const struct vs_strip *s, const struct vs_rectangle *k, size_t at,
	double *pairs);

#endif
