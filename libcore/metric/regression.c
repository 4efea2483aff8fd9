/* SPDX-License-Identifier: BSD-3-Clause */
/* Effect of one column in a linear or logistic regression, by QR. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/metric/correlation.h"
#include "libcore/metric/elementary.h"
#include "libcore/metric/regression.h"

#define NONE 1e-7      /* of a column's length: less follows from others */
#define EXACT 1e-10    /* of y's length: less is rounding */
#define STEPS 60       /* each adds 1 to log odds that have no bound */
#define CONVERGED 1e-9 /* change of log odds */

/* Scratch: */
struct work {
	double *q; /* columns, then orthogonal and of length 1 */
	double *y; /* of the samples */
	double *step;
	double *r; /* n_column x n_column: columns by the orthogonal ones */
	double *effect;
};

size_t
vs_regression_room(const struct vs_regression_model *m)
{
	const size_t k = (size_t)m->n_column;

	return m->n * (k + 3) + k * (k + 1);
}

static struct work
work_of(const struct vs_regression_model *m, double *room)
{
	const size_t k = (size_t)m->n_column;
	struct work w = { room, room + m->n * k, room + m->n * (k + 1),
		room + m->n * (k + 3), room + m->n * (k + 3) + k * k };

	return w;
}

/* Four sums, which a CPU adds at once. */
static double
dot(const double *a, const double *b, size_t n)
{
	double sum[4] = { 0 };
	size_t q = 0;

	for (; q + 4 <= n; q += 4)
		for (int k = 0; k < 4; k++)
			sum[k] += a[q + (size_t)k] * b[q + (size_t)k];
	for (; q < n; q++)
		sum[0] += a[q] * b[q];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void
add(double *to, double f, const double *from, size_t n)
{
	for (size_t q = 0; q < n; q++)
		to[q] += f * from[q];
}

/* Make the columns orthogonal, each to the ones before; twice, for the rounding
 * of the first time. returns  the rank; -1: a column that is needed has none */
static int
orthogonalize(const struct vs_regression_model *m, struct work *w)
{
	const size_t n = m->n;
	const int k = m->n_column;
	int rank = 0;

	memset(w->r, 0, (size_t)k * (size_t)k * sizeof(*w->r));
	for (int c = 0; c < k; c++) {
		double *at = w->q + (size_t)c * n;
		const double before = sqrt(dot(at, at, n));
		double size;

		for (int b = 0; b < 2 * c; b++) {
			const double *other = w->q + (size_t)(b % c) * n;
			const double f = dot(other, at, n);

			add(at, -f, other, n);
			w->r[b % c * k + c] += f;
		}
		size = sqrt(dot(at, at, n));
		if (!(size > NONE * before)) {
			if (c >= m->n_free)
				return -1;
			size = 0;
		}
		w->r[c * k + c] = size;
		for (size_t q = 0; q < n; q++)
			at[q] = size > 0 ? at[q] / size : 0;
		rank += size > 0;
	}
	return rank;
}

/* Effects of the columns on y, which becomes what they leave of it. */
static void
project(const struct vs_regression_model *m, struct work *w)
{
	const int k = m->n_column;

	for (int c = 0; c < k; c++) {
		const double *at = w->q + (size_t)c * m->n;

		w->effect[c] = dot(at, w->y, m->n);
		add(w->y, -w->effect[c], at, m->n);
	}
	for (int c = k; c-- > 0;) {
		double sum = w->effect[c];

		for (int b = c + 1; b < k; b++)
			sum -= w->r[c * k + b] * w->effect[b];
		w->effect[c] = w->r[c * k + c] > 0 ? sum / w->r[c * k + c] : 0;
	}
}

static struct vs_regression
none(const char *note)
{
	return (struct vs_regression){ NAN, NAN, NAN, note };
}

/* Orthogonal columns of a model with residual degrees of freedom, which *df
 * receives. returns  null, or the note */
static const char *
prepare(const struct vs_regression_model *m, struct work *w, int64_t *df)
{
	const int rank = orthogonalize(m, w);

	*df = (int64_t)m->n - rank;
	return rank < 0 && m->n > (size_t)m->n_column ? "collinear"
		: rank < 0 || *df < 1                 ? "few"
						      : NULL;
}

struct vs_regression
vs_regression_linear(const struct vs_regression_model *m, const double *y,
	double *room)
{
	const int last = m->n_column - 1;
	struct work w = work_of(m, room);
	struct vs_regression out = { 0 };
	double size, left;
	int64_t df;

	memcpy(w.q, m->x, (size_t)m->n_column * m->n * sizeof(*w.q));
	memcpy(w.y, y, m->n * sizeof(*w.y));
	out.note = prepare(m, &w, &df);
	if (out.note)
		return none(out.note);
	size = sqrt(dot(y, y, m->n));
	project(m, &w);
	left = sqrt(dot(w.y, w.y, m->n));
	if (!(left > EXACT * size))
		return none("exact");
	out.effect = w.effect[last];
	out.se = left / sqrt((double)df) / w.r[last * m->n_column + last];
	out.p = vs_correlation_f(out.effect / out.se * (out.effect / out.se), 1,
		(double)df);
	return out;
}

/* Columns and what is left of y, both times the root of the weights. */
static void
weigh(const struct vs_regression_model *m, const double *y, const double *odds,
	struct work *w)
{
	for (size_t q = 0; q < m->n; q++) {
		const double e = vs_elementary_exp(-fabs(odds[q]));
		const double root = sqrt(e) / (1 + e);
		const bool likely = (odds[q] > 0) == (y[q] > 0);
		const double off = (likely ? e : 1) / (1 + e);

		w->y[q] = (y[q] > 0 ? off : -off) / root;
		for (int c = 0; c < m->n_column; c++)
			w->q[(size_t)c * m->n + q] =
				root * m->x[(size_t)c * m->n + q];
	}
}

/* The change of the log odds; returns  the largest */
static double
step_of(const struct vs_regression_model *m, struct work *w)
{
	double most = 0;

	memset(w->step, 0, m->n * sizeof(*w->step));
	for (int c = 0; c < m->n_column; c++)
		add(w->step, w->effect[c], m->x + (size_t)c * m->n, m->n);
	for (size_t q = 0; q < m->n; q++)
		most = fmax(most, fabs(w->step[q]));
	return most;
}

struct vs_regression
vs_regression_logistic(const struct vs_regression_model *m, const double *y,
	double *room)
{
	const int last = m->n_column - 1;
	struct work w = work_of(m, room);
	double *odds = w.step + m->n, effect = 0, se, z;
	int64_t df, first = 0;

	memset(odds, 0, m->n * sizeof(*odds));
	for (int k = 0; k < STEPS; k++) {
		const char *note;
		double most, part;

		weigh(m, y, odds, &w);
		note = prepare(m, &w, &df);
		if (!k && note)
			return none(note);
		first = k ? first : df;
		if (df != first)
			break;
		project(m, &w);
		most = step_of(m, &w);
		/* changes of at most 1 raise the likelihood: no weight then
		 * grows by more than e, and e - 2 < 1 */
		part = most > 1 ? 1 / most : 1;
		add(odds, part, w.step, m->n);
		effect += part * w.effect[last];
		if (!(most <= CONVERGED))
			continue;
		se = 1 / w.r[last * m->n_column + last];
		z = effect / se;
		return (struct vs_regression){ effect, se,
			vs_elementary_erfc_root(z * z / 2), NULL };
	}
	return none("separation");
}
