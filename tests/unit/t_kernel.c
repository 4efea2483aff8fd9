/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every counting kernel against sums taken field by field from the genotypes,
 * over shapes on both sides of each word, lane, chunk and flush boundary. All
 * memory given to a kernel ends at a guard page, and what it may write holds
 * leftovers of the previous kernel. T_INSTALL
 *
 * With an argument: few shapes, for machines that are slow to emulate.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/kernels.h"
#include "tests/unit/fence.h"
#include "tests/unit/panels.h"
#include "tests/unit/sums.h"
#include "tests/unit/test.h"

#define LD 1024
#define MOST_ROW 99 /* seven for most shapes */
#define MOST_COL 551
#define RESERVED ((size_t)256 << 20) /* of addresses; touched when used */

enum missing { NONE, SOME, WHOLE, STRETCHES, ALIKE, MARKS, N_MISSING };
static const char *const how[] = { "no", "some", "whole vectors",
	"no call, long runs, none", "no call, vectors alike, few",
	"few, columns of marks, no call" };

/* Memory before a guard page. */
static char *fence_cols, *fence_rows, *fence_sums;

/* Vectors, and what they are made of: a byte a genotype, 3 for missing. */
struct vectors {
	struct vs_panel panel;
	uint8_t *g;
	char *fence;
	void *rest; /* what is not planes */
};

static size_t
plane_bytes(const struct vectors *v)
{
	return v->panel.vec.n_vec * 2 * v->panel.vec.n_word * 8;
}

static void
vectors_new(struct vectors *v, size_t n_vec, size_t n_field)
{
	if (panel_new(&v->panel, n_vec, n_field) ||
		vs_mem_new(&v->g, n_vec * n_field, 1, "genotypes"))
		exit(4);
	v->rest = v->panel.vec.word;
	v->fence = fence_new(plane_bytes(v));
	v->panel.vec.word = before(v->fence, plane_bytes(v));
}

static void
vectors_free(struct vectors *v)
{
	fence_free(v->fence, plane_bytes(v));
	free(v->rest);
	free(v->g);
}

/*
 * Like the vector before, except for one field in `change` and for a stretch
 * that turns from all 2 to all 0 and back: the greatest difference of two
 * vectors over consecutive fields that are otherwise much alike.
 */
static uint64_t
alike(const struct vectors *v, size_t i, size_t q, uint64_t change,
	struct vs_rng *rng)
{
	size_t n_field = v->panel.vec.n_field;

	if (q < n_field / 16)
		return i % 2 ? 0 : 2;
	if (!i || !vs_rng_below(rng, change))
		return vs_rng_below(rng, 100) ? vs_rng_below(rng, 3) : 3;
	return v->g[(i - 1) * n_field + q];
}

static void
fill(struct vectors *v, enum missing missing, bool marks, struct vs_rng *rng)
{
	size_t n_field = v->panel.vec.n_field;

	memset(v->panel.vec.word, 0, plane_bytes(v));
	for (size_t i = 0; i < v->panel.vec.n_vec; i++) {
		/* often all are as frequent, or one genotype is rare */
		uint64_t rare = vs_rng_below(rng, 4), one_in = 8;
		uint64_t change = 1 + vs_rng_below(rng, 100);

		for (size_t q = 0; q < n_field; q++) {
			uint64_t g = vs_rng_below(rng, 3);

			if (g == rare && vs_rng_below(rng, one_in))
				g = (g + 1) % 3;
			if (missing == SOME && !vs_rng_below(rng, 9))
				g = 3;
			if (missing == WHOLE && i % 3 == 1)
				g = 3;
			/* long runs of one genotype, against the mode: the
			 * most that a counter has to hold */
			if (missing == STRETCHES)
				g = (q * (i % 4 + 1) / n_field + i) % 3;
			if (missing >= ALIKE)
				g = alike(v, i, q, change, rng);
			if (marks && g == 2)
				g = 1;
			v->g[i * n_field + q] = (uint8_t)g;
			vs_vec_set(&v->panel.vec, i, q, (int)g);
		}
	}
	panel_make(&v->panel, 0, v->panel.vec.n_vec, 1);
}

/* Expected sums of every pair: dense by label, then the four sparse sums. */
#define N_SUM (2 + SUMS)
static int32_t want[MOST_ROW][MOST_COL][N_SUM];

static void
plain(const uint8_t *gi, const uint8_t *gj, size_t n, int32_t sum[N_SUM])
{
	sum[0] = sum[1] = 0;
	for (size_t q = 0; q < n; q++) {
		if (gi[q] == 3 || gj[q] == 3)
			continue;
		sum[0] += (2 - gi[q]) * (2 - gj[q]);
		sum[1] += gi[q] * gj[q];
	}
	sums_plain(gi, gj, n, sum + 2);
}

