/* SPDX-License-Identifier: BSD-3-Clause */
/* Case-control status or quantitative trait of the samples, for the metrics of
 * tables. */
#ifndef VS_TOOLS_SHARED_CASE_CONTROL_H
#define VS_TOOLS_SHARED_CASE_CONTROL_H

#include "formats/vectors/packed.h"
#include "libcore/engine/query.h"

/* The classes, and the logarithms that are summed, or of a trait what is summed
 * of class 0, the samples that have it. All 0: there are none. */
struct vs_case_control {
	uint8_t *status; /* of each sample: 0 control, 1 case, else neither */
	struct vs_classes classes;
	struct vs_log_tables logs;
	struct vs_trait trait;
	double *value; /* the trait of each sample; or null */
};

/*
 * Read the status or trait of the samples of a vectors file for a metric of
 * tables; do nothing for others.
 * path          for messages
 * case_seed     not 0: permute the statuses or values with this seed; samples
 *               whose own is unknown keep that
 * returns  0; VS_EINPUT: there is none, or all samples are in one class;
 *          VS_EMACHINE
 */
int vs_case_control_read(struct vs_case_control *c, struct vs_packed *f,
	const char *path, const struct vs_metric *m, int64_t case_seed);
/* Let a query for this metric use what was read. */
void vs_case_control_ask(const struct vs_case_control *c, struct vs_query *q);

void vs_case_control_free(struct vs_case_control *c);

#endif
