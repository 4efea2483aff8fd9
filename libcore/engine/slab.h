/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples counted exhaustively: pairs as rows, third vectors as columns. */
#ifndef VS_ENGINE_SLAB_H
#define VS_ENGINE_SLAB_H

#include "libcore/engine/trio.h"

/* No slab has more vectors; few u, so that threads end together. */
#define VS_SLAB_U 8
#define VS_SLAB_V 512
#define VS_SLAB_W 1024

/*
 * Rows: pairs of u in [u_lo, u_hi) and v in [v_lo, v_hi), of one range only
 * those with u < v. Columns: [w_lo, w_hi), but for a row with v not those of
 * [skip, v].
 */
struct vs_slab {
	size_t u_lo, u_hi, v_lo, v_hi, w_lo, w_hi;
	bool ordered; /* u < v alone */
	size_t skip;  /* SIZE_MAX: none is left out */
};

/*
 * Vectors of a slab at the most: those above, or what another kind takes.
 * halves  columns that a row does not ask for are counted too: a block with
 *         itself is better cut into pairs within its halves and all others
 */
struct vs_slab_most {
	size_t u, v, w;
	bool halves;
};
struct vs_slab_most vs_slab_most(const struct vs_question *q);

struct vs_slab_worker;
int vs_slab_open(struct vs_slab_worker **w, const struct vs_trio *t);
void vs_slab_close(struct vs_slab_worker *w); /* null is accepted */
size_t vs_slab_bytes(const struct vs_question *q);

/*
 * Append the records that pass; found->drain() is told of many.
 * counted  grows by the triples that no bound left out
 */
int vs_slab_do(struct vs_slab_worker *w, const struct vs_slab *s,
	struct vs_found *found, uint64_t *counted);

/* What counts them. */
const char *vs_slab_kernel(const struct vs_question *q);

/* Columns that are not wanted of a row with v. */
size_t vs_slab_left_out(const struct vs_slab *s, size_t v);

/* Triples of it. */
uint64_t vs_slab_triples(const struct vs_slab *s);

#endif
