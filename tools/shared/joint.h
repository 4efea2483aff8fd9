/* SPDX-License-Identifier: BSD-3-Clause */
/* Least number of joint calls of a record: option --min-joint. */
#ifndef VS_TOOLS_SHARED_JOINT_H
#define VS_TOOLS_SHARED_JOINT_H

#include "formats/results/result.h"

/*
 * A count from 1, or a share of the n_field samples: a decimal or a fraction
 * below 1, or a number with % up to 100; shares are rounded up to whole
 * samples.
 *
 * text     of the option; null: 0
 * path     the file with these samples, for messages
 * returns  0; VS_EUSAGE
 */
int vs_joint_read(const char *text, const char *path, int64_t n_field,
	int64_t *out);

/* Check that a result states the number of samples of each record. 0;
 * VS_EINPUT */
int vs_joint_known(const struct vs_run *run, const char *path);

/* True if a record is based on at least that many; without missing calls it
 * states none. */
static inline bool
vs_joint_keeps(const struct vs_record *rec, int64_t min_joint)
{
	return rec->nvalid < 0 || rec->nvalid >= min_joint;
}

#endif
