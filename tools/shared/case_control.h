/* SPDX-License-Identifier: BSD-3-Clause */
/* Case-control status of the samples, for the metrics that compare classes. */
#ifndef VS_TOOLS_SHARED_CASE_CONTROL_H
#define VS_TOOLS_SHARED_CASE_CONTROL_H

#include "formats/vectors/packed.h"
#include "libcore/engine/query.h"

/* The classes, and the logarithms that are summed. All 0: there are none. */
struct vs_case_control {
	uint8_t *status; /* of each sample: 0 control, 1 case, else neither */
	struct vs_classes classes;
	struct vs_log_tables logs;
};

/*
 * Read the status of the samples of a vectors file for a metric of tables; do
 * nothing for others.
 * path          for messages
 * case_seed     not 0: permute the statuses with this seed; samples of unknown
 *               status keep theirs
 * returns  0; VS_EINPUT: no status, or all samples in one class; VS_EMACHINE
 */
int vs_case_control_read(struct vs_case_control *c, struct vs_packed *f,
	const char *path, const struct vs_metric *m, int64_t case_seed);
void vs_case_control_free(struct vs_case_control *c);

#endif
