/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of a row of pairs over the fields that both vectors have. */
#ifndef VS_ENGINE_JOINT_SUMS_H
#define VS_ENGINE_JOINT_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/base/inline.h"
#include "libcore/engine/pair_sums.h"

/*
 * Sums of pairs of a row i and columns j, by column, in copies of one label's
 * allele; rows are ld apart.
 */
struct vs_joint_sums {
	const int32_t *p; /* sum of the products of copies */
	struct vs_joint_lost {
		const int32_t *i;    /* copies of i in fields that j misses */
		const int32_t *j;    /* copies of j in fields that i misses */
		const int32_t *both; /* fields that both miss */
	} lost;
	size_t ld;
};

/* Move to row r, from row 0. */
static inline void
vs_joint_sums_row(struct vs_joint_sums *t, size_t r)
{
	t->p += r * t->ld;
	t->lost.i += r * t->ld;
	t->lost.j += r * t->ld;
	t->lost.both += r * t->ld;
}

/* Sums of row i, counted for the same label, and column at. */
VS_INLINE struct vs_pair_sums
vs_joint_sums_at(const struct vs_joint_sums *t, int32_t n_field,
	struct vs_vector_counts i, struct vs_vector_counts j, size_t at)
{
	return (struct vs_pair_sums){ i.present + j.present - n_field +
			t->lost.both[at],
		i.sum - t->lost.i[at], j.sum - t->lost.j[at], t->p[at] };
}

#endif
