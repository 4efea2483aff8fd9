/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidates of more vectors than memory holds. Frequencies and calls of all
 * vectors are read once and stay. Of the candidate graph of some first vectors
 * pairs are counted with one window of other vectors after the other; the graph
 * then tells without any vector which windows have triples to be counted, and
 * these alone are read again.
 */
#ifndef VS_ENGINE_TRIPLE_CANDIDATE_STREAM_H
#define VS_ENGINE_TRIPLE_CANDIDATE_STREAM_H

#include "libcore/engine/triple/triple_candidates.h"
#include "libcore/engine/triple/triple_groups.h"

struct vs_candidate_stream {
	struct vs_triple_groups *groups;
	struct vs_triple_candidates *candidates;
	struct vs_triple_pass *pass; /* null: groups come, and nothing else */
	struct vs_triangle_marks marks;
	bool backwards; /* are the next windows taken */
};

/* Memory of the vectors that the cost model tries, and of its own copy. */
uint64_t vs_candidate_stream_sample_bytes(const struct vs_query *q);

/*
 * Read all vectors once, so that all but their rows is there.
 * room     bytes for rows at a time
 * sample   gets those that the cost model tries; to be freed
 * scan     zeroed; gets how many were read, in which time
 * returns  0; what the job's load() returns; VS_EMACHINE
 */
int vs_candidate_stream_scan(const struct vs_job *job,
	struct vs_triple_data *data, uint64_t room, struct vs_panel *sample,
	struct vs_triple_groups *scan);

/* 0; VS_EMACHINE */
int vs_candidate_stream_open(struct vs_candidate_stream *s,
	struct vs_triple_candidates *c, struct vs_triple_groups *groups);
void vs_candidate_stream_close(
	struct vs_candidate_stream *s); /* zeroed is accepted */

/* Have the windows of a part one after the other by the marks that there are,
 * and count them where there is a pass. Returns as vs_candidate_stream_run() */
int vs_candidate_stream_windows(struct vs_candidate_stream *s,
	const struct vs_triple_part *part);

/*
 * Count a part of a tile whose first vectors the graph has, on all threads.
 * returns  0; VS_DONE when stopped; the first failure
 */
int vs_candidate_stream_run(struct vs_candidate_stream *s,
	struct vs_triple_pass *pass, const struct vs_triple_part *part);

#endif
