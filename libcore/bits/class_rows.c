/* SPDX-License-Identifier: BSD-3-Clause */
/* Split of genotype vectors by case-control class, genotypes from rare to
 * common. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/layout.h"
#include "libcore/base/mem.h"
#include "libcore/bits/class_rows.h"

static size_t
lay_out(struct vs_class_rows *r, void *at)
{
	struct vs_layout l = { .at = at };

	for (int k = 0; k < 2; k++)
		r->word[k] = vs_layout_next(&l,
			(size_t)r->n_plane * r->most * r->n_word[k] * 8);
	r->count = vs_layout_next(&l, r->most * sizeof(*r->count));
	r->genotype = vs_layout_next(&l, r->most * sizeof(*r->genotype));
	return l.used;
}

static struct vs_class_rows
rows_of(const struct vs_classes *c, size_t most, int n_plane)
{
	return (struct vs_class_rows){ .most = most,
		.n_plane = n_plane,
		.n_word = { c->n_word[0], c->n_word[1] } };
}

size_t
vs_class_rows_bytes(const struct vs_classes *c, size_t most, int n_plane)
{
	struct vs_class_rows r = rows_of(c, most, n_plane);

	return lay_out(&r, NULL);
}

void
vs_class_rows_place(struct vs_class_rows *r, const struct vs_classes *c,
	size_t most, int n_plane, void *memory)
{
	*r = rows_of(c, most, n_plane);
	lay_out(r, memory);
}

int
vs_class_rows_new(struct vs_class_rows *r, const struct vs_classes *c,
	size_t most, int n_plane)
{
	void *memory = NULL;
	int code = vs_mem_room(&memory, vs_class_rows_bytes(c, most, n_plane),
		1, "vectors by class");

	memset(r, 0, sizeof(*r));
	if (!code)
		vs_class_rows_place(r, c, most, n_plane, memory);
	return code;
}

void
vs_class_rows_free(struct vs_class_rows *r)
{
	free(r->word[0]);
	memset(r, 0, sizeof(*r));
}

/* Bits of the samples with genotype g, in the planes of a panel. */
static void
select_genotype(const struct vs_panel *p, size_t v, int g, uint64_t *out)
{
	const uint64_t *h = vs_vec_plane(&p->vec, v, 0);
	const uint64_t *b = vs_vec_plane(&p->vec, v, 1);

	for (size_t w = 0; w < p->vec.n_word; w++)
		out[w] = g == 0  ? h[w] & ~b[w]
			: g == 2 ? h[w] & b[w]
				 : ~h[w] & ~b[w];
}

/* Count the samples of each class among the bits. */
VS_INLINE int
count_classes_any(const struct vs_classes *c, const uint64_t *bits,
	size_t n_word, int32_t count[2])
{
	for (int k = 0; k < 2; k++) {
		int64_t n = 0;

		for (size_t w = 0; w < n_word; w++)
			n += __builtin_popcountll(bits[w] & c->of[k][w].mask);
		count[k] = (int32_t)n;
	}
	return 0;
}

VS_BY_POPCNT(int, count_classes, (c, bits, n_word, count),
	const struct vs_classes *c, const uint64_t *bits, size_t n_word,
	int32_t count[2])

/* Sort the genotypes from the rarest on; of equal ones the lower comes
 * first. */
static void
order(const int32_t count[3][2], uint8_t genotype[3])
{
	for (uint8_t g = 0; g < 3; g++) {
		int rank = 0;

		for (uint8_t x = 0; x < 3; x++) {
			int32_t a = count[x][0] + count[x][1];
			int32_t b = count[g][0] + count[g][1];

			rank += a < b || (a == b && x < g);
		}
		genotype[rank] = g;
	}
}

void
vs_class_rows_take(struct vs_class_rows *r, const struct vs_classes *c,
	enum vs_cpu cpu, const struct vs_panel *p, size_t v, size_t to,
	uint64_t *scratch)
{
	const size_t n_word = p->vec.n_word;
	int32_t count[3][2];

	for (int g = 0; g < 3; g++) {
		select_genotype(p, v, g, scratch);
		count_classes(cpu, c, scratch, n_word, count[g]);
	}
	if (c->in_order)
		memcpy(r->genotype[to], (const uint8_t[3]){ 0, 1, 2 }, 3);
	else
		order(count, r->genotype[to]);
	for (int plane = 0; plane < 3; plane++) {
		const int g = r->genotype[to][plane];

		memcpy(r->count[to][plane], count[g], sizeof(count[g]));
		if (plane == r->n_plane)
			break;
		select_genotype(p, v, g, scratch);
		for (int k = 0; k < 2; k++)
			vs_compress_rows(cpu, c->of[k], n_word,
				(const uint64_t *[]){ scratch },
				(uint64_t *[]){
					vs_class_rows_at(r, k, plane, to) },
				1, r->n_word[k]);
	}
}
