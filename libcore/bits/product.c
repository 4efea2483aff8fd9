/* SPDX-License-Identifier: BSD-3-Clause */
/* Element-wise products of two vectors, stored as vectors. */
#include "libcore/bits/product.h"
#include "libcore/bits/cpu.h"

VS_INLINE void
multiply_kind(const uint64_t *const f[4], enum vs_product which, size_t n_field,
	size_t n_word, uint64_t *h, uint64_t *p)
{
	const uint64_t *hi = f[0], *pi = f[1], *hj = f[2], *pj = f[3];
	const size_t whole = n_field / 64;
	const uint64_t rest = ((uint64_t)1 << n_field % 64) - 1;

#pragma omp simd
	for (size_t w = 0; w < n_word; w++) {
		const uint64_t field = w < whole ? ~(uint64_t)0
			: w == whole             ? rest
						 : 0;
		uint64_t missing_i = pi[w] & ~hi[w], missing_j = pj[w] & ~hj[w];
		uint64_t present = ~(missing_i | missing_j), homozygous, plus;

		switch (which) {
		case VS_PRODUCT_BOTH:
			homozygous = hi[w] & hj[w];
			plus = ~(pi[w] ^ pj[w]);
			break;
		case VS_PRODUCT_FIRST:
		case VS_PRODUCT_FIRST_LOST:
			present = which == VS_PRODUCT_FIRST
				? present
				: missing_j & ~missing_i;
			homozygous = hi[w];
			plus = pi[w];
			break;
		case VS_PRODUCT_SECOND:
		case VS_PRODUCT_SECOND_LOST:
			present = which == VS_PRODUCT_SECOND
				? present
				: missing_i & ~missing_j;
			homozygous = hj[w];
			plus = pj[w];
			break;
		case VS_PRODUCT_PRESENT:
		case VS_PRODUCT_LOST:
			present = which == VS_PRODUCT_PRESENT
				? present
				: missing_i & missing_j;
			homozygous = plus = 0;
		}
		h[w] = homozygous & present;
		p[w] = (homozygous & present & plus) | (field & ~present);
	}
}

VS_INLINE void
multiply_any(const uint64_t *const f[4], enum vs_product which, size_t n_field,
	size_t n_word, uint64_t *h, uint64_t *p)
{
#define CASE(kind)                                             \
	case kind:                                             \
		multiply_kind(f, kind, n_field, n_word, h, p); \
		break
	switch (which) {
		CASE(VS_PRODUCT_BOTH);
		CASE(VS_PRODUCT_FIRST);
		CASE(VS_PRODUCT_SECOND);
		CASE(VS_PRODUCT_FIRST_LOST);
		CASE(VS_PRODUCT_SECOND_LOST);
		CASE(VS_PRODUCT_PRESENT);
		CASE(VS_PRODUCT_LOST);
	}
#undef CASE
}

VS_BY_CPU(void, multiply, (f, which, n_field, n_word, h, p),
	const uint64_t *const f[4], enum vs_product which, size_t n_field,
	size_t n_word, uint64_t *h, uint64_t *p)

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

	multiply(vs_cpu_best(), factor, which, p->vec.n_field, p->vec.n_word, h,
		sign);
	/* in this encoding the values that vs_vec_count() counts as 0 to 3 mean
	 * 1, missing, 2, 0 */
	vs_vec_count(&to->vec, at, count);
	to->sum[at] = (int32_t)(count[0] + 2 * count[2]);
	to->two[at] = (int32_t)count[2];
	to->present[at] = (int32_t)((int64_t)p->vec.n_field - count[1]);
}
