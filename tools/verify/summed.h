/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of the summaries of a run with the plain definition. */
#ifndef VS_TOOLS_VERIFY_SUMMED_H
#define VS_TOOLS_VERIFY_SUMMED_H

#include "tools/verify/judge.h"
#include "tools/verify/recompute.h"

/*
 * Recompute and report all counters, if there are any, from all pairs; the
 * judge's vectors, not loaded yet, must fit.
 * returns  0; VS_ENO with the first difference; VS_EUSAGE: numbers, a sample,
 *          or vectors that do not fit; VS_EINPUT; VS_EMACHINE
 */
int vs_summed_check(struct vs_judge *g, struct vs_recompute *job);

#endif
