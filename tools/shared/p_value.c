/* SPDX-License-Identifier: BSD-3-Clause */
/* Significance of records, by the chi-square test of their tables. */
#include <string.h>

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

int
vs_p_value_open(struct vs_p_value *t, struct vs_result *result,
	const char *given, double most, bool bonferroni)
{
	const struct vs_run *run = &result->run;

	t->of_interaction = !strcmp(run->metric, "inter");
	t->most = bonferroni ? most / combinations(run) : most;
	return vs_contingency_open(&t->tables, result, given);
}

void
vs_p_value_close(struct vs_p_value *t)
{
	vs_contingency_close(&t->tables);
}

bool
vs_p_value_passes(const struct vs_p_value *t, const struct vs_record *r)
{
	const uint64_t v[3] = { r->i, r->j, r->k };
	struct vs_scores s;

	vs_contingency_count(&t->tables, v, r->k == VS_NO_VEC ? 2 : 3, &s);
	vs_scores_set(&s, t->tables.logs, t->of_interaction);
	return (t->of_interaction ? s.inter_p : s.p) <= t->most;
}
