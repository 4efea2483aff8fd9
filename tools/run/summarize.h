/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries, with records or alone: option --summary. */
#ifndef VS_TOOLS_RUN_SUMMARIZE_H
#define VS_TOOLS_RUN_SUMMARIZE_H

#include "tools/run/setup.h"

/* True if no records are kept: there is neither --threshold nor --top, or
 * degree has the threshold. */
bool vs_summarize_alone(const char *list, const char *threshold, bool top);

/*
 * Read the list of --summary, to which --metric-histogram adds `histogram`, and
 * state it in run. Without records, a threshold that nothing passes is set.
 * returns  0; VS_EUSAGE
 */
int vs_summarize_choose(struct vs_summary_ask *ask, const char *list,
	bool histogram, const struct vs_metric *metric, const char **threshold,
	bool top, struct vs_run *run);

/*
 * Have the query sum up all values, and exclude no pair.
 * counts   receives counters, as shards have them, which the setup owns
 * returns  0; VS_EUSAGE; VS_EINPUT: the vectors have no places; VS_EMACHINE
 */
int vs_summarize_begin(struct vs_setup *s, struct vs_tile_counts *counts);

#endif
