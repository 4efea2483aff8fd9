/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sum of consecutive values, and a histogram of them. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "libcore/base/inline.h"
#include "libcore/base/minmax.h"
#include "libcore/kern/value_run.h"

#define LOW 32     /* buckets that nibbles count */
#define NIBBLES 15 /* additions that fit in one */
#define BYTES 17   /* of them in a byte */
#define PLACES 64  /* values at a time */
#define EVEN_BYTES 0x00ff00ff00ff00ff

void
vs_value_run_begin(struct vs_value_run *r, size_t n, int64_t least,
	size_t n_bucket, uint32_t *near)
{
	const size_t size = n_bucket + 1;

	for (size_t k = 0; k < n; k++, near += size)
		r[k] = (struct vs_value_run){ .least = least,
			.n_bucket = n_bucket,
			.near = { near, near + n * size } };
}

/* Add the byte counters of the low buckets to the first table. */
static void
settle_low(struct vs_value_run *r)
{
	for (size_t k = 0; k < 8 && r->n_low; k++) {
		uint64_t sum = 0; /* of every other byte, in 16 bits */

		for (int lane = 0; lane < 8; lane++)
			sum += r->low[k / 2][lane] >> k % 2 * 8 & EVEN_BYTES;
		for (size_t f = 0; f < 4; f++, sum >>= 16) {
			const size_t b =
				k / 4 * 16 + k / 2 % 2 + k % 2 * 2 + 4 * f;

			r->near[0][vs_min_size(b, r->n_bucket)] +=
				(uint16_t)sum;
		}
	}
	memset(r->low, 0, sizeof(r->low));
	r->n_low = 0;
}

void
vs_value_run_settle(struct vs_value_run *r, vs_wide *n)
{
	settle_low(r);
	for (size_t b = 0; b < r->n_bucket; b++)
		n[b] += (vs_wide)r->near[0][b] + r->near[1][b];
	for (int k = 0; k < 2; k++)
		memset(r->near[k], 0, (r->n_bucket + 1) * sizeof(*r->near[k]));
}

/* The buckets and units of up to PLACES values; returns how many are not
 * NaN. */
VS_INLINE size_t
look_any(const struct vs_value_run *r, const double *value, size_t n,
	uint32_t *at, int64_t *sum)
{
	const double least = (double)r->least, none = (double)r->n_bucket;
	uint64_t units = 0, valid = 0; /* units wrap around */

#pragma omp simd reduction(+ : units, valid)
	for (size_t k = 0; k < n; k++) {
		const double v = value[k], x = v + VS_VALUE_RUN_MAGIC;
		uint64_t bits;

		memcpy(&bits, &x, sizeof(bits));
		units += v == v ? bits - VS_VALUE_RUN_MAGIC_BITS : 0;
		valid += v == v;
	}
	*sum = (int64_t)((uint64_t)*sum + units);
	if (!r->n_bucket)
		return valid;
#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		double b = floor(value[k] * VS_VALUE_RUN_BUCKETS) - least;

		b = b < none ? b : none;
		at[k] = (uint32_t)(int32_t)(b > 0 ? b : 0);
	}
	return valid;
}

VS_BY_CPU(size_t, look, (r, value, n, at, sum), const struct vs_value_run *r,
	const double *value, size_t n, uint32_t *at, int64_t *sum)

static size_t
add(enum vs_cpu cpu, struct vs_value_run *r, const double *value, size_t n,
	int64_t *sum)
{
	uint32_t at[PLACES];
	size_t valid = 0;

	for (size_t lo = 0, now; lo < n; lo += now) {
		now = vs_min_size(n - lo, PLACES);
		valid += look(cpu, r, value + lo, now, at, sum);
		for (size_t k = 0; k < now && r->n_bucket; k++)
			r->near[k % 2][at[k]]++;
	}
	return valid;
}

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))

/* Count the buckets of 8 lanes one by one, the last one for some of them. */
TARGET static void
count_lanes(struct vs_value_run *r, __m512i bucket, __mmask8 left_out)
{
	const __m512i none = _mm512_set1_epi64((int64_t)r->n_bucket);
	uint64_t at[8];

	bucket = _mm512_min_epi64(bucket, none);
	bucket = _mm512_max_epi64(bucket, _mm512_setzero_si512());
	_mm512_storeu_si512(at, _mm512_mask_mov_epi64(bucket, left_out, none));
#pragma GCC unroll 8
	for (int k = 0; k < 8; k++)
		r->near[k % 2][at[k]]++;
}

