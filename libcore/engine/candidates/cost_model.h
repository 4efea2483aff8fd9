/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost model of triples, exhaustive or by candidates, from sampled vectors. */
#ifndef VS_ENGINE_CANDIDATES_COST_MODEL_H
#define VS_ENGINE_CANDIDATES_COST_MODEL_H

#include "libcore/engine/candidates/triangles.h"
#include "libcore/engine/job.h"

#define VS_COST_MODEL_VECTORS 160 /* 670 thousand triples */

struct vs_cost_model {
	/* vectors sampled, ascending, and how many edges each of them has with
	 * the others */
	size_t n;
	uint32_t v[VS_COST_MODEL_VECTORS];
	double degree[VS_COST_MODEL_VECTORS];
	double edges; /* of the graph's, for each pair */
	/* fractions of the triples, as in vs_effort */
	double held, met, counted;
	double seconds[2]; /* of one core: all triples; by candidates */
	/* of the latter, per pair, per edge and per triple */
	double pair, edge, triple;
};

/* Choose the sampled vectors of n_vec, ascending and all equally likely;
 * returns their number. */
size_t vs_cost_model_sample(size_t n_vec, uint32_t v[VS_COST_MODEL_VECTORS]);

/*
 * Make the model, the same in every run and on every rank.
 * returns  0; VS_EMACHINE
 */
int vs_cost_model_make(struct vs_cost_model *f, const struct vs_triple_data *t);

/* The cost of testing a pair. */
double vs_cost_model_pair(const struct vs_triple_data *t);

/*
 * A threshold to search above first, if only the greatest values are wanted:
 * the lowest of some values below `from`, down to `least`, whose candidates
 * cost at most *cost, in seconds of one core, or the first of them; and its
 * cost. It is `least` itself if searching everything costs hardly more.
 * returns  0; VS_EMACHINE
 */
int vs_cost_model_step(const struct vs_triple_data *t, double from,
	double least, double *to, double *cost);

/* Cost of candidates above the threshold, as for vs_cost_model_step(). */
int vs_cost_model_cost(const struct vs_triple_data *t, double threshold,
	double *cost);

/* Estimated edges of vectors [lo, hi) with all others, from the sample. */
double vs_cost_model_edges(const struct vs_cost_model *f, size_t lo, size_t hi);

/* Cost of work done, in seconds of one core: candidates of n_edge edges, each
 * once; all triples, `counted` of which were counted. */
double vs_cost_model_candidates(const struct vs_triple_data *t, double n_edge,
	const struct vs_effort *effort);
double vs_cost_model_all(const struct vs_triple_data *t, double counted);

/* Seconds that a thread and its share of the devices need together for n_triple
 * triples, if the thread alone needs `seconds`. */
double vs_cost_model_beside(const struct vs_triple_data *t, double n_triple,
	double seconds);

#endif
