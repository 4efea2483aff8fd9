/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>

#include "libcore/bits/numbers.h"

/* Integers below 2^52 in all are exact in any order: this one is as good. */
#define TOTAL(name, type, part)                                     \
	static double total_##name(const type *number, size_t n)    \
	{                                                           \
		double sum = 0;                                     \
                                                                    \
		for (size_t lo = 0; lo < n; lo += VS_NUMBERS_RUN) { \
			size_t hi = n - lo < VS_NUMBERS_RUN         \
				? n                                 \
				: lo + VS_NUMBERS_RUN;              \
			part run = 0;                               \
                                                                    \
			for (size_t q = lo; q < hi; q++)            \
				run += number[q];                   \
			sum += (double)run;                         \
		}                                                   \
		return sum;                                         \
	}

TOTAL(u8, uint8_t, uint64_t)
TOTAL(u16, uint16_t, uint64_t)
TOTAL(u32, uint32_t, uint64_t)
TOTAL(f32, float, float)
TOTAL(f64, double, double)

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
