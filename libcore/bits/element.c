/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libcore/bits/element.h"

static const struct {
	const char *name;
	size_t bytes;
	double most; /* of an integer */
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
