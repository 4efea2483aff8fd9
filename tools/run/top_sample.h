/* SPDX-License-Identifier: BSD-3-Clause */
/* First threshold of --top: the N-th strongest of a sample of neighbours'
 * pairs. */
#ifndef VS_TOOLS_RUN_TOP_SAMPLE_H
#define VS_TOOLS_RUN_TOP_SAMPLE_H

#include "tools/run/setup.h"

/*
 * Count pairs within runs of neighbours, many of which are the strongest, and
 * raise the query's threshold to what N of them pass. As they are pairs of the
 * run, the final threshold excludes at least as much; vectors that pass with no
 * other are searched for again. Does nothing if a sample is too large a part of
 * the run's pairs.
 *
 * memory  bytes, of which a part is used
 * returns 0; VS_EINPUT; VS_EMACHINE
 */
int vs_top_sample_take(struct vs_setup *s, int n_thread, uint64_t memory);

#endif
