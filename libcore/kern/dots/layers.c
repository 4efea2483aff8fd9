/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiser of numbers into layers of bytes. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

#include "libcore/kern/dots/layers.h"

#define LINE VS_DOTS_LINE
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define PAIR VS_DOTS_PAIR
/* fields of a line whose shares of half are added in floats */
#define AT_ONCE 32

/* Power of two that brings top near 1, as far as the type can represent it. */
static double
scale_of(double top, enum vs_element element)
{
	int most = element == VS_NUM_F64 ? 1000 : 126, e;

	frexp(top, &e);
	return ldexp(1, e > most ? -most : e < -most ? most : -e);
}

unsigned
vs_layers_most(size_t n_line, unsigned most, uint32_t limit)
{
	double per = (double)limit / ((double)n_line * LINE);
	double root = floor(sqrt(per));

	return root < most ? (unsigned)root : most;
}

void
vs_layers_make(struct vs_layers *l, const double *edge, int n, unsigned most,
	enum vs_element element)
{
	double widest = 0, unit;

	l->n = n;
	l->scale = scale_of(edge[n], element);
	for (int k = 0; k < n; k++)
		widest = fmax(widest, (edge[k + 1] - edge[k]) * l->scale);
	unit = widest / ((double)most * most);
	for (int k = 0; k < n; k++) {
		double from = (double)(float)(edge[k] * l->scale);
		double to = (double)(float)(edge[k + 1] * l->scale);
		double x = floor(sqrt((to - from) / unit) * (1 + 1e-9)), step;

		x = x < 1 ? 1 : x > most ? most : x;
		step = (to - from) / x;
		/* wide is at least X */
		step = step < x * unit ? x * unit : step;
		l->from[k] = (float)from;
		/*
		 * slightly less, so that exact multiples of a step are not
		 * rounded up
		 */
		l->per[k] = (float)((1 - 0x1p-20) / step);
		l->most[k] = (float)x;
		l->wide[k] = (float)(step / unit);
	}
	l->top = (float)(edge[n] * l->scale);
	l->unit = unit;
}

/* ---- a line of numbers, as floats ---- */

#define LOAD(type)                                                        \
	do {                                                              \
		const type *p = (const type *)at + f;                     \
                                                                          \
		_Pragma("omp simd") for (size_t q = 0; q < n; q++) y[q] = \
			(float)(((real)p[q]) * scale);                    \
	} while (0)

VS_INLINE void
load(const struct vs_numbers *b, const void *at, size_t f, size_t n, double by,
	float *y)
{
	if (b->element == VS_NUM_F64) {
		typedef double real;
		const double scale = by;

		LOAD(double);
	} else {
		typedef float real;
		const float scale = (float)by;

		if (b->element == VS_NUM_F32)
			LOAD(float);
		else if (b->element == VS_NUM_U8)
			LOAD(uint8_t);
		else if (b->element == VS_NUM_U16)
			LOAD(uint16_t);
		else
			LOAD(uint32_t);
	}
}

/* Load 64 numbers from field f on; 0 past the last. */
VS_INLINE void
load_line(const struct vs_numbers *b, const void *at, size_t f, double scale,
	float *y)
{
	if (b->n_field - f >= LINE) {
		load(b, at, f, LINE, scale, y);
	} else {
		memset(y, 0, LINE * sizeof(*y));
		load(b, at, f, b->n_field - f, scale, y);
	}
}

/* Convert a layer of a line, and add its share of half to partial sums. */
VS_INLINE void
quantise_layer(const struct vs_layers *l, int k, const float *y, uint8_t *to,
	float *sum)
{
	const float from = l->from[k], per = l->per[k], most = l->most[k];
	const float wide = l->wide[k];
	int x[LINE];

#pragma omp simd
	for (int q = 0; q < LINE; q++) {
		float over = y[q] - from;
		float at = (over > 0 ? over : 0) * per, step;

		/* ceil(), which not all targets have as a vector instruction */
		at = at < most ? at : most;
		x[q] = (int)at;
		x[q] += (float)x[q] < at;
		step = (float)x[q];
		sum[q] += step * (wide - step);
	}
#pragma omp simd
	for (int q = 0; q < LINE; q++)
		to[q] = (uint8_t)x[q];
}

