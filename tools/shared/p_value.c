/* SPDX-License-Identifier: BSD-3-Clause */
/* Significance of records: of correlations by Student's t, else by the
 * chi-square test of their tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rising.h"
#include "libcore/metric/correlation.h"
#include "libcore/metric/metric.h"
#include "tools/shared/p_value.h"

/* Pairs or triples that the run compared. */
static double
combinations(const struct vs_run *run)
{
	uint64_t n = (uint64_t)run->filtered_pairs;

	/* places are not read; the run states how many it wanted by them */
	if (!*run->pair_filter)
		(void)vs_wanted_count(&run->wanted, &n);
	return (double)n;
}

bool
vs_p_value_is_of_correlation(const struct vs_run *run)
{
	const struct vs_metric *metric = vs_metric_find(run->metric);

	return metric && metric->centred && run->n_way == 2;
}

int
vs_p_value_open(struct vs_p_value *t, struct vs_result *result,
	const char *given, double most, bool bonferroni)
{
	const struct vs_run *run = &result->run;

	t->of_correlation = vs_p_value_is_of_correlation(run);
	t->of_interaction = !strcmp(run->metric, "inter");
	t->squared = t->of_correlation && vs_metric_find(run->metric)->squared;
	t->n_field = run->n_fields;
	t->compared = combinations(run);
	t->most = bonferroni ? most / t->compared : most;
	return t->of_correlation
		? vs_mem_new(&t->bound, VS_P_BOUNDS, sizeof(*t->bound), "tests")
		: vs_contingency_open(&t->tables, result, given);
}

void
vs_p_value_close(struct vs_p_value *t)
{
	vs_contingency_close(&t->tables);
	free(t->bound);
	free(t->seen);
	free(t->q);
}

static double
p_of(const struct vs_p_value *t, const struct vs_record *r)
{
	const uint64_t v[3] = { r->i, r->j, r->k };
	struct vs_scores s;

	if (t->of_correlation)
		return vs_correlation_p(r->value, t->squared,
			r->nvalid < 0 ? t->n_field : r->nvalid);
	vs_contingency_score(&t->tables, v, r->k == VS_NO_VEC ? 2 : 3,
		t->of_interaction, &s);
	return t->of_interaction ? s.inter_p : s.p;
}

/*
 * Critical value of a correlation over n fields, by bisection: p decreases as
 * the correlation grows. NEAR the critical value p itself decides.
 */
#define NEAR 1e-6

static const struct vs_p_bound *
bound_of(const struct vs_p_value *t, int64_t n)
{
	struct vs_p_bound *b = &t->bound[(uint64_t)n % VS_P_BOUNDS];
	double low = 0, high = 1;

	if (b->n == n && b->most == t->most)
		return b;
	for (int k = 0; k < 60; k++) {
		const double x = (low + high) / 2;

		*(vs_correlation_p(x, t->squared, n) <= t->most ? &high
								: &low) = x;
	}
	*b = (struct vs_p_bound){ n, t->most, low * (1 - NEAR),
		high * (1 + NEAR) };
	return b;
}

bool
vs_p_value_passes(const struct vs_p_value *t, const struct vs_record *r)
{
	const struct vs_p_bound *b;

	if (isinf(t->most))
		return true;
	if (!t->of_correlation || !(t->most > 0))
		return p_of(t, r) <= t->most;
	b = bound_of(t, r->nvalid < 0 ? t->n_field : r->nvalid);
	return fabs(r->value) > b->high ||
		(fabs(r->value) >= b->low && p_of(t, r) <= t->most);
}

int
vs_p_value_see(struct vs_p_value *t, const struct vs_record *r)
{
	int code = vs_mem_grow(&t->seen, &t->room, t->n_seen + 1,
		sizeof(*t->seen), "p-values");

	if (!code)
		t->seen[t->n_seen++] = p_of(t, r);
	return code;
}

void
vs_p_value_select(struct vs_p_value *t, double rate)
{
	size_t n = t->n_seen, k;

	/* the number that passes with all counted is an upper bound of it */
	do {
		k = n;
		n = 0;
		for (size_t x = 0; x < k; x++)
			if (t->seen[x] * t->compared / (double)k <= rate)
				t->seen[n++] = t->seen[x];
	} while (n < k - k / 16);
	if (n && n < k)
		qsort(t->seen, n, sizeof(*t->seen), vs_rising_f64);
	while (n && n < k &&
		!(t->seen[n - 1] * t->compared / (double)n <= rate))
		n--;
	t->n_seen = n;
	t->most = -1;
	for (size_t x = 0; x < n; x++)
		t->most = fmax(t->most, t->seen[x]);
}

int
vs_p_value_rank(struct vs_p_value *t)
{
	double least = 1;
	int code = vs_mem_room(&t->q, t->n_seen, sizeof(*t->q), "p-values");

	if (code)
		return code;
	if (t->n_seen)
		qsort(t->seen, t->n_seen, sizeof(*t->seen), vs_rising_f64);
	for (size_t k = t->n_seen; k--;) {
		least = fmin(least, t->seen[k] * t->compared / (double)(k + 1));
		t->q[k] = least;
	}
	return 0;
}

double
vs_p_value_q(const struct vs_p_value *t, const struct vs_record *r)
{
	const double p = p_of(t, r);
	const double *at = t->n_seen
		? bsearch(&p, t->seen, t->n_seen, sizeof(p), vs_rising_f64)
		: NULL;

	return at ? t->q[at - t->seen] : 1;
}
