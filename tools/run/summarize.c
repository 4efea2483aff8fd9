/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries instead of records: option --summary. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/run/summarize.h"
#include "tools/shared/site_filter.h"

#define FORMS "--summary %s: "

/* A threshold that no value passes. */
static const char *
nothing(const struct vs_metric *metric)
{
	static char text[VS_NUM_ROOM];
	double end = vs_metric_strong(metric) == VS_STRONG_LOW
		? metric->lowest
		: metric->highest;

	if (isinf(end))
		return end < 0 ? "-1e308" : "1e308";
	vs_num_print(end, text);
	return text;
}

/* The thresholds of --threshold, as numbers of degree. */
static int
choose_degrees(const char *thresholds, struct vs_summary_ask *ask)
{
	char text[VS_SUMMARY_ROOM];
	size_t n =
		(size_t)snprintf(text, sizeof(text), "degree=%s", thresholds);

	return n < sizeof(text) && vs_summary_ask_word(text, n, ask)
		? 0
		: vs_fail(VS_EUSAGE,
			  "--threshold %s: up to %d rising thresholds "
			  "expected, separated by commas",
			  thresholds, VS_SUMMARY_NUMBERS);
}

static int
choose_one(const char *list, const char *word, size_t n, const char *thresholds,
	struct vs_summary_ask *ask)
{
	const bool degree = n == 6 && !memcmp(word, "degree", n) &&
		!ask->of[VS_SUMMARY_degree].is;

	if (degree && thresholds)
		return choose_degrees(thresholds, ask);
	if (degree)
		return vs_fail(VS_EUSAGE,
			FORMS "degree counts partners above thresholds: add -t "
			      "T or -t T1,T2,...",
			list);
	return (n > 6 && !memcmp(word, "degree=", 7)) ||
			!vs_summary_ask_word(word, n, ask)
		? vs_fail(VS_EUSAGE, FORMS "expected %s, separated by commas",
			  list, vs_summary_forms)
		: 0;
}

/* All but degree add up values in fixed point, which holds up to 1. */
static int
check_metric(const char *list, const struct vs_metric *metric,
	const struct vs_summary_ask *ask)
{
	bool sums = false;

	for (int k = 0; k < VS_SUMMARY_KINDS; k++)
		sums |= k != VS_SUMMARY_degree && ask->of[k].is;
	if (ask->of[VS_SUMMARY_ldscore].is && strcmp(metric->name, "r2"))
		return vs_fail(VS_EUSAGE,
			FORMS "ldscore sums squared correlations: use -m r2",
			list);
	if (sums && !(metric->lowest >= -1 && metric->highest <= 1))
		return vs_fail(VS_EUSAGE,
			FORMS "only degree takes metrics with values beyond "
			      "-1 and 1",
			list);
	return 0;
}

int
vs_summarize_choose(struct vs_summary_ask *ask, const char *list,
	const struct vs_metric *metric, const char **threshold,
	struct vs_run *run)
{
	int code = 0;

	for (const char *at = list; !code;) {
		size_t n = strcspn(at, ",");

		code = choose_one(list, at, n, *threshold, ask);
		at += n;
		if (!*at++)
			break;
	}
	if (code)
		return code;
	code = check_metric(list, metric, ask);
	if (code)
		return code;
	if (!ask->of[VS_SUMMARY_degree].is && *threshold)
		return vs_fail(VS_EUSAGE,
			FORMS "--threshold is for degree alone: omit it", list);
	vs_summary_ask_print(ask, run->summary);
	*threshold = nothing(metric);
	return 0;
}

int
vs_summarize_begin(struct vs_setup *s, struct vs_tile_counts *counts)
{
	struct vs_summary_plan *plan = &s->summary;
	const struct vs_summary_ask ask = plan->ask;
	int code =
		vs_site_filter_summary(plan, &ask, s->packed, s->query.metric);

	if (code == VS_EINPUT)
		code = vs_fail_at(code, "%s", s->input);
	if (code)
		return code;
	plan->cpu = s->query.cpu;
	s->query.summary = plan;
	s->query.values = true;
	s->query.prune = false;
	vs_tile_counts_summary(counts, vs_summary_size(plan));
	code = vs_mem_new(&s->summed, counts->n, sizeof(*s->summed), "summary");
	counts->count = s->summed;
	return code;
}
