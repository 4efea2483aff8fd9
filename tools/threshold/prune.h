/* SPDX-License-Identifier: BSD-3-Clause */
/* LD pruning: variants of which no two exceed a bound. */
#ifndef VS_TOOLS_THRESHOLD_PRUNE_H
#define VS_TOOLS_THRESHOLD_PRUNE_H

#include "tools/threshold/ld_graph.h"

struct vs_prune {
	/* as the options say */
	const char *prefix, *window;
	int64_t step;
};

/* Check the options that belong to it. 0; VS_EUSAGE */
int vs_prune_check(const struct vs_prune *p);

/*
 * Write PREFIX.prune.in, the ids of variants that are kept, in the order of the
 * input, and PREFIX.prune.out, those of the others.
 * above    bound of a pair; NaN: that of the result
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_prune_write(const struct vs_prune *p, const char *result,
	const char *vectors, double above, bool force);

#endif
