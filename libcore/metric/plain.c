/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "libcore/metric/plain.h"

/*
 * joint[x][y]: fields where i has genotype x and j genotype y. Four tables,
 * because one counter hit twice in a row would wait for itself.
 */
static void
count_joint(const uint8_t *i, const uint8_t *j, size_t n_field,
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

/* Copies of the allele labelled label in a genotype that is present. */
static int64_t
copies(int label, int genotype)
{
	return label ? genotype : 2 - genotype;
}

/* What is known of one vector alone, over all fields where it is present. */
struct margin {
	int64_t present, ones;
};

/* 3 c (1 - 2/3 f(label)), an integer: 3 c - s for label 1, c + s for 0. */
static int64_t
weight(const struct margin *m, int label)
{
	int64_t copies_of_label = label ? m->ones : 2 * m->present - m->ones;

	return 3 * m->present - copies_of_label;
}

/*
 * 9/2 * r / (4 c_ij) * A_i / (3 c_i) * A_j / (3 c_j), each product with two
 * exact factors, so that it is rounded once whatever the order of i and j.
 */
static double
value(int64_t r, int64_t a_i, int64_t a_j, int64_t c_ij, int64_t c_i,
	int64_t c_j)
{
	double above = (double)(r * a_i) * (double)a_j;
	double below = (double)(8 * c_ij * c_i) * (double)c_j;

	return below > 0 ? above / below : 0;
}

void
vs_plain_ccc(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_pair *out)
{
	struct margin m_i = { 0 }, m_j = { 0 };
	int64_t joint[4][4];

	memset(out, 0, sizeof(*out));
	count_joint(i, j, n_field, joint);
	for (int x = 0; x < 4; x++)
		for (int y = 0; y < 4; y++) {
			m_i.present += x < 3 ? joint[x][y] : 0;
			m_i.ones += x < 3 ? x * joint[x][y] : 0;
			m_j.present += y < 3 ? joint[x][y] : 0;
			m_j.ones += y < 3 ? y * joint[x][y] : 0;
			out->nvalid += x < 3 && y < 3 ? joint[x][y] : 0;
		}
	for (int cell = 0; cell < 4; cell++) {
		int a = cell / 2, b = cell % 2;

		for (int x = 0; x < 3; x++)
			for (int y = 0; y < 3; y++)
				out->num[cell] += joint[x][y] * copies(a, x) *
					copies(b, y);
		out->value[cell] = value(out->num[cell], weight(&m_i, a),
			weight(&m_j, b), out->nvalid, m_i.present, m_j.present);
	}
}

/* 4 r / c_ij * (3 c_i - 2 s_i) / (3 c_i) * (3 c_j - 2 s_j) / (3 c_j) */
void
vs_plain_duo(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_pair *out)
{
	int64_t joint[4][4], has_i[2] = { 0 }, has_j[2] = { 0 };
	int64_t c_i, c_j;

	memset(out, 0, sizeof(*out));
	count_joint(i, j, n_field, joint);
	for (int x = 0; x < 2; x++)
		for (int y = 0; y < 4; y++) {
			has_i[x] += joint[x][y];
			has_j[x] += joint[y][x];
			out->nvalid += y < 2 ? joint[x][y] : 0;
		}
	c_i = has_i[0] + has_i[1];
	c_j = has_j[0] + has_j[1];
	for (int cell = 0; cell < 4; cell++) {
		int a = cell / 2, b = cell % 2;
		int64_t a_i = 3 * c_i - 2 * has_i[a];
		int64_t a_j = 3 * c_j - 2 * has_j[b];
		double above, below;

		out->num[cell] = joint[a][b];
		above = (double)(4 * joint[a][b] * a_i) * (double)a_j;
		below = (double)(9 * out->nvalid * c_i) * (double)c_j;
		out->value[cell] = below > 0 ? above / below : 0;
	}
}

/* ---- triples ---- */

/*
 * above / below, once rounded each: two factors that are exact in a double,
 * the first of a cell's sum and one vector, the second of the two others.
 */
static double
quotient3(const int64_t above[4], const int64_t below[4])
{
	double n =
		(double)(above[0] * above[1]) * (double)(above[2] * above[3]);
	double d =
		(double)(below[0] * below[1]) * (double)(below[2] * below[3]);

	return d > 0 ? n / d : 0;
}

/*
 * most copies of the two alleles in a field: 2 of genotypes, 1 of entries.
 * p / q f_ijk times 1 - 2/3 f of each, with f = copies / (most c).
 */
static void
plain3(const uint8_t *const v[3], size_t n_field, int most, int64_t p,
	int64_t q, struct vs_plain_triple *out)
{
	int64_t copies_of[3][2] = { { 0 } }, c[3] = { 0 };

	memset(out, 0, sizeof(*out));
	for (size_t f = 0; f < n_field; f++) {
		for (int x = 0; x < 3; x++)
			if (v[x][f] < 3) {
				c[x]++;
				copies_of[x][1] += v[x][f];
				copies_of[x][0] += most - v[x][f];
			}
		if (v[0][f] == 3 || v[1][f] == 3 || v[2][f] == 3)
			continue;
		out->nvalid++;
		for (int cell = 0; cell < 8; cell++) {
			int r = 1;

			for (int x = 0; x < 3; x++)
				r *= cell >> (2 - x) & 1 ? v[x][f]
							 : most - v[x][f];
			out->num[cell] += r;
		}
	}
	for (int cell = 0; cell < 8; cell++) {
		int64_t above[4] = { p * out->num[cell] };
		int64_t below[4] = { q * most * most * most * out->nvalid };

		for (int x = 0; x < 3; x++) {
			int label = cell >> (2 - x) & 1;

			above[1 + x] =
				3 * most * c[x] - 2 * copies_of[x][label];
			below[1 + x] = 3 * most * c[x];
		}
		out->value[cell] = quotient3(above, below);
	}
}

void
vs_plain_ccc3(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out)
{
	plain3(v, n_field, 2, 9, 2, out);
}

void
vs_plain_duo3(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out)
{
	plain3(v, n_field, 1, 4, 1, out);
}

/*
 * With all sums integers, n cov = n sum g g' - sum g sum g' and so on are
 * exact, and each quotient below has exact factors.
 */
void
vs_plain_moments(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_moments *out)
{
	int64_t n = 0, sum_i = 0, sum_j = 0, ii = 0, jj = 0, ij = 0;
	int64_t joint[4][4];
	double cov, var;

	count_joint(i, j, n_field, joint);
	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			n += joint[x][y];
			sum_i += x * joint[x][y];
			sum_j += y * joint[x][y];
			ii += x * x * joint[x][y];
			jj += y * y * joint[x][y];
			ij += x * y * joint[x][y];
		}
	memset(out, 0, sizeof(*out));
	out->nvalid = n;
	out->num = ij;
	cov = (double)(n * ij - sum_i * sum_j);
	var = (double)(n * ii - sum_i * sum_i) *
		(double)(n * jj - sum_j * sum_j);
	if (var > 0) {
		out->r2 = cov * cov / var;
		out->r = cov / sqrt(var);
	}
	if (ii && jj)
		out->cosine = (double)ij / sqrt((double)ii * (double)jj);
}

