/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples counted where the graph of candidates has a triangle. */
#ifndef VS_ENGINE_TRIANGLE_H
#define VS_ENGINE_TRIANGLE_H

#include "libcore/engine/graph.h"

/* Vectors [u_lo, u_hi) of a block, and of a second one, which may be it. */
struct vs_corner {
	size_t u_lo, u_hi, v_lo, v_hi;
	bool same;
};

/* What was done: neighbours of v looked up among those of u, neighbours of u
 * tested with v, and triples counted, as their pairs' sums did not tell enough. */
struct vs_effort {
	uint64_t looked, met, counted;
};

struct vs_triangler;
int vs_triangle_open(struct vs_triangler **w, const struct vs_trio *t);
void vs_triangle_close(struct vs_triangler *w); /* null is accepted */
uint64_t vs_triangle_bytes(const struct vs_question *q, uint64_t n_vec);

/*
 * Append the records of the triangles of u, v and a third vector that pass: any
 * third one behind [v_lo, v_hi), or when it is the same block with u < v any
 * outside of it and those behind v. gu and gv have the edges of u and of v with
 * v and all these, and may be one graph.
 */
int vs_triangle_do(struct vs_triangler *w, const struct vs_graph *gu,
	const struct vs_graph *gv, const struct vs_corner *corner,
	struct vs_found *found, struct vs_effort *effort);

/* About what a corner costs. */
uint64_t vs_triangle_cost(const struct vs_graph *gu, const struct vs_graph *gv,
	const struct vs_corner *corner);

#endif
