/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Field compaction for triple kernels: keep only the fields in which the second
 * vector, shared by all rows, is not at its mode.
 */
#ifndef VS_KERN_TRIPLE_SHARED_FIELDS_H
#define VS_KERN_TRIPLE_SHARED_FIELDS_H

#include "libcore/kern/lanes512.h"

/*
 * Most fields of a part: a counter takes up to 8 of each, 2 by 2 by 2, or twice
 * the 3 of a complement, including the padding of lists.
 */
#define PART 2032
#define PART_WORDS 64
_Static_assert(ROW_BYTES / UNIT == 1 << 4 && PART < 1 << 12, "16-bit offsets");

/*
 * The fields of some words in which a vector is not at its mode. Those of
 * consecutive words share the bits of a group, up to 64 of them.
 */
struct part {
	uint64_t all[PART_WORDS];    /* of a group: its fields */
	uint64_t two[PART_WORDS];    /* y is 2 or -2 */
	uint64_t turned[PART_WORDS]; /* y is negative: -1 for a mode of 1 */
	uint64_t field[PART_WORDS];  /* of a word: its fields */
	uint8_t group[PART_WORDS], shift[PART_WORDS];
	uint16_t offset[PART_WORDS]; /* of a group: its first field */
	size_t first, n_word, n_group, n_field;
	bool twos, turns; /* true if any */
};

/* Set field, two and turned of word w. */
INLINE void
take_word(const struct vs_panel *a, const struct vs_triple_row *v, size_t w,
	uint64_t mask[3])
{
	uint64_t h = vs_vec_plane(&a->vec, v->v, 0)[w];
	uint64_t p = vs_vec_plane(&a->vec, v->v, 1)[w];

	if (v->mode == 1) {
		mask[0] = h;
		mask[1] = 0;
		mask[2] = h & ~p;
	} else {
		mask[1] = v->mode == 0 ? h & p : h & ~p;
		mask[0] = (mask[1] | ~h) & fields_in(a->vec.n_field, w);
		mask[2] = 0;
	}
}

/* Set the part that begins at word `first`. */
AVX512 static inline void
take_part(struct part *s, const struct vs_panel *a,
	const struct vs_triple_row *v, size_t first)
{
	size_t left = (a->vec.n_field + 63) / 64 - first;
	unsigned used = 64;

	memset(s, 0, sizeof(*s));
	s->first = first;
	for (size_t w = 0; w < PART_WORDS && w < left; w++, s->n_word++) {
		uint64_t mask[3];
		unsigned n;
		size_t g;

		take_word(a, v, first + w, mask);
		n = (unsigned)__builtin_popcountll(mask[0]);
		if (s->n_field + n > PART)
			break;
		if (used == 64 || used + n > 64) {
			s->offset[s->n_group++] = (uint16_t)(s->n_field << 4);
			used = 0;
		}
		g = s->n_group - 1;
		s->field[w] = mask[0];
		s->group[w] = (uint8_t)g;
		s->shift[w] = (uint8_t)used;
		s->two[g] |= _pext_u64(mask[1], mask[0]) << used;
		s->turned[g] |= _pext_u64(mask[2], mask[0]) << used;
		used += n;
		s->all[g] = _bzhi_u64(~0ull, used);
		s->n_field += n;
		s->twos |= mask[1] != 0;
		s->turns |= mask[2] != 0;
	}
}

/* Planes h and p of vector u in the part's fields, by group. */
INLINE void
take_planes_of(const struct part *s, const struct vs_panel *a, size_t u,
	uint64_t plane[2][PART_WORDS])
{
	const uint64_t *h = vs_vec_plane(&a->vec, u, 0) + s->first;
	const uint64_t *p = vs_vec_plane(&a->vec, u, 1) + s->first;

	for (size_t g = 0; g < s->n_group; g += 8)
		for (int k = 0; k < 2; k++)
			_mm512_storeu_si512(plane[k] + g,
				_mm512_setzero_si512());
	for (size_t w = 0; w < s->n_word; w++) {
		size_t g = s->group[w];

		plane[0][g] |= _pext_u64(h[w], s->field[w]) << s->shift[w];
		plane[1][g] |= _pext_u64(p[w], s->field[w]) << s->shift[w];
	}
}

#endif
