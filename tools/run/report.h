/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of vsim-run: the plan of a dry run, rates and statistics at the
 * end. */
#ifndef VS_TOOLS_RUN_REPORT_H
#define VS_TOOLS_RUN_REPORT_H

#include "formats/results/result.h"
#include "tools/run/cluster.h"
#include "tools/run/estimate.h"
#include "tools/run/run_kind.h"

/* Plan and outcome of a rank; all belongs to the caller. */
struct vs_report {
	const struct vs_run_kind *way;
	const struct vs_job *pairs;
	const struct vs_run *run;
	uint64_t row_bytes;                 /* of a vector in the file */
	uint64_t n_done;                    /* tiles that an earlier run left */
	const struct vs_estimate *estimate; /* or null */
	const struct vs_estimate_table *thresholds; /* or null */
	const struct vs_cluster *cluster; /* to predict for, or null; */
	const char *model;                /* its file */
	/* behind it */
	const struct vs_job_stats *did;
	uint64_t n_record;
	struct vs_digest_sum sum, renamed;
	double seconds, seconds_output; /* in all, and with the sink */
	const char *stats, *output;     /* stats null: no such file */
};

/* --dry-run, on stdout. 0; VS_EMACHINE */
int vs_report_plan(const struct vs_report *r);

/*
 * Sum over the ranks; print, and write the file of --stats.
 * returns     0; VS_EMACHINE: no file, or a device was lost, and the result
 *             is complete all the same
 * collective  yes
 */
int vs_report(const struct vs_report *r);

#endif
