/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates for triples: the pairs that a triple that passes can have, as a
 * graph; only its triangles have to be counted.
 */
#ifndef VS_ENGINE_GRAPH_H
#define VS_ENGINE_GRAPH_H

#include "libcore/engine/trio.h"

/* A neighbour. */
struct vs_edge {
	uint32_t to;
	int32_t p; /* sum g g' over the fields that both have */
};

/* Fields that both have, and in them the sum of the vector's own g and of the
 * neighbour's. */
struct vs_joint {
	int32_t c, own, other;
};

/*
 * The neighbours, rising, of v in [lo, hi) that are not before `from`:
 * edge[start[v - lo]] up to edge[start[v - lo + 1]].
 */
struct vs_graph {
	const struct vs_trio *t;
	size_t lo, hi, from;
	uint64_t *start;
	struct vs_edge *edge;
	struct vs_joint *joint; /* of each edge; null: no call is missing */
};

/* from <= lo, or from >= hi */
struct vs_graph_range {
	size_t lo, hi, from;
};

/*
 * Count the pairs of a range's vectors with all from `from` on; fewer than 2^32
 * vectors.
 * returns  0; VS_EMACHINE; VS_DONE: it would take more than so many bytes, and
 *          there is none
 */
int vs_graph_make(struct vs_graph *g, const struct vs_trio *t,
	const struct vs_graph_range *range, int n_thread, uint64_t bytes);
void vs_graph_free(struct vs_graph *g);

/* What each edge takes while a graph is made. */
uint64_t vs_graph_edge_bytes(const struct vs_trio *t);

/* The edges of v: from the first whose neighbour is not before x, and the end. */
uint64_t vs_graph_first(const struct vs_graph *g, size_t v, size_t x);

static inline uint64_t
vs_graph_end(const struct vs_graph *g, size_t v)
{
	return g->start[v - g->lo + 1];
}

#endif
