/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of contingency tables, each row of the table: the same bits for any
 * order of vectors and genotypes, the plain definition, bounded; and pure
 * interaction is 0 where there is none. */
#include <math.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/metric/elementary.h"
#include "libcore/metric/interaction.h"
#include "libcore/metric/metric.h"
#include "tests/unit/test.h"

typedef int64_t cells[27][2];

static int
n_cell(int n_way)
{
	return n_way == 3 ? 27 : 9;
}

static void
fill(struct vs_rng *rng, cells c, int n_way, uint64_t most, uint64_t least)
{
	memset(c, 0, sizeof(cells));
	for (int x = 0; x < n_cell(n_way); x++)
		for (int k = 0; k < 2; k++)
			c[x][k] = (int64_t)(least + vs_rng_below(rng, most));
}

/* Exchange two vectors, or two genotypes of one. */
static void
exchange(struct vs_rng *rng, cells c, int n_way)
{
	const int a = (int)vs_rng_below(rng, (uint64_t)n_way);
	const int b = (int)vs_rng_below(rng, (uint64_t)n_way);
	const int g = (int)vs_rng_below(rng, 3), h = (int)vs_rng_below(rng, 3);
	cells from;

	memcpy(from, c, sizeof(from));
	for (int x = 0; x < n_cell(n_way); x++) {
		int at[3] = { 0 }, t, to = 0;

		for (int k = n_way - 1, left = x; k >= 0; k--, left /= 3)
			at[k] = left % 3;
		t = at[a];
		at[a] = at[b];
		at[b] = t;
		at[a] = at[a] == g ? h : at[a] == h ? g : at[a];
		for (int k = 0; k < n_way; k++)
			to = 3 * to + at[k];
		memcpy(c[to], from[x], sizeof(from[x]));
	}
}

static double
value_of(const struct vs_metric *m, const struct vs_log_tables *t, cells own,
	int n_way, double least)
{
	struct vs_association a = { 0 };

	if (m->whole)
		return m->whole((const int64_t(*)[2])own, n_way, least);
	for (int x = 0; x < n_cell(n_way); x++) {
		for (int k = 0; k < 2; k++) {
			a.n[k] += own[x][k];
			a.sum += t->one[own[x][k]];
		}
		a.sum -= t->both[own[x][0] + own[x][1]];
	}
	return m->score(t, &a);
}

static void
try_random(const struct vs_metric *m, struct vs_rng *rng, int n_way,
	uint64_t most, uint64_t least)
{
	int moved = 0, off = 0, over = 0, early = 0;
	struct vs_log_tables t;

	if (vs_log_tables_new(&t, m->log, 60000))
		exit(4);
	for (int round = 0; round < 60; round++) {
		double value, plain, room, strong;
		cells own;

		fill(rng, own, n_way, most, least);
		value = value_of(m, &t, own, n_way, -1);
		plain = m->plain_table((const int64_t(*)[2])own, n_cell(n_way));
		room = 1e-9 * (1 + fabs(plain));
		off += fabs(value - plain) >
			(least ? room
			       : fmax(m->plain_above, 1e-9) * room / 1e-9);
		off += value > plain + room || value < m->lowest - room ||
			value > m->highest;
		over += m->most &&
			value > m->most(&t, (const int64_t(*)[2])own, n_way,
					-1);
		strong = value * 0.999;
		early += value_of(m, &t, own, n_way, value) > value;
		early += value > 0 &&
			value_of(m, &t, own, n_way, strong) != value;
		for (int k = 0; k < 20; k++) {
			exchange(rng, own, n_way);
			moved += value_of(m, &t, own, n_way, -1) != value;
		}
	}
	vs_log_tables_free(&t);
	T_OK(!moved, "%s, %d vectors, up to %d: the same in any order", m->name,
		n_way, (int)most);
	T_OK(!off, "%s, %d vectors, up to %d: as plainly, %d not", m->name,
		n_way, (int)most, off);
	T_OK(!over, "%s, %d vectors, up to %d: no more than the bound", m->name,
		n_way, (int)most);
	T_OK(!early, "%s, %d vectors, up to %d: a value asked for", m->name,
		n_way, (int)most);
}

static void
try_rows(struct vs_rng *rng)
{
	const struct vs_metric *m;

	for (int k = 0; (m = vs_metric_at(k)); k++)
		for (int n_way = 2; n_way < 4; n_way++) {
			if (m->family != VS_FAMILY_TABLES || m->trait)
				continue;
			try_random(m, rng, n_way, 1000, 1);
			try_random(m, rng, n_way, 30, 1);
			try_random(m, rng, n_way, 3, 0);
		}
}

/* Equal genotypes and vectors, which no sum distinguishes. */
static void
try_equal(struct vs_rng *rng)
{
	int moved = 0;

	for (int round = 0; round < 200; round++) {
		const int n_way = 2 + round % 2;
		cells c;
		double value;

		fill(rng, c, n_way, 2, 1);
		value = vs_interaction_value((const int64_t(*)[2])c, n_way, -1);
		for (int k = 0; k < 10; k++) {
			exchange(rng, c, n_way);
			moved += vs_interaction_value((const int64_t(*)[2])c,
					 n_way, -1) != value;
		}
	}
	T_OK(!moved, "equal genotypes: the same in any order");
}

/* A pair of two genotypes each, cases by exclusive or alone: of 4 a samples
 * the status says one bit more than the model knows. */
static void
try_closed(void)
{
	cells c = { { 0 } };
	double value;

	c[0][0] = c[4][0] = c[1][1] = c[3][1] = 50;
	value = vs_interaction_value((const int64_t(*)[2])c, 2, -1);
	T_OK(fabs(value - 2 * 200 * log(2)) < 1e-9, "exclusive or: %.12g",
		value);
	T_OK(vs_interaction_df((const int64_t(*)[2])c, 2) == 1, "1 d.f.");
	c[0][0] = c[0][1] = c[1][0] = c[1][1] = 10;
	c[3][0] = c[4][0] = 10;
	c[3][1] = c[4][1] = 30;
	value = vs_interaction_value((const int64_t(*)[2])c, 2, -1);
	T_OK(value >= 0 && value < 1e-9, "one vector alone: %g", value);
}

static void
try_elementary(void)
{
	double worst = 0;

	for (int k = 0; k < 200000; k++) {
		const double x = -600 + 1200.0 * k / 2e5 + 1e-6 * k;
		const double y = ldexp(1 + k / 2e5, k % 90 - 45);
		const long double e = expl(x), l = logl(y);

		worst = fmax(worst,
			(double)fabsl((vs_elementary_exp(x) - e) / e));
		worst = fmax(worst,
			(double)fabsl((vs_elementary_ln(y) - l) /
				(fabsl(l) > 0 ? l : 1)));
	}
	T_OK(worst < 4 * 0x1p-53, "exp and ln: %g off", worst);
	worst = 0;
	for (double x = 1e-9; x < 650; x *= 1.001) {
		const long double p = erfcl(sqrtl(x));

		worst = fmax(worst,
			(double)fabsl((vs_elementary_erfc_root(x) - p) / p));
	}
	T_OK(worst < 1e-14, "erfc: %g off", worst);
	T_OK(vs_elementary_erfc_root(0) == 1, "erfc: 1 at 0");
	T_OK(vs_elementary_exp(-800) == 0, "exp: 0 where no double is near");
}

int
main(void)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 11);
	try_rows(&rng);
	try_equal(&rng);
	try_closed();
	try_elementary();
	return T_DONE();
}
