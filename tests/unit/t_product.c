/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two vectors, field by field, their counts, and nothing past
 * them. */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/bits/product.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define MISSING 3

/* The genotype that stands for it: 0, 1 and 2 for -1, 0 and 1. */
static int
define(enum vs_product which, int a, int b)
{
	const bool has_a = a != MISSING, has_b = b != MISSING;
	const bool both = has_a && has_b;

	switch (which) {
	case VS_PRODUCT_BOTH:
		return both ? (a - 1) * (b - 1) + 1 : MISSING;
	case VS_PRODUCT_FIRST:
		return both ? a : MISSING;
	case VS_PRODUCT_SECOND:
		return both ? b : MISSING;
	case VS_PRODUCT_FIRST_LOST:
		return has_a && !has_b ? a : MISSING;
	case VS_PRODUCT_SECOND_LOST:
		return has_b && !has_a ? b : MISSING;
	case VS_PRODUCT_PRESENT:
		return both ? 1 : MISSING;
	case VS_PRODUCT_LOST:
		return !has_a && !has_b ? 1 : MISSING;
	}
	return -1;
}

/* Field f of vector v by the planes of a panel. */
static int
genotype(const struct vs_panel *p, size_t v, size_t f)
{
	const int h = vs_vec_plane(&p->vec, v, 0)[f / 64] >> f % 64 & 1;
	const int plus = vs_vec_plane(&p->vec, v, 1)[f / 64] >> f % 64 & 1;

	return h ? 2 * plus : plus ? MISSING : 1;
}

static int
try(const struct vs_panel *p, struct vs_panel *to, enum vs_product which)
{
	int32_t sum = 0, two = 0, present = 0;
	int wrong = 0;

	vs_product_make(p, 0, 1, which, to, 1);
	for (size_t f = 0; f < p->vec.n_field; f++) {
		const int want =
			define(which, genotype(p, 0, f), genotype(p, 1, f));

		wrong += genotype(to, 1, f) != want;
		present += want != MISSING;
		sum += want != MISSING ? want : 0;
		two += want == 2;
	}
	/* past the last field both planes are 0: a genotype of 1 */
	for (size_t f = p->vec.n_field; f < 64 * p->vec.n_word; f++)
		wrong += genotype(to, 1, f) != 1;
	return wrong + (to->sum[1] != sum) + (to->two[1] != two) +
		(to->present[1] != present);
}

int
main(void)
{
	static const size_t fields[] = { 1, 63, 64, 65, 511, 512, 513, 1000 };
	struct vs_rng rng;

	vs_rng_seed(&rng, 3);
	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
		struct vs_panel p, to;
		int wrong = 0;

		if (panel_new(&p, 2, fields[k]) || panel_new(&to, 2, fields[k]))
			exit(4);
		for (size_t v = 0; v < 2; v++)
			for (size_t f = 0; f < fields[k]; f++)
				vs_vec_set(&p.vec, v, f,
					(uint8_t)vs_rng_below(&rng, 4));
		panel_make(&p, 0, 2, 1);
		for (int which = VS_PRODUCT_BOTH; which <= VS_PRODUCT_LOST;
			which++)
			wrong += try(&p, &to, (enum vs_product)which);
		T_OK(!wrong, "products of %zu fields", fields[k]);
		vs_panel_free(&p);
		vs_panel_free(&to);
	}
	return T_DONE();
}
