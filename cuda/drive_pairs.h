/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs on a device: count a strip, refine candidates, receive records. */
#ifndef VS_CUDA_DRIVE_PAIRS_H
#define VS_CUDA_DRIVE_PAIRS_H

#include "libcore/engine/backend.h"

/* The strip() of a backend whose state is struct vs_drives. */
int vs_drive_pairs_strip(void *state, int worker, const struct vs_strip *strip,
	struct vs_hits *hits);

#endif
