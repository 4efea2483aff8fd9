/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a data set from genotype counts. */
#include <string.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/prune/dataset_stats.h"
#include "libcore/plan/comm.h"

/*
 * A file counts as sorted if this share of the variance of frequencies is
 * between its parts; in genome order it is close to nothing. In a sorted file
 * costly tiles are adjacent, and this many rounds are needed to share them to
 * within 10 %.
 */
#define SORTED 0.25
#define ROUNDS 16
#define MOST_ROUNDS 64

#define UNIT 2147483648.0 /* unit of shares */

void
vs_dataset_stats_begin(struct vs_dataset_stats *s, struct vs_query *q,
	uint64_t n_vec, uint64_t *dead)
{
	memset(s, 0, sizeof(*s));
	s->dead = dead;
	s->q = q;
	s->n_vec = n_vec;
	q->has_missing = false;
	q->least_present = (int64_t)q->n_field;
}

/* Whether the vector can pass with any other one. */
static bool
may_pass(const struct vs_query *q, const int64_t count[4])
{
	int32_t sum = (int32_t)(count[1] + 2 * count[2]);
	int32_t present = (int32_t)(count[0] + count[1] + count[2]);
	int32_t two = (int32_t)count[2];
	struct vs_panel one = { .sum = &sum, .present = &present, .two = &two };

	return vs_block_bound_passes(q, &one, 0);
}

void
vs_dataset_stats_dead(const struct vs_query *q, const int64_t (*count)[4],
	uint64_t lo, uint64_t hi, uint64_t *dead)
{
	if (!vs_query_is_bounded(q) ||
		vs_query_without(q, VS_WITHOUT_SINGLE_VECTOR))
		return;
	for (uint64_t v = lo; v < hi; v++) {
		const uint64_t bit = (uint64_t)1 << v % 64;

		dead[v / 64] &= ~bit;
		dead[v / 64] |= may_pass(q, count[v - lo]) ? 0 : bit;
	}
}

static uint64_t
units(double share)
{
	return (uint64_t)(share * UNIT + 0.5);
}

/* A vector that may pass. */
static void
take_living(struct vs_dataset_stats *s, const int64_t count[4])
{
	double n_field = (double)s->q->n_field;
	int64_t c = count[0] + count[1] + count[2];
	int64_t sum = count[1] + 2 * count[2];
	double rare = c ? (double)(sum < 2 * c - sum ? sum : 2 * c - sum) /
			(double)(2 * c)
			: 0;

	s->sums.alive++;
	s->sums.squares += units(rare * rare);
	s->sums.part[s->at * VS_DATASET_STATS_PARTS / s->n_vec] += units(rare);
	for (int label = 0; label < 2; label++) {
		int64_t none = count[label ? 0 : 2] + count[3];
		int64_t two = count[label ? 2 : 0];

		s->sums.listed[label] += units(1 -
			(double)vs_max_i64(none, vs_max_i64(count[1], two)) /
				n_field);
	}
}

void
vs_dataset_stats_take(struct vs_dataset_stats *s, const int64_t (*count)[4],
	size_t n)
{
	struct vs_query *q = s->q, whole = *q;

	/* as if no vector missed a call */
	whole.least_present = (int64_t)q->n_field;
	vs_dataset_stats_dead(&whole, count, s->at, s->at + n, s->dead);
	for (size_t k = 0; k < n; k++, s->at++) {
		int64_t c = (int64_t)q->n_field - count[k][3];

		q->has_missing |= count[k][3] > 0;
		if (c > 0 && c < q->least_present)
			q->least_present = c;
		s->sums.balance += (uint64_t)(count[k][2] - count[k][0]);
		if (!(s->dead[s->at / 64] >> s->at % 64 & 1))
			take_living(s, count[k]);
	}
}

/* The share of the variance, over all vectors with dead ones as 0, that is
 * between the parts. */
static double
sortedness(const struct vs_dataset_stats *s)
{
	double all = 0, between = 0,
	       n = (double)s->n_vec / VS_DATASET_STATS_PARTS,
	       squares = (double)s->sums.squares / UNIT;

	for (int k = 0; k < VS_DATASET_STATS_PARTS; k++) {
		double part = (double)s->sums.part[k] / UNIT;

		all += part;
		between += part * part / n;
	}
	all *= all / (double)s->n_vec;
	return squares > all ? (between - all) / (squares - all) : 0;
}

void
vs_dataset_stats_share(struct vs_dataset_stats *s)
{
	struct vs_query *q = s->q;
	double most[2] = { q->has_missing, -(double)q->least_present };

	vs_comm_sum_u64((uint64_t *)&s->sums,
		(int)(sizeof(s->sums) / sizeof(uint64_t)));
	vs_comm_max_f64(most, 2);
	q->has_missing = most[0] > 0;
	q->least_present = (int64_t)-most[1];
}

void
vs_dataset_stats_end(struct vs_dataset_stats *s)
{
	struct vs_query *q = s->q;

	/* vectors with fewer fields are in no wanted combination */
	if (q->least_present < q->min_joint)
		q->least_present = q->min_joint;
	q->lead = (int64_t)s->sums.balance > 0;
	q->listed = 0;
	q->rounds = 0;
	if (!s->sums.alive)
		return;
	q->listed =
		(double)s->sums.listed[q->lead] / UNIT / (double)s->sums.alive;
	/* with few vectors, some parts differ by chance */
	if (vs_query_is_bounded(q) && s->n_vec >= 16 * VS_DATASET_STATS_PARTS &&
		sortedness(s) > SORTED)
		q->rounds = vs_dataset_stats_rounds(s->n_vec, s->sums.alive);
}

/* rounds of blocks without a living vector cost nothing */
int
vs_dataset_stats_rounds(uint64_t n_vec, uint64_t alive)
{
	const double rounds =
		alive ? ROUNDS * (double)n_vec / (double)alive : 0;

	return (int)(rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS);
}
