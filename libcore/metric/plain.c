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

/* ---- the family of CCC ---- */

/* Copies of the allele labelled label in a genotype that is present. */
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
 * vectors, over one line: two exact integers, each rounded once. Of numbers
 * that no vector changes, nothing is left above and below the line alike.
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
	count_joint(i, j, n_field, joint);
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

static const struct vs_plain_recipe ccc = { 2, 9, 2, 2, 3 };
static const struct vs_plain_recipe duo = { 1, 4, 1, 2, 3 };

void
vs_plain_ccc(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_pair *out)
{
	vs_plain_alleles(&ccc, i, j, n_field, out);
}

void
vs_plain_duo(const uint8_t *i, const uint8_t *j, size_t n_field,
	struct vs_plain_pair *out)
{
	vs_plain_alleles(&duo, i, j, n_field, out);
}

void
vs_plain_ccc3(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out)
{
	vs_plain_alleles3(&ccc, v, n_field, out);
}

void
vs_plain_duo3(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out)
{
	vs_plain_alleles3(&duo, v, n_field, out);
}

/* ---- others ---- */

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
