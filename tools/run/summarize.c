/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries instead of records: option --summary. */
#include <math.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/run/options.h"
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
choose_degrees(const char *list, struct vs_summary_ask *ask)
{
	char text[VS_SUMMARY_ROOM];
	struct vs_summary_ask is;

	if (!list)
		return vs_fail(VS_EUSAGE,
			FORMS "degree counts partners above thresholds: add -t "
			      "T or -t T1,T2,...",
			vs_options.summary);
	snprintf(text, sizeof(text), "degree=%s", list);
	if (strlen(list) >= sizeof(text) - 8 || strchr(list, ' ') ||
		!vs_summary_ask_read(text, &is))
		return vs_fail(VS_EUSAGE,
			"--threshold %s: up to %d rising thresholds expected, "
			"separated by commas",
			list, VS_SUMMARY_DEGREES);
	ask->n_degree = is.n_degree;
	memcpy(ask->degree, is.degree, sizeof(ask->degree));
	return 0;
}

/* A word of the list, of n bytes. */
static int
choose_one(const char *word, size_t n, struct vs_summary_ask *ask)
{
	if (n == 7 && !memcmp(word, "ldscore", n) && !ask->ldscore)
		ask->ldscore = true;
	else if (n == 6 && !memcmp(word, "degree", n) && !ask->n_degree)
		return choose_degrees(vs_options.threshold, ask);
	else
		return vs_fail(VS_EUSAGE,
			FORMS "expected ldscore, degree, each once at most, "
			      "separated by commas",
			vs_options.summary);
	return 0;
}

int
vs_summarize_choose(struct vs_summary_ask *ask, const struct vs_metric *metric,
	struct vs_run *run)
{
	int code = 0;

	for (const char *at = vs_options.summary; !code;) {
		size_t n = strcspn(at, ",");

		code = choose_one(at, n, ask);
		at += n;
		if (!*at++)
			break;
	}
	if (code)
		return code;
	if (ask->ldscore && strcmp(metric->name, "r2"))
		return vs_fail(VS_EUSAGE,
			FORMS "ldscore sums squared correlations: use -m r2",
			vs_options.summary);
	if (!ask->n_degree && vs_options.threshold)
		return vs_fail(VS_EUSAGE,
			FORMS "--threshold is for degree alone: omit it",
			vs_options.summary);
	vs_summary_ask_print(ask, run->summary);
	vs_options.threshold = nothing(metric);
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
