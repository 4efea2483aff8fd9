/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the summaries of a run, from the counters of its shards. */
#ifndef VS_TOOLS_MERGE_SUMMARY_TABLES_H
#define VS_TOOLS_MERGE_SUMMARY_TABLES_H

#include "tools/merge/merge_survey.h"

/*
 * Add up the counters of all shards, hold them to the number of pairs of the
 * run, and write a file for each summary, whose name begins with that of the
 * output.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_summary_tables_write(const struct vs_merge_survey *m);

#endif
