/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of vsim-run: the plan of a dry run, rates and statistics at the
 * end. */
#ifndef VS_TOOLS_RUN_REPORT_H
#define VS_TOOLS_RUN_REPORT_H

#include "formats/results/result.h"
#include "tools/run/cluster.h"
#include "tools/run/estimate.h"
#include "tools/run/run_kind.h"

/* Plan and outcome of a rank; the caller owns everything. */
struct vs_report {
	const struct vs_run_kind *way;
	const struct vs_job *pairs;
	const struct vs_run *run;
	const char *noun;   /* vs_packed_noun() */
	uint64_t row_bytes; /* of a vector in the file */
	uint64_t planes;    /* bytes of all, if held in memory */
	uint64_t n_done;    /* left by an earlier run */
	const struct vs_estimate *estimate;         /* or null */
	const struct vs_estimate_table *thresholds; /* or null */
	const struct vs_cluster *cluster; /* model to predict with, or null; */
	const char *model;                /* its file */
	/* follows it */
	const struct vs_job_stats *did;
	uint64_t n_record;
	struct vs_digest_sum sum, renamed;
	double seconds, seconds_output; /* in total, and with the sink */
	const char *stats, *output;     /* stats null: no such file */
};

/* Fill in times and counts of this rank for its shards. */
void vs_report_stats(const struct vs_report *r, struct vs_stats *st);

/* --dry-run, on stdout. 0; VS_EMACHINE */
int vs_report_plan(const struct vs_report *r);

/*
 * Sum over the ranks; print, and write the file of --stats.
 * returns     0; VS_EMACHINE: no file; or a device was lost, though the result
 *             is complete
 * collective  yes
 */
int vs_report(const struct vs_report *r);

#endif
