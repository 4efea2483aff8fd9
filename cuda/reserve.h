/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Append by a whole warp: one atomic addition reserves places in a list for all
 * 32 lanes, by a prefix sum over them. All lanes of the warp take part; those
 * that append nothing pass n = 0.
 */
#ifndef VS_CUDA_RESERVE_H
#define VS_CUDA_RESERVE_H

#include "cuda/isa.h"

/*
 * Index of the first of n places of this lane in the list of length *counter.
 */
VS_DEVICE uint32_t
vs_warp_reserve(uint32_t *counter, uint32_t n)
{
	const uint32_t lane = isa_thread() % 32;
	uint32_t upto = n, at = 0;

	VS_UNROLL
	for (uint32_t by = 1; by < 32; by *= 2) {
		uint32_t below = isa_shuffle_up(upto, by);

		upto += lane >= by ? below : 0;
	}
	if (lane == 31 && upto)
		at = isa_add(counter, upto);
	return isa_shuffle(at, 31) + upto - n;
}

#endif
