/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of triples against sums of products field by field: every mode of
 * both vectors, fields about each edge of a word, a part and a chunk, and the
 * most that a counter has to hold.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/tally.h"
#include "tests/unit/test.h"

#define N_VEC 40
#define ROWS 20
#define LD 1024

static struct vs_panel panel;
static uint8_t *genotype;
static struct vs_rng rng;

/* Vector v has genotype v % 3 in all fields but some, of v % 5 kinds of some. */
static void
make(size_t n_field)
{
	static const uint64_t others[] = { 0, 5, 40, 65, 100 };

	free(genotype);
	if (vs_panel_new(&panel, N_VEC, n_field) ||
		vs_new(&genotype, N_VEC * n_field, 1, "data"))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++)
		for (size_t f = 0; f < n_field; f++) {
			uint8_t g = v % 3;

			if (vs_rng_below(&rng, 100) < others[v / 3 % 5])
				g = (uint8_t)vs_rng_below(&rng, 3);
			genotype[v * n_field + f] = g;
			vs_vec_set(&panel.vec, v, f, g);
		}
	vs_panel_make(&panel, 0, N_VEC, 1);
}

static int32_t
sum(size_t n_field, size_t u, size_t v, size_t w)
{
	int32_t all = 0;

	for (size_t f = 0; f < n_field; f++)
		all += genotype[u * n_field + f] * genotype[v * n_field + f] *
			(w < N_VEC ? genotype[w * n_field + f] : 1);
	return all;
}

/* Rows of some pairs against columns [col, N_VEC). */
static int
try(const struct vs_dense *dense, const struct vs_triple *triple,
	size_t n_field, size_t col)
{
	size_t n_col = N_VEC - col;
	struct vs_triple_row row[ROWS];
	int32_t *pair = NULL, *p = NULL;
	void *cols = NULL, *scratch = NULL;
	int wrong = 0;

	if (vs_new(&pair, N_VEC * LD, sizeof(*pair), "pairs") ||
		vs_new(&p, ROWS * LD, sizeof(*p), "sums") ||
		vs_room(&cols, dense->col_room(n_col, n_field), 1, "columns") ||
		vs_room(&scratch, triple->row_room(ROWS, n_field), 1, "rows"))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++)
		for (size_t w = col; w < N_VEC; w++)
			pair[v * LD + w - col] = sum(n_field, v, w, N_VEC);
	for (size_t r = 0; r < ROWS; r++)
		for (int k = 0; k < 2; k++) {
			row[r].v[k] = (uint32_t)vs_rng_below(&rng, N_VEC);
			row[r].g[k] = pair + row[r].v[k] * LD;
		}
	dense->take_cols(&panel, col, n_col, 1, cols);
	triple->count(&panel, row, ROWS, cols, n_col, scratch, p, LD);
	for (size_t r = 0; r < ROWS; r++)
		for (size_t w = col; w < N_VEC; w++)
			wrong += p[r * LD + w - col] !=
				sum(n_field, row[r].v[0], row[r].v[1], w);
	free(pair);
	free(p);
	free(cols);
	free(scratch);
	return wrong;
}

int
main(void)
{
	static const size_t fields[] = { 1, 31, 32, 33, 63, 64, 65, 511, 513,
		1983, 1984, 1985, 2047, 3968, 4063, 4064, 4065, 6100, 8129,
		9000 };
	int tried = 0;

	vs_rng_seed(&rng, 9);
	for (int k = 0; vs_dense_at(k); k++) {
		const struct vs_dense *dense = vs_dense_at(k);
		const struct vs_triple *triple = vs_triple_of(dense);

		if (!triple || dense->cpu > vs_cpu_best())
			continue;
		for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]);
			f++) {
			make(fields[f]);
			T_OK(!try(dense, triple, fields[f], f % 30),
				"%s: %zu fields", dense->name, fields[f]);
			vs_panel_free(&panel);
			tried++;
		}
	}
	if (!tried)
		T_SKIP("no kernel of triples for this processor");
	free(genotype);
	return T_DONE();
}
