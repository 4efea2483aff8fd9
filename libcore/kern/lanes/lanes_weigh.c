/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of weights by lane: of the fields of a list whose bit is set. */
#include "libcore/kern/lanes/lanes.h"

static void
weigh_bits(const struct vs_lanes_weigh *c)
{
	for (size_t k = 0; k < c->n; k++) {
		const uint64_t *row =
			c->row + VS_LANES_WORDS * (size_t)c->field[k];
		const int64_t weight = c->weight[c->field[k]];

		for (size_t w = c->lo; w < c->hi; w++)
			for (uint64_t x = row[w]; x; x &= x - 1)
				c->sum[64 * w + (size_t)__builtin_ctzll(x)] +=
					weight;
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))

/* A byte of bits masks the addition to 8 lanes; 64 lanes stay in registers. */
TARGET static void
weigh_masked(const struct vs_lanes_weigh *c)
{
	for (size_t w = c->lo; w < c->hi; w++) {
		const uint8_t *at = (const uint8_t *)(c->row + w);
		__m512i sum[8];

		for (int k = 0; k < 8; k++)
			sum[k] = _mm512_load_si512(c->sum + 64 * w + 8 * k);
		for (size_t f = 0; f < c->n; f++) {
			const size_t field = c->field[f];
			const uint8_t *bits = at + VS_LANES / 8 * field;
			const __m512i x = _mm512_set1_epi64(c->weight[field]);

			for (int k = 0; k < 8; k++)
				sum[k] = _mm512_mask_add_epi64(sum[k], bits[k],
					sum[k], x);
		}
		for (int k = 0; k < 8; k++)
			_mm512_store_si512(c->sum + 64 * w + 8 * k, sum[k]);
	}
}
#endif

void
vs_lanes_weigh(enum vs_cpu cpu, const struct vs_lanes_weigh *call)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512) {
		weigh_masked(call);
		return;
	}
#endif
	(void)cpu;
	weigh_bits(call);
}
