/* SPDX-License-Identifier: BSD-3-Clause */
/* Records sorted by their places are those that qsort() sorts. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/record.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

static int
by_place(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

/* n records of a tile of `wide` vectors from i_lo and j_lo on. */
static int
sorts(size_t n, uint64_t wide, uint64_t i_lo, uint64_t j_lo, uint64_t k)
{
	struct vs_record *rec = calloc(n + 1, sizeof(*rec));
	struct vs_record *want = calloc(n + 1, sizeof(*rec));
	struct vs_record *other = calloc(n + 1, sizeof(*rec));
	struct vs_rng rng;
	int same;

	vs_rng_seed(&rng, n + wide);
	for (size_t r = 0; r < n; r++) {
		struct vs_record *x = &rec[r];

		x->i = (uint32_t)(i_lo + vs_rng_below(&rng, wide));
		x->j = (uint32_t)(j_lo + vs_rng_below(&rng, wide));
		x->k = (uint32_t)(k == VS_NO_VEC
				? k
				: k + vs_rng_below(&rng, wide));
		x->cell = vs_rng_below(&rng, k == VS_NO_VEC ? 4 : 8) & 7;
		/* of two in one place both orders are right: they are alike */
		x->num = 31l * x->i + 7l * x->j + x->cell + x->k;
		x->value = (double)x->num / 3;
	}
	memcpy(want, rec, n * sizeof(*rec));
	qsort(want, n, sizeof(*want), by_place);
	memcpy(other, rec, n * sizeof(*rec));
	vs_record_sort(rec, n);
	same = !memcmp(rec, want, n * sizeof(*rec));
	vs_record_sort_with(other, n, rec);
	same &= !memcmp(other, want, n * sizeof(*rec));
	free(rec);
	free(want);
	free(other);
	return same;
}

/*
 * Rising runs with len records each, which overlap by `more` rows and come in
 * any order; sorted in place, and to another room.
 */
static int
merges(size_t n, size_t len, uint64_t more)
{
	struct vs_record *rec = calloc(n, sizeof(*rec));
	struct vs_record *want = calloc(n, sizeof(*rec));
	struct vs_record *other = calloc(n, sizeof(*rec));
	struct vs_rng rng;
	int same;

	vs_rng_seed(&rng, n + len + more);
	for (size_t r = 0; r < n; r++) {
		const uint64_t run = r / len * 7 % (n / len + 1);

		rec[r] = vs_record_pair(run + vs_rng_below(&rng, more + 1),
			1000 + vs_rng_below(&rng, 1000));
		rec[r].cell = vs_rng_below(&rng, 4) & 3;
	}
	for (size_t r = 0; r < n; r += len)
		qsort(rec + r, len < n - r ? len : n - r, sizeof(*rec),
			by_place);
	memcpy(want, rec, n * sizeof(*rec));
	memcpy(other, rec, n * sizeof(*rec));
	qsort(want, n, sizeof(*want), by_place);
	vs_record_sort(rec, n);
	same = !memcmp(rec, want, n * sizeof(*rec));
	vs_record_sort_to(other, n, rec);
	same &= !memcmp(rec, want, n * sizeof(*rec));
	free(rec);
	free(want);
	free(other);
	return same;
}

static void
check_runs(void)
{
	static const size_t len[] = { 9, 100, 3000 };

	for (size_t k = 0; k < sizeof(len) / sizeof(len[0]); k++)
		for (uint64_t more = 0; more < 3; more++)
			T_OK(merges(50, len[k], more) &&
					merges(8192, len[k], more) &&
					merges(70000, len[k], more),
				"runs of %zu records, %llu rows more", len[k],
				(unsigned long long)more);
}

int
main(void)
{
	static const size_t n[] = { 0, 1, 2, 63, 64, 65, 1000, 4096, 100000 };
	static const uint64_t wide[] = { 1, 2, 300, 40000, 1ull << 30 };

	for (size_t w = 0; w < sizeof(wide) / sizeof(wide[0]); w++) {
		int ok = 1;

		for (size_t k = 0; k < sizeof(n) / sizeof(n[0]); k++) {
			ok &= sorts(n[k], wide[w], 0, 0, VS_NO_VEC);
			ok &= sorts(n[k], wide[w], 1ull << 31, 7, VS_NO_VEC);
		}
		T_OK(ok, "pairs of tiles %llu wide",
			(unsigned long long)wide[w]);
		ok = 1;
		for (size_t k = 0; k < sizeof(n) / sizeof(n[0]); k++) {
			ok &= sorts(n[k], wide[w], 0, 0, 0);
			ok &= sorts(n[k], wide[w], 7, 1ull << 31, 3ull << 30);
		}
		T_OK(ok, "triples of tiles %llu wide",
			(unsigned long long)wide[w]);
	}
	check_runs();
	return T_DONE();
}