static double
in_wholes(enum vs_element element, const void *u, const void *v, size_t n_field,
	int64_t *num)
{
	uint64_t all = 0, least = 0;

	for (size_t q = 0; q < n_field; q++) {
		uint64_t a = (uint64_t)vs_element_get(element, u, q);
		uint64_t b = (uint64_t)vs_element_get(element, v, q);

		all += a + b;
		least += a < b ? a : b;
	}
	*num = (int64_t)least;
	return all ? (double)(2 * least) / (double)all : 0;
}

/* The three sums of a run, each rounded as the type has it. */
static void
add_run(enum vs_element element, const void *u, const void *v, size_t lo,
	size_t hi, double sum[3])
{
	double run[3] = { 0 };

	for (size_t q = lo; q < hi; q++) {
		double a = vs_element_get(element, u, q);
		double b = vs_element_get(element, v, q);
		double term[3] = { a, b, b < a ? b : a };

		for (int k = 0; k < 3; k++)
			run[k] = element == VS_NUM_F32
				? (double)((float)run[k] + (float)term[k])
				: run[k] + term[k];
	}
	for (int k = 0; k < 3; k++)
		sum[k] += run[k];
}

void
vs_plain_ps(enum vs_element element, const void *u, const void *v,
	size_t n_field, int64_t *num, double *value)
{
	double sum[3] = { 0 };

	if (vs_element_is_integer(element)) {
		*value = in_wholes(element, u, v, n_field, num);
		return;
	}
	for (size_t lo = 0; lo < n_field; lo += 128)
		add_run(element, u, v, lo,
			n_field - lo < 128 ? n_field : lo + 128, sum);
	*num = -1;
	*value =
		sum[0] + sum[1] > 0 ? (sum[2] + sum[2]) / (sum[0] + sum[1]) : 0;
}
