/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidate graph of triples: alleles are nodes, and an edge is a pair's cell
 * that a triple that passes can have. Allele b of vector v is node 2 v + b;
 * cell 2a + b of a pair (u, v) joins nodes 2 u + a and 2 v + b.
 *
 * A pair bounds third vectors, too: with its r a third allele can pass only
 * while its frequency lies between two bounds, which for most candidate pairs
 * are close together. Each list of neighbours is sorted by frequency, so that
 * the third nodes of an edge are a short range of it.
 *
 * A triple is found from one of its vectors, by the two edges that leave it. So
 * the lists of some vectors are all that has to be there at a time: any memory
 * will do, and what is counted once for some vectors need not be put aside for
 * others. A pair of vectors of different parts is counted twice, from either
 * side; the other way, edges of all vectors that are written to a file in
 * sorted runs and read back for each part, takes the same two of every edge,
 * and a file.
 */
#ifndef VS_ENGINE_CANDIDATES_CANDIDATE_GRAPH_H
#define VS_ENGINE_CANDIDATES_CANDIDATE_GRAPH_H

#include "libcore/engine/slab/triple_data.h"

/*
 * The neighbours of node 2 lo + x at [start[x], start[x + 1]), rising by grade,
 * see vs_triple_data. Third alleles of an edge have a grade from least to least
 * + span.
 */
struct vs_candidate_graph {
	const struct vs_triple_data *t;
	size_t lo, hi; /* vectors whose alleles have lists */
	bool behind;   /* of neighbours behind them alone */
	uint64_t *start;
	uint16_t *grade, *least, *span;
	uint32_t *node;
	int32_t *r;
	int32_t *c; /* fields that both have; null: no call is missing */
};

/*
 * Count the pairs of vectors [lo, hi) with all, or each with those behind it
 * alone; fewer than 2^31 vectors.
 * returns  0; VS_EMACHINE; VS_DONE: it would take more than `bytes`, or was
 *          stopped, see vs_triple_data, and there is none
 */
int vs_candidate_graph_make(struct vs_candidate_graph *g,
	const struct vs_triple_data *t, size_t lo, size_t hi, bool behind,
	int n_thread, uint64_t bytes);
void vs_candidate_graph_free(struct vs_candidate_graph *g);

/* Bytes that an edge takes, at the most, while a graph is made. */
uint64_t vs_candidate_graph_edge_bytes(const struct vs_triple_data *t);

/* Number of edges; an edge between two of the graph's vectors counts twice,
 * unless lists have only later neighbours. */
static inline uint64_t
vs_candidate_graph_edges(const struct vs_candidate_graph *g)
{
	return g->start[2 * (g->hi - g->lo)];
}

#endif
