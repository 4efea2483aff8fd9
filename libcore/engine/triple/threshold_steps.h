/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thresholds that fall step by step, for --top: all tiles are searched above
 * one threshold before any is searched above the next, down to the lowest one.
 * A resumed run only needs the greatest values found so far and how far down
 * each tile has been searched.
 */
#ifndef VS_ENGINE_TRIPLE_THRESHOLD_STEPS_H
#define VS_ENGINE_TRIPLE_THRESHOLD_STEPS_H

#include "libcore/base/strongest.h"
#include "libcore/engine/candidates/cost_model.h"
#include "libcore/engine/candidates/tile_cost.h"

/* A sample of triples of tables. */
struct vs_threshold_sample {
	struct vs_strongest best; /* of the sampled triples */
	double share;             /* of all triples that were counted */
};

struct vs_threshold_steps {
	bool on;
	double lowest;
	double cost; /* predicted seconds of the last step; 0: none yet */
	/* for tables, from a sample instead of costs */
	bool sampled;
	int n_step;
	struct vs_threshold_sample sample;
};

/* Decide whether the job is searched in steps; free sample.best in either
 * case. */
void vs_threshold_steps_begin(struct vs_threshold_steps *s,
	const struct vs_job *job);

/*
 * Set the first threshold, or the next one, in t->q: one to which an earlier
 * run has searched some tiles, or as low as a few times the previous step's
 * cost allows. t knows the threshold that all tiles have been searched to.
 * returns  0; VS_EMACHINE
 */
int vs_threshold_steps_next(struct vs_threshold_steps *s,
	const struct vs_job *job, struct vs_triple_data *t);

/*
 * True if no value up to the threshold is among the greatest of all ranks.
 * collective  yes
 */
bool vs_threshold_steps_enough(const struct vs_job *job, double threshold);

/* True if an earlier run has searched the tile above t's threshold. */
static inline bool
vs_threshold_steps_has(const struct vs_threshold_steps *s,
	const struct vs_job *job, const struct vs_triple_data *t, uint64_t tile)
{
	return s->on && job->above && job->above[tile] <= t->q.threshold;
}

#endif
