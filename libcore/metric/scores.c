/* SPDX-License-Identifier: BSD-3-Clause */
/* All scores of one contingency table, and random tables with its margins. */
#include "libcore/metric/scores.h"
#include "libcore/base/rng.h"
#include "libcore/metric/elementary.h"
#include "libcore/metric/interaction.h"
#include "libcore/metric/purity.h"

/* Probability that chi-square with df degrees of freedom is at least x; 1 if df
 * is 0. Abramowitz and Stegun, 26.4.4 and 26.4.5. */
static double
chi_square_tail(double x, int df)
{
	const double half = x / 2;
	double term, sum = 0, p;

	if (df < 1 || !(x > 0))
		return 1;
	/* terms half^k / k! from k = 0, or half^(k - 1/2) / gamma(k + 1/2) */
	term = (df % 2 ? 2 * sqrt(half / M_PI) : 1) * vs_elementary_exp(-half);
	for (int k = df % 2 ? 3 : 2; k <= df; k += 2) {
		sum += term;
		term *= half / (k / 2.0);
	}
	p = sum + (df % 2 ? vs_elementary_erfc_root(half) : 0);
	return p < 1 ? p : 1;
}

static int
cells_of(const struct vs_scores *s)
{
	return s->n_way == 3 ? 27 : 9;
}

/* Sum of the entries for a table with n_i samples per cell, n_i1 of them
 * cases. */
static int64_t
entries(const struct vs_log_tables *t, int64_t n, int64_t cases)
{
	return t->one[n - cases] + t->one[cases] - t->both[n];
}

static struct vs_association
associate(const struct vs_scores *s, const struct vs_log_tables *t)
{
	struct vs_association a = { 0 };

	for (int x = 0; x < cells_of(s); x++) {
		a.n[0] += s->cell[x][0];
		a.n[1] += s->cell[x][1];
		a.sum += entries(t, s->cell[x][0] + s->cell[x][1],
			s->cell[x][1]);
	}
	return a;
}

void
vs_scores_set(struct vs_scores *s, const struct vs_log_tables *logs, bool fit)
{
	const struct vs_association k = associate(s, &logs[VS_LOG_FACTORIAL]);
	const struct vs_association l = associate(s, &logs[VS_LOG_ENTROPY]);
	const int64_t(*const cell)[2] = (const int64_t(*)[2])s->cell;

	s->k2 = vs_k2_value(&logs[VS_LOG_FACTORIAL], &k);
	s->lbf = vs_lbf_value(&logs[VS_LOG_FACTORIAL], &k);
	s->mi = vs_mi_value(&logs[VS_LOG_ENTROPY], &l);
	s->g = vs_g_value(&logs[VS_LOG_ENTROPY], &l);
	s->df = 0;
	for (int x = 0; x < cells_of(s); x++)
		s->df += s->cell[x][0] + s->cell[x][1] > 0;
	s->df = s->df && l.n[0] && l.n[1] ? s->df - 1 : 0;
	s->p = chi_square_tail(s->g, s->df);
	s->alpha = vs_purity_alpha(cell, s->n_way, -1);
	s->beta = vs_purity_beta(cell, s->n_way, -1);
	if (!fit)
		return;
	s->inter = vs_interaction_value(cell, s->n_way, -1);
	s->inter_df = vs_interaction_df(cell, s->n_way);
	s->inter_p = chi_square_tail(s->inter, s->inter_df);
}

/* ---- random tables ---- */

/*
 * Hypergeometric draw: the number of cases among `some` of n samples, `cases`
 * of which are cases, by inversion of the distribution from the mode outwards.
 */
static int64_t
draw(struct vs_rng *rng, const struct vs_log_tables *t, int64_t n,
	int64_t cases, int64_t some)
{
	const int64_t lo = some + cases > n ? some + cases - n : 0;
	const int64_t hi = some < cases ? some : cases;
	const int64_t mode = (int64_t)((double)(some + 1) *
		(double)(cases + 1) / (double)(n + 2));
	const int64_t most_likely = mode < lo ? lo : mode > hi ? hi : mode;
	int64_t up = most_likely, down = up;
	double u = (double)(vs_rng_next(rng) >> 11) * 0x1p-53;
	const int64_t *ln = t->one;
	double p_up, p_down;

	p_up = vs_elementary_exp(
		(double)(ln[cases] - ln[up] - ln[cases - up] + ln[n - cases] -
			ln[some - up] - ln[n - cases - some + up] -
			(ln[n] - ln[some] - ln[n - some])) *
		t->unit);
	p_down = p_up;
	u -= p_up;
	while (u > 0 && (up < hi || down > lo)) {
		if (up < hi) {
			p_up *= (double)(cases - up) * (double)(some - up) /
				((double)(up + 1) *
					(double)(n - cases - some + up + 1));
			up++;
			u -= p_up;
			if (u <= 0)
				return up;
		}
		if (down > lo) {
			p_down *= (double)down *
				(double)(n - cases - some + down) /
				((double)(cases - down + 1) *
					(double)(some - down + 1));
			down--;
			u -= p_down;
			if (u <= 0)
				return down;
		}
	}
	return most_likely;
}

double
vs_scores_permute(const struct vs_scores *s, const struct vs_log_tables *logs,
	int64_t n, uint64_t seed)
{
	const struct vs_log_tables *t = &logs[VS_LOG_ENTROPY];
	const struct vs_association a = associate(s, t);
	const struct vs_log_tables *f = &logs[VS_LOG_FACTORIAL];
	struct vs_rng rng;
	int64_t as_strong = 1;

	vs_rng_seed(&rng, seed);
	for (int64_t k = 0; k < n; k++) {
		int64_t left = a.n[0] + a.n[1], cases = a.n[1], sum = 0;

		for (int x = 0; x < cells_of(s); x++) {
			const int64_t some = s->cell[x][0] + s->cell[x][1];
			const int64_t of = draw(&rng, f, left, cases, some);

			sum += entries(t, some, of);
			left -= some;
			cases -= of;
		}
		as_strong += sum >= a.sum;
	}
	return (double)as_strong / (double)(n + 1);
}
