/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit compression of planes, as bytes where VPCOMPRESSB is: the planes of 64
 * samples become a register of bytes, which each mask compresses; what is moved
 * becomes planes again by comparison.
 */
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/bits/bits_move.h"

VS_INLINE int32_t
count_any(const uint64_t *word, size_t n)
{
	int64_t sum = 0;

	for (size_t w = 0; w < n; w++)
		sum += __builtin_popcountll(word[w]);
	return (int32_t)sum;
}

VS_BY_POPCNT(int32_t, count, (word, n), const uint64_t *word, size_t n)

static void
move_words(enum vs_cpu cpu, struct vs_bits_move *m)
{
	for (int a = 0; a < m->n_mask; a++) {
		vs_compress_rows(cpu, m->mask[a], m->n_word, m->in, m->out[a],
			m->n_plane, m->n_out[a]);
		for (int p = 0; p < m->n_plane; p++)
			m->count[a][p] = count(cpu, m->out[a][p], m->n_out[a]);
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

#define ICL                                                         \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq," \
			      "avx512vbmi2,popcnt")))

/* Bytes of each mask's samples, 2^plane, and zeros up to a word behind them. */
ICL VS_INLINE void
compress_bytes(const struct vs_bits_move *m, int n_mask, int n_plane,
	uint8_t *byte[VS_BITS_PLANES], size_t n[VS_BITS_PLANES])
{
	size_t at[VS_BITS_PLANES] = { 0, 0, 0 };

	for (size_t w = 0; w < m->n_word; w++) {
		__m512i x = _mm512_setzero_si512();

#pragma GCC unroll 3
		for (int p = 0; p < n_plane; p++)
			x = _mm512_mask_mov_epi8(x, m->in[p][w],
				_mm512_set1_epi8((char)(1 << p)));
#pragma GCC unroll 3
		for (int a = 0; a < n_mask; a++) {
			const struct vs_compress *mask = &m->mask[a][w];

			_mm512_storeu_si512(byte[a] + at[a],
				_mm512_maskz_compress_epi8(mask->mask, x));
			at[a] += mask->n;
		}
	}
	for (int a = 0; a < n_mask; a++) {
		_mm512_storeu_si512(byte[a] + at[a], _mm512_setzero_si512());
		n[a] = at[a];
	}
}

/* Planes of n bytes. */
ICL VS_INLINE void
put_planes(struct vs_bits_move *m, int a, int n_plane, const uint8_t *byte,
	size_t n)
{
	const size_t used = (n + 63) / 64;

	for (int p = 0; p < n_plane; p++) {
		const __m512i bit = _mm512_set1_epi8((char)(1 << p));
		uint64_t *out = m->out[a][p];
		int64_t sum = 0;

		for (size_t w = 0; w < used; w++) {
			out[w] = _mm512_cmpeq_epi8_mask(
				_mm512_loadu_si512(byte + 64 * w), bit);
			sum += __builtin_popcountll(out[w]);
		}
		memset(out + used, 0, (m->n_out[a] - used) * sizeof(*out));
		m->count[a][p] = (int32_t)sum;
	}
}

ICL VS_INLINE void
move_bytes_of(struct vs_bits_move *m, int n_mask, int n_plane)
{
	uint8_t *byte[VS_BITS_PLANES];
	size_t n[VS_BITS_PLANES];

	for (size_t a = 0; a < VS_BITS_PLANES; a++)
		byte[a] = (uint8_t *)m->scratch + a * (64 * m->n_word + 128);
	compress_bytes(m, n_mask, n_plane, byte, n);
	for (int a = 0; a < n_mask; a++)
		put_planes(m, a, n_plane, byte[a], n[a]);
}

ICL static void
move_bytes(struct vs_bits_move *m)
{
	if (m->n_mask == 2 && m->n_plane == 2)
		move_bytes_of(m, 2, 2);
	else
		move_bytes_of(m, m->n_mask, m->n_plane);
}
#endif

void
vs_bits_move_planes(enum vs_cpu cpu, struct vs_bits_move *m)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512ICL) {
		move_bytes(m);
		return;
	}
#endif
	move_words(cpu, m);
}
