/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the summaries of a run, from the counters of its shards. */
#ifndef VS_TOOLS_MERGE_SUMMARY_TABLES_H
#define VS_TOOLS_MERGE_SUMMARY_TABLES_H

#include "tools/merge/summary_file.h"

/*
 * Add up the counters of all shards and check them against the run's number of
 * pairs; write a file for each summary, none if t is all 0, with a name that
 * begins with the output's.
 * return  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_summary_tables_read(struct vs_summary_tables *t,
	const struct vs_merge_survey *m);
int vs_summary_tables_write(const struct vs_summary_tables *t);

/* Write the tables of a run without shards from its counters. look: only check
 * whether the files may be written. */
int vs_summary_tables_of(const struct vs_merge_shards *to,
	const struct vs_run *run, struct vs_packed *vectors,
	const struct vs_summary_ask *ask, const struct vs_tile_counts *counts,
	bool look);
void vs_summary_tables_free(struct vs_summary_tables *t);

#endif
