/* SPDX-License-Identifier: BSD-3-Clause */
/* Setup of a run: the query, what the options ask for, and the vectors file. */
#ifndef VS_TOOLS_RUN_SETUP_H
#define VS_TOOLS_RUN_SETUP_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/query.h"
#include "tools/run/cluster.h"
#include "tools/run/devices.h"
#include "tools/run/run_kind.h"
#include "tools/shared/case_control.h"
#include "tools/shared/genotypes.h"

struct vs_setup {
	char *input;            /* path, allocated */
	struct vs_genotypes in; /* its kind is null for a vectors file */
	struct vs_packed *packed;
	struct vs_run run; /* as stated by shards */
	struct vs_query query;
	struct vs_alleles alleles;       /* of the metric, if of alleles */
	struct vs_thresholds thresholds; /* thresholds by class of cell */
	struct vs_codec codec;
	struct vs_run_kind way;
	struct vs_devices_want want;
	struct vs_cluster cluster;      /* --model */
	struct vs_case_control cases;   /* for metrics of tables */
	struct vs_summary_plan summary; /* --summary */
	vs_wide *summed;                /* its counters */
	uint64_t *dead; /* bits: vectors that pass with no other */
};

/* Open and check the vectors file, or read genotypes, and complete the query
 * from it; then, on all ranks or none, with the counts of its genotypes.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE */
int vs_setup_open(struct vs_setup *s);
int vs_setup_scan(struct vs_setup *s);

/* Report how many samples are left out because their case status is unknown. */
void vs_setup_say_cases(const struct vs_setup *s);

/* Set the pairs and triples that options select by chromosome and distance. */
int vs_setup_places(struct vs_setup *s, struct vs_job *pairs);

/* Copy to the query those members of the run that it has, too. */
void vs_setup_ask(struct vs_setup *s);

/* Complete what shards state about the run, with a new uuid. 0; VS_E... */
int vs_setup_describe(struct vs_setup *s);

void vs_setup_free(struct vs_setup *s);

#endif