/* A number that underflows a float loses less than 2^-126. */
static double
half_of(const struct vs_layers *l, size_t n_field, double half, double more)
{
	return l->unit / 2 * half + more / 2 + (double)n_field * 0x1p-126;
}

/* Convert a vector, its lines step bytes apart. */
VS_INLINE double
convert_any(const struct vs_layers *l, const struct vs_numbers *b, size_t v,
	uint8_t *to, size_t step)
{
	const struct vs_layers in = *l;
	const void *at = vs_numbers_of(b, v);
	double half = 0, more = 0;

	for (size_t f = 0; f < b->n_field;) {
		float sum[LINE] = { 0 }, over[LINE] = { 0 };

		for (int s = 0; s < AT_ONCE && f < b->n_field; s++, f += LINE) {
			float y[LINE];

			load_line(b, at, f, in.scale, y);
			for (int k = 0; k < in.n; k++, to += step)
				quantise_layer(&in, k, y, to, sum);
#pragma omp simd
			for (int q = 0; q < LINE; q++) {
				float e = y[q] - in.top;

				over[q] += e > 0 ? e : 0;
			}
		}
		for (int q = 0; q < LINE; q++) {
			half += (double)sum[q];
			more += (double)over[q];
		}
	}
	return half_of(&in, b->n_field, half, more);
}

VS_BY_CPU(double, convert, (l, b, v, to, step), const struct vs_layers *l,
	const struct vs_numbers *b, size_t v, uint8_t *to, size_t step)

#if defined(__x86_64__)
#define ICL                    \
	__attribute__((target( \
		"avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512vbmi")))
#define ICL_INLINE ICL VS_INLINE

/* Sums of a layer's bytes x, and of x (x - 128). */
struct sums {
	__m512i x, xx;
};

/*
 * Convert a layer of a line: conversion to integers rounds up; saturation to
 * bytes turns what is below the layer, which is negative, into 0.
 */
ICL_INLINE void
quantise_layer_icl(const struct vs_layers *l, int k, const float *y,
	uint8_t *to, struct sums *sum)
{
	/*
	 * lanes of 128 bits hold four of each; bring those of one layer
	 * together
	 */
	const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6,
		10, 14, 3, 7, 11, 15);
	const __m512 from = _mm512_set1_ps(l->from[k]);
	const __m512 per = _mm512_set1_ps(l->per[k]);
	const __m512 most = _mm512_set1_ps(l->most[k]);
	__m512i x[4], bytes;

#pragma GCC unroll 4
	for (int q = 0; q < 4; q++) {
		__m512 at = _mm512_sub_ps(_mm512_loadu_ps(y + 16 * q), from);

		at = _mm512_min_ps(_mm512_mul_ps(at, per), most);
		x[q] = _mm512_cvt_roundps_epi32(at,
			_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
	}
	bytes = _mm512_packus_epi16(_mm512_packus_epi32(x[0], x[1]),
		_mm512_packus_epi32(x[2], x[3]));
	bytes = _mm512_permutexvar_epi32(order, bytes);
	_mm512_storeu_si512(to, bytes);
	sum->x = _mm512_add_epi64(sum->x,
		_mm512_sad_epu8(bytes, _mm512_setzero_si512()));
	sum->xx = _mm512_dpbusd_epi32(sum->xx, bytes,
		_mm512_xor_si512(bytes, _mm512_set1_epi8(-128)));
}

