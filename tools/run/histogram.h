/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values as a table: option --metric-histogram. */
#ifndef VS_TOOLS_RUN_HISTOGRAM_H
#define VS_TOOLS_RUN_HISTOGRAM_H

#include "formats/results/result.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "tools/run/run_kind.h"

/*
 * Have the job count all values in a histogram, which is made here, and leave
 * no pair out. Of the run the metric and its multiplier are set.
 * counts   receives its counters, as shards have them
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_histogram_begin(struct vs_value_histogram **histogram,
	struct vs_tile_counts *counts, const struct vs_run *run,
	const struct vs_run_kind *way, struct vs_job *job,
	struct vs_query *query);

/*
 * Hold what an earlier run has counted, as the directory says, to the values of
 * the tiles that it has done. 0; VS_EINPUT
 */
int vs_histogram_check(const struct vs_value_histogram *histogram,
	const char *dir, vs_wide want);

/* Proof that a histogram has all values. */
struct vs_histogram_proof {
	vs_wide n_value; /* this rank's, and the first rank's those done before
			  * too */
	bool counts;     /* hold it to n_value */
	/* of a metric of cells: hold before what all counts sum to to what the
	 * fields of the vectors say that all combinations of the job's plan sum
	 * to */
	bool sums;
};

/*
 * Add up what all ranks counted, hold it to the values of the tiles that they
 * have done and write the table to the path; "-" is stdout.
 * returns     0; VS_EINPUT; VS_EMACHINE: something was not counted once
 * collective  yes
 */
int vs_histogram_end(struct vs_value_histogram *histogram, const char *path,
	const struct vs_histogram_proof *of, const struct vs_job *job,
	const struct vs_run_kind *way);

#endif
