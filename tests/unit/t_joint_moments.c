/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of a pair on every CPU level, against sums field by field. */
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/bits/vec.h"
#include "libcore/kern/joint_moments.h"
#include "tests/unit/test.h"

static struct vs_joint_moments
by_field(const struct vs_vec *b)
{
	struct vs_joint_moments m = { 0 };

	for (size_t q = 0; q < b->n_field; q++) {
		const int g = vs_vec_get(b, 0, q), h = vs_vec_get(b, 1, q);

		if (g == 3 || h == 3)
			continue;
		m.n++;
		m.sum[0] += g;
		m.square[0] += g * g;
		m.sum[1] += h;
		m.square[1] += h * h;
		m.product += g * h;
	}
	return m;
}

VS_INLINE int64_t
product_any(bool nibbles, const uint64_t *x, const uint64_t *y, size_t n_word)
{
	return vs_joint_product(nibbles, x, y, n_word);
}

VS_BY_POPCNT(int64_t, product, (nibbles, x, y, n_word), bool nibbles,
	const uint64_t *x, const uint64_t *y, size_t n_word)

VS_INLINE struct vs_joint_moments
moments_any(bool nibbles, const uint64_t *x, const uint64_t *y, size_t n_word,
	size_t n_field)
{
	return vs_joint_moments(nibbles, x, y, n_word, n_field);
}

VS_BY_POPCNT(struct vs_joint_moments, moments, (nibbles, x, y, n_word, n_field),
	bool nibbles, const uint64_t *x, const uint64_t *y, size_t n_word,
	size_t n_field)

/* Vectors of n fields; of each genotype as many as of the others, or of one
 * alone. */
static int
check(size_t n, int alone, struct vs_rng *rng)
{
	struct vs_vec b = { 0 };
	struct vs_joint_moments m, want;
	int good = !vs_vec_new(&b, 2, n);

	for (size_t q = 0; good && q < 2 * n; q++)
		vs_vec_set(&b, q / n, q % n,
			alone < 4 ? alone : (int)vs_rng_below(rng, 4));
	want = by_field(&b);
	for (int cpu = 0; good && cpu <= (int)vs_cpu_best(); cpu++) {
		const uint64_t *x = vs_vec_plane(&b, 0, 0),
			       *y = vs_vec_plane(&b, 1, 0);

		const enum vs_cpu level = (enum vs_cpu)cpu;
		const bool nibbles = vs_joint_moments_by_nibbles(level);

		m = moments(level, nibbles, x, y, b.n_word, n);
		good = !memcmp(&m, &want, sizeof(m)) &&
			want.product == product(level, nibbles, x, y, b.n_word);
	}
	vs_vec_free(&b);
	return good;
}

int
main(void)
{
	struct vs_rng rng;
	size_t bad = 0;

	vs_rng_seed(&rng, 5);
	for (size_t n = 1; n < 2100; n += n < 600 ? 1 : 97)
		for (int alone = 0; alone < 5 && !bad; alone++)
			bad = check(n, alone, &rng) ? 0 : n;
	T_OK(!bad, "pairs of 1 to 2100 fields (%zu)", bad);
	/* counts are kept in 16 bits for 8192 fields, then added */
	for (size_t n = 8191; n < 33000; n += n == 8191 ? 1 : 8193)
		for (int alone = 0; alone < 5 && !bad; alone++)
			bad = check(n, alone, &rng) ? 0 : n;
	T_OK(!bad, "pairs of up to 32771 fields (%zu)", bad);
	return T_DONE();
}
