/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of digests of records, of each CPU that there is, against one record
 * after the other. */
#include <stdbool.h>
#include <stdlib.h>

#include "libcore/base/rng.h"
#include "libcore/bits/record_digest.h"
#include "tests/unit/test.h"

#define MOST 70

/* Pairs of all cells; with mixed, triples as well. */
static void
draw(struct vs_rng *rng, struct vs_record *rec, size_t n, bool mixed)
{
	for (size_t k = 0; k < n; k++) {
		bool three = mixed && !vs_rng_below(rng, 9);
		uint64_t n_cell = three ? 8 : 4, word = vs_rng_next(rng);
		uint64_t cell = vs_rng_below(rng, n_cell + 1);

		rec[k] = vs_record_pair(vs_rng_next(rng) >> 32,
			vs_rng_next(rng) >> (k % 2 ? 32 : 60));
		rec[k].cell = cell < n_cell ? (uint32_t)cell & 7 : VS_NO_CELL;
		rec[k].value = (double)word / 0x1p63 - 1;
		rec[k].num = k % 3 ? -1 : (int64_t)(word >> 8);
		rec[k].nvalid = k % 5 ? -1 : (int32_t)(word >> 40);
		if (three)
			rec[k].k = (uint32_t)vs_rng_below(rng, 1000);
	}
}

static bool
is_good(enum vs_cpu cpu, size_t n, bool mixed)
{
	struct vs_digest_sum want = { { 1, 2 } }, got = want, slow = want;
	struct vs_record *rec = malloc((n + 1) * sizeof(*rec));
	struct vs_rng rng;

	vs_rng_seed(&rng, n);
	draw(&rng, rec, n, mixed);
	for (size_t k = 0; k < n; k++)
		vs_digest_sum_record(&want, rec[k].i, rec[k].j, rec[k].k,
			rec[k].cell, rec[k].value);
	vs_digest_sum_records(&slow, rec, n);
	vs_record_digest_sum_by(cpu, &got, rec, n);
	free(rec);
	return got.h[0] == want.h[0] && got.h[1] == want.h[1] &&
		slow.h[0] == want.h[0] && slow.h[1] == want.h[1];
}

int
main(void)
{
	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++)
		for (int mixed = 0; mixed < 2; mixed++) {
			size_t n = 0;

			while (n <= MOST && is_good((enum vs_cpu)cpu, n, mixed))
				n++;
			T_OK(n > MOST, "%s: up to %d records%s; %zu",
				vs_cpu_name((enum vs_cpu)cpu), MOST,
				mixed ? ", some of triples" : "", n);
		}
	return T_DONE();
}
