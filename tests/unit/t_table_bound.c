/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of contingency tables: no table that passes is left out, whatever
 * the classes' sizes, and nearly all that are far from passing are. */
#include <math.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/engine/tables/table_bound.h"
#include "libcore/metric/metric.h"
#include "tests/unit/test.h"

#define WIDE VS_TABLE_BOUND_WIDE
#define MOST 27

static _Alignas(64) int32_t count[2][MOST][WIDE];

/* A table of n samples of class k at column c: of cells that are about equal,
 * or of which some hold most; cases are as frequent in all, or not. */
static void
fill(struct vs_rng *rng, int c, int n_cell, const int64_t n[2], int kind)
{
	int64_t left[2] = { n[0], n[1] };

	for (int x = 0; x < n_cell; x++)
		for (int k = 0; k < 2; k++) {
			const int64_t of = kind & 1
				? 1 + (int64_t)vs_rng_below(rng, 4)
				: n_cell - x;
			int64_t some = x == n_cell - 1 ? left[k] : left[k] / of;

			if (kind & 2 && some && x < n_cell - 1)
				some = (int64_t)vs_rng_below(rng,
					(uint64_t)some + 1);
			count[k][x][c] = (int32_t)some;
			left[k] -= some;
		}
}

static double
value_of(const struct vs_metric *m, int c, int n_cell)
{
	int64_t cell[MOST][2];

	for (int x = 0; x < n_cell; x++)
		for (int k = 0; k < 2; k++)
			cell[x][k] = count[k][x][c];
	return m->plain_table((const int64_t(*)[2])cell, n_cell);
}

/* Tables left out that pass, and those kept of which far is asked. */
static void
judge(const struct vs_metric *m, enum vs_cpu cpu, bool exact, int *lost,
	int *kept)
{
	static const int64_t sizes[][2] = { { 1, 1 }, { 60, 60 }, { 1, 400 },
		{ 2000, 3000 }, { 30000, 500 }, { 250000, 250000 } };
	int32_t(*const at[2])[WIDE] = { count[0], count[1] };
	struct vs_rng rng;

	vs_rng_seed(&rng, 5);
	*lost = *kept = 0;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct vs_log_tables logs;
		struct vs_query q = { .metric = m,
			.logs = &logs,
			.n_field = (uint64_t)(sizes[s][0] + sizes[s][1]) };

		if (vs_log_tables_new(&logs, m->log, (int64_t)q.n_field))
			exit(4);
		/* values of whole tables take long */
		for (int round = 0; round < (m->whole ? 20 : 300); round++) {
			const int n_cell = round % 3 ? 9 : MOST;
			double value[WIDE], least[2];

			for (int c = 0; c < WIDE; c++) {
				fill(&rng, c, n_cell, sizes[s],
					(int)vs_rng_below(&rng, 4));
				value[c] = vs_strength(vs_metric_strong(m),
					value_of(m, c, n_cell));
			}
			for (int far = 0; far < 2; far++) {
				struct vs_table_bound_terms terms;
				struct vs_table_bound b;
				uint32_t open;

				vs_table_bound_init(&b, &q);
				for (int c = 0; c < WIDE; c++) {
					least[0] = value[c] -
						fabs(value[c]) * 1e-9 - 1e-9;
					least[1] = value[c] +
						2 * fabs(value[c]) + 60;
					terms = vs_table_bound_terms_of(&q,
						sizes[s],
						m->needed(&logs, sizes[s],
							least[far]),
						exact);
					vs_table_bound_set(&b, (size_t)c,
						&terms);
				}
				open = vs_table_bound_look(cpu, &b, at, n_cell);
				*(far ? kept : lost) += far
					? __builtin_popcount(open)
					: WIDE - __builtin_popcount(open);
			}
		}
		vs_log_tables_free(&logs);
	}
}

/* Try each row. A metric whose value is the sum must drop most tables that are
 * far from passing; one that reads whole tables may keep all. */
int
main(void)
{
	const struct vs_metric *m;

	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++)
		for (int x = 0; (m = vs_metric_at(x / 2)); x++) {
			int lost, kept;

			if (m->family != VS_FAMILY_TABLES || m->trait)
				continue;
			judge(m, (enum vs_cpu)cpu, x % 2, &lost, &kept);
			T_OK(lost == 0, "%s, %s, tables that pass: %d left out",
				m->name, vs_cpu_name((enum vs_cpu)cpu), lost);
			T_OK(m->whole || kept < 6 * 300 * WIDE / 8,
				"%s, %s, far from it: %d kept", m->name,
				vs_cpu_name((enum vs_cpu)cpu), kept);
		}
	return t_done();
}
