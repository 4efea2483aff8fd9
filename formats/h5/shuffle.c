/* SPDX-License-Identifier: BSD-3-Clause */
/* Byte shuffle of HDF5: byte 0 of all elements, then byte 1 of all. */
#include <stdint.h>
#include <string.h>

#include "formats/h5/shuffle.h"

/*
 * Transpose of 8 x 8 bytes, which are the words r[0] to r[7]; of words that are
 * vectors, of those of each lane.
 */
#define TURN_BYTES(type, r)                                                  \
	do {                                                                 \
		static const uint64_t low[3] = { 0x00ff00ff00ff00ff,         \
			0x0000ffff0000ffff, 0x00000000ffffffff };            \
		_Pragma("GCC unroll 3") for (int step = 0; step < 3; step++) \
			_Pragma("GCC unroll 8") for (int k = 0; k < 8; k++)  \
		{                                                            \
			int by = 8 << step, other = k | 1 << step;           \
			type t;                                              \
                                                                             \
			if (k & 1 << step)                                   \
				continue;                                    \
			t = (r[k] >> by ^ r[other]) & low[step];             \
			r[k] ^= t << by;                                     \
			r[other] ^= t;                                       \
		}                                                            \
	} while (0)

static inline void
turn_bytes(uint64_t r[8])
{
	TURN_BYTES(uint64_t, r);
}

#ifdef __x86_64__
/* ---- 64 elements of 8 bytes at a time ---- */

#define LANES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
typedef uint64_t lanes __attribute__((vector_size(64)));

/* Transpose of 8 x 8 words. */
static inline LANES __attribute__((always_inline)) void
turn_words(lanes r[8])
{
#pragma GCC unroll 8
	for (int k = 0; k < 8; k += 2) {
		lanes a = r[k], b = r[k + 1];

		r[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
		r[k + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7,
			15);
	}
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++) {
		int at = k / 2 * 4 + k % 2;
		lanes a = r[at], b = r[at + 2];

		r[at] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
		r[at + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7,
			14, 15);
	}
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++) {
		lanes a = r[k], b = r[k + 4];

		r[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
		r[k + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14,
			15);
	}
}

/* turn_bytes() of eight blocks, one in each lane. */
static inline LANES __attribute__((always_inline)) void
turn_blocks(lanes r[8])
{
	TURN_BYTES(lanes, r);
}

/* Elements that were done, which begin the data. */
static LANES size_t
shuffle_lanes(const uint8_t *in, uint8_t *out, size_t n_element)
{
	size_t e = 0;
	lanes r[8];

	for (; e + 64 <= n_element; e += 64) {
		memcpy(r, in + 8 * e, sizeof(r));
		turn_words(r);
		turn_blocks(r);
		for (size_t b = 0; b < 8; b++)
			memcpy(out + b * n_element + e, &r[b], sizeof(r[b]));
	}
	return e;
}

static LANES size_t
unshuffle_lanes(const uint8_t *in, uint8_t *out, size_t n_element)
{
	size_t e = 0;
	lanes r[8];

	for (; e + 64 <= n_element; e += 64) {
		for (size_t b = 0; b < 8; b++)
			memcpy(&r[b], in + b * n_element + e, sizeof(r[b]));
		turn_blocks(r);
		turn_words(r);
		memcpy(out + 8 * e, r, sizeof(r));
	}
	return e;
}
#endif

/* Shuffle of elements of 8 bytes, the most frequent size. */
static void
shuffle_eight(enum vs_cpu cpu, const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 8, whole = n_element / 8 * 8, e = 0;
	uint64_t r[8];

	(void)cpu;
#ifdef __x86_64__
	if (cpu >= VS_CPU_AVX512)
		e = shuffle_lanes(in, out, n_element);
#endif
	for (; e < whole; e += 8) {
		memcpy(r, in + 8 * e, sizeof(r));
		turn_bytes(r);
		for (size_t b = 0; b < 8; b++)
			memcpy(out + b * n_element + e, &r[b], 8);
	}
	for (e = whole; e < n_element; e++)
		for (size_t b = 0; b < 8; b++)
			out[b * n_element + e] = in[8 * e + b];
	memcpy(out + 8 * n_element, in + 8 * n_element, n - 8 * n_element);
}

static void
unshuffle_eight(enum vs_cpu cpu, const uint8_t *in, uint8_t *out, size_t n)
{
	size_t n_element = n / 8, whole = n_element / 8 * 8, e = 0;
	uint64_t r[8];

	(void)cpu;
#ifdef __x86_64__
	if (cpu >= VS_CPU_AVX512)
		e = unshuffle_lanes(in, out, n_element);
#endif
	for (; e < whole; e += 8) {
		for (size_t b = 0; b < 8; b++)
			memcpy(&r[b], in + b * n_element + e, 8);
		turn_bytes(r);
		memcpy(out + 8 * e, r, sizeof(r));
	}
	for (e = whole; e < n_element; e++)
		for (size_t b = 0; b < 8; b++)
			out[8 * e + b] = in[b * n_element + e];
	memcpy(out + 8 * n_element, in + 8 * n_element, n - 8 * n_element);
}

/* Shuffle: byte b of all elements, then byte b + 1 of all; trailing bytes keep
 * their place. */
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

/*
 * Four bytes a number at once; vsim keeps to machines that begin with the low.
 */
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

		memcpy(out + 4 * e, &x, 4);
	}
	memcpy(out + 4 * n_element, in + 4 * n_element, n - 4 * n_element);
}

/* A width known to the compiler makes the inner loops several times faster. */
void
vs_shuffle_bytes(enum vs_cpu cpu, size_t width, const void *in, size_t n,
	void *out)
{
	if (width == 8)
		shuffle_eight(cpu, in, out, n);
	else if (width == 4)
		shuffle_by(4, in, out, n);
	else
		shuffle_by(width, in, out, n);
}

void
vs_shuffle_undo(enum vs_cpu cpu, size_t width, const void *in, size_t n,
	void *out)
{
	if (width == 8)
		unshuffle_eight(cpu, in, out, n);
	else if (width == 4)
		unshuffle_four(in, out, n);
	else
		unshuffle_by(width, in, out, n);
}
