/* SPDX-License-Identifier: BSD-3-Clause */
/* PLINK .bed codes into planes, labels swapped, genotypes counted by field. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/bits/vec.h"
#include "tests/unit/test.h"

/* genotype by code; 3 is missing */
static const int genotype[4] = { 0, 3, 1, 2 };

static int
check_length(size_t n, struct vs_rng *rng)
{
	size_t bytes = (n + 3) / 4 + 8;
	uint8_t *codes = malloc(bytes);
	struct vs_vec b = { 0 };
	int64_t count[4], want[4] = { 0 };
	int good = codes && !vs_vec_new(&b, 3, n);

	/* previous contents must not show through */
	for (size_t w = 0; good && w < 6 * b.n_word; w++)
		b.word[w] = ~0ull;
	/* bits past the last field may be anything */
	for (size_t k = 0; good && k < bytes; k++)
		codes[k] = (uint8_t)vs_rng_next(rng);
	if (good)
		vs_vec_from_codes(&b, 1, codes);
	for (size_t q = 0; good && q < n; q++) {
		int g = genotype[codes[q / 4] >> (2 * (q % 4)) & 3];

		want[g]++;
		good = vs_vec_get(&b, 1, q) == g;
	}
	for (size_t w = 0; good && w < 2 * b.n_word; w++)
		good = b.word[w] == ~0ull && b.word[4 * b.n_word + w] == ~0ull;
	for (size_t q = n; good && q < 64 * b.n_word; q++)
		good = !(vs_vec_plane(&b, 1, 0)[q / 64] >> (q % 64) & 1) &&
			!(vs_vec_plane(&b, 1, 1)[q / 64] >> (q % 64) & 1);
	if (good)
		vs_vec_count(&b, 1, count);
	good = good && !memcmp(count, want, sizeof(want));
	if (good)
		vs_vec_swap(&b, 1);
	for (size_t q = 0; good && q < n; q++) {
		int g = genotype[codes[q / 4] >> (2 * (q % 4)) & 3];

		good = vs_vec_get(&b, 1, q) == (g == 3 ? 3 : 2 - g);
	}
	vs_vec_free(&b);
	free(codes);
	return good;
}

int
main(void)
{
	struct vs_rng rng;
	size_t bad = 0;

	vs_rng_seed(&rng, 7);
	for (size_t n = 1; n <= 1100 && !bad; n++)
		bad = check_length(n, &rng) ? 0 : n;
	T_OK(!bad, "codes of 1 to 1100 fields: split, count, swap (%zu)", bad);
	return T_DONE();
}