/* Rows, and columns [col, end), that are counted. */
struct shape {
	size_t row, n_row, lo, n_col, col, end;
};

/* A call of a dense kernel, its columns taken. */
struct call {
	const struct vectors *a, *b;
	const struct shape *s;
	int label;
	size_t col, ld;
	const void *cols;
	int32_t *p;
};

/* Number of wrong sums, some of them, over the first fields alone. */
static int
judge_first(const struct vs_dense *k, const struct call *x)
{
	size_t n_field = x->a->panel.vec.n_field, n = n_field / 512;
	struct vs_panel first = x->a->panel;
	void *rows;
	int wrong = 0;

	n = (1 + (x->s->n_col + x->s->n_row) % n) * 512;
	first.vec.n_field = n;
	first.vec.n_word = n / 64;
	rows = before(fence_rows, k->row_room(x->s->n_row, n));
	k->count(&first, x->s->row, x->s->n_row, x->label, x->cols, x->col,
		x->s->end, rows, x->p, x->ld);
	for (size_t r = 0; r < x->s->n_row; r++)
		for (size_t c = x->col + r % 8; c < x->s->end; c += 8) {
			size_t i = x->s->row + r, j = x->s->lo + c;
			int32_t sum[N_SUM];

			plain(x->a->g + i * n_field, x->b->g + j * n_field, n,
				sum);
			wrong += x->p[r * x->ld + c] != sum[x->label > 0];
		}
	return wrong;
}

#define N_BLOCK (MOST_COL / VS_BLOCK_COLS + 1)

/* Rows of a block whose sums were not counted; and could have been skipped. */
static size_t n_without, n_blocks;

/* A range that sums of the block exceed by one at one end, or nowhere; or that
 * contains all numbers. */
static struct vs_range
range_for(const struct call *x, size_t r, size_t b, bool *leave)
{
	const struct shape *s = x->s;
	struct vs_range all = { 1 << 30, -(1 << 30) };
	size_t lo = b * VS_BLOCK_COLS, hi = lo + VS_BLOCK_COLS;

	for (size_t c = lo < x->col ? x->col : lo; c < hi && c < s->end; c++) {
		int32_t p = want[s->row + r][s->lo + c][x->label > 0];

		all.lo = p < all.lo ? p : all.lo;
		all.hi = p > all.hi ? p : all.hi;
	}
	*leave = (r + b) % 4 < 2;
	all.lo += (r + b) % 4 == 0;
	all.hi -= (r + b) % 4 == 1;
	return (r + b) % 4 == 3 ? (struct vs_range){ -(1 << 30), 1 << 30 }
				: all;
}

/* Number of wrong sums of some rows' blocks: those outside their range, then
 * every third one. */
static int
judge_some(const struct vs_dense *k, const struct call *x, void *rows)
{
	const struct shape *s = x->s;
	struct vs_range range[MOST_ROW * N_BLOCK];
	uint64_t block[MOST_ROW] = { 0 };
	bool leave[MOST_ROW * N_BLOCK];
	struct vs_some some = { range, block, N_BLOCK, false };
	int wrong = 0;

	for (size_t y = 0; y < s->n_row * N_BLOCK; y++)
		range[y] = range_for(x, y / N_BLOCK, y % N_BLOCK, &leave[y]);
	for (int known = 0; known < 2; known++) {
		for (size_t r = 0; r < s->n_row; r++)
			memset(x->p + r * x->ld + x->col, 0x5a,
				(s->end - x->col) * sizeof(*x->p));
		k->count_some(&x->a->panel, s->row, s->n_row, x->label, x->cols,
			x->col, s->end, rows, x->p, x->ld, &some);
		for (size_t r = 0; r < s->n_row; r++)
			for (size_t c = x->col; c < s->end; c++) {
				size_t b = c / VS_BLOCK_COLS;
				bool there = block[r] >> b & 1;

				n_blocks += c % VS_BLOCK_COLS == 0;
				n_without += c % VS_BLOCK_COLS == 0 && !there;
				wrong += there
					? x->p[r * x->ld + c] !=
						want[s->row + r][s->lo + c]
						    [x->label > 0]
					: !known && leave[r * N_BLOCK + b];
			}
		for (size_t r = 0; r < s->n_row; r++)
			block[r] = r % 3 ? 0 : ~0ull;
		some = (struct vs_some){ NULL, block, 0, true };
	}
	return wrong;
}

