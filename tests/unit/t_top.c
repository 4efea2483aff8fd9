/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest of every vector, against sorting all records of each. */
#include <stdlib.h>

#include "formats/top.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define N_VEC 60
#define N (N_VEC * (N_VEC - 1) / 2 * 4)

static struct vs_record rec[N], sorted[N];
static bool want[N];

static int
by_strength(const void *x, const void *y)
{
	const struct vs_record *a = x, *b = y;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return vs_record_compare(a, b);
}

static void
find_wanted(size_t n, size_t k)
{
	size_t seen[N_VEC] = { 0 };

	for (size_t r = 0; r < n; r++) {
		sorted[r] = rec[r];
		sorted[r].num = (int64_t)r;
		want[r] = false;
	}
	qsort(sorted, n, sizeof(*sorted), by_strength);
	for (size_t r = 0; r < n; r++) {
		/* no short cut: both ends count it */
		bool i = seen[sorted[r].i]++ < k, j = seen[sorted[r].j]++ < k;

		want[sorted[r].num] = i || j;
	}
}

int
main(void)
{
	struct vs_rng rng;
	size_t n = 0;

	vs_rng_seed(&rng, 3);
	for (uint64_t i = 0; i < N_VEC; i++)
		for (uint64_t j = i + 1; j < N_VEC; j++)
			for (uint32_t c = 0; c < 4; c++)
				if (vs_rng_below(&rng, 3))
					rec[n++] = (struct vs_record){ i, j,
						VS_NO_VEC,
						/* many ties */
						(double)vs_rng_below(&rng, 9),
						-1, -1, c };
	for (size_t r = n; r-- > 1;) {
		size_t other = vs_rng_below(&rng, r + 1);
		struct vs_record t = rec[r];

		rec[r] = rec[other];
		rec[other] = t;
	}
	for (size_t k = 1; k < 400; k = 3 * k + 1) {
		struct vs_top *t = NULL;
		size_t bad = 0, kept = 0;
		int code = vs_top_new(&t, N_VEC, k);

		for (size_t r = 0; r < n && !code; r++)
			code = vs_top_see(t, &rec[r]);
		find_wanted(n, k);
		for (size_t r = 0; r < n && !code; r++) {
			bad += vs_top_keeps(t, &rec[r]) != want[r];
			kept += want[r];
		}
		T_OK(!code && !bad, "top %zu: %zu of %zu kept, %zu wrong", k,
			kept, n, bad);
		vs_top_free(t);
	}
	return T_DONE();
}
