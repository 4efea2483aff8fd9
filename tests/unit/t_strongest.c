/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest of every vector, or of all records, against sorting them. */
#include <stdlib.h>

#include "libcore/base/rng.h"
#include "libcore/base/strongest.h"
#include "tests/unit/test.h"

#define N_VEC 60
#define N_TRIO 16 /* vectors of triples */
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

/* The first k of each vector; all: of all records. */
static void
find_wanted(size_t n, size_t k, bool all)
{
	size_t seen[N_VEC] = { 0 };

	for (size_t r = 0; r < n; r++) {
		sorted[r] = rec[r];
		sorted[r].num = (int64_t)r;
		want[r] = false;
	}
	qsort(sorted, n, sizeof(*sorted), by_strength);
	for (size_t r = 0; r < n; r++) {
		const uint64_t v[3] = { sorted[r].i, sorted[r].j, sorted[r].k };
		bool wanted = all && r < k;

		for (int x = 0; x < 3 && !all; x++)
			if (v[x] != VS_NO_VEC && seen[v[x]]++ < k)
				wanted = true;
		want[sorted[r].num] = wanted;
	}
}

/* A record with few values, so that there are many ties; or none. */
static size_t
add(size_t n, struct vs_record r, struct vs_rng *rng)
{
	r.value = (double)vs_rng_below(rng, 9);
	r.num = r.nvalid = -1;
	if (!vs_rng_below(rng, 3))
		return n;
	rec[n] = r;
	return n + 1;
}

static size_t
make_pairs(struct vs_rng *rng)
{
	size_t n = 0;

	for (uint64_t i = 0; i < N_VEC; i++)
		for (uint64_t j = i + 1; j < N_VEC; j++)
			for (uint32_t c = 0; c < 4; c++)
				n = add(n,
					(struct vs_record){ .i = i,
						.j = j,
						.k = VS_NO_VEC,
						.cell = c },
					rng);
	return n;
}

static size_t
make_triples(struct vs_rng *rng)
{
	size_t n = 0;

	for (uint64_t i = 0; i < N_TRIO; i++)
		for (uint64_t j = i + 1; j < N_TRIO; j++)
			for (uint64_t k = j + 1; k < N_TRIO; k++)
				for (uint32_t c = 0; c < 8; c++)
					n = add(n,
						(struct vs_record){ .i = i,
							.j = j,
							.k = k,
							.cell = c },
						rng);
	return n;
}

static void
shuffle(size_t n, struct vs_rng *rng)
{
	for (size_t r = n; r-- > 1;) {
		size_t other = vs_rng_below(rng, r + 1);
		struct vs_record t = rec[r];

		rec[r] = rec[other];
		rec[other] = t;
	}
}

static void
test_kept(const char *what, size_t n, bool all)
{
	for (size_t k = 1; k < 400; k = 3 * k + 1) {
		struct vs_strongest_each t = { 0 };
		size_t bad = 0, kept = 0;
		int code = vs_strongest_each_open(&t, all ? 0 : N_VEC, k,
			VS_GREATEST_FIRST);

		/* some come twice, and count once */
		for (size_t r = 0; r < n && !code; r++) {
			code = vs_strongest_each_add(&t, &rec[r]);
			if (!code && r % 3 == 0)
				code = vs_strongest_each_add(&t, &rec[r / 2]);
		}
		find_wanted(n, k, all);
		for (size_t r = 0; r < n && !code; r++) {
			bad += vs_strongest_each_has(&t, &rec[r]) != want[r];
			kept += want[r];
		}
		T_OK(!code && !bad,
			"%s, top %zu of %s: %zu of %zu kept, %zu wrong", what,
			k, all ? "all" : "each vector", kept, n, bad);
		vs_strongest_each_close(&t);
	}
}

int
main(void)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 3);
	for (int turn = 0; turn < 4; turn++) {
		bool pairs = turn < 2;
		size_t n = pairs ? make_pairs(&rng) : make_triples(&rng);

		shuffle(n, &rng);
		test_kept(pairs ? "pairs" : "triples", n, turn & 1);
	}
	return T_DONE();
}
