/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filter of sums of products: by the product alone, and by all sums of a pair,
 * no pair is lost that passes by the plain definition, at thresholds that some
 * pair just passes, with calls missing by chance, by whole vectors and where
 * another vector has its copies; on every step of the CPU. It leaves few pairs
 * of which nothing is missing that do not pass, and by all sums few of others.
 * Sums of first fields lose none either, and 5/8 of them leave few.
 */
#include "libcore/engine/prune/moment_filter.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/sums.h"
#include "tests/unit/test.h"
#include "tests/unit/vectors.h"

#define N_VEC 120
#define COLS 128

/* Sums of all pairs of places. */
static struct {
	int32_t p[N_VEC * COLS], lost[3][N_VEC * COLS];
	int32_t first[VS_FIRSTS][N_VEC * COLS];
	double value[N_VEC][N_VEC];
	int64_t joint[N_VEC][N_VEC];
} w;

/* Some vectors miss calls where another has copies, some where it has none. */
static void
hide(struct vectors *d, struct vs_rng *r)
{
	for (size_t v = 2; v < d->n_vec; v++)
		for (size_t f = 0; f < d->n_field && v % 5 == 4; f++) {
			const uint8_t other = d->g[(v - 2) * d->n_field + f];

			if (other < 3 && !other == (v % 10 == 9) &&
				vs_rng_below(r, 3))
				d->g[v * d->n_field + f] = 3;
		}
}

static void
count(const struct vectors *d)
{
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = 0; j < d->n_vec; j++) {
			const uint8_t *a = vectors_at(d, i);
			const uint8_t *b = vectors_at(d, j);
			const size_t at = i * COLS + j;
			int32_t lost[3];

			sums_lost(a, b, d->n_field, 1, lost, &w.p[at]);
			for (int k = 0; k < 3; k++)
				w.lost[k][at] = lost[k];
			for (int k = 0; k < VS_FIRSTS; k++)
				sums_lost(a, b, vs_first_fields(d->n_field, k),
					1, lost, &w.first[k][at]);
			w.value[i][j] = moment_plain(d->q.metric, a, b,
				d->n_field, &w.joint[i][j]);
		}
}

struct outcome {
	size_t n_pair, n_pass, left, left_row;
	int lost;
};

/* Columns that the row filter leaves, as bits. */
static void
filter_row(const struct vs_moment_filter *f, const struct vectors *d, size_t i,
	bool left[COLS])
{
	const struct vs_joint_sums sums = { w.p + i * COLS,
		{ w.lost[0] + i * COLS, w.lost[1] + i * COLS,
			w.lost[2] + i * COLS },
		COLS };
	uint16_t column[COLS];
	size_t n = vs_moment_filter_row(f, &d->q, &d->panel, i, i, &sums, 1,
		d->n_vec, column);

	memset(left, 0, COLS * sizeof(*left));
	for (size_t k = 0; k < n; k++)
		left[column[k]] = true;
}

static void
look(const struct vs_moment_filter *f, const struct vectors *d,
	struct outcome *x)
{
	for (size_t i = 0; i < d->n_vec; i++) {
		bool left[COLS];

		filter_row(f, d, i, left);
		x->lost += left[0];
		for (size_t j = 1; j < d->n_vec; j++) {
			const bool bit =
				f->hit[i * f->n_word + j / 64] >> (j % 64) & 1;
			const bool pass = w.value[i][j] > d->q.threshold &&
				w.joint[i][j] > 0;

			/* a dead vector is never asked for */
			if (d->panel.dead[i] || d->panel.dead[j])
				continue;
			x->n_pair++;
			x->n_pass += pass;
			x->left += bit;
			x->left_row += left[j];
			x->lost += pass && !(bit && left[j]);
		}
	}
}

static void
try_threshold(struct vectors *d, struct vs_moment_filter *f, double threshold,
	bool firsts, struct outcome *x)
{
	static int round;
	const bool some = firsts && round % 3;
	const int first = some ? round / 3 % VS_FIRSTS : VS_FIRSTS;

	d->q.threshold = threshold;
	d->q.cpu = (enum vs_cpu)(round++ % ((int)vs_cpu_best() + 1));
	vs_moment_filter_cols(f, &d->q, &d->panel, 0, d->n_vec);
	memset(f->hit, 0x5a, N_VEC * f->n_word * sizeof(*f->hit));
	vs_moment_filter_look(f, &d->q, &d->panel, 0, d->n_vec, first,
		some ? w.first[first] : w.p, COLS, 0, d->n_vec);
	look(f, d, x);
}

/* Most of the fields leave few pairs. */
static void
try_most_fields(struct vectors *d, struct vs_moment_filter *f)
{
	const int first = VS_FIRSTS - 1;
	struct outcome x = { 0 };
	size_t left;

	d->q.threshold = .5;
	vs_moment_filter_cols(f, &d->q, &d->panel, 0, d->n_vec);
	left = vs_moment_filter_look(f, &d->q, &d->panel, 0, d->n_vec, first,
		w.first[first], COLS, 0, d->n_vec);
	look(f, d, &x);
	T_OK(!x.lost &&
			(!d->q.metric->centred || d->missing ||
				left <= x.n_pass + x.n_pair / 20),
		"%s, %zu of %zu fields: %zu of %zu pairs pass, %zu are left",
		d->q.metric->name, vs_first_fields(d->n_field, first),
		d->n_field, x.n_pass, x.n_pair, left);
}

