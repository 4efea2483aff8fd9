/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of the summaries of a run with the plain definition. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "tools/shared/site_filter.h"
#include "tools/shared/tool.h"
#include "tools/verify/summed.h"

struct sums {
	const struct vs_judge *g;
	struct vs_recompute *job;
	struct vs_summary_plan plan;
	vs_wide *want; /* as the plan has them */
	uint64_t n_pair;
	struct vs_tile_counts is; /* of the shards */
};

struct pair {
	double value; /* NaN: undefined, or of too few fields */
	double joint;
	bool few;
};

/* A genotype or number of a vector; NaN: it is missing. */
static double
entry(enum vs_element element, const uint8_t *x, size_t q)
{
	if (vs_element_is_number(element))
		return vs_element_get(element, x, q);
	return x[q] < 3 ? x[q] : (double)NAN;
}

/* True for 0/0 over the fields that both have. */
static bool
is_undefined(const struct vs_judge *g, const uint8_t *x, const uint8_t *y)
{
	double low[2] = { INFINITY, INFINITY },
	       high[2] = { -INFINITY, -INFINITY };
	bool zero[2], same[2];

	for (size_t q = 0; q < g->n_field; q++) {
		const double of[2] = { entry(g->plain.element, x, q),
			entry(g->plain.element, y, q) };

		for (int k = 0; k < 2 && of[0] == of[0] && of[1] == of[1];
			k++) {
			low[k] = fmin(low[k], of[k]);
			high[k] = fmax(high[k], of[k]);
		}
	}
	for (int k = 0; k < 2; k++) {
		same[k] = !(low[k] < high[k]);
		zero[k] = !(low[k] < 0 || high[k] > 0);
	}
	switch (g->plain.metric->undefined) {
	case VS_UNDEFINED_CONSTANT:
		return same[0] || same[1];
	case VS_UNDEFINED_ZERO:
		return zero[0] || zero[1];
	case VS_UNDEFINED_ZEROS:
		return zero[0] && zero[1];
	case VS_UNDEFINED_NEVER:
		break;
	}
	return false;
}

static struct pair
define(const struct vs_judge *g, uint64_t i, uint64_t j)
{
	const uint8_t *x = vs_unpacked_get(&g->vectors, i),
		      *y = vs_unpacked_get(&g->vectors, j);
	struct vs_plain_pair of;
	bool few;

	vs_definition_pair(&g->plain, x, y, g->n_field, &of);
	few = of.nvalid < vs_run_least_joint(g->run);
	return (struct pair){ few || is_undefined(g, x, y) ? (double)NAN
							   : of.value[0],
		(double)of.nvalid, few };
}

/* A value times the weight of a partner in a row of sums. */
static vs_wide
weighed(const struct sums *s, const struct vs_summary_part *t, int row,
	uint64_t partner, double value)
{
	const double n = rint(value * VS_VALUE_RUN_UNIT);

	return (vs_wide)llrint(t->weight
			? n * t->weight[(size_t)row * s->plan.n_vec + partner]
			: n);
}

static size_t
cell_of(const struct vs_summary_part *t, uint64_t i, uint64_t j)
{
	const int32_t a = t->group ? t->group[i] : 0,
		      b = t->group ? t->group[j] : 0;
	int bin = 0;

	if (a < 0 || b < 0)
		return t->n_cell;
	if (!t->pos)
		return vs_summary_between((size_t)a, (size_t)b);
	if (a != b)
		return t->n_cell - 1;
	while (bin + 1 < t->n_edge &&
		fabs(t->pos[i] - t->pos[j]) >= t->edge[bin + 1])
		bin++;
	return (size_t)a * t->n_class + (size_t)bin;
}

static void
add_to_cell(struct sums *s, const struct vs_summary_part *t, size_t cell,
	double value)
{
	vs_wide *n = s->want + t->at;

	if (cell == t->n_cell)
		return;
	n[cell] += vs_summary_units(value);
	n[t->n_cell + cell]++;
	if (t->n_class)
		n[2 * t->n_cell + cell % t->n_class * t->n_bucket +
			(size_t)(floor(value * VS_VALUE_HISTOGRAM_A_UNIT) -
				(double)t->least)]++;
}

/* Units that a pair adds to a row of one of its vectors. */
static vs_wide
of_partner(const struct sums *s, const struct vs_summary_part *t, int row,
	uint64_t partner, const struct pair *p)
{
	const enum vs_strong strong = s->plan.strong;
	const double v = p->value;

	switch (t->which) {
	case VS_SUMMARY_degree:
		return vs_strength(strong, v) >
			vs_strength_of_threshold(strong, t->of->x[row]);
	case VS_SUMMARY_ldscore:
		return p->joint > 2
			? weighed(s, t, row, partner,
				  v - (1 - v) * (1 / (p->joint - 2)))
			: 0;
	case VS_SUMMARY_decay:
	case VS_SUMMARY_histogram:
	case VS_SUMMARY_grid:
	case VS_SUMMARY_grid_kb:
	case VS_SUMMARY_grid_sites:
	case VS_SUMMARY_KINDS:
		break; /* they have cells */
	}
	return 0;
}

