/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs wanted by chromosome and distance, from the places in a vectors
 * file. */
#ifndef VS_TOOLS_SHARED_SITE_FILTER_H
#define VS_TOOLS_SHARED_SITE_FILTER_H

#include "formats/vectors/packed.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/plan/wanted.h"

/* Lay out the summaries asked about all pairs of a vectors file. 0; VS_EUSAGE;
 * VS_EINPUT; VS_EMACHINE */
int vs_site_filter_summary(struct vs_summary_plan *plan,
	const struct vs_summary_ask *ask, struct vs_packed *vectors,
	const struct vs_metric *metric);

/*
 * Set in w what the rules want; ranks follow the rows of the input, so that
 * vsim-permute changes no distance.
 * returns  0; VS_EINPUT, also if vectors have no place; VS_EMACHINE
 */
int vs_site_filter_make(struct vs_wanted *w, const struct vs_pair_rules *r,
	struct vs_packed *vectors);

#endif
