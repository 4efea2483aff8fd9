/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte shuffle of HDF5: byte 0 of all elements, then byte 1 of all. */
#include <stdint.h>
#include <string.h>

#include "formats/h5/shuffle.h"

/* ---- 16 elements of 8 bytes at a time ---- */

#define N 16
typedef uint8_t bytes __attribute__((vector_size(N)));

/*
 * Interleave the first 64 of 128 bytes with the others: the byte with binary
 * number abcdefg moves to bcdefga. Three times turns 8 rows of 16 bytes into 16
 * rows of 8, four times turns them back.
 */
static inline __attribute__((always_inline)) void
interleave(bytes r[8], int times)
{
	bytes t[8];

	for (; times; times--) {
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++) {
			bytes a = r[k], b = r[k + 4];

			t[2 * k] = __builtin_shufflevector(a, b, 0, 16, 1, 17,
				2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
			t[2 * k + 1] = __builtin_shufflevector(a, b, 8, 24, 9,
				25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
				31);
		}
		memcpy(r, t, sizeof(t));
	}
}

/* Shuffle of 8-byte elements, the most frequent size. */
static void
shuffle_eight(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 8, e = 0;
	bytes r[8];

	for (; e + N <= n_element; e += N) {
		memcpy(r, in + 8 * e, sizeof(r));
		interleave(r, 4);
		for (size_t b = 0; b < 8; b++)
			memcpy(out + b * n_element + e, &r[b], sizeof(r[b]));
	}
	for (; e < n_element; e++)
		for (size_t b = 0; b < 8; b++)
			out[b * n_element + e] = in[8 * e + b];
	memcpy(out + 8 * n_element, in + 8 * n_element, n - 8 * n_element);
}

static void
unshuffle_eight(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 8, e = 0;
	bytes r[8];

	for (; e + N <= n_element; e += N) {
		for (size_t b = 0; b < 8; b++)
			memcpy(&r[b], in + b * n_element + e, sizeof(r[b]));
		interleave(r, 3);
		memcpy(out + 8 * e, r, sizeof(r));
	}
	for (; e < n_element; e++)
		for (size_t b = 0; b < 8; b++)
			out[8 * e + b] = in[b * n_element + e];
	memcpy(out + 8 * n_element, in + 8 * n_element, n - 8 * n_element);
}

/* Shuffle: byte b of all elements, then byte b + 1 of all; trailing bytes stay
 * in place. */
static inline void
shuffle_by(size_t width, const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / width;

	for (size_t b = 0; b < width; b++)
		for (size_t e = 0; e < n_element; e++)
			out[b * n_element + e] = in[e * width + b];
	memcpy(out + n_element * width, in + n_element * width,
		n - n_element * width);
}

static inline void
unshuffle_by(size_t width, const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / width;

	for (size_t e = 0; e < n_element; e++)
		for (size_t b = 0; b < width; b++)
			out[e * width + b] = in[b * n_element + e];
	memcpy(out + n_element * width, in + n_element * width,
		n - n_element * width);
}

/* Four bytes of each number at once, which are little-endian. */
static void
unshuffle_four(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 4;
	const uint8_t *a = in, *b = a + n_element, *c = b + n_element,
		      *d = c + n_element;

#pragma omp simd
	for (size_t e = 0; e < n_element; e++) {
		uint32_t x = a[e] | (uint32_t)b[e] << 8 | (uint32_t)c[e] << 16 |
			(uint32_t)d[e] << 24;

		/* clang does not vectorize the fortified memcpy of glibc */
		__builtin_memcpy(out + 4 * e, &x, 4);
	}
	memcpy(out + 4 * n_element, in + 4 * n_element, n - 4 * n_element);
}

/* A width known at compile time makes the inner loops several times faster. */
void
vs_shuffle_bytes(size_t width, const void *in, size_t n, void *out)
{
	if (width == 8)
		shuffle_eight(in, out, n);
	else if (width == 4)
		shuffle_by(4, in, out, n);
	else
		shuffle_by(width, in, out, n);
}

void
vs_shuffle_undo(size_t width, const void *in, size_t n, void *out)
{
	if (width == 8)
		unshuffle_eight(in, out, n);
	else if (width == 4)
		unshuffle_four(in, out, n);
	else
		unshuffle_by(width, in, out, n);
}
