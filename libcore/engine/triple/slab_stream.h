/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs of more vectors than memory holds: groups of third vectors come and go
 * while those of a tile's blocks stay.
 */
#ifndef VS_ENGINE_TRIPLE_SLAB_STREAM_H
#define VS_ENGINE_TRIPLE_SLAB_STREAM_H

#include "libcore/engine/triple/triple_groups.h"
#include "libcore/engine/triple/triple_pass.h"
#include "libcore/engine/triple/triple_slabs.h"

/* All but backwards belongs to the caller. */
struct vs_slab_stream {
	struct vs_triple_groups *groups;
	struct vs_triple_slabs *slabs;
	struct vs_triple_pass *pass; /* null: groups come, and nothing else */
	bool backwards;              /* are the next tile's windows taken */
};

/*
 * Count a tile, window by window, on all threads.
 * returns  0; VS_DONE when stopped; the first failure
 */
int vs_slab_stream_run(struct vs_slab_stream *s, int64_t bi, int64_t bj);

#endif
