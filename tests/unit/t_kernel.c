/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every counting kernel against sums taken field by field from the genotypes,
 * over shapes on both sides of each word, register and chunk boundary, with
 * the panel's memory ending where a page that must not be touched begins.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/tally.h"
#include "tests/unit/test.h"

#define N_ROW 7
#define N_COL 551
#define LD 1024

enum missing { NONE, SOME, WHOLE, STRETCHES };

/* Planes in memory that ends at a guard page; the rest beside it. */
struct guarded {
	struct vs_panel panel;
	void *map;
	void *rest; /* where the small arrays are */
	size_t map_bytes;
};

static void
guarded_new(struct guarded *g, size_t n_vec, size_t n_field)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = n_vec * 2 * vs_vec_words(n_field) * 8;
	size_t whole = (bytes + page - 1) / page * page;

	vs_panel_new(&g->panel, n_vec, n_field);
	g->rest = g->panel.vec.word;
	g->map_bytes = whole + page;
	g->map = mmap(NULL, g->map_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect((char *)g->map + whole, page, PROT_NONE);
	g->panel.vec.word = (uint64_t *)((char *)g->map + whole - bytes);
}

static void
guarded_free(struct guarded *g)
{
	free(g->rest);
	munmap(g->map, g->map_bytes);
}

static void
fill(struct vs_panel *p, uint8_t *genotype, enum missing missing,
	struct vs_rng *rng)
{
	size_t n_field = p->vec.n_field;

	for (size_t v = 0; v < p->vec.n_vec; v++)
		for (size_t q = 0; q < n_field; q++) {
			int g = (int)vs_rng_below(rng, 3);

			if (missing == SOME && !vs_rng_below(rng, 9))
				g = 3;
			if (missing == WHOLE && v % 3 == 1)
				g = 3;
			/* long runs of one genotype, against the mode: the most
			 * that a counter has to hold */
			if (missing == STRETCHES)
				g = (int)(q * (v % 4 + 1) / n_field + v) % 3;
			genotype[v * n_field + q] = (uint8_t)g;
			vs_vec_set(&p->vec, v, q, g);
		}
	vs_panel_make(p, 0, p->vec.n_vec);
}

static void
plain(const uint8_t *gi, const uint8_t *gj, size_t n, int32_t sum[4])
{
	memset(sum, 0, 4 * sizeof(*sum));
	for (size_t q = 0; q < n; q++) {
		int mi = gi[q] == 3, mj = gj[q] == 3;
		int xi = mi ? 0 : gi[q] - 1, xj = mj ? 0 : gj[q] - 1;

		sum[0] += xi * xj;
		sum[1] += xi * mj;
		sum[2] += mi * xj;
		sum[3] += mi * mj;
	}
}

/* Which rows and columns are counted. */
struct shape {
	size_t row, n_row, lo, n_col, col;
};

/* Number of wrong sums of a dense kernel, a missing call taken as 0. */
static int
judge_dense(const struct vs_dense *k, const struct vs_panel *a,
	const uint8_t *ga, const struct vs_panel *b, const uint8_t *gb,
	const struct shape *s, int label)
{
	size_t n_field = a->vec.n_field, ld = k->lanes > LD ? k->lanes : LD;
	size_t col = s->col / k->lanes * k->lanes;
	void *cols = NULL, *scratch = NULL;
	int32_t *p = NULL;
	int wrong = 0;

	vs_new(&p, N_ROW * ld, sizeof(*p), "sums");
	vs_new(&cols, k->col_room(s->n_col, n_field), 1, "columns");
	vs_new(&scratch, k->row_room(s->n_row, n_field), 1, "rows");
	k->take_cols(b, s->lo, s->n_col, label, cols);
	k->count(a, s->row, s->n_row, label, cols, col, s->n_col, scratch, p,
		ld);
	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = col; c < s->n_col; c++) {
			const uint8_t *gi = ga + (s->row + r) * n_field;
			const uint8_t *gj = gb + (s->lo + c) * n_field;
			int32_t want = 0;

			for (size_t q = 0; q < n_field; q++)
				want += gi[q] == 3 || gj[q] == 3 ? 0
					: label                  ? gi[q] * gj[q]
						: (2 - gi[q]) * (2 - gj[q]);
			wrong += p[r * ld + c] != want;
		}
	free(scratch);
	free(cols);
	free(p);
	return wrong;
}

