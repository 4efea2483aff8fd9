/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a genotype of a first vector, gathered one by one. */
#ifndef VS_TESTS_UNIT_TWIN_GATHER_H
#define VS_TESTS_UNIT_TWIN_GATHER_H

#include "cuda/card_triples.h"

/* Append the places of the bits of word w to field, from n on. returns their
 * number */
static uint32_t
twin_list(uint32_t bits, uint32_t w, uint32_t *field)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < 32; b++)
		if (bits >> b & 1)
			field[n++] = 32 * w + b;
	return n;
}

/* Word w of a plane of row r of a pivot's part, from row `from` of vectors in
 * the common order. */
static void
twin_gather_word(const struct vs_card_part *from, uint32_t v,
	const uint32_t *field, const struct vs_card_part *to, uint32_t r,
	uint32_t w)
{
	uint32_t out[VS_CARD_LEVELS] = { 0 };

	for (uint32_t b = 0; b < 32; b++) {
		const uint32_t f = field[32 * w + b];

		if (f == VS_CARD_NO_FIELD)
			continue;
		for (uint32_t p = 0; p < from->n_plane; p++)
			out[p] |=
				(from->plane[vs_word_at(from, v, f / 32, p)] >>
						f % 32 &
					1)
				<< b;
	}
	for (uint32_t p = 0; p < from->n_plane; p++)
		to->plane[vs_word_at(to, r, w, p)] = out[p];
}

#endif
