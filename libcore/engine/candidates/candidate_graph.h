/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidate graph of triples: alleles are nodes, and an edge is a pair's cell
 * that a passing triple can have. Allele b of vector v is node 2 v + b; cell 2a
 * + b of a pair (u, v) joins nodes 2 u + a and 2 v + b.
 *
 * A pair bounds third vectors, too: with its r a third allele can pass only
 * while its frequency lies between two bounds, which for most candidate pairs
 * are close together. Each list of neighbours is sorted by frequency, so that
 * the third nodes of an edge are a short range of it.
 *
 * A triple is found from one of its vectors, by two edges that leave it. So
 * only the lists of some vectors need to be in memory at a time: any memory
 * will do, and counts made for some vectors need not be saved for others. A
 * pair of vectors from different parts is counted twice, once from each side.
 * The alternative, to write the edges of all vectors to a file in sorted runs
 * and read them back for each part, stores every edge twice as well, and needs
 * the file.
 */
#ifndef VS_ENGINE_CANDIDATES_CANDIDATE_GRAPH_H
#define VS_ENGINE_CANDIDATES_CANDIDATE_GRAPH_H

#include "libcore/engine/slab/triple_data.h"

/*
 * The neighbours of node 2 lo + x are at [start[x], start[x + 1]), ascending by
 * grade, see vs_triple_data. Third alleles of an edge have grades from least to
 * least + span.
 */
struct vs_candidate_graph {
	const struct vs_triple_data *t;
	size_t lo, hi; /* vectors whose alleles have lists */
	bool behind;   /* only of later neighbours */
	uint64_t *start;
	uint16_t *grade, *least, *span;
	uint32_t *node;
	int32_t *r;
	int32_t *c; /* fields that both have; null: no call is missing */
};

/*
 * Count the pairs of vectors [lo, hi) with all others, or with later ones only;
 * fewer than 2^31 vectors.
 * returns  0; VS_EMACHINE; VS_DONE, without a graph: it would take more than
 *          `bytes`, or was stopped, see vs_triple_data
 */
int vs_candidate_graph_make(struct vs_candidate_graph *g,
	const struct vs_triple_data *t, size_t lo, size_t hi, bool behind,
	int n_thread, uint64_t bytes);
void vs_candidate_graph_free(struct vs_candidate_graph *g);

/* Most bytes that an edge takes while a graph is made. */
uint64_t vs_candidate_graph_edge_bytes(const struct vs_triple_data *t);

/* Number of edges; an edge between two of the graph's vectors counts twice,
 * unless lists have only later neighbours. */
static inline uint64_t
vs_candidate_graph_edges(const struct vs_candidate_graph *g)
{
	return g->start[2 * (g->hi - g->lo)];
}

#endif
