/* SPDX-License-Identifier: BSD-3-Clause */
/* Centred vectors of inner products and their norms. */
#include "libcore/engine/prune/inner_norms.h"
#include "libcore/kern/dots/joint_dots.h"
#include "libcore/kern/minima/minima.h"
#include "libcore/metric/inner.h"

/* A pair has means of its own; the total is 0 where all numbers are. */
static void
scale(const struct vs_query *q, struct vs_panel *p, size_t v)
{
	const double *x = vs_numbers_of(&p->number, v);
	struct vs_joint_dots d;

	vs_panel_centre(p, v, false, false);
	vs_joint_dots(q->cpu, x, x, q->n_field, (double[]){ 0, 0 }, &d);
	p->total[v] = d.p;
}

void
vs_inner_norms_make(const struct vs_query *q, struct vs_panel *p, int n_thread)
{
	const struct vs_minima *k =
		vs_registry_inner_pick(q->cpu, q->element, NULL);
	const double n = (double)q->n_field;

#pragma omp parallel for num_threads(n_thread) schedule(static)
	for (size_t v = 0; v < p->n_vec; v++) {
		const void *x = vs_numbers_of(&p->number, v);

		if (q->has_missing) {
			scale(q, p, v);
			continue;
		}
		if (!vs_metric_is_distance(q->metric))
			vs_panel_centre(p, v, q->metric->centred, q->whole);
		p->total[v] =
			vs_inner_norm(n, k->one(x, x, q->n_field), p->sum[v]);
	}
}
