/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals of numeric vectors in a fixed order of summation. */
#include <math.h>
#include <stdint.h>

#include "libcore/bits/numbers.h"

#define RUN VS_NUMBERS_RUN
#define SIDE 8 /* runs summed at a time, to hide the latency of additions */

/*
 * Integers with a total below 2^52 sum exactly in any order, so lanes of type
 * `part` sum a run.
 */
#define WHOLE(name, type, part)                                               \
	static double total_##name(const type *number, size_t n)              \
	{                                                                     \
		uint64_t sum = 0;                                             \
                                                                              \
		for (size_t lo = 0; lo < n; lo += RUN) {                      \
			size_t hi = n - lo < RUN ? n : lo + RUN;              \
			part run = 0;                                         \
                                                                              \
			_Pragma("omp simd reduction(+ : run)") for (          \
				size_t q = lo; q < hi; q++) run += number[q]; \
			sum += run;                                           \
		}                                                             \
		return (double)sum;                                           \
	}

#define present(x) ((x) == (x) ? (x) : 0)

#define REAL(name, type)                                                   \
	static double total_##name(const type *number, size_t n)           \
	{                                                                  \
		double sum = 0;                                            \
		size_t lo = 0;                                             \
                                                                           \
		for (; n - lo >= SIDE * RUN; lo += SIDE * RUN) {           \
			type run[SIDE] = { 0 };                            \
                                                                           \
			for (size_t q = 0; q < RUN; q++)                   \
				for (size_t k = 0; k < SIDE; k++)          \
					run[k] += present(                 \
						number[lo + k * RUN + q]); \
			for (size_t k = 0; k < SIDE; k++)                  \
				sum += (double)run[k];                     \
		}                                                          \
		for (; lo < n; lo += RUN) {                                \
			size_t hi = n - lo < RUN ? n : lo + RUN;           \
			type run = 0;                                      \
                                                                           \
			for (size_t q = lo; q < hi; q++)                   \
				run += present(number[q]);                 \
			sum += (double)run;                                \
		}                                                          \
		return sum;                                                \
	}

WHOLE(u8, uint8_t, uint32_t)
WHOLE(u16, uint16_t, uint32_t)
WHOLE(u32, uint32_t, uint64_t)
REAL(f32, float)
REAL(f64, double)

double
vs_numbers_total(const struct vs_numbers *b, size_t v)
{
	const void *number = vs_numbers_of(b, v);

	switch (b->element) {
	case VS_BIT2:
		break;
	case VS_NUM_U8:
		return total_u8(number, b->n_field);
	case VS_NUM_U16:
		return total_u16(number, b->n_field);
	case VS_NUM_U32:
		return total_u32(number, b->n_field);
	case VS_NUM_F32:
		return total_f32(number, b->n_field);
	case VS_NUM_F64:
		return total_f64(number, b->n_field);
	}
	return 0;
}

bool
vs_numbers_total_fits(enum vs_element element, double total)
{
	return fabs(total) <
		(vs_element_is_integer(element) ? VS_NUMBERS_MOST : 0x1p1022);
}

const char *
vs_numbers_too_much(enum vs_element element)
{
	if (vs_element_is_integer(element))
		return "its numbers add up to 2^52 or more, which is too much "
		       "to be exact; pack them with --element f64";
	if (element == VS_NUM_F32)
		return "its numbers add up to 2^128 or more, which is too much "
		       "for f32; pack them with --element f64";
	return "its numbers add up to 2^1022 or more, which is too much to be "
	       "compared; divide all numbers by the same one";
}
