/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edges of the candidate graph of triples: pairs are counted, and for each cell
 * that a passing triple can have, the frequencies of possible third alleles are
 * bounded; see candidate_graph.h.
 */
#ifndef VS_ENGINE_CANDIDATES_CANDIDATE_EDGES_H
#define VS_ENGINE_CANDIDATES_CANDIDATE_EDGES_H

#include "libcore/engine/slab/triple_data.h"

/* Most columns of a strip: a multiple of all kernels' lanes. */
#define VS_CANDIDATE_EDGES_COLS 1024

/* A cell of a pair, and the grades of possible third alleles. */
struct vs_candidate_edge {
	uint32_t i, j; /* nodes */
	int32_t r, c;
	uint16_t least, span;
};

/* Pairs of its columns and of rows, in that order. */
struct vs_candidate_strip {
	size_t lo, n_col, row_lo, row_hi;
	bool own; /* columns are rows: only earlier ones count */
	struct vs_candidate_edge *edge; /* freed by the caller with free() */
	size_t n_edge, room;
};

/*
 * Append the edges of n_strip strips to them, on n_thread threads.
 * left     edges that there is room for, of all strips
 * returns  0; VS_EMACHINE; VS_DONE: there are more, or it was stopped
 */
int vs_candidate_edges_count(const struct vs_triple_data *t,
	struct vs_candidate_strip *strip, size_t n_strip, int n_thread,
	int64_t left);

/* Memory of a counting thread. */
uint64_t vs_candidate_edges_bytes(const struct vs_query *q);

#endif
