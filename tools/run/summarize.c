/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries, with records or alone: option --summary. */
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

	vs_num_print(vs_metric_strong(metric) == VS_STRONG_LOW
			? fmax(metric->lowest, -1e308)
			: fmin(metric->highest, 1e308),
		text);
	return text;
}

/* The word degree, if it has no numbers of its own; or null. */
static const char *
bare_degree(const char *list)
{
	const char *degree = strstr(list, "degree");

	return degree && degree[6] != '=' ? degree : NULL;
}

bool
vs_summarize_alone(const char *list, const char *threshold, bool top)
{
	return (!threshold && !top) || bare_degree(list);
}

/* Read the list, whose words are separated by commas, as are their numbers. */
static bool
read_list(const char *list, const char *thresholds, struct vs_summary_ask *ask)
{
	const char *degree = bare_degree(list);
	const size_t n = degree ? (size_t)(degree - list) + 6 : 0;
	char text[VS_SUMMARY_ROOM];

	if ((size_t)snprintf(text, sizeof(text), "%.*s%s%s%s", (int)n, list,
		    degree ? "=" : "", degree ? thresholds : "",
		    list + n) >= sizeof(text))
		return false;
	for (char *at = text; (at = strchr(at, ',')); at++)
		if (!at[1] || !strchr("+-.0123456789", at[1]))
			*at = ' ';
	return vs_summary_ask_read(text, ask) && !ask->records;
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
	bool histogram, const struct vs_metric *metric, const char **threshold,
	bool top, struct vs_run *run)
{
	int code;

	if (bare_degree(list) && !*threshold)
		return vs_fail(VS_EUSAGE,
			FORMS "degree counts partners above thresholds: add -t "
			      "T or -t T1,T2,...",
			list);
	if (!read_list(list, *threshold, ask))
		return vs_fail(VS_EUSAGE,
			FORMS "expected %s, separated by commas", list,
			vs_summary_forms);
	ask->of[VS_SUMMARY_histogram].is |= histogram;
	ask->records = !vs_summarize_alone(list, *threshold, top);
	code = check_metric(list, metric, ask);
	if (code)
		return code;
	vs_summary_ask_print(ask, run->summary);
	if (!ask->records)
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
