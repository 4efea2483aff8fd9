/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of the data from genotype counts, against genotypes. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/dataset_stats.h"
#include "tests/unit/test.h"

#define N_FIELD 400

/* Field by field: what the counts of all vectors have to lead to. */
struct plain {
	bool has_missing;
	int64_t least_present, copies[2];
	double listed[2];
};

static void
draw(struct vs_rng *rng, double often, int missing, int64_t count[4],
	struct plain *plain)
{
	int64_t by[2][3] = { { 0 } }, present = 0;

	for (int g = 0; g < 4; g++)
		count[g] = 0;
	for (int f = 0; f < N_FIELD; f++) {
		uint64_t cut = (uint64_t)(often * 1e6);
		int g = (vs_rng_below(rng, 1000000) < cut) +
			(vs_rng_below(rng, 1000000) < cut);

		if (missing && !vs_rng_below(rng, 50))
			g = 3;
		count[g]++;
		present += g < 3;
		plain->has_missing |= g == 3;
		/* copies of a label's allele, a missing call having none */
		by[1][g < 3 ? g : 0]++;
		by[0][g < 3 ? 2 - g : 0]++;
		plain->copies[1] += g < 3 ? g : 0;
		plain->copies[0] += g < 3 ? 2 - g : 0;
	}
	if (present && present < plain->least_present)
		plain->least_present = present;
	for (int label = 0; label < 2; label++) {
		int64_t most = 0;

		for (int g = 0; g < 3; g++)
			most = by[label][g] > most ? by[label][g] : most;
		plain->listed[label] += (double)(N_FIELD - most) / N_FIELD;
	}
}

/*
 * n vectors, label 1 as often as of() says; where all may pass the query's
 * listed has to be that of all.
 */
static struct vs_query
ask(size_t n, double threshold, int missing, double (*of)(size_t v, size_t n))
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = threshold,
		.prune = true,
		.n_field = N_FIELD };
	struct plain plain = { .least_present = N_FIELD };
	struct vs_dataset_stats s;
	struct vs_rng rng;
	uint64_t *dead = NULL;
	int64_t(*count)[4] = NULL;
	int lead, wrong;

	vs_rng_seed(&rng, n);
	if (vs_mem_new(&count, n + 1, sizeof(*count), "counts") ||
		vs_mem_new(&dead, n / 64 + 1, sizeof(*dead), "counts"))
		exit(4);
	for (size_t v = 0; v < n; v++)
		draw(&rng, of(v, n), missing, count[v], &plain);
	vs_dataset_stats_begin(&s, &q, n, dead);
	vs_dataset_stats_take(&s, count, n / 3);
	vs_dataset_stats_take(&s, count + n / 3, n - n / 3);
	vs_dataset_stats_end(&s);
	free(dead);
	free(count);
	lead = plain.copies[1] > plain.copies[0];
	wrong = q.has_missing != plain.has_missing || q.lead != lead ||
		q.least_present != plain.least_present;
	if (threshold < 0 && n)
		wrong += !(
			fabs(q.listed - plain.listed[lead] / (double)n) < 1e-9);
	T_OK(!wrong && q.listed >= 0 && q.listed < 1,
		"%zu vectors, t = %g, calls %s: label %d, %.3f listed, %d "
		"rounds",
		n, threshold, missing ? "missing" : "there", q.lead, q.listed,
		q.rounds);
	return q;
}

static double
shared_threshold(size_t v, size_t n)
{
	return 0.005 + 0.495 * (double)v / (double)n;
}

static double
falling(size_t v, size_t n)
{
	return 1 - shared_threshold(v, n);
}

/* The same frequencies, unordered. */
static double
mixed(size_t v, size_t n)
{
	return shared_threshold(v * 7919 % n, n);
}

/* All alike, except that in the last tenth these are rare. */
static double
late(size_t v, size_t n)
{
	return v < n - n / 10 ? 0.01 : 0.4;
}

int
main(void)
{
	struct vs_query q, all;

	for (int missing = 0; missing < 2; missing++) {
		q = ask(3000, 0.7, missing, shared_threshold);
		T_OK(q.rounds >= 16 && q.rounds < 30,
			"a sorted file is dealt in many rounds");
		q = ask(3000, 0.7, missing, falling);
		T_OK(q.rounds >= 16 && q.rounds < 30, "and a reversed one");
		q = ask(3000, 0.7, missing, mixed);
		T_OK(!q.rounds, "one in no order is not");
		all = ask(3000, -1, missing, shared_threshold);
		T_OK(!all.rounds, "nor where all pairs are counted");
		T_OK(q.listed > all.listed,
			"rare vectors that cannot pass are not listed");
	}
	q = ask(3000, 0.7, 0, late);
	T_OK(q.rounds == 64, "more rounds where most of a file is dead");
	ask(0, 0.7, 0, shared_threshold);
	q = ask(1, 0.7, 0, shared_threshold);
	T_OK(!q.rounds && !q.listed, "a vector that is alone and rare");
	return T_DONE();
}
