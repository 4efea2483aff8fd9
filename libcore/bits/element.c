/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the element types of a vector. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libcore/bits/element.h"

static const struct {
	const char *name;
	double most; /* largest value of an integer type */
} elements[] = {
	[VS_BIT2] = { "bit2", 0 },
	[VS_NUM_U8] = { "u8", UINT8_MAX },
	[VS_NUM_U16] = { "u16", UINT16_MAX },
	[VS_NUM_U32] = { "u32", UINT32_MAX },
	[VS_NUM_F32] = { "f32", 0 },
	[VS_NUM_F64] = { "f64", 0 },
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
	if (vs_element_is_integer(e))
		return number >= 0 && number <= elements[e].most &&
			number == floor(number);
	return (e == VS_NUM_F64 && isfinite(number)) ||
		(e == VS_NUM_F32 && isfinite((float)number));
}

/* Kinds of a real by its bits, which for absolute values are ordered like the
 * values, NaN last. */
#define KINDS(name, bits, infinite, huge)                                    \
	static unsigned kinds_##name(const void *numbers, size_t n)          \
	{                                                                    \
		const bits sign = (bits)1 << (8 * sizeof(bits) - 1);         \
		const char *at = numbers;                                    \
		unsigned kinds = 0;                                          \
                                                                             \
		_Pragma("omp simd reduction(| : kinds)") for (size_t k = 0;  \
							      k < n; k++)    \
		{                                                            \
			bits x, y;                                           \
                                                                             \
			memcpy(&x, at + k * sizeof(x), sizeof(x));           \
			y = x & ~sign;                                       \
			/* store -0 as 0, and NaN without a sign */          \
			kinds |= x > sign && y <= infinite                   \
				? VS_NUMBER_NEGATIVE                         \
				: 0;                                         \
			kinds |= y >= huge && y <= infinite ? VS_NUMBER_HUGE \
							    : 0;             \
			kinds |= y > infinite ? VS_NUMBER_MISSING : 0;       \
			kinds |= y == infinite ? VS_NUMBER_INFINITE : 0;     \
		}                                                            \
		return kinds;                                                \
	}

KINDS(f32, uint32_t, 0x7f800000, 0x7f800000)
KINDS(f64, uint64_t, 0x7ff0000000000000, 0x7dd0000000000000)

unsigned
vs_element_kinds(enum vs_element e, const void *numbers, size_t n)
{
	return e == VS_NUM_F32    ? kinds_f32(numbers, n)
		: e == VS_NUM_F64 ? kinds_f64(numbers, n)
				  : 0;
}

size_t
vs_element_odd(enum vs_element e, const void *numbers, size_t n,
	unsigned allowed)
{
	const size_t bytes = vs_element_bytes(e);
	size_t q = 0;

	if (!(vs_element_kinds(e, numbers, n) & ~allowed))
		return n;
	while (!(vs_element_kinds(e, (const char *)numbers + q * bytes, 1) &
		~allowed))
		q++;
	return q;
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
		((float *)numbers)[q] =
			isnan(number) ? NAN : (float)number + 0.0f;
		break;
	case VS_NUM_F64:
		((double *)numbers)[q] =
			isnan(number) ? (double)NAN : number + 0.0;
		break;
	}
}