static int
rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Thresholds at values that some pairs have, from common ones to the most. */
static void
try_metric(struct vectors *d, struct vs_moment_filter *f,
	const struct vs_metric *metric)
{
	static const double share[] = { .8, .9, .97, .99, .995, .999 };
	static double value[N_VEC * N_VEC];
	struct outcome x = { 0 }, high = { 0 };
	const bool firsts = d->n_field >= VS_FIRSTS_LEAST;
	size_t n = 0;
	bool few;

	d->q.metric = metric;
	count(d);
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = 0; j < i; j++)
			if (w.value[i][j] > 0)
				value[n++] = w.value[i][j];
	qsort(value, n, sizeof(*value), rising);
	for (size_t k = 0; k < sizeof(share) / sizeof(*share) && n; k++)
		for (int step = -1; step < 2; step++) {
			double t = value[(size_t)(share[k] * (double)(n - 1))];

			t = step ? nextafter(t, 2 * step) : t;
			if (t >= 0 && vs_metric_least(metric, t) >= 0)
				try_threshold(d, f, t, firsts, &x);
		}
	if (vs_metric_least(metric, .5) >= 0)
		try_threshold(d, f, .5, false, &high);
	/* the others' bounds are loose */
	few = !metric->centred ||
		((d->missing || high.left <= high.n_pass + high.n_pair / 20) &&
			high.left_row <= high.n_pass + high.n_pair / 8);
	T_OK(!x.lost && !high.lost && x.n_pass && few,
		"%s, %zu fields, %u missing: %zu of %zu pairs pass, %d lost; "
		"at .5 %zu of %zu, %zu and %zu left",
		metric->name, d->n_field, d->missing, x.n_pass, x.n_pair,
		x.lost + high.lost, high.n_pass, high.n_pair, high.left,
		high.left_row);
	if (firsts)
		try_most_fields(d, f);
}

static void
try(size_t n_field, unsigned missing)
{
	struct vs_layout l = { 0 };
	struct vs_moment_filter f;
	struct vectors d;
	struct vs_rng r;

	vs_rng_seed(&r, n_field);
	vectors_make(&d, N_VEC, n_field, missing, false, n_field + missing);
	if (missing)
		hide(&d, &r);
	d.q.alleles = NULL;
	d.q.metric = bounded_row(0);
	vectors_panel(&d);
	vs_panel_count_first(&d.panel, 1, 1);
	vs_moment_filter_lay_out(&f, N_VEC, COLS, true, &l);
	l = (struct vs_layout){ .at = aligned_alloc(64, l.used) };
	if (!l.at)
		exit(4);
	vs_moment_filter_lay_out(&f, N_VEC, COLS, true, &l);
	for (int k = 0; k < bounded_rows(); k++)
		try_metric(&d, &f, bounded_row((uint64_t)k));
	free(l.at);
	vectors_free(&d);
}

/*
 * A vector whose copies are more than floats can hold exactly, with one that
 * shares two of them: the cosine of the pair is 1.
 */
static void
try_many(void)
{
	enum { N = (1 << 24) - 1, S = (1 << 24) + 3 };
	static int32_t p[COLS] = { 0, 2 }, lost[3][COLS] = { { 0, S - 2 } };
	int32_t sum[] = { S, 2 }, present[] = { N, 2 }, two[] = { S - N, 0 };
	struct vs_panel panel = { .sum = sum, .present = present, .two = two };
	struct vs_query q = { .metric = vs_metric_find("cosine"),
		.n_field = N,
		.threshold = .9,
		.has_missing = true };
	const struct vs_joint_sums sums = { p, { lost[0], lost[1], lost[2] },
		COLS };
	struct vs_layout l = { 0 };
	struct vs_moment_filter f;
	uint16_t column[COLS];
	size_t n;

	vs_moment_filter_lay_out(&f, 1, COLS, false, &l);
	l = (struct vs_layout){ .at = aligned_alloc(64, l.used) };
	if (!l.at)
		exit(4);
	vs_moment_filter_lay_out(&f, 1, COLS, false, &l);
	vs_moment_filter_cols(&f, &q, &panel, 0, 2);
	f.hit[0] = 2;
	n = vs_moment_filter_row(&f, &q, &panel, 0, 0, &sums, 1, 2, column);
	T_OK(n == 1, "a pair that shares 2 of %d copies is kept", S);
	free(l.at);
}

int
main(void)
{
	try_many();
	try(60, 0);
	try(300, 0);
	try(1000, 0);
	try(60, 30);
	try(427, 35);
	try(427, 200);
	try(1000, 10);
	try(2100, 0);
	try(1600, 20);
	return T_DONE();
}
