/* SPDX-License-Identifier: BSD-3-Clause */
/* --resume: what the directory of a run holds already. */
#ifndef VS_TOOLS_RUN_RESUME_H
#define VS_TOOLS_RUN_RESUME_H

#include "formats/results/shard_writer.h"

/*
 * The first rank looks into the directory and tells all: the tiles that are
 * done, or searched above a number, as vs_shard_writer_scan() has it, and the
 * run's uuid and tile, which become those found. dir null: there is nothing to
 * go on with. Histograms are added on the first rank alone; where they are
 * wanted no tile may be without.
 * returns     0; what rank 0 or any other has failed with
 * collective  yes
 */
int vs_resume_look(const char *dir, struct vs_run *run,
	struct vs_shard_writer_found *found);

#endif
