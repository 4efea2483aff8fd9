/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion file of a run directory: complete.yaml, written last, when the run
 * is complete; vsim-results(5). It lists the shards, so that a reader can check
 * them.
 */
#ifndef VS_FORMATS_RESULTS_COMPLETE_H
#define VS_FORMATS_RESULTS_COMPLETE_H

#include <stdbool.h>

#include "formats/results/result.h"

#define VS_COMPLETE_NAME "complete.yaml"

struct vs_complete {
	uint64_t n_shards, n_tiles, n_records;
	struct vs_digest_sum sum, source_sum; /* of all records */
};

/*
 * Write it from the shards in dir, completely or not at all.
 * generator  "vsim-run 0.1.0"
 * n_tile     as many they have to have together, each once
 * returns    0; VS_EINPUT; VS_EMACHINE, also where they have others
 */
int vs_complete_write(const char *dir, const char *generator, uint64_t n_tile);

/* Remove it, before anything else in dir changes; that it is absent is fine. */
int vs_complete_remove(const char *dir);

/*
 * Read it; if there is none or it is not valid, *has is false and c unchanged.
 * returns  0; VS_EINPUT or VS_EMACHINE: that cannot be determined
 */
int vs_complete_read(const char *dir, struct vs_complete *c, bool *has);

/* Whether dir has one, valid or not; returns as vs_complete_read(). */
int vs_complete_has(const char *dir, bool *has);

#endif
