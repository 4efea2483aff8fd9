/* SPDX-License-Identifier: BSD-3-Clause */
/* r2 of haplotypes, from tables of genotypes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/cpu.h"
#include "libcore/metric/phase.h"
#include "tools/threshold/haplotypes.h"

#define BLOCK (4ull << 20) /* bytes of vectors read together */
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

struct vs_haplotypes {
	struct vs_packed *f;
	double above;
	enum vs_cpu cpu;
	struct vs_vec block;
	/* of the first vector: samples of 0, 1 and 2 copies, and males of 0 and
	 * of 2, n_word words each */
	uint64_t *mask;
	bool is_x; /* so is it */
};

/* n[m][g]: samples of mask m with g copies in a vector. */
VS_INLINE void
count_any(const uint64_t *mask, int n_mask, const uint64_t *const b[2],
	size_t n_word, int64_t n[N_MASK][3])
{
	for (int m = 0; m < n_mask; m++, mask += n_word) {
		int64_t none = 0, one = 0, two = 0;

		for (size_t w = 0; w < n_word; w++) {
			none += __builtin_popcountll(
				mask[w] & ~(b[0][w] | b[1][w]));
			one += __builtin_popcountll(
				mask[w] & ~b[0][w] & b[1][w]);
			two += __builtin_popcountll(
				mask[w] & b[0][w] & b[1][w]);
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

/* Read vectors [lo, hi) into the block, doubling single copies. */
static int
read_vectors(struct vs_haplotypes *h, uint64_t lo, uint64_t hi)
{
	struct vs_packed *f = h->f;
	int code = vs_packed_read(f, lo, hi, &h->block, 0);

	for (uint64_t v = lo; v < hi && !code; v++)
		if (f->ploidy == 1)
			vs_vec_double(&h->block, v - lo);
		else if (f->haploid && f->haploid[v])
			vs_haploid_double(&h->block, v - lo, f->male);
	return code;
}

/* The masks of a vector. */
static int
read_first(struct vs_haplotypes *h, uint64_t a)
{
	const size_t n = h->block.n_word, n_male = (h->f->n_field + 63) / 64;
	const uint64_t *p0 = vs_vec_plane(&h->block, 0, 0);
	const uint64_t *p1 = vs_vec_plane(&h->block, 0, 1);
	int code = read_vectors(h, a, a + 1);

	h->is_x = is_x(h->f, a);
	for (size_t w = 0; w < n && !code; w++) {
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
	return code;
}

/* Compare a row of the block, a vector of X or not, with the first vector. */
static bool
exceeds(const struct vs_haplotypes *h, size_t row, bool x)
{
	const uint64_t *const b[2] = { vs_vec_plane(&h->block, row, 0),
		vs_vec_plane(&h->block, row, 1) };
	int64_t n[N_MASK][3] = { { 0 } };
	int64_t known[4];

	count(h->cpu, h->mask, x ? N_MASK : 3, b, h->block.n_word, n);
	for (int k = 0; k < 4; k++) {
		const int i = 2 - (k & 2), j = 2 - 2 * (k & 1);

		known[k] = 2 * n[i][j] + n[i][1] + n[1][j] - n[3 + i / 2][j];
	}
	return r2_exceeds(known, n[1][1], h->above);
}

int
vs_haplotypes_linked(struct vs_haplotypes *h, uint64_t a,
	const uint32_t *vector, uint64_t n, uint8_t *linked)
{
	int code = read_first(h, a);

	for (uint64_t lo = 0, hi; lo < n && !code; lo = hi) {
		for (hi = lo + 1; hi < n && hi - lo < h->block.n_vec &&
			vector[hi] == vector[hi - 1] + 1;)
			hi++;
		code = read_vectors(h, vector[lo], vector[hi - 1] + 1ull);
		for (uint64_t k = lo; k < hi && !code; k++)
			linked[k] = linked[k] &&
				exceeds(h, k - lo,
					h->is_x && is_x(h->f, vector[k]));
	}
	return code;
}

int
vs_haplotypes_new(struct vs_haplotypes **out, struct vs_packed *f, double above)
{
	struct vs_haplotypes *h;
	int code = vs_packed_want_genotypes(f);

	if (code)
		vs_fail_append(
			"; of numbers give a result of vsim-run -m r2 --merge");
	else
		code = vs_packed_read_haploid(f);
	VS_MEM_NEW(&code, h, 1, "haplotypes");
	if (code)
		return code;
	*out = h;
	h->f = f;
	h->above = above;
	code = vs_cpu_choose(NULL, &h->cpu);
	if (!code)
		code = vs_vec_new(&h->block, BLOCK / (f->row_bytes + 1) + 1,
			f->n_field);
	return code ? code
		    : vs_mem_new(&h->mask, N_MASK * h->block.n_word,
			      sizeof(*h->mask), "haplotypes");
}

void
vs_haplotypes_free(struct vs_haplotypes *h)
{
	if (!h)
		return;
	vs_vec_free(&h->block);
	free(h->mask);
	free(h);
}
