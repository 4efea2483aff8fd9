/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining of the parts that vsim-pack --part wrote into one vectors file. */
#ifndef VS_TOOLS_PACK_JOIN_PARTS_H
#define VS_TOOLS_PACK_JOIN_PARTS_H

#include "formats/vectors/packed.h"

/*
 * Options that determine a part's content, one per line, as text; for files
 * only the name of the option, since parts state the digests of what they read.
 */
int vs_join_parts_settings(struct vs_text *to);

/*
 * Join n files, in any order: they must be all the parts of one input, packed
 * with the same settings and samples.
 *
 * plan     path, codec, generator and force are set; the rest is filled in
 * whole    sites were packed with --multiallelic whole, so ids repeat
 * w, ...   arguments of vs_packed_finish(), empty before; the caller frees
 *          them, also after a failure; provenance is that of the first part
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_join_parts(const char *const *path, size_t n,
	struct vs_packed_plan *plan, struct vs_packed_writer **w,
	struct vs_sites *sites, struct vs_samples *samples,
	struct vs_provenance *provenance, bool *whole);

#endif
