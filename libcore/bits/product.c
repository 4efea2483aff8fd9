/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/bits/product.h"
#include "libcore/bits/cpu.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void
multiply(const uint64_t *const f[4], enum vs_product which, size_t n_word,
	uint64_t *h, uint64_t *p)
{
	const uint64_t *hi = f[0], *pi = f[1], *hj = f[2], *pj = f[3];

#pragma omp simd
	for (size_t w = 0; w < n_word; w++) {
		uint64_t missing = (pi[w] & ~hi[w]) | (pj[w] & ~hj[w]);
		uint64_t big, plus;

		if (which == VS_PRODUCT_BOTH) {
			big = hi[w] & hj[w];
			plus = ~(pi[w] ^ pj[w]);
		} else if (which == VS_PRODUCT_FIRST) {
			big = hi[w] & ~missing;
			plus = pi[w];
		} else {
			big = hj[w] & ~missing;
			plus = pj[w];
		}
		h[w] = big;
		p[w] = (big & plus) | missing;
	}
}

INLINE void
multiply_any(const uint64_t *const f[4], enum vs_product which, size_t n_word,
	uint64_t *h, uint64_t *p)
{
	if (which == VS_PRODUCT_BOTH)
		multiply(f, VS_PRODUCT_BOTH, n_word, h, p);
	else if (which == VS_PRODUCT_FIRST)
		multiply(f, VS_PRODUCT_FIRST, n_word, h, p);
	else
		multiply(f, VS_PRODUCT_SECOND, n_word, h, p);
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void
multiply_avx512(const uint64_t *const f[4], enum vs_product which,
	size_t n_word, uint64_t *h, uint64_t *p)
{
	multiply_any(f, which, n_word, h, p);
}
#endif

void
vs_product_make(const struct vs_panel *p, size_t i, size_t j,
	enum vs_product which, struct vs_panel *to, size_t at)
{
	const uint64_t *const factor[4] = { vs_vec_plane(&p->vec, i, 0),
		vs_vec_plane(&p->vec, i, 1), vs_vec_plane(&p->vec, j, 0),
		vs_vec_plane(&p->vec, j, 1) };
	uint64_t *h = vs_vec_plane(&to->vec, at, 0);
	uint64_t *sign = vs_vec_plane(&to->vec, at, 1);
	int64_t count[4];

#if defined(__x86_64__)
	if (vs_cpu_best() >= VS_CPU_AVX512)
		multiply_avx512(factor, which, p->vec.n_word, h, sign);
	else
#endif
		multiply_any(factor, which, p->vec.n_word, h, sign);
	/* by these planes 0 to 3 are told as 1, missing, 2, 0 */
	vs_vec_count(&to->vec, at, count);
	to->sum[at] = (int32_t)(count[0] + 2 * count[2]);
	to->two[at] = (int32_t)count[2];
	to->present[at] = (int32_t)((int64_t)p->vec.n_field - count[1]);
}
