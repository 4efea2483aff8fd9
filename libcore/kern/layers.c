/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "libcore/kern/layers.h"

#define LINE VS_DOTS_LINE
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define PAIR VS_DOTS_PAIR
#define AT_ONCE 32 /* lines, whose sums are kept in single precision */

/* What brings top near 1, or as near as its type can. */
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
		/* less by a little, so that whole steps stay whole */
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

/* A layer of a line, and its share of half in as many sums. */
VS_INLINE void
take_layer(const struct vs_layers *l, int k, const float *y, uint8_t *to,
	float *sum)
{
	const float from = l->from[k], per = l->per[k], most = l->most[k];
	const float wide = l->wide[k];
	int x[LINE];

#pragma omp simd
	for (int q = 0; q < LINE; q++) {
		float over = y[q] - from;
		float at = (over > 0 ? over : 0) * per, step;

		/* ceil(), which the compiler has no vectors for */
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

/*
 * A vector, its lines step bytes apart. What a number loses by being too small
 * for a float is below 2^-126.
 */
VS_INLINE double
take_any(const struct vs_layers *l, const struct vs_numbers *b, size_t v,
	uint8_t *to, size_t step)
{
	const struct vs_layers in = *l;
	const void *at = vs_numbers_of(b, v);
	double half = 0, more = 0;

	for (size_t f = 0; f < b->n_field;) {
		float sum[LINE] = { 0 }, over[LINE] = { 0 };

		for (int s = 0; s < AT_ONCE && f < b->n_field; s += in.n) {
			size_t n = b->n_field - f;
			float y[LINE];

			if (n >= LINE) {
				load(b, at, f, LINE, in.scale, y);
			} else {
				memset(y, 0, sizeof(y));
				load(b, at, f, n, in.scale, y);
			}
			f += LINE;
			for (int k = 0; k < in.n; k++, to += step)
				take_layer(&in, k, y, to, sum);
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
	return in.unit / 2 * half + more / 2 + (double)b->n_field * 0x1p-126;
}

VS_BY_CPU(double, take, (l, b, v, to, step), const struct vs_layers *l,
	const struct vs_numbers *b, size_t v, uint8_t *to, size_t step)

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

/* Lines of 16 rows into those of columns. */
VS_INLINE void
turn_any(const uint8_t *from, uint8_t *to, size_t n_line)
{
	for (size_t k = 0; k < n_line; k++, from += TILE, to += TILE) {
		const uint32_t *a = (const uint32_t *)from;
		uint32_t *b = (uint32_t *)to;

		for (int g = 0; g < SIDE; g++)
			for (int c = 0; c < SIDE; c++)
				b[g * SIDE + c] = a[c * SIDE + g];
	}
}

VS_BY_CPU(void, turn, (from, to, n_line), const uint8_t *from, uint8_t *to,
	size_t n_line)

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
			turn(cpu, scratch, cols + v / SIDE * block, n_line);
	}
}
