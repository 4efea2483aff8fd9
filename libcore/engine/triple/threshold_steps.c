/* SPDX-License-Identifier: BSD-3-Clause */
/* Falling thresholds for the N greatest values of triples. */
#include <math.h>
#include <string.h>

#include "libcore/engine/triple/threshold_steps.h"
#include "libcore/plan/comm.h"

#define FIRST 2 /* times the cost of the pairs alone */
#define NEXT 3  /* times the previous step */
#define GUESSES 2
#define MORE 16 /* factor on the number of records of the previous guess */

void
vs_threshold_steps_begin(struct vs_threshold_steps *s, const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	memset(s, 0, sizeof(*s));
	s->lowest = q->threshold;
	s->on = q->shared_threshold && q->prune && !q->thresholds &&
		!vs_query_without(q, VS_WITHOUT_THRESHOLD_STEPS) &&
		!vs_element_is_number(q->element) &&
		!vs_wanted_is_by_sets(job->wanted) &&
		(!job->stream || job->graph_bytes);
	/* long tables; ranks share out their tiles as they go */
	if (q->classes)
		s->on = s->sampled = s->on && !job->stream &&
			q->metric->whole && vs_metric_is_open(q->metric) &&
			q->n_strongest && job->plan->n_rank == 1 &&
			!vs_wanted_is_by_place(job->wanted);
}

void
vs_threshold_steps_free(struct vs_threshold_steps *s)
{
	vs_threshold_sample_free(&s->sample);
}

/* The next threshold for tables, from how many values should pass it. */
static int
next_guess(struct vs_threshold_steps *s, const struct vs_job *job,
	struct vs_triple_data *t)
{
	const uint64_t n = job->query->n_strongest;
	double guess = -INFINITY;
	int code = 0;

	if (!s->n_step)
		code = vs_threshold_sample_take(&s->sample, t, n,
			(double)vs_cube_n_triple(job->plan));
	if (!code && s->n_step < GUESSES)
		guess = vs_threshold_sample_guess(&s->sample,
			(double)n * pow(MORE, s->n_step));
	s->n_step++;
	t->q.threshold = fmax(guess, s->lowest);
	return code;
}

/* Thresholds of an earlier run: the one above which all tiles are searched, and
 * the next one below `from` above which some are; or -INFINITY. */
static void
look(const struct vs_job *job, double from, double *all, double *some)
{
	const uint64_t n = vs_plan_n_tile(job->plan);

	*all = *some = -INFINITY;
	for (uint64_t k = 0; k < n && job->above; k++)
		if (!vs_plan_is_done(job->done, k))
			*all = fmax(*all, job->above[k]);
	from = fmin(from, *all);
	for (uint64_t k = 0; k < n && job->above; k++)
		if (!vs_plan_is_done(job->done, k) && job->above[k] < from)
			*some = fmax(*some, job->above[k]);
}

static int
next_by_cost(struct vs_threshold_steps *s, const struct vs_job *job,
	struct vs_triple_data *t)
{
	const double n = (double)t->all.n_vec;
	const bool first = !(s->cost > 0);
	double from = first ? vs_query_ceiling(&t->q, 3) : t->q.threshold;
	double all, some;
	int code = 0;

	look(job, from, &all, &some);
	if (!first) {
		t->known = from;
	} else if (isfinite(all)) {
		from = t->known = all;
		code = vs_cost_model_cost(t, all, &s->cost);
	}
	s->cost = s->cost > 0 ? s->cost * NEXT
			      : FIRST * n * (n - 1) / 2 * vs_cost_model_pair(t);
	if (code)
		return code;
	if (some < s->lowest)
		return vs_cost_model_step(t, from, s->lowest, &t->q.threshold,
			&s->cost);
	t->q.threshold = some;
	return vs_cost_model_cost(t, some, &s->cost);
}

int
vs_threshold_steps_next(struct vs_threshold_steps *s, const struct vs_job *job,
	struct vs_triple_data *t)
{
	return s->sampled ? next_guess(s, job, t) : next_by_cost(s, job, t);
}

bool
vs_threshold_steps_enough(const struct vs_job *job, double threshold)
{
	double shared_threshold;

	__atomic_load(job->query->shared_threshold, &shared_threshold,
		__ATOMIC_RELAXED);
	vs_comm_max_f64(&shared_threshold, 1);
	return shared_threshold >= threshold;
}
