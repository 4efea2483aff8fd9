/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the summaries of a run, from the counters of its shards. */
#ifndef VS_TOOLS_MERGE_SUMMARY_TABLES_H
#define VS_TOOLS_MERGE_SUMMARY_TABLES_H

#include "tools/merge/merge_survey.h"

/*
 * Add up the counters of all shards, check them against the run's number of
 * pairs, and write a file for each summary, with a name that begins with the
 * output's.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_summary_tables_write(const struct vs_merge_survey *m);

#endif
