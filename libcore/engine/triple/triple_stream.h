/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triples of more vectors than memory holds. It is marked which groups of
 * second and third vectors have triples with the first ones of a tile; windows
 * of these come one after the other while those of the first ones stay.
 *
 * For candidates frequencies and calls of all vectors are read once and stay.
 * Of the candidate graph of some first vectors pairs are counted with one
 * window of other vectors after the other; the graph then tells without any
 * vector which groups have triples to be counted, and these alone are read
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
 * Read all vectors once, so that all but their rows is there.
 * room     bytes for rows at a time
 * sample   gets those that the cost model tries; to be freed
 * scan     zeroed; gets how many were read, in which time
 * returns  0; what the job's load() returns; VS_EMACHINE
 */
int vs_triple_stream_scan(const struct vs_job *job, struct vs_triple_data *data,
	uint64_t room, struct vs_panel *sample, struct vs_triple_groups *scan);

/* 0; VS_EMACHINE */
int vs_triple_stream_open(struct vs_triple_stream *s,
	struct vs_triple_pass *pass, struct vs_triple_groups *groups);
void vs_triple_stream_close(
	struct vs_triple_stream *s); /* zeroed is accepted */

/*
 * Count a part of a tile on all threads: slabs, or candidates of first vectors
 * that the graph has. The pass is open.
 * returns  0; VS_DONE when stopped; the first failure
 */
int vs_triple_stream_run(struct vs_triple_stream *s,
	const struct vs_tile_task *part);

#endif
