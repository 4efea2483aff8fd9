// SPDX-License-Identifier: BSD-3-Clause
/* What an engine does with the sums of a pair. */
#ifndef VS_CUDA_OFFER_CUH
#define VS_CUDA_OFFER_CUH

#include "cuda/card.h"

/* A place in the list for each thread that is here, one atomic for them all. */
__device__ static inline uint32_t
vs_place(uint32_t *counter, uint32_t n)
{
	unsigned here = __activemask();
	unsigned lane = threadIdx.x % 32, first = __ffs(here) - 1;
	uint32_t before = 0, all = 0, base = 0;

	for (unsigned rest = here; rest; rest &= rest - 1) {
		unsigned who = __ffs(rest) - 1;
		uint32_t its = __shfl_sync(here, n, who);

		before += who < lane ? its : 0;
		all += its;
	}
	if (lane == first)
		base = atomicAdd(counter, all);
	return __shfl_sync(here, base, first) + before;
}

/* A pair that the filter leaves. */
__device__ static inline void
vs_append(const vs_card_work &w, uint32_t i, uint32_t j, const int32_t sum[4])
{
	uint32_t at;

	if (!vs_wants(&w, i, j))
		return;
	at = vs_place(w.n_cand, 1);
	if (at >= w.room)
		return;
	w.cand[at].i = i;
	w.cand[at].j = j;
	for (int k = 0; k < 4; k++)
		w.cand[at].sum[k] = sum[k];
}

/* A pair whose sums are counted: the filter looks at it. */
__device__ static inline void
vs_offer(const vs_card_work &w, uint32_t i, const vs_card_side &si, uint32_t j,
	const vs_card_side &sj, const int32_t sum[4])
{
	int32_t r[4], c = vs_card_sums(&w, &si, &sj, sum, r);

	if (vs_may_pass(&w.rule, &si, &sj, r, c))
		vs_append(w, i, j, sum);
}

#endif