/* Number of wrong sums of a dense kernel, a missing call taken as 0. */
static int
judge_dense(const struct vs_dense *k, const struct vectors *a,
	const struct vectors *b, const struct shape *s, int label)
{
	size_t n_field = a->panel.vec.n_field;
	size_t whole = (s->n_col + k->lanes - 1) / k->lanes * k->lanes;
	size_t col = s->col / k->lanes * k->lanes, ld = whole + VS_COLS;
	int32_t *p =
		before(fence_sums, ((s->n_row - 1) * ld + whole) * sizeof(*p));
	void *cols = before(fence_cols, k->col_room(s->n_col, n_field));
	void *rows = before(fence_rows, k->row_room(s->n_row, n_field));
	const struct call x = { a, b, s, label, col, ld, cols, p };
	int wrong = 0;

	k->take_cols(&b->panel, s->lo, s->n_col, label, cols);
	k->count(&a->panel, s->row, s->n_row, label, cols, col, s->end, rows, p,
		ld);
	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = col; c < s->end; c++)
			wrong += p[r * ld + c] !=
				want[s->row + r][s->lo + c][label > 0];
	if (k->first && n_field >= 512)
		wrong += judge_first(k, &x);
	if (k->count_some)
		wrong += judge_some(k, &x, rows);
	return wrong;
}

/* True if xx of the pair is wrong over the fields from some multiple of 512
 * on. */
static int
judge_part(const struct vs_sparse *k, const struct vectors *a,
	const struct vectors *b, size_t i, size_t j)
{
	size_t n_field = a->panel.vec.n_field;
	size_t from = (i + j / 8) % (n_field / 512 + 1) * 512;
	const uint8_t *gi = a->g + i * n_field, *gj = b->g + j * n_field;
	int32_t sum[SUMS];

	sums_plain(gi + from, gj + from, n_field - from, sum);
	return k->part(&a->panel, i, &b->panel, j, from) != sum[0];
}

/* Number of wrong pairs of a sparse kernel. */
static int
judge_sparse(const struct vs_sparse *k, const struct vectors *a,
	const struct vectors *b, const struct shape *s)
{
	int wrong = 0;

	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = s->col; c < s->end; c++) {
			const int32_t *w = want[s->row + r][s->lo + c] + 2;
			int32_t one[4];

			k->pair(&a->panel, s->row + r, &b->panel, s->lo + c,
				one);
			wrong += memcmp(one, w, sizeof(one)) != 0;
			if (c % 8 == 0)
				wrong += judge_part(k, a, b, s->row + r,
					s->lo + c);
		}
	return wrong;
}

/* A number from 1 to most, often beside a multiple of 64. */
static size_t
some_of(size_t most, struct vs_rng *rng)
{
	size_t n = 1 + vs_rng_below(rng, most);

	if (vs_rng_below(rng, 2))
		n = n / 64 * 64 + vs_rng_below(rng, 3);
	return n < 1 ? 1 : n > most ? most : n;
}

static struct shape
some_shape(const struct vectors *a, const struct vectors *b, struct vs_rng *rng)
{
	size_t n_row = a->panel.n_vec, n_col = b->panel.n_vec;
	struct shape s;

	s.n_row = some_of(n_row, rng);
	s.row = vs_rng_below(rng, n_row - s.n_row + 1);
	s.n_col = some_of(n_col, rng);
	s.lo = vs_rng_below(rng, n_col - s.n_col + 1);
	s.col = vs_rng_below(rng, 3) ? 0 : vs_rng_below(rng, s.n_col);
	s.end = vs_rng_below(rng, 3)
		? s.n_col
		: s.col + 1 + vs_rng_below(rng, s.n_col - s.col);
	return s;
}

/* Wrong sums of the kernels so far, and the least number of fields. */
static struct tally {
	int wrong;
	size_t n_field;
} dense[32], sparse[32];

static void
note(struct tally *t, int wrong, size_t n_field)
{
	if (wrong && !t->wrong)
		t->n_field = n_field;
	t->wrong += wrong;
}