/* The buckets of 8 values; of NaN, one that is not low. */
TARGET VS_INLINE __m512i
buckets(const struct vs_value_run *r, __m512d v)
{
	const __m512d unit = _mm512_set1_pd(VS_VALUE_RUN_BUCKETS);

	return _mm512_sub_epi64(
		_mm512_cvt_roundpd_epi64(_mm512_mul_pd(v, unit),
			_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
		_mm512_set1_epi64(r->least));
}

/* Add 1 to the nibble of each lane's bucket. A shift by 64 or more leaves 0. */
TARGET VS_INLINE __m512i
add_low(__m512i n, __mmask8 in, __m512i bucket)
{
	const __m512i one = _mm512_set1_epi64(1);

	return _mm512_mask_add_epi64(n, in, n,
		_mm512_sllv_epi64(one, _mm512_slli_epi64(bucket, 2)));
}

/* Add nibbles to bytes of low buckets, even and odd ones. */
TARGET VS_INLINE void
add_nibbles(uint64_t low[2][8], __m512i n)
{
	const __m512i nibble = _mm512_set1_epi8(15);
	const __m512i even = _mm512_and_si512(n, nibble),
		      odd = _mm512_and_si512(_mm512_srli_epi64(n, 4), nibble);

	_mm512_storeu_si512(low[0],
		_mm512_add_epi8(_mm512_loadu_si512(low[0]), even));
	_mm512_storeu_si512(low[1],
		_mm512_add_epi8(_mm512_loadu_si512(low[1]), odd));
}

/*
 * Add values, up to NIBBLES times 8 if they are counted. If 8 are all low, or
 * with no buckets none is NaN, they are added together.
 */
TARGET VS_INLINE size_t
add_lanes(struct vs_value_run *r, const double *value, size_t n, __m512i *sum,
	bool counts)
{
	const __m512i low = _mm512_set1_epi64(LOW),
		      half = _mm512_set1_epi64(LOW / 2);
	__m512i first = _mm512_setzero_si512(), next = first;
	size_t valid = n;

	for (size_t k = 0; k < n; k += 8) {
		const __mmask8 in =
			(__mmask8)(255u >> (n - k < 8 ? k + 8 - n : 0));
		const __m512d v = _mm512_maskz_loadu_pd(in, value + k),
			      magic = _mm512_set1_pd(VS_VALUE_RUN_MAGIC);
		const __m512i units = _mm512_castpd_si512(
				      _mm512_add_pd(v, magic)),
			      b = counts ? buckets(r, v) : low;
		__mmask8 none, rare;

		rare = counts ? _mm512_mask_cmpge_epu64_mask(in, b, low)
			      : _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q);
		*sum = _mm512_mask_add_epi64(*sum, in, *sum, units);
		if (!rare) {
			first = add_low(first, in, b);
			next = add_low(next, in, _mm512_sub_epi64(b, half));
			continue;
		}
		none = _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q);
		*sum = _mm512_mask_sub_epi64(*sum, none, *sum, units);
		valid -= (size_t)__builtin_popcount(none);
		if (counts)
			count_lanes(r, b, none | (__mmask8)~in);
	}
	if (counts) {
		add_nibbles(r->low, first);
		add_nibbles(r->low + 2, next);
		r->n_low++;
	}
	if (r->n_low == BYTES)
		settle_low(r);
	return valid;
}

TARGET static size_t
add_avx512(struct vs_value_run *r, const double *value, size_t n, int64_t *sum)
{
	__m512i units = _mm512_setzero_si512();
	uint64_t lane[8], all = (uint64_t)*sum; /* wraps around */
	size_t valid = 0;

	if (!r->n_bucket)
		valid = add_lanes(r, value, n, &units, false);
	for (size_t k = 0; k < n && r->n_bucket; k += NIBBLES * 8)
		valid += add_lanes(r, value + k,
			vs_min_size(n - k, NIBBLES * 8), &units, true);
	_mm512_storeu_si512(lane, units);
	for (int k = 0; k < 8; k++)
		all += lane[k];
	*sum = (int64_t)(all - valid * VS_VALUE_RUN_MAGIC_BITS);
	return valid;
}
#else
#define add_avx512(...) add(VS_CPU_AVX512, __VA_ARGS__)
#endif

size_t
vs_value_run_add(enum vs_cpu cpu, struct vs_value_run *r, const double *value,
	size_t n, int64_t *sum)
{
	return cpu >= VS_CPU_AVX512 ? add_avx512(r, value, n, sum)
				    : add(cpu, r, value, n, sum);
}
