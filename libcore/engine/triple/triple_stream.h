/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triples of more vectors than memory holds. For the first vectors of a tile,
 * the groups of second and third vectors that have triples with them are
 * marked; windows of these are loaded one after the other while the first
 * vectors stay.
 *
 * For candidates, frequencies and calls of all vectors are read once and kept.
 * The pairs of the candidate graph of some first vectors are counted with one
 * window of other vectors after the other. The graph then tells, without any
 * vector, which groups have triples to be counted, and only these are read
 * again.
 */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_STREAM_H
#define VS_ENGINE_TRIPLE_TRIPLE_STREAM_H

#include "libcore/engine/slab/triple_groups.h"
#include "libcore/engine/triple/triple_pass.h"

struct vs_triple_stream {
	struct vs_triple_groups *groups;
	struct vs_triple_pass *pass;
	struct vs_triangle_marks marks;
	bool backwards; /* are the next windows taken */
};

/*
 * Read all vectors once, to have everything but their rows.
 * room     bytes for rows at a time
 * sample   gets the vectors sampled by the cost model, which the data then
 *          refers to; to be freed
 * returns  0; what the job's load() returns; VS_EMACHINE
 */
int vs_triple_stream_scan(const struct vs_job *job, struct vs_triple_data *data,
	uint64_t room, struct vs_panel *sample);

/* 0; VS_EMACHINE */
int vs_triple_stream_open(struct vs_triple_stream *s,
	struct vs_triple_pass *pass, struct vs_triple_groups *groups);
void vs_triple_stream_close(
	struct vs_triple_stream *s); /* zeroed is accepted */

/*
 * Count part of a tile on all threads: slabs, or candidates of the first
 * vectors that the graph has. The pass is open.
 * returns  0; VS_DONE when stopped; the first failure
 */
int vs_triple_stream_run(struct vs_triple_stream *s,
	const struct vs_tile_task *part);

#endif
