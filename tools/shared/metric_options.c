/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of metric, multiplier, gamma and threshold. */
#include <stdio.h>
#include <string.h>

#include "formats/results/record_rules.h"
#include "libcore/base/fail.h"
#include "libcore/base/num.h"
#include "libcore/base/opt.h"
#include "libcore/base/ratio.h"
#include "libcore/metric/metric.h"
#include "tools/shared/metric_options.h"

/* A ratio given by an option, or else the metric's own. */
static int
read_ratio(const char *name, const char *text, double own, struct vs_ratio *out)
{
	if (text ? vs_ratio_read(text, out) : vs_ratio_of(own, out))
		return 0;
	return vs_fail(VS_EUSAGE,
		"--%s %s: expected a decimal such as 4.5 or a fraction such as "
		"9/2, of integers up to %d",
		name, text ? text : "", VS_RATIO_MOST);
}

int
vs_metric_options_choose(const char *metric, const char *multiplier,
	const char *gamma, struct vs_alleles *out, struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(metric);
	bool has_recipe = m->family == VS_FAMILY_ALLELES;
	struct vs_ratio front, weight;
	int code;

	memset(out, 0, sizeof(*out));
	if (!has_recipe)
		return 0;
	code = read_ratio("multiplier", multiplier, m->alleles.multiplier,
		&front);
	if (!code)
		code = read_ratio("gamma", gamma, m->alleles.gamma, &weight);
	if (code)
		return code;
	if (!front.p)
		return vs_fail(VS_EUSAGE,
			"--multiplier %s: makes every value 0: more than 0 "
			"expected",
			multiplier);
	if (weight.p > weight.q)
		return vs_fail(VS_EUSAGE,
			"--gamma %s: makes values negative: 0 to 1 expected",
			gamma);
	*out = m->alleles;
	vs_alleles_set(out, front, weight);
	run->ccc_multiplier = vs_ratio_value(front);
	run->ccc_gamma = vs_ratio_value(weight);
	return 0;
}

int
vs_metric_options_check(const struct vs_alleles *m, const struct vs_run *run,
	const char *path, uint64_t n_field)
{
	char front[VS_METRIC_OPTIONS_ROOM], weight[VS_METRIC_OPTIONS_ROOM];

	if (!m->weight || n_field <= (uint64_t)m->most[run->n_way - 2])
		return 0;
	vs_metric_options_print(run->ccc_multiplier, front);
	vs_metric_options_print(run->ccc_gamma, weight);
	return vs_fail(VS_EINPUT,
		"%s: %llu samples: values with multiplier %s and gamma %s are "
		"exact of up to %lld: simpler fractions take more",
		path, (unsigned long long)n_field, front, weight,
		(long long)m->most[run->n_way - 2]);
}

int
vs_metric_options_thresholds(const char *text, bool has_cells,
	struct vs_thresholds *out, struct vs_run *run)
{
	bool classes = strchr(text, '=');

	if (!classes && !vs_num_real(text, &run->threshold))
		return vs_opt_fail_number("--threshold", text, VS_OPT_FINITE);
	if (classes && !has_cells)
		return vs_fail(VS_EUSAGE,
			"--threshold %s: %s has one value, and no classes of "
			"cells",
			text, run->metric);
	if (classes && !vs_thresholds_read(text, run->n_way, out))
		return vs_fail(VS_EUSAGE,
			"--threshold %s: thresholds of %s expected, as %s",
			text,
			run->n_way == 3 ? "LLL, LLH, LHH, HHH and LLL+HHH"
					: "LL, LH, HH and LL+HH",
			run->n_way == 3 ? "LLL=0.4,LLL+HHH=0.6"
					: "LL=0.7,LL+HH=0.9");
	if (!classes)
		vs_thresholds_all(out, run->threshold);
	else
		run->threshold = vs_thresholds_least(out, run->n_way);
	if (classes)
		vs_thresholds_print(out, run->n_way, run->class_thresholds);
	strcpy(run->threshold_op,
		classes                                       ? "class"
			: vs_run_strong(run) == VS_STRONG_LOW ? "lt"
							      : "gt");
	return 0;
}

/* Number of vectors that may pass with some other; all if unknown. */
static uint64_t
n_living(uint64_t n_vec, const uint64_t *dead)
{
	uint64_t n = n_vec;

	for (uint64_t v = 0; v < n_vec && dead; v++)
		n -= dead[v / 64] >> v % 64 & 1;
	return n;
}

