/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the element types of a vector. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libcore/bits/element.h"

static const struct {
	const char *name;
	size_t bytes;
	double most; /* largest value of an integer type */
} elements[] = {
	[VS_BIT2] = { "bit2", 0, 0 },
	[VS_NUM_U8] = { "u8", 1, UINT8_MAX },
	[VS_NUM_U16] = { "u16", 2, UINT16_MAX },
	[VS_NUM_U32] = { "u32", 4, UINT32_MAX },
	[VS_NUM_F32] = { "f32", 4, 0 },
	[VS_NUM_F64] = { "f64", 8, 0 },
};

const char *
vs_element_name(enum vs_element e)
{
	return elements[e].name;
}

bool
vs_element_find(const char *name, enum vs_element *e)
{
	for (size_t k = 0; k < sizeof(elements) / sizeof(*elements); k++)
		if (!strcmp(name, elements[k].name)) {
			*e = (enum vs_element)k;
			return true;
		}
	return false;
}

size_t
vs_element_bytes(enum vs_element e)
{
	return elements[e].bytes;
}

double
vs_element_get(enum vs_element e, const void *numbers, size_t q)
{
	switch (e) {
	case VS_BIT2:
		break;
	case VS_NUM_U8:
		return ((const uint8_t *)numbers)[q];
	case VS_NUM_U16:
		return ((const uint16_t *)numbers)[q];
	case VS_NUM_U32:
		return ((const uint32_t *)numbers)[q];
	case VS_NUM_F32:
		return (double)((const float *)numbers)[q];
	case VS_NUM_F64:
		return ((const double *)numbers)[q];
	}
	return 0;
}

bool
vs_element_fits(enum vs_element e, double number)
{
	if (!(number >= 0) || !isfinite(number))
		return false;
	if (vs_element_is_integer(e))
		return number <= elements[e].most && number == floor(number);
	return e == VS_NUM_F64 || (e == VS_NUM_F32 && isfinite((float)number));
}

/*
 * The bits of non-negative reals, as unsigned integers, are ordered like their
 * values, and those of negative ones are greater than all; -0, being the least
 * negative, is accepted as 0.
 */
#define ODD(name, bits, infinite)                                         \
	static size_t odd_##name(const void *numbers, size_t n)           \
	{                                                                 \
		const bits sign = (bits)1 << (8 * sizeof(bits) - 1);      \
		const char *at = numbers;                                 \
		int odd = 0;                                              \
		size_t q = 0;                                             \
                                                                          \
		_Pragma("omp simd reduction(| : odd)") for (size_t k = 0; \
							    k < n; k++)   \
		{                                                         \
			bits x;                                           \
                                                                          \
			memcpy(&x, at + k * sizeof(x), sizeof(x));        \
			odd |= (x >= infinite) & (x != sign);             \
		}                                                         \
		for (; odd && q < n; q++) {                               \
			bits x;                                           \
                                                                          \
			memcpy(&x, at + q * sizeof(x), sizeof(x));        \
			if ((x >= infinite) & (x != sign))                \
				return q;                                 \
		}                                                         \
		return n;                                                 \
	}

ODD(f32, uint32_t, 0x7f800000)
ODD(f64, uint64_t, 0x7ff0000000000000)

size_t
vs_element_odd(enum vs_element e, const void *numbers, size_t n)
{
	return e == VS_NUM_F32    ? odd_f32(numbers, n)
		: e == VS_NUM_F64 ? odd_f64(numbers, n)
				  : n;
}

void
vs_element_put(enum vs_element e, void *numbers, size_t q, double number)
{
	switch (e) {
	case VS_BIT2:
		break;
	case VS_NUM_U8:
		((uint8_t *)numbers)[q] = (uint8_t)number;
		break;
	case VS_NUM_U16:
		((uint16_t *)numbers)[q] = (uint16_t)number;
		break;
	case VS_NUM_U32:
		((uint32_t *)numbers)[q] = (uint32_t)number;
		break;
	case VS_NUM_F32:
		((float *)numbers)[q] = (float)number + 0.0f;
		break;
	case VS_NUM_F64:
		((double *)numbers)[q] = number + 0.0;
		break;
	}
}