/* All kernels on the same vectors: the whole of them and n_shape parts. */
static void
try(size_t n_row, size_t n_col, size_t n_field, enum missing missing,
	int n_shape, struct vs_rng *rng)
{
	struct shape s = { 0, n_row, 0, n_col, 0, n_col };
	const struct vs_dense *d;
	const struct vs_sparse *k;
	struct vectors a, b;

	vectors_new(&a, n_row, n_field);
	vectors_new(&b, n_col, n_field);
	fill(&a, missing, false, rng);
	fill(&b, missing, missing == MARKS, rng);
	for (size_t r = 0; r < n_row; r++)
		for (size_t c = 0; c < n_col; c++)
			plain(a.g + r * n_field, b.g + c * n_field, n_field,
				want[r][c]);
	for (int x = 0; x <= n_shape; x++, s = some_shape(&a, &b, rng)) {
		for (int n = 0; (d = vs_registry_dense[n]); n++)
			for (int label = 0; label < 2 + (missing == MARKS);
				label++)
				if (d->cpu <= vs_cpu_best())
					note(&dense[n],
						judge_dense(d, &a, &b, &s,
							label),
						n_field);
		for (int n = 0; (k = vs_registry_sparse[n]); n++)
			if (k->cpu <= vs_cpu_best())
				note(&sparse[n], judge_sparse(k, &a, &b, &s),
					n_field);
	}
	vectors_free(&a);
	vectors_free(&b);
}

static void
tell(const char *fields, enum missing missing)
{
	const struct vs_dense *d;
	const struct vs_sparse *k;

	for (int n = 0; (d = vs_registry_dense[n]); n++)
		if (d->cpu <= vs_cpu_best())
			T_OK(!dense[n].wrong,
				"dense %s: %s fields, %s missing: %d sums "
				"wrong, first at %zu",
				d->name, fields, how[missing], dense[n].wrong,
				dense[n].n_field);
	for (int n = 0; (k = vs_registry_sparse[n]); n++)
		if (k->cpu <= vs_cpu_best())
			T_OK(!sparse[n].wrong,
				"sparse %s: %s fields, %s missing: %d sums "
				"wrong, first at %zu",
				k->name, fields, how[missing], sparse[n].wrong,
				sparse[n].n_field);
	memset(dense, 0, sizeof(dense));
	memset(sparse, 0, sizeof(sparse));
}

/* Around the ends of words, chunks of fields, and turns of chunks. */
static const size_t edges[] = { 191, 192, 193, 255, 256, 257, 319, 320, 321,
	383, 384, 385, 447, 448, 449, 511, 512, 513, 767, 768, 769, 895, 896,
	897, 1023, 1024, 1025, 1535, 1536, 1537, 1791, 1792, 1793, 1940, 3583,
	3584, 3585, 3839, 3840, 3841, 4031, 4032, 4033, 4095, 4096, 4097, 5119,
	5120, 5121, 7680, 7681, 8128, 8129, 8189, 8190, 8191, 8192, 8193,
	12289 };
/* With more rows than some kernels count at once. */
static const size_t high[] = { 577, 63, 4161 };
static const size_t long_ones[] = { 65535, 65536, 65537 };

int
main(int argc, char **argv)
{
	const int quick = argc > 1;
	struct vs_rng rng;

	(void)argv;
	vs_rng_seed(&rng, 20);
	fence_cols = fence_new(RESERVED);
	fence_rows = fence_new(RESERVED);
	fence_sums = fence_new(RESERVED);
	for (enum missing m = NONE; m < N_MISSING; m++) {
		for (size_t f = 1; f <= 130; f += quick ? 1 + f / 4 : 1)
			try(7,
				quick                              ? 131
					: T_LONG || !((f + m) % 4) ? MOST_COL
								   : 67,
				f, m, 1, &rng);
		tell("1 to 130", m);
		for (size_t f = 0; f < sizeof(edges) / sizeof(*edges); f++)
			try(3,
				quick ? 5
					: edges[f] % 512 == 1 &&
						(T_LONG || edges[f] < 5000)
					? MOST_COL
					: 67,
				edges[f], m, !quick, &rng);
		tell("191 to 12289", m);
		for (size_t f = 0;
			f < (quick ? 1 : sizeof(high) / sizeof(*high)); f++)
			try(MOST_ROW, 35, high[f], m, 1, &rng);
		tell("99 rows of 63 to 4161", m);
	}
	for (enum missing m = NONE; m < N_MISSING && !quick; m++) {
		for (size_t f = 0; f < sizeof(long_ones) / sizeof(*long_ones);
			f++)
			try(3, 5, long_ones[f], m, 0, &rng);
		try(2, 3, 1000000, m, 0, &rng);
		tell("65535 to 1000000", m);
	}
	T_OK(!n_blocks || (n_without * 4 > n_blocks && n_without < n_blocks),
		"%zu of %zu blocks of rows were not asked for", n_without,
		n_blocks);
	fence_free(fence_cols, RESERVED);
	fence_free(fence_rows, RESERVED);
	fence_free(fence_sums, RESERVED);
	for (enum vs_cpu c = vs_cpu_best() + 1; c < VS_CPU_N; c++)
		printf("skip - %s: not on this CPU\n", vs_cpu_name(c));
	return T_DONE();
}