/* Number of wrong sums of a sparse kernel, block and single pairs. */
static int
judge_sparse(const struct vs_sparse *k, const struct vs_panel *a,
	const uint8_t *ga, const struct vs_panel *b, const uint8_t *gb,
	const struct shape *s)
{
	size_t n_field = a->vec.n_field;
	int32_t *sum = NULL, want[4], one[4];
	struct vs_tally out = { 0 };
	void *cols = NULL;
	int wrong = 0;

	vs_new(&sum, 4 * N_ROW * LD, sizeof(*sum), "sums");
	vs_new(&cols, k->col_room(s->n_col, n_field), 1, "columns");
	out = (struct vs_tally){ sum, sum + N_ROW * LD, sum + 2 * N_ROW * LD,
		sum + 3 * N_ROW * LD, LD };
	k->take_cols(b, s->lo, s->n_col, cols);
	k->count(a, s->row, s->n_row, cols, s->col, s->n_col, &out);
	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = s->col; c < s->n_col; c++) {
			plain(ga + (s->row + r) * n_field,
				gb + (s->lo + c) * n_field, n_field, want);
			wrong += out.xx[r * LD + c] != want[0];
			wrong += out.xm[r * LD + c] != want[1];
			wrong += out.mx[r * LD + c] != want[2];
			wrong += out.mm[r * LD + c] != want[3];
			k->pair(a, s->row + r, b, s->lo + c, one);
			wrong += memcmp(one, want, sizeof(one)) != 0;
		}
	free(cols);
	free(sum);
	return wrong;
}

static void
try(size_t n_field, enum missing missing, struct vs_rng *rng)
{
	static const char *const how[] = { "no", "some", "whole vectors",
		"no call, long runs, none" };
	struct guarded a, b;
	static const struct shape shapes[] = { { 0, N_ROW, 0, N_COL, 0 },
		{ 0, N_ROW, 0, 37, 32 }, { 1, 4, 3, 32, 0 },
		{ 2, 3, 1, 513, 512 }, { N_ROW - 1, 1, N_COL - 1, 1, 0 } };
	const size_t n_shape = sizeof(shapes) / sizeof(shapes[0]);
	/* the whole of long vectors would take minutes field by field */
	const size_t first = n_field > 1000;
	uint8_t *ga = NULL, *gb = NULL;
	const struct vs_dense *d;
	const struct vs_sparse *k;

	guarded_new(&a, N_ROW, n_field);
	guarded_new(&b, N_COL, n_field);
	vs_new(&ga, N_ROW * n_field, 1, "genotypes");
	vs_new(&gb, N_COL * n_field, 1, "genotypes");
	fill(&a.panel, ga, missing, rng);
	fill(&b.panel, gb, missing, rng);
	for (int n = 0; (d = vs_dense_at(n)); n++) {
		int wrong = 0;

		for (size_t x = first; x < n_shape && d->cpu <= vs_cpu_best();
			x++)
			for (int label = 0; label < 2; label++)
				wrong += judge_dense(d, &a.panel, ga, &b.panel,
					gb, &shapes[x], label);
		T_OK(!wrong, "dense %s: %zu fields, %s missing: %d sums wrong",
			d->name, n_field, how[missing], wrong);
	}
	for (int n = 0; (k = vs_sparse_at(n)); n++) {
		int wrong = 0;

		for (size_t x = first; x < n_shape && k->cpu <= vs_cpu_best();
			x++)
			wrong += judge_sparse(k, &a.panel, ga, &b.panel, gb,
				&shapes[x]);
		T_OK(!wrong, "sparse %s: %zu fields, %s missing: %d sums wrong",
			k->name, n_field, how[missing], wrong);
	}
	guarded_free(&a);
	guarded_free(&b);
	free(ga);
	free(gb);
}

int
main(void)
{
	static const size_t fields[] = { 1, 2, 31, 32, 33, 63, 64, 65, 127, 128,
		255, 256, 257, 511, 512, 513, 1940, 4095, 4096, 4097, 8191,
		8193, 12289 };
	struct vs_rng rng;

	vs_rng_seed(&rng, 20);
	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++)
		for (enum missing m = NONE; m <= STRETCHES; m++)
			try(fields[f], m, &rng);
	for (enum vs_cpu c = vs_cpu_best() + 1; c < VS_CPU_N; c++)
		printf("skip - %s: not on this CPU\n", vs_cpu_name(c));
	return T_DONE();
}
