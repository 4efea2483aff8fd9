/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates for triples: the pairs that a triple that passes can have, as a
 * graph; only its triangles have to be counted.
 */
#ifndef VS_ENGINE_GRAPH_H
#define VS_ENGINE_GRAPH_H

#include "libcore/engine/trio.h"

/* A neighbour; cells 2a + b of the pair, a the label of the vector itself. */
struct vs_edge {
	uint32_t to : 28, open : 4;
	int32_t p; /* sum g g' over the fields that both have */
};

/* The neighbours of v, rising: edge[start[v]] up to edge[start[v + 1]]. */
struct vs_graph {
	const struct vs_trio *t;
	uint64_t *start;
	struct vs_edge *edge;
};

/*
 * Will it be cheaper than to count all triples? Told by the share of some
 * thousand pairs that would be edges, the same in every run.
 */
bool vs_graph_pays(const struct vs_trio *t);

/*
 * Count all pairs.
 * returns  0; VS_EMACHINE; VS_DONE: it would take more than so many bytes, and
 *          there is none
 */
int vs_graph_make(struct vs_graph *g, const struct vs_trio *t, int n_thread,
	uint64_t bytes);
void vs_graph_free(struct vs_graph *g);

#endif
