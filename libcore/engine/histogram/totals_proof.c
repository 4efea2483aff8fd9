/* SPDX-License-Identifier: BSD-3-Clause */
/* Control totals of all pairs or triples, field by field. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/histogram/totals_proof.h"

int
vs_totals_proof_new(struct vs_totals_proof *l, uint64_t n_vec, size_t n_field)
{
	int code;

	memset(l, 0, sizeof(*l));
	l->n_field = n_field;
	l->n_word = vs_vec_words(n_field);
	while (n_vec >> l->n_plane)
		l->n_plane++;
	code = vs_mem_new(&l->plane, 3 * (size_t)l->n_plane * l->n_word,
		sizeof(*l->plane), "sums of fields");
	VS_MEM_NEW(&code, l->n, 3 * n_field, "sums of fields");
	if (code)
		vs_totals_proof_free(l);
	return code;
}

void
vs_totals_proof_free(struct vs_totals_proof *l)
{
	free(l->plane);
	free(l->n);
	memset(l, 0, sizeof(*l));
}

/* Add one in each field whose bit is set, to counters in bit planes. */
static void
one_more(uint64_t *plane, size_t n_word, uint64_t bits)
{
	for (; bits; plane += n_word) {
		uint64_t carry = *plane & bits;

		*plane ^= bits;
		bits = carry;
	}
}

void
vs_totals_proof_add(struct vs_totals_proof *l, const struct vs_panel *p)
{
	const size_t counter = (size_t)l->n_plane * l->n_word;

	for (size_t v = 0; v < p->n_vec; v++) {
		const uint64_t *h = vs_vec_plane(&p->vec, v, 0);
		const uint64_t *two = vs_vec_plane(&p->vec, v, 1);

		for (size_t w = 0; w < l->n_word; w++) {
			uint64_t *to = l->plane + w;

			one_more(to, l->n_word, h[w] & ~two[w]);
			one_more(to + counter, l->n_word, h[w] & two[w]);
			one_more(to + 2 * counter, l->n_word, ~h[w] & two[w]);
		}
	}
	l->n_vec += p->n_vec;
}

void
vs_totals_proof_count(struct vs_totals_proof *l)
{
	for (size_t kind = 0; kind < 3; kind++)
		for (size_t k = 0; k < (size_t)l->n_plane; k++) {
			const uint64_t *plane = l->plane +
				(kind * (size_t)l->n_plane + k) * l->n_word;
			uint64_t *n = l->n + kind * l->n_field;

			for (size_t f = 0; f < l->n_field; f++)
				n[f] += (plane[f / 64] >> f % 64 & 1) << k;
		}
}

/* With p_k the sum of the k-th powers, e_2 = (p_1^2 - p_2) / 2. */
static void
pairs(vs_wide n0, vs_wide n1, vs_wide n2, vs_wide sum[])
{
	const vs_wide a = 2 * n0 + n1, b = 2 * n2 + n1;

	sum[0] += (a * a - (4 * n0 + n1)) / 2;
	sum[1] += a * b - n1;
	sum[2] += (b * b - (4 * n2 + n1)) / 2;
}

/* e_3 = (p_1^3 - 3 p_1 p_2 + 2 p_3) / 6; the result is not negative. */
static void
triples(vs_wide n0, vs_wide n1, vs_wide n2, vs_wide sum[])
{
	const vs_wide a = 2 * n0 + n1, b = 2 * n2 + n1;
	const vs_wide aa = 4 * n0 + n1, bb = 4 * n2 + n1;

	sum[0] += (a * a * a + 2 * (8 * n0 + n1) - 3 * a * aa) / 6;
	sum[1] += (a * a * b + 2 * n1 - 2 * a * n1 - b * aa) / 2;
	sum[2] += (a * b * b + 2 * n1 - 2 * b * n1 - a * bb) / 2;
	sum[3] += (b * b * b + 2 * (8 * n2 + n1) - 3 * b * bb) / 6;
}

void
vs_totals_proof_sums(const struct vs_totals_proof *l, int way,
	vs_wide sum[VS_TOTALS_PROOF_CLASSES])
{
	const uint64_t *n0 = l->n, *n2 = n0 + l->n_field,
		       *none = n2 + l->n_field;

	memset(sum, 0, VS_TOTALS_PROOF_CLASSES * sizeof(*sum));
	for (size_t f = 0; f < l->n_field; f++) {
		uint64_t n1 = l->n_vec - n0[f] - n2[f] - none[f];

		(way == 3 ? triples : pairs)(n0[f], n1, n2[f], sum);
	}
}
