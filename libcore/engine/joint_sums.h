/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a row of pairs over the fields that both vectors have. */
#ifndef VS_ENGINE_JOINT_SUMS_H
#define VS_ENGINE_JOINT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/inline.h"
#include "libcore/engine/pair_sums.h"

/* Losses of pairs of a row i and columns j, in copies of one label's allele;
 * the numbers are bytes if no vector misses many calls. */
struct vs_joint_lost {
	const void *i;    /* copies of i in fields that j misses */
	const void *j;    /* copies of j in fields that i misses */
	const void *both; /* fields that both miss */
};

/*
 * Sums of a row: p is of column 0 on, the others of column `from` on. Rows are
 * ld_p and ld numbers apart.
 */
struct vs_joint_sums {
	const int32_t *p; /* sum of the products of copies */
	struct vs_joint_lost lost;
	bool bytes; /* lost: of uint8_t, else of int32_t */
	size_t from, ld_p, ld;
};

/* Number k of an array of struct vs_joint_lost. */
VS_INLINE int32_t
vs_joint_lost_at(const void *lost, size_t k, bool bytes)
{
	return bytes ? ((const uint8_t *)lost)[k] : ((const int32_t *)lost)[k];
}

/* Go to row r, from row 0. */
static inline void
vs_joint_sums_row(struct vs_joint_sums *t, size_t r)
{
	const size_t at = r * t->ld * (t->bytes ? 1 : sizeof(int32_t));

	t->p += r * t->ld_p;
	t->lost.i = (const char *)t->lost.i + at;
	t->lost.j = (const char *)t->lost.j + at;
	t->lost.both = (const char *)t->lost.both + at;
}

/* Sums of a row i, whose counts are of the same label, and column at. */
VS_INLINE struct vs_pair_sums
vs_joint_sums_at(const struct vs_joint_sums *t, int32_t n_field,
	struct vs_vector_counts i, struct vs_vector_counts j, size_t at)
{
	const size_t k = at - t->from;
	const bool bytes = t->bytes;

	return (struct vs_pair_sums){ i.present + j.present - n_field +
			vs_joint_lost_at(t->lost.both, k, bytes),
		i.sum - vs_joint_lost_at(t->lost.i, k, bytes),
		j.sum - vs_joint_lost_at(t->lost.j, k, bytes), t->p[at] };
}

#endif
