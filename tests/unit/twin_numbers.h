/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of minima of a card that is none, from its units as they lie. */
#ifndef VS_TESTS_UNIT_TWIN_NUMBERS_H
#define VS_TESTS_UNIT_TWIN_NUMBERS_H

#include <math.h>

#include "cuda/card_numbers.h"

/* The minima of unit u of a pair. */
static double
twin_unit(const struct vs_card_work *w, uint32_t i, uint32_t j, uint32_t u)
{
	const int32_t of = w->rule.element;
	const size_t a = vs_card_numbers_at(&w->i, of, i, u);
	const size_t b = vs_card_numbers_at(&w->j, of, j, u);
	int sum = 0;

	switch (vs_card_numbers_unit(of)) {
	case VS_UNIT_BYTES:
		for (int k = 0; k < 32; k += 8)
			sum += (int)fmin(w->i.plane[a] >> k & 255,
				w->j.plane[b] >> k & 255);
		break;
	case VS_UNIT_FLOAT:
		return fmin(((const float *)w->i.plane)[a],
			((const float *)w->j.plane)[b]);
	case VS_UNIT_DOUBLE:
		return fmin(((const double *)w->i.plane)[a],
			((const double *)w->j.plane)[b]);
	}
	return sum;
}

/* The sum of minima of a pair, run by run in the type of its units. */
static double
twin_least(const struct vs_card_work *w, uint32_t i, uint32_t j)
{
	const bool is_float =
		vs_card_numbers_unit(w->rule.element) == VS_UNIT_FLOAT;
	const uint32_t n = vs_card_numbers_units(w->rule.element);
	const uint32_t run =
		VS_NUMBERS_RUN * n / vs_card_numbers_fields(w->rule.element);
	double sum = 0;

	for (uint32_t lo = 0; lo < n * w->i.n_block; lo += run) {
		double part = 0;

		for (uint32_t u = lo; u < lo + run && u < n * w->i.n_block; u++)
			part = is_float
				? (float)part + (float)twin_unit(w, i, j, u)
				: part + twin_unit(w, i, j, u);
		sum += part;
	}
	return sum;
}

#endif
