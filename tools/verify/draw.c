/* SPDX-License-Identifier: BSD-3-Clause */
/* Random pairs and triples. */
#include "tools/verify/draw.h"

void
vs_draw_any(struct vs_rng *rng, int n_way, uint64_t n_vec, struct vs_record *of)
{
	uint64_t v[3] = { 0 }, n = (uint64_t)n_way;

	for (uint64_t k = 0; k < n; k++) {
		uint64_t x = vs_rng_below(rng, n_vec - k), at = k;

		/* of those not drawn yet, the x-th */
		for (uint64_t y = 0; y < k; y++)
			x += x >= v[y];
		for (; at && v[at - 1] > x; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
	*of = vs_record_pair(v[0], v[1]);
	if (n == 3)
		of->k = v[2];
}

bool
vs_draw_between(struct vs_rng *rng, const struct vs_sets *s,
	struct vs_record *of)
{
	uint64_t n_other = s->of.n_both + s->of.n_second, a, b;
	bool both;

	a = vs_rng_below(rng, s->of.n_first + s->of.n_both);
	both = a >= s->of.n_first;
	if (n_other == both)
		return false;
	b = s->of.n_first + vs_rng_below(rng, n_other - both);
	b += both && b >= a;
	*of = vs_record_pair((uint64_t)s->row[a], (uint64_t)s->row[b]);
	return true;
}
