/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of results against their vectors, with the plain definition of
 * the metric. */
#ifndef VS_TOOLS_VERIFY_RECOMPUTE_H
#define VS_TOOLS_VERIFY_RECOMPUTE_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"

struct vs_recompute {
	const char *name;           /* of the result, for messages */
	struct vs_result *const *r; /* shards of one run, or one merged file */
	size_t n;
	struct vs_packed *vectors; /* checked already */
	uint64_t sample;           /* pairs and records drawn; 0: all */
	uint64_t seed;
	int n_thread;
	uint64_t memory; /* for vectors and records */
	/* out: records recomputed, pairs searched for values not listed */
	uint64_t n_record, n_pair;
};

/*
 * Every value is recomputed (or those of a sample): listed values must be right
 * to the bit, and values not listed must not pass the threshold. If only some
 * tiles are claimed to be finished, only their records count; if records were
 * selected by more than a threshold, only listed ones do.
 * returns  0; VS_ENO with the first difference; VS_EUSAGE for a metric without
 *          a plain definition here; VS_EINPUT; VS_EMACHINE
 */
int vs_recompute(struct vs_recompute *job);

#endif
