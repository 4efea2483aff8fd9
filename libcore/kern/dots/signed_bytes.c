/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiser of numbers of any sign into bytes. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/dots/layers.h"
#include "libcore/kern/dots/signed_bytes.h"

#define LINE VS_DOTS_LINE
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define PAIR VS_DOTS_PAIR
#define MIDDLE VS_SIGNED_MIDDLE
/* y is rounded to f32, with its factor and shift, and errors are summed in f32:
 * of y, and of e */
#define ROUNDING 0x1p-20
#define SLACK (1 + 0x1p-10)

/* A line of numbers; those past the last are 0. */
VS_INLINE void
load_line(const struct vs_numbers *b, const void *at, size_t f, float *x)
{
	size_t n = b->n_field - f < LINE ? b->n_field - f : LINE;

	if (b->element == VS_NUM_F32) {
		const float *from = (const float *)at + f;

		if (n == LINE)
			memcpy(x, from, LINE * sizeof(*x));
		for (size_t k = 0; n < LINE && k < LINE; k++)
			x[k] = k < n ? from[k] : 0;
	} else {
		const double *from = (const double *)at + f;

		for (size_t k = 0; k < LINE; k++)
			x[k] = k < n ? (float)from[k] : 0;
	}
}

/* Convert a vector, its lines `apart` bytes apart. */
VS_INLINE void
convert_any(const struct vs_numbers *b, size_t v, double step, uint8_t *to,
	size_t apart, struct vs_signed_vector *x)
{
	const void *at = vs_numbers_of(b, v);
	const float factor = (float)x->factor, shift = (float)x->shift;
	const float unit = (float)step, per = (float)(1 / step);
	double sum = 0, error = 0;

	for (size_t f = 0; f < b->n_field; f += LINE, to += apart) {
		const size_t left = b->n_field - f;
		float y[LINE], whole[LINE], wrong[LINE], s = 0, e = 0;
		int byte[LINE];

		load_line(b, at, f, y);
		/* apart from rounding: compilers would branch to a constant */
#pragma omp simd
		for (int k = 0; k < LINE; k++) {
			float w;

			y[k] = y[k] * factor - shift;
			w = y[k] * per;
			w = w < MIDDLE ? w : MIDDLE;
			whole[k] = w > -MIDDLE ? w : -MIDDLE;
		}
#pragma omp simd
		for (int k = 0; k < LINE; k++) {
			/* to the nearest integer */
			float w = (whole[k] + 0x1.8p23f) - 0x1.8p23f;

			whole[k] = w;
			wrong[k] = y[k] - w * unit;
			byte[k] = (int)w + MIDDLE;
		}
#pragma omp simd
		for (int k = 0; k < LINE; k++)
			to[k] = (uint8_t)byte[k];
		for (size_t k = left; k < LINE; k++)
			whole[k] = wrong[k] = to[k] = 0;
#pragma omp simd reduction(+ : s, e)
		for (int k = 0; k < LINE; k++) {
			s += whole[k];
			e += wrong[k] * wrong[k];
		}
		sum += (double)s;
		error += (double)e;
	}
	x->sum = sum;
	x->error = sqrt(error) * SLACK + ROUNDING;
}

VS_BY_CPU(void, convert, (b, v, step, to, apart, x), const struct vs_numbers *b,
	size_t v, double step, uint8_t *to, size_t apart,
	struct vs_signed_vector *x)

void
vs_signed_bytes_rows(enum vs_cpu cpu, double step, const struct vs_numbers *b,
	size_t lo, size_t n, uint8_t *rows, struct vs_signed_vector *vector)
{
	const size_t block = vs_layers_lines(b->n_field, 1) * TILE;

	if (n % PAIR)
		memset(rows + n / PAIR * 2 * block, 0, 2 * block);
	for (size_t v = 0; v < n; v++)
		convert(cpu, b, lo + v, step,
			rows + v / SIDE * block + v % SIDE * LINE, TILE,
			&vector[v]);
}

void
vs_signed_bytes_cols(enum vs_cpu cpu, double step, const struct vs_numbers *b,
	size_t lo, size_t n, uint8_t *cols, struct vs_signed_vector *vector,
	uint8_t *scratch)
{
	const size_t n_line = vs_layers_lines(b->n_field, 1);
	const size_t block = n_line * TILE;

	for (size_t v = 0; v < (n + PAIR - 1) / PAIR * PAIR; v++) {
		if (v % SIDE == 0 && v + SIDE > n)
			memset(scratch, 0, block);
		if (v < n)
			convert(cpu, b, lo + v, step, scratch + v % SIDE * LINE,
				TILE, &vector[v]);
		if (v % SIDE == SIDE - 1)
			vs_layers_turn(cpu, scratch, cols + v / SIDE * block,
				n_line);
	}
}
