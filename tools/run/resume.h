/* SPDX-License-Identifier: BSD-3-Clause */
/* Resumption of a run from its directory: option --resume. */
#ifndef VS_TOOLS_RUN_RESUME_H
#define VS_TOOLS_RUN_RESUME_H

#include "formats/results/shard_writer.h"

/*
 * Rank 0 scans the directory and broadcasts the tiles that are done, or
 * searched above a number, see vs_shard_writer_scan(), and the run's uuid and
 * tile, which are set in run. dir null: there is nothing to resume. Histograms
 * are added only on the first rank; if they are wanted, every tile must have
 * one.
 * returns     0; the failure of rank 0 or any other
 * collective  yes
 */
int vs_resume_scan(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed);

#endif