static void
add_pair(struct sums *s, uint64_t i, uint64_t j, const struct pair *p)
{
	const uint64_t end[] = { i, j };

	s->want[s->plan.n]++;
	if (s->plan.n_total > 1)
		s->want[s->plan.n + 1] += p->few;
	for (int k = 0; k < s->plan.n_part && p->value == p->value; k++) {
		const struct vs_summary_part *t = &s->plan.part[k];

		if (t->n_cell)
			add_to_cell(s, t, cell_of(t, i, j), p->value);
		for (int x = 0; x < 2 * t->n_row; x++)
			s->want[t->at + (size_t)(x / 2) * s->plan.n_vec +
				end[x % 2]] +=
				of_partner(s, t, x / 2, end[1 - x % 2], p);
	}
}

#define PAIR(i, j) ((struct vs_record){ .i = i, .j = j, .k = VS_NO_VEC })

static int
add_all(struct sums *s)
{
	const struct vs_wanted *wanted = &s->g->run->wanted;
	const uint64_t n_vec = s->g->n_vec;
	struct pair *row = NULL;
	int code = vs_mem_new(&row, n_vec, sizeof(*row), "values");

	for (uint64_t i = 0; i < n_vec && !code; i++) {
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->job->n_thread)
		for (uint64_t j = i + 1; j < n_vec; j++) {
			vs_float_env_set();
			if (vs_wanted_has(wanted, &PAIR(i, j)))
				row[j] = define(s->g, i, j);
		}
		for (uint64_t j = i + 1; j < n_vec; j++)
			if (vs_wanted_has(wanted, &PAIR(i, j))) {
				add_pair(s, i, j, &row[j]);
				s->n_pair++;
			}
	}
	free(row);
	return code;
}

/* Name the first counter that differs. */
static int
compare(const struct sums *s)
{
	const struct vs_summary_plan *p = &s->plan;
	int k = p->n_part - 1;
	char is[VS_NUM_WIDE], want[VS_NUM_WIDE];
	size_t c = 0;

	while (c < s->is.n && s->is.count[c] == s->want[c])
		c++;
	if (c == s->is.n)
		return 0;
	vs_num_print_wide(s->is.count[c], is);
	vs_num_print_wide(s->want[c], want);
	if (c >= p->n || s->is.count[p->n] != s->want[p->n])
		return vs_fail(VS_ENO,
			"%s: its summaries are not of all %llu pairs of a run",
			s->job->name, (unsigned long long)s->n_pair);
	while (p->part[k].at > c)
		k--;
	return vs_fail(VS_ENO, "%s: %s: counter %zu%s is %s, expected %s",
		s->job->name, vs_summary_word(p->part[k].which),
		(c - p->part[k].at) % (p->part[k].n_row ? p->n_vec : p->n),
		p->part[k].n_row ? ", that of this vector," : "", is, want);
}

static int
prepare(struct sums *s)
{
	const struct vs_run *run = s->g->run;
	struct vs_summary_ask ask;
	bool has = true;
	int code;

	if (s->job->sample || s->g->vectors.room < s->g->n_vec)
		return vs_fail(VS_EUSAGE,
			"%s: summaries are recomputed from all pairs: omit "
			"--sample, and give --memory for all vectors",
			s->job->name);
	if (!vs_summary_ask_read(run->summary, &ask))
		return vs_fail(VS_EINPUT,
			"%s: has a summary that this version does not know: %s",
			s->job->name, run->summary);
	code = vs_site_filter_summary(&s->plan, &ask, s->job->vectors,
		s->g->plain.metric);
	if (code)
		return code;
	vs_tile_counts_summary(&s->is, vs_summary_size(&s->plan));
	code = vs_mem_new(&s->is.count, s->is.n, sizeof(*s->want), "summary");
	VS_MEM_NEW(&code, s->want, s->is.n, "summary");
	for (size_t k = 0; k < s->job->n && !code && has; k++)
		code = vs_tile_counts_add_file(&s->is, s->job->r[k]->file,
			&has);
	return code
		? code
		: vs_summary_restore_rows(&s->plan, &run->wanted, s->is.count);
}

int
vs_summed_check(struct vs_judge *g, struct vs_recompute *job)
{
	struct sums s = { .g = g, .job = job };
	int code;

	if (!*g->run->summary)
		return 0;
	code = prepare(&s);
	for (uint64_t v = 0; v < g->n_vec && !code; v++)
		vs_unpacked_want(&g->vectors, v);
	if (!code)
		code = vs_unpacked_load(&g->vectors);
	if (!code)
		code = add_all(&s);
	if (!code)
		code = compare(&s);
	if (!code)
		vs_tool_say("%s: %zu sums recomputed from %llu pairs",
			job->name, s.is.n, (unsigned long long)s.n_pair);
	free(s.want);
	vs_tile_counts_free(&s.is);
	vs_summary_plan_free(&s.plan);
	return code;
}
