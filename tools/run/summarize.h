/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries instead of records: option --summary. */
#ifndef VS_TOOLS_RUN_SUMMARIZE_H
#define VS_TOOLS_RUN_SUMMARIZE_H

#include "tools/run/setup.h"

/*
 * Read the list of --summary, and state it in run. The thresholds of degrees
 * are those of --threshold; without any, one that nothing passes is set.
 * returns  0; VS_EUSAGE
 */
int vs_summarize_choose(struct vs_summary_ask *ask, const char *list,
	const struct vs_metric *metric, const char **threshold,
	struct vs_run *run);

/*
 * Have the query sum up all values, and exclude no pair.
 * counts   receives counters, as shards have them, which the setup owns
 * returns  0; VS_EUSAGE; VS_EINPUT: the vectors have no places; VS_EMACHINE
 */
int vs_summarize_begin(struct vs_setup *s, struct vs_tile_counts *counts);

#endif
