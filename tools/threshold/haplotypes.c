/* SPDX-License-Identifier: BSD-3-Clause */
/* Haplotypes of two variants, from tables of genotypes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/phase.h"
#include "tools/threshold/haplotypes.h"

#define N_MASK 5
#define SLACK 1e-9 /* for the rounding of r2 */

/* ---- from a table ---- */

/*
 * True if r2 exceeds a bound; false if it is 0/0.
 * known    haplotypes known from the calls, by 2 * allele of the first + allele
 *          of the second
 * both     samples that are heterozygous at both
 */
static bool
r2_exceeds(const int64_t known[4], int64_t both, double above)
{
	const int64_t i = known[0] + known[1] + both;
	const int64_t j = known[0] + known[2] + both;
	const int64_t n = i + known[2] + known[3] + both;
	const double variances = (double)(i * (n - i)) * (double)(j * (n - j));
	/* n^2 D if all those samples have either phase */
	const double a = (double)(n * known[0] - i * j);
	const double b = a + (double)(n * both);
	double d;

	if (!(variances > 0) ||
		fmax(a * a, b * b) < (above - SLACK) * variances)
		return false;
	d = vs_phase_d(known, both);
	/* PLINK 1.9 treats this as rounding */
	if (fabs(d) < 0x1p-44 * (double)(n * n))
		d = 0;
	return d * d / variances > above;
}

/* ---- from vectors ---- */

/* n[m][g]: samples of mask m with g copies in a vector. */
VS_INLINE void
count_any(const uint64_t *mask, int n_mask, const uint64_t *const b[2],
	size_t n_word, int64_t n[N_MASK][3])
{
	for (int m = 0; m < n_mask; m++, mask += n_word) {
		const uint64_t *x = b[0], *y = b[1];
		int64_t none = 0, one = 0, two = 0;

#pragma omp simd reduction(+ : none, one, two)
		for (size_t w = 0; w < n_word; w++) {
			none += __builtin_popcountll(mask[w] & ~(x[w] | y[w]));
			one += __builtin_popcountll(mask[w] & ~x[w] & y[w]);
			two += __builtin_popcountll(mask[w] & x[w] & y[w]);
		}
		n[m][0] = none;
		n[m][1] = one;
		n[m][2] = two;
	}
}

VS_BY_POPCNT(void, count, (mask, n_mask, b, n_word, n), const uint64_t *mask,
	int n_mask, const uint64_t *const b[2], size_t n_word,
	int64_t n[N_MASK][3])

static bool
is_x(const struct vs_packed *f, uint64_t vector)
{
	return f->haploid && f->haploid[vector] == VS_HAPLOID_X;
}

int
vs_haplotypes_read(struct vs_haplotypes *h, uint64_t lo, uint64_t hi, size_t at)
{
	struct vs_packed *f = h->f;
	int code = vs_packed_read(f, lo, hi, &h->rows, at);

	for (uint64_t v = lo; v < hi && !code; v++, at++)
		if (f->ploidy == 1)
			vs_vec_double(&h->rows, at);
		else if (f->haploid && f->haploid[v])
			vs_haploid_double(&h->rows, at, f->male);
	return code;
}

void
vs_haplotypes_first(struct vs_haplotypes *h, size_t row, uint64_t a)
{
	const size_t n = h->rows.n_word, n_male = (h->f->n_field + 63) / 64;
	const uint64_t *p0 = vs_vec_plane(&h->rows, row, 0);
	const uint64_t *p1 = vs_vec_plane(&h->rows, row, 1);

	h->is_x = is_x(h->f, a);
	for (size_t w = 0; w < n; w++) {
		const uint64_t male = h->is_x && w < n_male ? h->f->male[w] : 0;
		/* past the last sample there seem to be 0 copies */
		const uint64_t in = w + 1 < n_male ? ~0ull
			: w >= n_male              ? 0
				      : ~0ull >> (64 * n_male - h->f->n_field);

		h->mask[w] = in & ~(p0[w] | p1[w]);
		h->mask[n + w] = ~p0[w] & p1[w];
		h->mask[2 * n + w] = p0[w] & p1[w];
		h->mask[3 * n + w] = male & h->mask[w];
		h->mask[4 * n + w] = male & h->mask[2 * n + w];
	}
}

int64_t
vs_haplotypes_known(const struct vs_haplotypes *h, size_t row, uint64_t b,
	int64_t known[4])
{
	const uint64_t *const plane[2] = { vs_vec_plane(&h->rows, row, 0),
		vs_vec_plane(&h->rows, row, 1) };
	const bool x = h->is_x && is_x(h->f, b);
	int64_t n[N_MASK][3] = { { 0 } };

	count(h->cpu, h->mask, x ? N_MASK : 3, plane, h->rows.n_word, n);
	for (int k = 0; k < 4; k++) {
		const int i = 2 - (k & 2), j = 2 - 2 * (k & 1);

		known[k] = 2 * n[i][j] + n[i][1] + n[1][j] - n[3 + i / 2][j];
	}
	return n[1][1];
}

int
vs_haplotypes_linked(struct vs_haplotypes *h, uint64_t a,
	const uint32_t *vector, uint64_t n, double above, uint8_t *linked)
{
	int code = vs_haplotypes_read(h, a, a + 1, 0);

	if (!code)
		vs_haplotypes_first(h, 0, a);
	for (uint64_t lo = 0, hi; lo < n && !code; lo = hi) {
		for (hi = lo + 1; hi < n && hi - lo < h->rows.n_vec &&
			vector[hi] == vector[hi - 1] + 1;)
			hi++;
		code = vs_haplotypes_read(h, vector[lo], vector[hi - 1] + 1ull,
			0);
		for (uint64_t k = lo; k < hi && !code; k++) {
			int64_t known[4], both;

			if (!linked[k])
				continue;
			both = vs_haplotypes_known(h, k - lo, vector[k], known);
			linked[k] = r2_exceeds(known, both, above);
		}
	}
	return code;
}

int
vs_haplotypes_open(struct vs_haplotypes *h, struct vs_packed *f, uint64_t rows)
{
	int code = vs_packed_want_genotypes(f);

	if (code)
		vs_fail_append(
			"; of numbers give a result of vsim-run -m r2 --merge");
	else
		code = vs_packed_read_haploid(f);
	h->f = f;
	if (!code)
		code = vs_cpu_choose(NULL, &h->cpu);
	if (!code)
		code = vs_vec_new(&h->rows,
			rows + VS_HAPLOTYPES_BLOCK / (f->row_bytes + 1) + 1,
			f->n_field);
	VS_MEM_NEW(&code, h->mask, N_MASK * h->rows.n_word, "haplotypes");
	return code;
}

void
vs_haplotypes_close(struct vs_haplotypes *h)
{
	vs_vec_free(&h->rows);
	free(h->mask);
}
