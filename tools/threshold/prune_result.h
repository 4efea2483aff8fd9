/* SPDX-License-Identifier: BSD-3-Clause */
/* LD pruning of a merged result: keep variants of which no two exceed a
 * bound. */
#ifndef VS_TOOLS_THRESHOLD_PRUNE_RESULT_H
#define VS_TOOLS_THRESHOLD_PRUNE_RESULT_H

#include "tools/shared/prune.h"

/*
 * Write the lists of PREFIX.
 * result   merged, vs_ld_graph_read()
 * vectors  that it was made from, or null: those it names
 * above    bound for a pair; NaN: that of the result
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_prune_result(const struct vs_prune *p, const char *result,
	const char *vectors, double above, bool force);

#endif
