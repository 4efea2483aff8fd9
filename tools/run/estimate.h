/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates of a run's records, bytes and time from a sample that is counted.
 */
#ifndef VS_TOOLS_RUN_ESTIMATE_H
#define VS_TOOLS_RUN_ESTIMATE_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "tools/run/run_kind.h"

/* The run; the caller owns everything. */
struct vs_estimate_of {
	const struct vs_run_kind *way;
	const struct vs_job *pairs; /* planned, with what is done already */
	const struct vs_run *run;
	struct vs_packed *packed;
	struct vs_codec codec;
	uint64_t top; /* keep at most this many records; 0: all */
};

struct vs_estimate {
	double records, bytes, seconds;
	double seconds_most; /* of --top: without its threshold; else 0 */
	/* what the estimate is based on */
	uint64_t n_sampled, n_vec; /* these against all */
	double share;              /* number of all pairs or triples */
	uint64_t seen;             /* records among them */
	bool exact;                /* records were counted completely */
	/* interval of records, three standard errors to either side; most 0:
	 * unknown for triples, few vectors and a stage counted with all others,
	 * or not in doubt with --top */
	double least, most;
};

/*
 * Count the pairs of some vectors, drawn at random, with all others, or all
 * triples with some vectors in them, on the CPU and with the run's own engine;
 * for small runs everything. Nothing is written. Every pair, or triple, is in
 * the sample with the same probability or is weighted by its own. If more than
 * `top` records pass, the sample is counted again with the threshold that
 * leaves about `top` of them, and bytes and time refer to that. Triples with a
 * filter are all counted, or no estimate is made.
 * returns     0; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_estimate_make(struct vs_estimate *e, const struct vs_estimate_of *of);

/* Estimates of the run with other thresholds. */
struct vs_estimate_table {
	struct {
		double threshold;
		struct vs_estimate e;
	} row[5];
	int n;
};

/*
 * For 0.5 to 0.9, for triples with cells 0.3 to 0.7, each by
 * vs_estimate_make().
 * returns     0; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_estimate_thresholds(struct vs_estimate_table *t,
	const struct vs_estimate_of *of);

#endif
