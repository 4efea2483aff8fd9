/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values as a table: option --metric-histogram. */
#ifndef VS_TOOLS_RUN_HISTOGRAM_H
#define VS_TOOLS_RUN_HISTOGRAM_H

#include "formats/results/result.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "tools/run/run_kind.h"

/*
 * Have the job count all values in a histogram, which is made here, and exclude
 * no pair; with summaries, one of which it is, only make it. The run's metric
 * and multiplier are set.
 * counts   receives its counters, as shards have them
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_histogram_begin(struct vs_value_histogram **histogram,
	struct vs_tile_counts *counts, const struct vs_run *run,
	const struct vs_run_kind *way, struct vs_job *job,
	struct vs_query *query);

/*
 * Check the counts of an earlier run, as stated by the directory, against the
 * number of values of the tiles that it has done. 0; VS_EINPUT
 */
int vs_histogram_check(const struct vs_value_histogram *histogram,
	const char *dir, vs_wide want);

/* Data for the proof that a histogram has all values. */
struct vs_histogram_proof {
	vs_wide n_value; /* this rank's; on the first, also earlier ones */
	bool counts;     /* compare it with n_value */
	/* for a metric of cells: before that, compare the sum over all counts
	 * with what the vectors' fields give for all combinations of the job's
	 * plan */
	bool sums;
	const vs_wide *summed; /* the counters of summaries */
};

/*
 * Add up what all ranks counted, check it against the number of values of the
 * tiles they have done, and write the table to path; "-" is stdout.
 * returns     0; VS_EINPUT; VS_EMACHINE: something was not counted exactly once
 * collective  yes
 */
int vs_histogram_end(struct vs_value_histogram *histogram, const char *path,
	const struct vs_histogram_proof *of, const struct vs_job *job,
	const struct vs_run_kind *way);

#endif
