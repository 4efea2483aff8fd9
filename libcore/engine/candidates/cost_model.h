/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost model of triples, exhaustive or by candidates, by sampled vectors. */
#ifndef VS_ENGINE_CANDIDATES_COST_MODEL_H
#define VS_ENGINE_CANDIDATES_COST_MODEL_H

#include "libcore/engine/candidates/triangles.h"
#include "libcore/engine/job.h"

#define VS_COST_MODEL_VECTORS 160 /* 670 thousand triples */

struct vs_cost_model {
	/* vectors that were tried, rising, and how many edges of each other one
	 * they have */
	size_t n;
	uint32_t v[VS_COST_MODEL_VECTORS];
	double degree[VS_COST_MODEL_VECTORS];
	double edges; /* of the graph's, for each pair */
	/* shares of the triples, as in vs_effort */
	double held, met, counted;
	double seconds[2]; /* of one core: all triples, or by candidates */
	/* of these, for each pair, for each edge and for each triple */
	double pair, edge, triple;
};

/* The vectors of n_vec that are tried, rising, each as probable as any other:
 * their number. */
size_t vs_cost_model_sample(size_t n_vec, uint32_t v[VS_COST_MODEL_VECTORS]);

/*
 * The same in every run and on every rank.
 * returns  0; VS_EMACHINE
 */
int vs_cost_model_make(struct vs_cost_model *f, const struct vs_triple_data *t);

/* The cost of a pair that is tested. */
double vs_cost_model_pair(const struct vs_triple_data *t);

/*
 * A threshold to look above first, where the greatest values alone are wanted:
 * the lowest of some below `from`, down to `least`, whose candidates cost no
 * more than *cost, seconds of one core, or the first; and what they cost. It is
 * the least itself where all is hardly dearer.
 * returns  0; VS_EMACHINE
 */
int vs_cost_model_step(const struct vs_triple_data *t, double from,
	double least, double *to, double *cost);

/* Cost of candidates above the threshold, as vs_cost_model_step() has it. */
int vs_cost_model_cost(const struct vs_triple_data *t, double threshold,
	double *cost);

/* Estimated edges of vectors [lo, hi) with each other vector, by the sample. */
double vs_cost_model_edges(const struct vs_cost_model *f, size_t lo, size_t hi);

/* Cost of work that was done, in seconds of one core: candidates of n_edge
 * edges, each once; all triples, `counted` of which were counted. */
double vs_cost_model_candidates(const struct vs_triple_data *t, double n_edge,
	const struct vs_effort *effort);
double vs_cost_model_all(const struct vs_triple_data *t, double counted);

#endif
