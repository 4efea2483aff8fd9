/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "libcore/engine/triple/threshold_steps.h"
#include "libcore/plan/comm.h"

#define FIRST 2 /* times what pairs cost alone */
#define NEXT 3  /* times the step before */

void
vs_threshold_steps_begin(struct vs_threshold_steps *s,
	const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;

	memset(s, 0, sizeof(*s));
	s->lowest = q->threshold;
	s->on = q->rising && q->prune && !q->bars &&
		!vs_element_is_number(q->element);
}

/* What an earlier run has searched all tiles above, and the next threshold below
 * `from` that it had come to with some; or -INFINITY. */
static void
look(const struct vs_pairs *job, double from, double *all, double *some)
{
	const uint64_t n = vs_plan_n_tile(job->plan);

	*all = *some = -INFINITY;
	for (uint64_t k = 0; k < n && job->above; k++)
		if (!vs_tile_is_done(job, k))
			*all = fmax(*all, job->above[k]);
	from = fmin(from, *all);
	for (uint64_t k = 0; k < n && job->above; k++)
		if (!vs_tile_is_done(job, k) && job->above[k] < from)
			*some = fmax(*some, job->above[k]);
}

int
vs_threshold_steps_next(struct vs_threshold_steps *s,
	const struct vs_pairs *job, struct vs_trio *t)
{
	const double n = (double)t->all.n_vec;
	const bool first = !(s->cost > 0);
	double from = first ? vs_question_ceiling(&t->q, 3) : t->q.threshold;
	double all, some;
	int code = 0;

	look(job, from, &all, &some);
	if (!first) {
		t->known = from;
	} else if (isfinite(all)) {
		from = t->known = all;
		code = vs_forecast_cost(t, all, &s->cost);
	}
	s->cost = s->cost > 0 ? s->cost * NEXT
			      : FIRST * n * (n - 1) / 2 * vs_forecast_pair(t);
	if (code)
		return code;
	if (some < s->lowest)
		return vs_forecast_step(t, from, s->lowest, &t->q.threshold,
			&s->cost);
	t->q.threshold = some;
	return vs_forecast_cost(t, some, &s->cost);
}

bool
vs_threshold_steps_enough(const struct vs_pairs *job, double bar)
{
	double rising;

	__atomic_load(job->question->rising, &rising, __ATOMIC_RELAXED);
	vs_comm_max_f64(&rising, 1);
	return rising >= bar;
}
