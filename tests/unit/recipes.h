/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain definitions of CCC, 9/2 and 2/3, and of DUO of entries 0 and 1, 4 and
 * 2/3. */
#ifndef VS_TESTS_UNIT_RECIPES_H
#define VS_TESTS_UNIT_RECIPES_H

#include "libcore/metric/plain.h"

static const struct vs_plain_recipe recipe_ccc = { 2, 9, 2, 2, 3 };
static const struct vs_plain_recipe recipe_duo = { 1, 4, 1, 2, 3 };

static inline void
plain_ccc(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_pair *out)
{
	vs_plain_alleles(&recipe_ccc, i, j, n_field, out);
}

static inline void
plain_duo(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_pair *out)
{
	vs_plain_alleles(&recipe_duo, i, j, n_field, out);
}

static inline void
plain_ccc3(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out)
{
	vs_plain_alleles3(&recipe_ccc, v, n_field, out);
}

static inline void
plain_duo3(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out)
{
	vs_plain_alleles3(&recipe_duo, v, n_field, out);
}

#endif
