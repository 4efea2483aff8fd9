/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums and histograms of runs of values against plain counting. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/kern/value_run.h"
#include "tests/unit/test.h"

#define RUNS 3000
#define MOST 480 /* values of a run */

enum { EQUAL, LOW, EDGES, ANY, UNDEFINED, KINDS };
#define ROOM 2001

/* A value of a kind, some of which are NaN. */
static double
value_of(struct vs_rng *rng, int kind)
{
	const double x = (double)(vs_rng_next(rng) >> 11) * 0x1p-53;
	const uint64_t one_in = vs_rng_next(rng) % 100;

	if (kind == EQUAL)
		return 0.0185;
	if (one_in < (kind == UNDEFINED ? 40 : 1))
		return NAN;
	return kind == LOW      ? x / 30
		: kind == EDGES ? floor(x * 1000) / 1000
				: 2 * x - 1;
}

/* The same by definition, with counts from `least` on. */
static size_t
add_plainly(const double *value, size_t n, int64_t least, size_t n_bucket,
	vs_wide *want, int64_t *sum)
{
	size_t valid = 0;

	for (size_t k = 0; k < n; k++) {
		const double b = floor(value[k] * 1000) - (double)least;

		if (value[k] != value[k])
			continue;
		valid++;
		*sum += llrint(value[k] * 0x1p50);
		if (n_bucket && b < (double)n_bucket)
			want[b > 0 ? (size_t)b : 0]++;
	}
	return valid;
}

/* Whether runs of a kind of values are counted as they are plainly. */
static bool
is_good(enum vs_cpu cpu, int kind, int64_t least, size_t n_bucket)
{
	static vs_wide got[ROOM], want[ROOM];
	static uint32_t near[2 * (ROOM + 1)];
	struct vs_value_run r;
	struct vs_rng rng;
	bool good = true;

	vs_rng_seed(&rng, (uint64_t)kind);
	memset(got, 0, sizeof(got));
	memset(want, 0, sizeof(want));
	vs_value_run_begin(&r, 1, least, n_bucket, near);
	for (int run = 0; run < RUNS && good; run++) {
		const size_t n =
			kind == EQUAL ? MOST : vs_rng_next(&rng) % MOST;
		/* of just that length, which sanitizers watch */
		double *value = malloc((n + 1) * sizeof(*value));
		int64_t sum = run, plain = run;

		for (size_t k = 0; k < n; k++)
			value[k] = value_of(&rng, kind);
		good = vs_value_run_add(cpu, &r, value, n, &sum) ==
				add_plainly(value, n, least, n_bucket, want,
					&plain) &&
			sum == plain;
		free(value);
	}
	vs_value_run_settle(&r, got);
	for (size_t b = 0; b < sizeof(near) / sizeof(*near); b++)
		good &= !near[b];
	return good && !memcmp(got, want, sizeof(got));
}

int
main(void)
{
	static const char *const kinds[KINDS] = { "that are equal",
		"that are low", "on edges", "of any size", "often undefined" };
	static const enum vs_cpu cpus[] = { VS_CPU_SCALAR, VS_CPU_AVX2,
		VS_CPU_AVX512 };

	for (size_t c = 0; c < sizeof(cpus) / sizeof(*cpus); c++)
		for (int k = 0; k < KINDS && cpus[c] <= vs_cpu_best(); k++)
			T_OK(is_good(cpus[c], k, 0, 1001) &&
					is_good(cpus[c], k, -1000, 2001) &&
					is_good(cpus[c], k, 0, 7) &&
					is_good(cpus[c], k, 0, 0),
				"sums and counts of values %s by %s", kinds[k],
				vs_cpu_name(cpus[c]));
	return T_DONE();
}
