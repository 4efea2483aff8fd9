/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference implementation of all metrics, from their definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/metric/plain.h"

/* Four tables: repeated increments of one counter would wait for each other. */
void
vs_plain_joint(const uint8_t *i, const uint8_t *j, size_t n_field,
	int64_t joint[4][4])
{
	uint32_t table[4][16] = { 0 };

	for (size_t q = 0; q < n_field; q++)
		table[q % 4][4 * i[q] + j[q]]++;
	for (int x = 0; x < 4; x++)
		for (int y = 0; y < 4; y++)
			joint[x][y] = (int64_t)table[0][4 * x + y] +
				table[1][4 * x + y] + table[2][4 * x + y] +
				table[3][4 * x + y];
}

/* ---- the family of CCC ---- */

/* Copies of an allele, given by its label, in a genotype that is present. */
static int64_t
copies(int ploidy, int label, int genotype)
{
	return label ? genotype : ploidy - genotype;
}

typedef __int128 wide;

static wide
divisor(wide a, wide b)
{
	return b ? divisor(b, a % b) : a;
}

/*
 * multiplier * r / (ploidy^n both) times 1 - gamma s / (ploidy c) of each of n
 * vectors, as one fraction of two exact integers, each rounded once. Constant
 * factors are reduced to lowest terms.
 */
double
vs_plain_value(const struct vs_plain_recipe *how, int n, int64_t r,
	int64_t both, const int64_t *s, const int64_t *c)
{
	wide above = how->mp, below = how->mq, common;

	for (int x = 0; x < n; x++)
		below *= how->gq * how->ploidy * how->ploidy;
	common = divisor(above, below);
	above = above / common * r;
	below = below / common * both;
	for (int x = 0; x < n; x++) {
		above *= how->gq * how->ploidy * c[x] - how->gp * s[x];
		below *= c[x];
	}
	return below > 0 ? (double)above / (double)below : 0;
}

void
vs_plain_alleles(const struct vs_plain_recipe *how, const uint8_t *i,
	const uint8_t *j, size_t n_field, struct vs_plain_pair *out)
{
	int64_t joint[4][4], c[2] = { 0 }, of[2][2] = { { 0 } };

	memset(out, 0, sizeof(*out));
	vs_plain_joint(i, j, n_field, joint);
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 4; y++) {
			c[0] += joint[x][y];
			c[1] += joint[y][x];
			out->nvalid += y < 3 ? joint[x][y] : 0;
			for (int label = 0; label < 2; label++) {
				int64_t k = copies(how->ploidy, label, x);

				of[0][label] += k * joint[x][y];
				of[1][label] += k * joint[y][x];
			}
		}
	for (int cell = 0; cell < 4; cell++) {
		int a = cell / 2, b = cell % 2;
		const int64_t s[2] = { of[0][a], of[1][b] };

		for (int x = 0; x < 3; x++)
			for (int y = 0; y < 3; y++)
				out->num[cell] += joint[x][y] *
					copies(how->ploidy, a, x) *
					copies(how->ploidy, b, y);
		out->value[cell] = vs_plain_value(how, 2, out->num[cell],
			out->nvalid, s, c);
	}
}

void
vs_plain_alleles3(const struct vs_plain_recipe *how, const uint8_t *const v[3],
	size_t n_field, struct vs_plain_triple *out)
{
	int64_t of[3][2] = { { 0 } }, c[3] = { 0 };

	memset(out, 0, sizeof(*out));
	for (size_t f = 0; f < n_field; f++) {
		for (int x = 0; x < 3; x++) {
			if (v[x][f] == 3)
				continue;
			c[x]++;
			for (int a = 0; a < 2; a++)
				of[x][a] += copies(how->ploidy, a, v[x][f]);
		}
		if (v[0][f] == 3 || v[1][f] == 3 || v[2][f] == 3)
			continue;
		out->nvalid++;
		for (int cell = 0; cell < 8; cell++) {
			int64_t r = 1;

			for (int x = 0; x < 3; x++)
				r *= copies(how->ploidy, cell >> (2 - x) & 1,
					v[x][f]);
			out->num[cell] += r;
		}
	}
	for (int cell = 0; cell < 8; cell++) {
		const int64_t s[3] = { of[0][cell >> 2], of[1][cell >> 1 & 1],
			of[2][cell & 1] };

		out->value[cell] = vs_plain_value(how, 3, out->num[cell],
			out->nvalid, s, c);
	}
}

/* ---- numbers ---- */

static double
least_of(enum vs_element element, const void *const *v, int n, size_t field)
{
	double least = vs_element_get(element, v[0], field);

	for (int k = 1; k < n; k++) {
		double x = vs_element_get(element, v[k], field);

		least = x < least ? x : least;
	}
	return least;
}

