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
#define N_COL 37
#define LD 64

enum missing { NONE, SOME, WHOLE };

/* Planes in memory that ends at a guard page; the rest beside it. */
struct guarded {
	struct vs_panel panel;
	void *map;
	size_t map_bytes;
};

static void
guarded_new(struct guarded *g, size_t n_vec, size_t n_field)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = n_vec * 2 * vs_vec_words(n_field) * 8;
	size_t whole = (bytes + page - 1) / page * page;

	vs_panel_new(&g->panel, n_vec, n_field);
	free(g->panel.vec.word);
	g->map_bytes = whole + page;
	g->map = mmap(NULL, g->map_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect((char *)g->map + whole, page, PROT_NONE);
	g->panel.vec.word = (uint64_t *)((char *)g->map + whole - bytes);
	vs_new(&g->panel.sum, n_vec, 4, "sums");
	vs_new(&g->panel.present, n_vec, 4, "counts");
}

static void
guarded_free(struct guarded *g)
{
	free(g->panel.sum);
	free(g->panel.present);
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

/* Number of wrong sums. */
static int
compare(const struct vs_kernel *k, const struct vs_panel *a, const uint8_t *ga,
	const struct vs_panel *b, const uint8_t *gb, size_t row, size_t n_row,
	size_t lo, size_t n_col, size_t col, bool dense)
{
	size_t n_field = a->vec.n_field;
	int32_t *sum = NULL, want[4];
	struct vs_tally out = { 0 };
	void *cols = NULL;
	int wrong = 0;

	vs_new(&sum, 4 * N_ROW * LD, sizeof(*sum), "sums");
	vs_new(&cols, k->room(n_col, n_field), 1, "columns");
	out = (struct vs_tally){ sum, sum + N_ROW * LD, sum + 2 * N_ROW * LD,
		sum + 3 * N_ROW * LD, LD };
	k->prepare(b, lo, n_col, cols);
	(dense ? k->dense : k->sparse)(a, row, n_row, cols, col, n_col, &out);
	for (size_t r = 0; r < n_row; r++)
		for (size_t c = col; c < n_col; c++) {
			plain(ga + (row + r) * n_field, gb + (lo + c) * n_field,
				n_field, want);
			wrong += out.xx[r * LD + c] != want[0];
			if (dense)
				continue;
			wrong += out.xm[r * LD + c] != want[1];
			wrong += out.mx[r * LD + c] != want[2];
			wrong += out.mm[r * LD + c] != want[3];
		}
	free(cols);
	free(sum);
	return wrong;
}

static void
try(size_t n_field, enum missing missing, struct vs_rng *rng)
{
	static const char *const how[] = { "no", "some", "whole vectors" };
	struct guarded a, b;
	uint8_t *ga = NULL, *gb = NULL;
	const struct vs_kernel *k;

	guarded_new(&a, N_ROW, n_field);
	guarded_new(&b, N_COL, n_field);
	vs_new(&ga, N_ROW * n_field, 1, "genotypes");
	vs_new(&gb, N_COL * n_field, 1, "genotypes");
	fill(&a.panel, ga, missing, rng);
	fill(&b.panel, gb, missing, rng);
	for (int n = 0; (k = vs_kernel_at(n)); n++) {
		int wrong = 0;

		if (k->cpu > vs_cpu_best())
			continue;
		for (int dense = 0; dense < 2; dense++) {
			wrong += compare(k, &a.panel, ga, &b.panel, gb, 0,
				N_ROW, 0, N_COL, 0, dense);
			wrong += compare(k, &a.panel, ga, &b.panel, gb, 0,
				N_ROW, 0, N_COL, 32, dense);
			wrong += compare(k, &a.panel, ga, &b.panel, gb, 1, 4, 3,
				32, 0, dense);
			wrong += compare(k, &a.panel, ga, &b.panel, gb,
				N_ROW - 1, 1, N_COL - 1, 1, 0, dense);
		}
		T_OK(!wrong, "%s: %zu fields, %s missing: %d sums wrong",
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
		8193, 12289, 65537 };
	struct vs_rng rng;

	vs_rng_seed(&rng, 20);
	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++)
		for (enum missing m = NONE; m <= WHOLE; m++)
			try(fields[f], m, &rng);
	for (enum vs_cpu c = vs_cpu_best() + 1; c < VS_CPU_N; c++)
		printf("skip - %s: not on this CPU\n", vs_cpu_name(c));
	return T_DONE();
}
