/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prediction of a run on a cluster: the run's plan is walked, rank by rank,
 * with the rates of a model. Reading of blocks, the steps of a ring and the
 * work of each tile are the plan's.
 */
#ifndef VS_TOOLS_RUN_PREDICT_H
#define VS_TOOLS_RUN_PREDICT_H

#include "tools/run/cluster.h"
#include "tools/run/run_kind.h"

struct vs_predict_of {
	const struct vs_run_kind *way;
	const struct vs_job *job; /* planned */
	const struct vs_cluster *cluster;
	uint64_t row_bytes;    /* of a vector in the file */
	double records, bytes; /* of the result; negative: from the model */
};

struct vs_prediction {
	int n_node;
	/* to start, and for a single rank to check the file */
	double start, check;
	double compute; /* mean of the ranks */
	/* of the rank that ends last: reading not overlapped with computing,
	 * and waiting for vectors, or more work than the mean */
	double read, wait;
	double write;
	double seconds;                /* in total */
	double bytes_most, bytes_all;  /* read by a rank, and by all */
	double records, output, files; /* of the result */
};

/* returns 0; VS_EMACHINE */
int vs_predict(struct vs_prediction *p, const struct vs_predict_of *of);

#endif