/*
 * Sum of the minima of n vectors; n = 1: total of a vector. For reals, each run
 * of 128 fields is summed in the vectors' type.
 */
static double
real_sum(enum vs_element element, const void *const *v, int n, size_t n_field)
{
	double sum = 0, run = 0;

	for (size_t q = 0; q < n_field; q++) {
		run += least_of(element, v, n, q);
		if (element == VS_NUM_F32)
			run = (double)(float)run;
		if (q % 128 == 127 || q + 1 == n_field) {
			sum += run;
			run = 0;
		}
	}
	return sum;
}

static uint64_t
whole_sum(enum vs_element element, const void *const *v, int n, size_t n_field)
{
	uint64_t sum = 0;

	for (size_t q = 0; q < n_field; q++)
		sum += (uint64_t)least_of(element, v, n, q);
	return sum;
}

void
vs_plain_ps(enum vs_element element, const void *u, const void *v,
	size_t n_field, int64_t *num, double *value)
{
	const void *const both[2] = { u, v };
	double least, all;

	if (vs_element_is_integer(element)) {
		*num = (int64_t)whole_sum(element, both, 2, n_field);
		all = (double)(whole_sum(element, &u, 1, n_field) +
			whole_sum(element, &v, 1, n_field));
		least = (double)*num;
	} else {
		*num = -1;
		all = real_sum(element, &u, 1, n_field) +
			real_sum(element, &v, 1, n_field);
		least = real_sum(element, both, 2, n_field);
	}
	*value = all > 0 ? (least + least) / all : 0;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
whole3(enum vs_element element, const void *const v[3], size_t n_field,
	int64_t *num)
{
	uint64_t all = 0, pairs = 0;

	for (int k = 0; k < 3; k++) {
		const void *const pair[2] = { v[k], v[(k + 1) % 3] };

		all += whole_sum(element, &v[k], 1, n_field);
		pairs += whole_sum(element, pair, 2, n_field);
	}
	pairs -= whole_sum(element, v, 3, n_field);
	*num = (int64_t)pairs;
	return all ? (double)(3 * pairs) / (double)(2 * all) : 0;
}

void
vs_plain_ps3(enum vs_element element, const void *const v[3], size_t n_field,
	int64_t *num, double *value)
{
	double all[3], pairs[3], below, above;

	if (vs_element_is_integer(element)) {
		*value = whole3(element, v, n_field, num);
		return;
	}
	for (int k = 0; k < 3; k++) {
		const void *const pair[2] = { v[k], v[(k + 1) % 3] };

		all[k] = real_sum(element, &v[k], 1, n_field);
		pairs[k] = real_sum(element, pair, 2, n_field);
	}
	qsort(all, 3, sizeof(double), by_size);
	qsort(pairs, 3, sizeof(double), by_size);
	below = all[0] + all[1] + all[2];
	above = pairs[0] + pairs[1] +
		(pairs[2] - real_sum(element, v, 3, n_field));
	*num = -1;
	*value = below > 0 ? fmin(1, above * 3 / 2 / below) : 0;
}

/* Mean of a vector, mean of the remainder, and the power of two by which the
 * remaining numbers are divided. */
struct centre {
	double mean, rest;
	int power;
	int lift;  /* numbers are first times 2^lift */
	bool same; /* all numbers are the same: each becomes 0 */
};

static double
lifted(enum vs_element element, const struct centre *c, const void *x, size_t q)
{
	return ldexp(vs_element_get(element, x, q), c->lift);
}

/* Sum of the numbers less the mean, over runs of 128, each rounded to f32 if
 * asked. */
static double
sum_about(enum vs_element element, const struct centre *c, const void *x,
	size_t n, bool f32)
{
	double sum = 0, run = 0;

	for (size_t q = 0; q < n; q++) {
		run += lifted(element, c, x, q) - c->mean;
		if (f32)
			run = (double)(float)run;
		if (q % 128 == 127 || q + 1 == n) {
			sum += run;
			run = 0;
		}
	}
	return sum;
}

static struct centre
centre_of(enum vs_element element, bool centred, const void *x, size_t n)
{
	struct centre c = { .same = centred };
	double most = 0, first = vs_element_get(element, x, 0);

	for (size_t q = 0; q < n; q++) {
		c.same = c.same && vs_element_get(element, x, q) == first;
		most = fmax(most, fabs(vs_element_get(element, x, q)));
	}
	c.lift = centred && most < 0x1p-900 ? 600 : 0;
	if (centred) {
		c.mean = sum_about(element, &c, x, n, element == VS_NUM_F32) /
			(double)n;
		c.rest = sum_about(element, &c, x, n, false) / (double)n;
	}
	most = 0;
	for (size_t q = 0; q < n; q++)
		most = fmax(most,
			fabs(lifted(element, &c, x, q) - c.mean - c.rest));
	while (most > 0 && ldexp(most, -c.power) >= 1)
		c.power++;
	while (most > 0 && ldexp(most, -c.power) < 0.5)
		c.power--;
	return c;
}

static double
centred_at(enum vs_element element, const struct centre *c, const void *x,
	size_t q)
{
	double y = lifted(element, c, x, q) - c->mean - c->rest;

	y = c->same ? 0 : ldexp(y, -c->power);
	return element == VS_NUM_F32 ? (double)(float)y : y;
}

static double
real_inner(enum vs_element element, const struct centre *cu, const void *u,
	const struct centre *cv, const void *v, size_t n)
{
	double sum = 0, run = 0;

	for (size_t q = 0; q < n; q++) {
		double a = centred_at(element, cu, u, q);
		double b = centred_at(element, cv, v, q);

		run = element == VS_NUM_F32
			? (double)fmaf((float)a, (float)b, (float)run)
			: fma(a, b, run);
		if (q % 128 == 127 || q + 1 == n) {
			sum += run;
			run = 0;
		}
	}
	return sum;
}

/* Sum of (u - a) (v - b), exact. */
static int64_t
whole_inner(enum vs_element element, const void *u, int64_t a, const void *v,
	int64_t b, size_t n)
{
	int64_t sum = 0;

	for (size_t q = 0; q < n; q++)
		sum += ((int64_t)vs_element_get(element, u, q) - a) *
			((int64_t)vs_element_get(element, v, q) - b);
	return sum;
}

static double
whole_value(enum vs_element element, bool centred, const void *u, const void *v,
	size_t n)
{
	const void *const x[2] = { u, v };
	int64_t mean[2] = { 0, 0 }, sum[2] = { 0, 0 };
	double norm[2], p;

	for (int k = 0; k < 2; k++) {
		sum[k] = (int64_t)whole_sum(element, &x[k], 1, n);
		/* the nearest whole number, a half upwards */
		mean[k] = (2 * sum[k] + (int64_t)n) / (2 * (int64_t)n);
		mean[k] = centred ? mean[k] : 0;
		sum[k] -= (int64_t)n * mean[k];
		sum[k] = centred ? sum[k] : 0;
		norm[k] = (double)whole_inner(element, x[k], mean[k], x[k],
			mean[k], n);
		norm[k] -= (double)sum[k] * (double)sum[k] / (double)n;
	}
	if (!(norm[0] * norm[1] > 0))
		return 0;
	p = (double)whole_inner(element, u, mean[0], v, mean[1], n);
	p -= (double)sum[0] * (double)sum[1] / (double)n;
	return fmax(-1, fmin(1, p / sqrt(norm[0] * norm[1])));
}

double
vs_plain_inner(enum vs_element element, bool centred, const void *u,
	const void *v, size_t n_field)
{
	struct centre cu, cv;
	double qu, qv;

	/* sums of more words would not be exact in a double */
	if (element == VS_NUM_U8 ||
		(element == VS_NUM_U16 && n_field <= 1 << 21))
		return whole_value(element, centred, u, v, n_field);
	cu = centre_of(element, centred, u, n_field);
	cv = centre_of(element, centred, v, n_field);
	qu = real_inner(element, &cu, u, &cu, u, n_field);
	qv = real_inner(element, &cv, v, &cv, v, n_field);
	if (!(qu * qv > 0))
		return 0;
	return fmax(-1,
		fmin(1,
			real_inner(element, &cu, u, &cv, v, n_field) /
				sqrt(qu * qv)));
}

/* Sum of f over the fields present in both, where f is 1 or a product of x and
 * y less their origins, in the order of joint dots. */
static double
joint_sum(const double *const x[2], const double from[2], int a, int b,
	size_t n)
{
	double lane[8] = { 0 };

	for (size_t l = 0; l < 8; l++)
		for (size_t lo = 0; lo < n; lo += 1024) {
			double run = 0;

			for (size_t k = lo + l; k < lo + 1024 && k < n; k += 8)
				if (!isnan(x[0][k]) && !isnan(x[1][k]))
					run += (a < 0 ? 1 : x[a][k] - from[a]) *
						(b < 0 ? 1 : x[b][k] - from[b]);
			lane[l] += run;
		}
	return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
		((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

struct joint {
	double n, s[2], q[2], p;
};

static struct joint
joint_of(const double *const x[2], const double from[2], size_t n)
{
	return (struct joint){ joint_sum(x, from, -1, -1, n),
		{ joint_sum(x, from, 0, -1, n), joint_sum(x, from, 1, -1, n) },
		{ joint_sum(x, from, 0, 0, n), joint_sum(x, from, 1, 1, n) },
		joint_sum(x, from, 0, 1, n) };
}

/* Number k of a vector, scaled by the power of two of its largest absolute
 * value. */
static double *
scaled(enum vs_element element, const void *x, size_t n)
{
	double *y = malloc(n * sizeof(*y)), most = 0;
	int power = 0;

	for (size_t k = 0; k < n && y; k++) {
		y[k] = vs_element_get(element, x, k);
		most = fmax(most, fabs(y[k]));
	}
	while (most > 0 && ldexp(most, -power) >= 1)
		power++;
	while (most > 0 && ldexp(most, -power) < 0.5)
		power--;
	for (size_t k = 0; k < n && y; k++)
		y[k] = ldexp(y[k], -power);
	return y;
}

static double
joint_value(const double *const x[2], bool centred, size_t n, int64_t *n_both)
{
	double from[2] = { 0, 0 }, v[2], d;
	struct joint j;
	size_t k = 0;

	while (k < n && (isnan(x[0][k]) || isnan(x[1][k])))
		k++;
	for (int a = 0; a < 2 && centred && k < n; a++)
		from[a] = x[a][k];
	j = joint_of(x, from, n);
	*n_both = (int64_t)j.n;
	if (!*n_both)
		return 0;
	for (int a = 0; a < 2 && centred; a++)
		if (j.q[a] - j.s[a] * j.s[a] / j.n < j.q[a] / 8) {
			from[0] += j.s[0] / j.n;
			from[1] += j.s[1] / j.n;
			j = joint_of(x, from, n);
			break;
		}
	for (int a = 0; a < 2; a++) {
		j.s[a] = centred ? j.s[a] : 0;
		v[a] = fmax(0, j.q[a] - j.s[a] * j.s[a] / j.n);
	}
	d = v[0] * v[1] > 0x1p-900 ? sqrt(v[0] * v[1])
				   : sqrt(v[0]) * sqrt(v[1]);
	return d > 0 ? fmax(-1, fmin(1, (j.p - j.s[0] * j.s[1] / j.n) / d)) : 0;
}

double
vs_plain_inner_missing(enum vs_element element, bool centred, const void *u,
	const void *v, size_t n_field, int64_t *n_both)
{
	double *x = scaled(element, u, n_field),
	       *y = scaled(element, v, n_field);
	double r = NAN; /* out of memory: NaN matches no value */

	if (x && y)
		r = joint_value((const double *[]){ x, y }, centred, n_field,
			n_both);
	free(x);
	free(y);
	return r;
}

static int
by_number(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Number of n sorted numbers that are below x or, with or_equal, at most x. */
static size_t
n_below(const double *sorted, size_t n, double x, bool or_equal)
{
	size_t lo = 0;

	for (size_t hi = n; lo < hi;) {
		const size_t mid = lo + (hi - lo) / 2;

		if (sorted[mid] < x || (or_equal && sorted[mid] <= x))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void
vs_plain_ranks(enum vs_element element, const void *x, size_t n, double *rank)
{
	double *sorted = malloc((n + 1) * sizeof(*sorted));
	size_t n_there = 0;

	for (size_t q = 0; q < n; q++) {
		rank[q] = vs_element_get(element, x, q);
		if (sorted && !isnan(rank[q]))
			sorted[n_there++] = rank[q];
	}
	if (sorted)
		qsort(sorted, n_there, sizeof(*sorted), by_number);
	/* out of memory: NaN matches no value */
	for (size_t q = 0; q < n; q++)
		rank[q] = !sorted || isnan(rank[q])
			? (double)NAN
			: (double)(1 +
				  n_below(sorted, n_there, rank[q], false) +
				  n_below(sorted, n_there, rank[q], true)) /
				2;
	free(sorted);
}

/* Sum of squared differences over 2^(2 e), in the order of joint dots. */
static double
squares_over(enum vs_element element, const void *u, const void *v, size_t n,
	int e)
{
	double *x = malloc((n + 1) * sizeof(*x)), sum = NAN;
	const double from[2] = { 0, 0 };

	for (size_t k = 0; k < n && x; k++)
		x[k] = ldexp(vs_element_get(element, u, k) -
				vs_element_get(element, v, k),
			-e);
	if (x)
		sum = joint_sum((const double *[]){ x, x }, from, 0, 0, n);
	free(x);
	return sum;
}

double
vs_plain_distance(enum vs_element element, const void *u, const void *v,
	size_t n_field)
{
	double sum = squares_over(element, u, v, n_field, 0), most = 0;
	int e = 0;

	if (sum >= 0x1p-900 && sum <= 0x1p900)
		return sqrt(sum);
	for (size_t k = 0; k < n_field; k++)
		most = fmax(most,
			fabs(vs_element_get(element, u, k) -
				vs_element_get(element, v, k)));
	while (most > 0 && ldexp(most, -e) >= 1)
		e++;
	while (most > 0 && ldexp(most, -e) < 0.5)
		e--;
	return ldexp(sqrt(squares_over(element, u, v, n_field, e)), e);
}
