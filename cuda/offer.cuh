// SPDX-License-Identifier: BSD-3-Clause
/* Float filter of one pair, by a warp, which appends it to the candidates. */
#ifndef VS_CUDA_OFFER_CUH
#define VS_CUDA_OFFER_CUH

#include "cuda/card.h"
#include "cuda/reserve.h"

/*
 * Test a pair whose sums are counted, and append it to the candidates if it may
 * pass. All lanes of a warp take part.
 */
__device__ static inline void
vs_offer(const vs_card_work &w, uint32_t i, const vs_card_side &si, uint32_t j,
	const vs_card_side &sj, const int32_t sum[4])
{
	uint32_t yes =
		vs_sums_may_pass(&w, &si, &sj, sum) && vs_wants(&w, i, j);
	uint32_t at;

	if (!isa_any(yes))
		return;
	at = vs_warp_reserve(w.n_cand, yes);
	if (!yes || at >= w.room)
		return;
	w.cand[at].i = i;
	w.cand[at].j = j;
	for (int k = 0; k < 4; k++)
		w.cand[at].sum[k] = sum[k];
}

#endif
