/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples on a device: count a slab, some first vectors after the other. */
#ifndef VS_CUDA_DRIVE_TRIPLES_H
#define VS_CUDA_DRIVE_TRIPLES_H

#include "libcore/engine/backend.h"

/* The slab() of a backend whose state is struct vs_drives. */
int vs_drive_triples_slab(void *state, int worker,
	const struct vs_triple_data *data, const struct vs_slab *s,
	struct vs_hits *hits, size_t *upto);

#endif
