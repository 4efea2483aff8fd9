/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries instead of records: option --summary. */
#include <math.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/run/summarize.h"

#define FORMS "--summary %s: "

/* A threshold that no value passes. */
static const char *
nothing(const struct vs_metric *metric)
{
	static char text[VS_NUM_ROOM];
	double end = metric->lower ? metric->lowest : metric->highest;

	if (isinf(end))
		return end < 0 ? "-1e308" : "1e308";
	vs_num_print(end, text);
	return text;
}

static int
choose_degrees(const char *list, const char *thresholds,
	struct vs_summary_ask *ask)
{
	char text[VS_SUMMARY_ROOM];
	struct vs_summary_ask is;

	if (!thresholds)
		return vs_fail(VS_EUSAGE,
			FORMS "degree counts partners above thresholds: add -t "
			      "T or -t T1,T2,...",
			list);
	snprintf(text, sizeof(text), "degree=%s", thresholds);
	if (strlen(thresholds) >= sizeof(text) - 8 || strchr(thresholds, ' ') ||
		!vs_summary_ask_read(text, &is))
		return vs_fail(VS_EUSAGE,
			"--threshold %s: up to %d rising thresholds expected, "
			"separated by commas",
			thresholds, VS_SUMMARY_DEGREES);
	ask->n_degree = is.n_degree;
	memcpy(ask->degree, is.degree, sizeof(ask->degree));
	return 0;
}

/* A word of the list, of n bytes. */
static int
choose_one(const char *list, const char *word, size_t n, const char *thresholds,
	struct vs_summary_ask *ask)
{
	if (n == 7 && !memcmp(word, "ldscore", n) && !ask->ldscore)
		ask->ldscore = true;
	else if (n == 6 && !memcmp(word, "degree", n) && !ask->n_degree)
		return choose_degrees(list, thresholds, ask);
	else
		return vs_fail(VS_EUSAGE,
			FORMS "expected ldscore, degree, each once at most, "
			      "separated by commas",
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
	if (ask->ldscore && strcmp(metric->name, "r2"))
		return vs_fail(VS_EUSAGE,
			FORMS "ldscore sums squared correlations: use -m r2",
			list);
	if (!ask->n_degree && *threshold)
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
	int code;

	vs_summary_plan(plan, &ask, s->packed->n_vec, s->query.metric);
	plan->cpu = s->query.cpu;
	s->query.summary = plan;
	s->query.prune = false;
	vs_tile_counts_summary(counts, vs_summary_size(plan));
	code = vs_mem_new(&s->summed, counts->n, sizeof(*s->summed), "summary");
	counts->count = s->summed;
	return code;
}
