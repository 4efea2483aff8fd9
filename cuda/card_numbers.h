/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors of numbers in device memory, for sums of minima. Units store four u8,
 * or a u16 or f32 as f32, or a u32 or f64 as f64. A run of numbers.h is summed
 * in the type of its units, where the sums of integers are exact.
 *
 * A tile is VS_TILE_VECS vectors x 128 bytes: unit u of vector v is number u
 * VS_TILE_VECS + v of it. Tiles of a group of vectors follow one another.
 * Fields and vectors are padded to whole tiles with 0.
 */
#ifndef VS_CUDA_CARD_NUMBERS_H
#define VS_CUDA_CARD_NUMBERS_H

#include "cuda/card.h"
#include "libcore/bits/numbers.h"

enum vs_card_unit { VS_UNIT_BYTES, VS_UNIT_FLOAT, VS_UNIT_DOUBLE };

VS_BOTH enum vs_card_unit
vs_card_numbers_unit(int32_t element)
{
	switch ((enum vs_element)element) {
	case VS_BIT2:
	case VS_NUM_U8:
		break;
	case VS_NUM_U16:
	case VS_NUM_F32:
		return VS_UNIT_FLOAT;
	case VS_NUM_U32:
	case VS_NUM_F64:
		return VS_UNIT_DOUBLE;
	}
	return VS_UNIT_BYTES;
}

/* Fields of a tile; the last tile's are padded. */
VS_BOTH uint32_t
vs_card_numbers_fields(int32_t element)
{
	return 128u >>
		(vs_card_numbers_unit(element) == VS_UNIT_BYTES ? 0
				: vs_card_numbers_unit(element) == VS_UNIT_FLOAT
				? 2
				: 3);
}

/* Units of a tile. */
VS_BOTH uint32_t
vs_card_numbers_units(int32_t element)
{
	return vs_card_numbers_unit(element) == VS_UNIT_DOUBLE ? 16 : 32;
}

/* Number of unit u of vector v, in an array of units. */
VS_BOTH size_t
vs_card_numbers_at(const struct vs_card_part *p, int32_t element, uint32_t v,
	uint32_t u)
{
	const uint32_t n = vs_card_numbers_units(element);

	return (((size_t)(v / VS_TILE_VECS) * p->n_block + u / n) * n + u % n) *
		VS_TILE_VECS +
		v % VS_TILE_VECS;
}

/* Convert unit u of vector v and store it. */
VS_BOTH void
vs_card_numbers_expand(const struct vs_card_expand *e, uint32_t v, uint32_t u)
{
	const size_t to = vs_card_numbers_at(&e->to, e->element, e->at + v, u);
	const size_t from = (size_t)v * e->n_field + u;
	const bool real = v < e->n && u < e->n_field;
	uint32_t bytes = 0;

	switch ((enum vs_element)e->element) {
	case VS_BIT2:
	case VS_NUM_U8:
		for (uint32_t k = 0; k < 4 && v < e->n; k++)
			if (4 * u + k < e->n_field)
				bytes |= (uint32_t)((
						 const uint8_t *)e->from)[from +
						 3 * u + k]
					<< 8 * k;
		e->to.plane[to] = bytes;
		return;
	case VS_NUM_U16:
		((float *)e->to.plane)[to] =
			real ? (float)((const uint16_t *)e->from)[from] : 0;
		return;
	case VS_NUM_F32:
		((float *)e->to.plane)[to] =
			real ? ((const float *)e->from)[from] : 0;
		return;
	case VS_NUM_U32:
		((double *)e->to.plane)[to] = real ? (double)e->from[from] : 0;
		return;
	case VS_NUM_F64:
		((double *)e->to.plane)[to] =
			real ? ((const double *)e->from)[from] : 0;
		return;
	}
}

/*
 * True if a pair with this sum of minima may pass, judging by its totals; exact
 * up to the margin of vs_ps_least_sum().
 */
VS_BOTH int
vs_card_numbers_may_pass(const struct vs_card_rule *q, double least, double i,
	double j)
{
	const double t = q->thresholds.one[0];

	return t < 0 ||
		!(least < vs_ps_least_sum(i, t) + vs_ps_least_sum(j, t));
}

#endif
