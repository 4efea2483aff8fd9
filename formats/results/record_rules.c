/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules for the records of a run: vectors, cells, counts, and values that pass
 * its threshold. */
#include <float.h>
#include <string.h>

#include "formats/results/record_rules.h"
#include "formats/results/result.h"
#include "libcore/metric/metric.h"

/*
 * The least value that passes, strictly above t or, if equal, at least t. The
 * f64 value was compared; rounding to f32 may have lowered it by half a step.
 */
static double
least_above(double t, bool equal, bool f32)
{
	float near = (float)t;

	if (!f32)
		return equal ? t : nextafter(t, INFINITY);
	if ((double)near == t)
		return equal ? nextafterf(near, -INFINITY) : near;
	return (double)near < t ? near : nextafterf(near, -INFINITY);
}

/* Set the bounds of the values that pass a run's threshold. */
static void
set_ends(const struct vs_run *run, bool f32, struct vs_record_rules *rules)
{
	const char *op = run->threshold_op;
	const bool equal = op[1] == 'e';
	const bool far = vs_run_strong(run) == VS_STRONG_FAR;
	const double t = run->threshold;
	double *highest = &rules->highest;

	*(far ? &rules->lowest : &rules->nearest) = -DBL_MAX;
	*(far ? &rules->nearest : &rules->lowest) =
		*op == 'g' ? least_above(t, equal, f32) : -DBL_MAX;
	*highest = DBL_MAX;
	/* "below t" is "above -t" for negated values */
	if (*op == 'l' && t < DBL_MAX)
		*highest = fmin(DBL_MAX, -least_above(-t, equal, f32));
	if (run->below.is)
		*highest = fmin(*highest,
			-least_above(-run->below.at, false, f32));
}

uint32_t
vs_record_rules_passes(const struct vs_run *run, const double *value)
{
	const int n_cell = vs_run_has_cells(run) ? 1 << run->n_way : 1;
	struct vs_record_rules ends;
	struct vs_thresholds thresholds;
	uint32_t bits = 0;

	set_ends(run, false, &ends);
	for (int c = 0; c < n_cell; c++)
		bits |= (uint32_t)vs_record_rules_within(&ends, value[c]) << c;
	if (strcmp(run->threshold_op, "class"))
		return bits;
	return vs_thresholds_read(run->class_thresholds, run->n_way,
		       &thresholds)
		? bits & vs_thresholds_pass(&thresholds, run->n_way, value)
		: 0;
}

void
vs_record_rules_make(struct vs_record_rules *rules, const struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	const bool cells = vs_run_has_cells(run);

	*rules = (struct vs_record_rules){
		.n_vec = (uint64_t)run->n_vectors,
		.cells = (uint32_t)run->cell_mask,
		.n_field = run->n_fields,
		.least_joint = vs_run_least_joint(run),
		.least_num = cells ? 0 : -VS_RECORD_NUM,
		.most_num = cells ? 0 : VS_RECORD_NUM - 1,
		.num_each = cells ? 1 << run->n_way : 0,
		.by_class = !strcmp(run->threshold_op, "class"),
		.f32 = !strcmp(run->value_type, "f32"),
		.last = (1u << run->n_way) - 1,
	};
	/* reading one proves that it is readable */
	vs_thresholds_read(run->class_thresholds, run->n_way,
		&rules->thresholds);
	set_ends(run, rules->f32, rules);
	if (m)
		rules->lowest = fmax(rules->lowest, vs_metric_lowest(m, true));
}
