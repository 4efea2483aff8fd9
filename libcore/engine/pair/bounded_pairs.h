/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Head of a worker that counts numbers: columns are packed for a kernel that
 * counts all sums, or as bytes that bound them, whichever is cheaper.
 */
#ifndef VS_ENGINE_PAIR_BOUNDED_PAIRS_H
#define VS_ENGINE_PAIR_BOUNDED_PAIRS_H

#include "libcore/engine/pair/worker.h"
#include "libcore/engine/prune/byte_bound.h"

struct vs_bounded_pairs {
	struct vs_pair_worker head;
	void *cols;                       /* packed, or bytes */
	struct vs_byte_bound *byte_bound; /* bounds of sums, or null */
	size_t bounded; /* columns of a part whose sums are bounded; or 0 */
};

/* Sums of a rectangle, and a row of them. */
struct vs_bounded_sums {
	const struct vs_pair_work *at;
	const struct vs_rectangle *k;
	size_t i;
	/* null: columns from `from` on are bounded, hit is a bit of each */
	const double *sum;
	const uint64_t *hit;
	size_t from;
};

/* Rows and columns of a plan whose sums stay in cache, LOOK columns being
 * looked at together, for its kernel. */
#define VS_BOUNDED_ROWS 96 /* a multiple of what kernels take */
#define VS_BOUNDED_LOOK 64
void vs_bounded_pairs_shape(struct vs_pair_plan *plan);

/* Functions of struct vs_pair_family. */
size_t vs_bounded_pairs_columns(const struct vs_pair_plan *plan, bool follow);
int vs_bounded_pairs_open(const struct vs_pair_plan *plan, void *worker);
size_t vs_bounded_pairs_more_bytes(const struct vs_pair_plan *plan);
void vs_bounded_pairs_close(void *worker);
void vs_bounded_pairs_forget(void *worker, const struct vs_panel *panel);
size_t vs_bounded_pairs_rows(const struct vs_pair_work *at);

/* Bytes of packed columns, or of bytes. */
size_t vs_bounded_pairs_cols_bytes(const struct vs_pair_plan *plan);

/* The end of the part of a strip that begins at lo: columns whose sums are
 * bounded, or that stay in cache. */
size_t vs_bounded_pairs_take(const struct vs_pair_plan *plan, void *worker,
	const struct vs_strip *s, size_t lo);

/* Columns that the words of bits from column `from` on leave; how many. */
size_t vs_bounded_pairs_hits(const uint64_t *hit, size_t from,
	uint16_t *column);

/* Pairs that bounds leave, of a family whose sums these are, which has to sum
 * them one by one. 0; VS_EMACHINE, VS_DONE */
int vs_bounded_pairs_count(const struct vs_pair_family *family,
	const struct vs_pair_work *at, const struct vs_rectangle *k);

#endif
