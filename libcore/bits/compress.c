/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit compression of rows, by PEXT where it is fast. */
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/bits/compress.h"

static void
prepare(struct vs_compress *c, uint64_t mask)
{
	uint64_t m = mask, k = ~m << 1;

	c->mask = mask;
	c->n = (uint32_t)__builtin_popcountll(mask);
	for (int step = 0; step < 6; step++) {
		uint64_t odd = k, move;

		/* parity of the zeros to the right of each bit */
		for (int s = 1; s < 64; s *= 2)
			odd ^= odd << s;
		move = odd & m;
		c->move[step] = move;
		m = (m ^ move) | move >> (1 << step);
		k &= ~odd;
	}
}

size_t
vs_compress_prepare(struct vs_compress *c, const uint64_t *mask, size_t n)
{
	size_t before = 0;

	for (size_t w = 0; w < n; w++) {
		prepare(&c[w], mask[w]);
		c[w].before = (uint32_t)before;
		before += c[w].n;
	}
	return before;
}

VS_INLINE uint64_t
compress_word(const struct vs_compress *c, uint64_t x)
{
	x &= c->mask;
	for (int step = 0; step < 6; step++) {
		uint64_t t = x & c->move[step];

		x = (x ^ t) | t >> (1 << step);
	}
	return x;
}

/*
 * Compress n_row rows; `select` returns the selected bits of a word. No branch
 * depends on the masks, which are as good as random: a word is stored
 * repeatedly until it is full.
 */
VS_INLINE void
compress(const struct vs_compress *c, size_t n, const uint64_t *const *in,
	uint64_t *const *out, int n_row, size_t n_out,
	uint64_t (*select)(const struct vs_compress *c, uint64_t x))
{
	uint64_t held[2] = { 0, 0 };
	size_t at = 0;
	unsigned used = 0;

	/* past the last bit there may be no room for a word */
	while (n && !c[n - 1].n)
		n--;
	for (size_t w = 0; w < n; w++) {
		const unsigned end = used + c[w].n;
		const uint64_t full = -(uint64_t)(end / 64);

#pragma GCC unroll 2
		for (int k = 0; k < n_row; k++) {
			const uint64_t x = select(&c[w], in[k][w]);
			/* shift by 64 - used in two steps, since each must be
			 * below 64 */
			const uint64_t over = x >> 1 >> (63 - used);

			held[k] |= x << used;
			out[k][at] = held[k];
			held[k] = (over & full) | (held[k] & ~full);
		}
		at += end / 64;
		used = end % 64;
	}
	for (int k = 0; k < n_row; k++) {
		if (used)
			out[k][at] = held[k];
		memset(out[k] + at + (used > 0), 0,
			(n_out - at - (used > 0)) * sizeof(**out));
	}
}

/* Process rows two at a time: they share the masks. */
VS_INLINE void
compress_all(const struct vs_compress *c, size_t n, const uint64_t *const *in,
	uint64_t *const *out, int n_row, size_t n_out,
	uint64_t (*select)(const struct vs_compress *c, uint64_t x))
{
	for (int k = 0; k + 1 < n_row; k += 2)
		compress(c, n, in + k, out + k, 2, n_out, select);
	if (n_row % 2)
		compress(c, n, in + n_row - 1, out + n_row - 1, 1, n_out,
			select);
}

static void
compress_plain(const struct vs_compress *c, size_t n, const uint64_t *const *in,
	uint64_t *const *out, int n_row, size_t n_out)
{
	compress_all(c, n, in, out, n_row, n_out, compress_word);
}

#if defined(__x86_64__)
__attribute__((target("bmi2"))) static inline uint64_t
pext_word(const struct vs_compress *c, uint64_t x)
{
	return __builtin_ia32_pext_di(x, c->mask);
}

/* older processors with AVX2 take hundreds of cycles for a PEXT */
__attribute__((target("bmi2"), flatten)) static void
compress_pext(const struct vs_compress *c, size_t n, const uint64_t *const *in,
	uint64_t *const *out, int n_row, size_t n_out)
{
	compress_all(c, n, in, out, n_row, n_out, pext_word);
}
#endif

void
vs_compress_rows(enum vs_cpu cpu, const struct vs_compress *c, size_t n,
	const uint64_t *const *in, uint64_t *const *out, int n_row,
	size_t n_out)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512) {
		compress_pext(c, n, in, out, n_row, n_out);
		return;
	}
#endif
	(void)cpu;
	compress_plain(c, n, in, out, n_row, n_out);
}