#define PERCENT 10 /* values from here on are taken for percentages */

/* Fail unless some value passes a bound; most: the greatest value. */
static int
check_most(const struct vs_run *run, const char *shown, double bound,
	bool strict, double most, const char *where)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	const enum vs_strong strong = vs_run_strong(run);
	const double by = vs_strength_of_threshold(strong, bound),
		     end = fmax(vs_strength(strong, m->lowest),
			     vs_strength(strong, most));
	char hint[64] = "";

	if (strict ? by < end : by <= end)
		return 0;
	if (strong == VS_STRONG_LOW)
		return vs_fail(VS_EUSAGE,
			"%s %.15g: nothing can pass: no %s is below %.6g",
			shown, bound, run->metric, m->lowest);
	if (most == 1 && bound >= PERCENT && bound <= 100)
		snprintf(hint, sizeof(hint), "; did you mean %.15g?",
			bound / 100);
	return vs_fail(VS_EUSAGE,
		"%s %.15g: nothing can pass: %s of %s is at most %.6g%s%s",
		shown, bound, run->metric,
		run->n_way == 3 ? "triples" : "pairs", most, where, hint);
}

int
vs_metric_options_passes(const struct vs_run *run, const char *shown,
	double bound, bool strict)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	struct vs_ratio front, weight;
	struct vs_alleles own;
	double most = m ? m->highest : INFINITY;

	if (!m)
		return 0;
	if (vs_metric_has_cells(m)) {
		if (!(run->ccc_multiplier > 0) ||
			!vs_ratio_of(run->ccc_multiplier, &front) ||
			!vs_ratio_of(run->ccc_gamma, &weight))
			return 0;
		own = m->alleles;
		vs_alleles_set(&own, front, weight);
		most = vs_alleles_ceiling(&own, run->n_way,
			!strcmp(run->missing, "none") ? 1
						      : (double)run->min_joint /
					(double)run->n_fields);
	}
	return check_most(run, shown, bound, strict, most, "");
}

int
vs_metric_options_reach(const struct vs_query *q, uint64_t n_vec,
	const uint64_t *dead, const struct vs_run *run)
{
	const struct vs_metric *m = q->metric;
	struct vs_record_rules rules;
	double most = q->alleles ? vs_query_ceiling(q, run->n_way) : m->highest;
	int code = check_most(run, "--threshold", run->threshold, true, most,
		!q->alleles               ? ""
			: !q->has_missing ? " where no call is missing"
			: q->min_joint    ? " with this --min-joint"
					  : "");

	if (code)
		return code;
	vs_record_rules_make(&rules, run);
	if (vs_run_limit(run) && rules.highest < rules.lowest)
		return vs_fail(VS_EUSAGE,
			"--threshold %.15g: nothing can pass: --%s leaves all "
			"of it out",
			run->threshold, vs_run_limit(run));
	/* the bound is for pairs */
	if (vs_metric_is_open(m) || run->n_way == 3 || n_vec < 2 ||
		n_living(n_vec, dead) > 1)
		return 0;
	return vs_fail(VS_EINPUT,
		"--threshold %.15g: nothing can pass: by their genotype counts "
		"no two of the %llu vectors reach it",
		run->threshold, (unsigned long long)n_vec);
}

bool
vs_metric_options_of(const struct vs_run *run, struct vs_plain_recipe *how)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	struct vs_ratio front, weight;

	if (!m || !vs_ratio_of(run->ccc_multiplier, &front) ||
		!vs_ratio_of(run->ccc_gamma, &weight))
		return false;
	*how = (struct vs_plain_recipe){ m->ploidy, front.p, front.q, weight.p,
		weight.q };
	return true;
}

void
vs_metric_options_print(double value, char text[VS_METRIC_OPTIONS_ROOM])
{
	struct vs_ratio r;

	if (!vs_ratio_of(value, &r))
		vs_num_print(value, text);
	else if (r.q == 1)
		snprintf(text, VS_METRIC_OPTIONS_ROOM, "%lld", (long long)r.p);
	else
		snprintf(text, VS_METRIC_OPTIONS_ROOM, "%lld/%lld",
			(long long)r.p, (long long)r.q);
}
