/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangle enumeration: triples counted where two edges leave one node. */
#ifndef VS_ENGINE_CANDIDATES_TRIANGLES_H
#define VS_ENGINE_CANDIDATES_TRIANGLES_H

#include "libcore/engine/candidates/candidate_graph.h"
#include "libcore/engine/slab/slab.h"

/* Vectors [u_lo, u_hi) of a block, and of a second one, which may be the same;
 * or some of all vectors, and all. */
struct vs_corner {
	size_t u_lo, u_hi, v_lo, v_hi;
	bool same;
	/* allowed second and third vectors; null: all */
	const struct vs_slab_window *only;
};

/* Work done: edges u w compared with an edge u v; pairs of these whose ranges
 * of grades include each other's third vector; triples counted. */
struct vs_effort {
	uint64_t held, met, counted;
};

/* Free it with free(). */
struct vs_triangles;
int vs_triangles_open(struct vs_triangles **w, const struct vs_triple_data *t);
uint64_t vs_triangles_bytes(const struct vs_query *q, uint64_t n_vec);

/*
 * Append the records that pass of triples u, v and a third vector. The third is
 * any vector after [v_lo, v_hi) or, if that is the same block and u < v, any
 * vector outside of it and those after v. The graph has the edges of all u.
 */
int vs_triangles_do(struct vs_triangles *w, const struct vs_candidate_graph *g,
	const struct vs_corner *corner, struct vs_hits *found,
	struct vs_effort *effort);

/*
 * The groups of the second and third vectors of triples that would be counted:
 * n by n groups of consecutive vectors. Needs no rows of vectors. Threads may
 * share marks.
 */
struct vs_triangle_marks {
	const struct vs_triple_groups *groups;
	size_t n;
	uint8_t *seen; /* n n */
};
void vs_triangles_mark(struct vs_triangles *w,
	const struct vs_candidate_graph *g, const struct vs_corner *corner,
	const struct vs_triangle_marks *marks);

/* Mark a group of second and one of third vectors. */
void vs_triangles_mark_groups(const struct vs_triangle_marks *marks, int64_t v,
	int64_t w);

/* True if a triple of these groups was marked, or of groups with the same
 * mark. */
bool vs_triangles_marked(const struct vs_triangle_marks *marks, int64_t v,
	int64_t w);

/* The vectors of an existing tile (bi, bj) of a plan. */
void vs_triangles_corner(const struct vs_plan *plan, int64_t bi, int64_t bj,
	struct vs_corner *k);

#endif