/* Convert some lines, with integer sums. */
ICL_INLINE size_t
convert_lines(const struct vs_layers *l, const struct vs_numbers *b,
	const void *at, size_t f, uint8_t **to, size_t step, double *half,
	double *more)
{
	struct sums sum[VS_LAYERS] = { 0 };
	const __m512 top = _mm512_set1_ps(l->top);
	__m512 over = _mm512_setzero_ps();

	for (int s = 0; s < AT_ONCE && f < b->n_field; s++, f += LINE) {
		float y[LINE];

		load_line(b, at, f, l->scale, y);
		for (int k = 0; k < l->n; k++, *to += step)
			quantise_layer_icl(l, k, y, *to, &sum[k]);
#pragma GCC unroll 4
		for (int q = 0; q < LINE; q += 16)
			over = _mm512_add_ps(over,
				_mm512_max_ps(
					_mm512_sub_ps(_mm512_loadu_ps(y + q),
						top),
					_mm512_setzero_ps()));
	}
	for (int k = 0; k < l->n; k++) {
		double x = (double)_mm512_reduce_add_epi64(sum[k].x);
		double xx =
			(double)_mm512_reduce_add_epi32(sum[k].xx) + 128 * x;

		*half += (double)l->wide[k] * x - xx;
	}
	*more += (double)_mm512_reduce_add_ps(over);
	return f;
}

ICL static double
take_icl(const struct vs_layers *l, const struct vs_numbers *b, size_t v,
	uint8_t *to, size_t step)
{
	const struct vs_layers in = *l;
	const void *at = vs_numbers_of(b, v);
	double half = 0, more = 0;

	for (size_t f = 0; f < b->n_field;)
		f = convert_lines(&in, b, at, f, &to, step, &half, &more);
	return half_of(&in, b->n_field, half, more);
}
#endif

static double
take(enum vs_cpu cpu, const struct vs_layers *l, const struct vs_numbers *b,
	size_t v, uint8_t *to, size_t step)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512ICL)
		return take_icl(l, b, v, to, step);
#endif
	return convert(cpu, l, b, v, to, step);
}

static size_t
whole(size_t n)
{
	return (n + PAIR - 1) / PAIR * PAIR;
}

void
vs_layers_rows(enum vs_cpu cpu, const struct vs_layers *l,
	const struct vs_numbers *b, size_t lo, size_t n, uint8_t *rows,
	double *half)
{
	const size_t block = vs_layers_lines(b->n_field, l->n) * TILE;

	if (n % PAIR)
		memset(rows + n / PAIR * 2 * block, 0, 2 * block);
	for (size_t v = 0; v < n; v++)
		half[v] = take(cpu, l, b, lo + v,
			rows + v / SIDE * block + v % SIDE * LINE, TILE);
}

/* Transpose lines of 16 rows into those of columns. */
VS_INLINE void
transpose_any(const uint8_t *from, uint8_t *to, size_t n_line)
{
	for (size_t k = 0; k < n_line; k++, from += TILE, to += TILE) {
		const uint32_t *a = (const uint32_t *)from;
		uint32_t *b = (uint32_t *)to;

		for (int g = 0; g < SIDE; g++)
			for (int c = 0; c < SIDE; c++)
				b[g * SIDE + c] = a[c * SIDE + g];
	}
}

VS_BY_CPU(void, transpose, (from, to, n_line), const uint8_t *from, uint8_t *to,
	size_t n_line)

void
vs_layers_turn(enum vs_cpu cpu, const uint8_t *from, uint8_t *to, size_t n_line)
{
	transpose(cpu, from, to, n_line);
}

void
vs_layers_cols(enum vs_cpu cpu, const struct vs_layers *l,
	const struct vs_numbers *b, size_t lo, size_t n, uint8_t *cols,
	double *half, uint8_t *scratch)
{
	const size_t n_line = vs_layers_lines(b->n_field, l->n);
	const size_t block = n_line * TILE;

	for (size_t v = 0; v < whole(n); v++) {
		if (v % SIDE == 0 && v + SIDE > n)
			memset(scratch, 0, block);
		if (v < n)
			half[v] = take(cpu, l, b, lo + v,
				scratch + v % SIDE * LINE, TILE);
		if (v % SIDE == SIDE - 1)
			transpose(cpu, scratch, cols + v / SIDE * block,
				n_line);
	}
}
