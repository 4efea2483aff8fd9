/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors that ranks read in a run over triples of more vectors than memory
 * holds: its windows are walked without vectors.
 */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_READS_H
#define VS_ENGINE_TRIPLE_TRIPLE_READS_H

#include "libcore/engine/job.h"

/*
 * Tiles are chosen and dealt as in the run, and the LRU cache of groups is the
 * run's. Of candidates, windows have triples to count as often as if those of a
 * sample of vectors were spread evenly over all. Of many tiles and ranks some
 * are walked. Ranks take no tiles from each other, and no filter leaves a pair
 * out of a graph.
 *
 * job      planned, and a stream; its threshold stays what it is: of greatest
 *          values this is more than a run reads
 * known    its load() reads vectors; else all triples are counted
 * given    tiles keep their size
 * n_read   of each rank of the plan
 * returns  0; what load() returns; VS_EINPUT; VS_EMACHINE
 */
int vs_triple_reads_count(const struct vs_job *job, bool known, bool given,
	double *n_read);

#endif
