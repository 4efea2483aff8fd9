/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Losses of pairs with missing calls, from products of every dense kernel, for
 * either label, against sums taken field by field.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/pair/missing.h"
#include "libcore/kern/kernels.h"
#include "tests/unit/panels.h"
#include "tests/unit/sums.h"
#include "tests/unit/test.h"

#define N_ROW 9
#define N_COL 70

/* Vectors, and what they are made of: a byte a genotype, 3 for missing. */
struct vectors {
	struct vs_panel panel;
	uint8_t *g;
};

static void *
room(size_t bytes)
{
	void *p = NULL;

	if (vs_mem_room(&p, bytes, 1, "memory"))
		exit(4);
	memset(p, 0x5a, bytes);
	return p;
}

static void
vectors_free(struct vectors *v)
{
	vs_panel_free(&v->panel);
	free(v->g);
}

/* Every fifth vector misses all calls, others one in some. */
static struct vectors
vectors_like(size_t n_vec, size_t n_field, struct vs_rng *rng)
{
	struct vectors v = { .g = room(n_vec * n_field + 1) };

	if (panel_new(&v.panel, n_vec, n_field))
		exit(4);
	for (size_t i = 0; i < n_vec; i++) {
		uint64_t one_in = i % 5 == 4 ? 1 : 2 + vs_rng_below(rng, 50);

		for (size_t q = 0; q < n_field; q++) {
			int g = (int)vs_rng_below(rng, 3);

			g = vs_rng_below(rng, one_in) ? g : 3;
			v.g[i * n_field + q] = (uint8_t)g;
			vs_vec_set(&v.panel.vec, i, q, g);
		}
	}
	panel_make(&v.panel, 0, n_vec, 1);
	return v;
}

/* Products of both, and of what the rows miss, by the label and the other. */
static void
count(const struct vs_dense *k, const struct vs_panel *a,
	const struct vs_panel *b, int label, int32_t *const sum[4], size_t ld)
{
	size_t n_field = a->vec.n_field;
	void *cols = room(k->col_room(N_COL, n_field));
	void *rows = room(k->row_room(N_ROW, n_field));
	void *memory = room(vs_missing_bytes(N_ROW, n_field));
	struct vs_panel lost;

	vs_missing_take(a, N_ROW, VS_MARK_MISSING, memory, &lost);
	for (int other = 0; other < 2; other++) {
		int of = other ? !label : label;

		k->take_cols(b, 0, N_COL, of, cols);
		k->count(a, 0, N_ROW, of, cols, 0, N_COL, rows, sum[other], ld);
		k->count(&lost, 0, N_ROW, of, cols, 0, N_COL, rows,
			sum[2 + other], ld);
	}
	free(memory);
	free(rows);
	free(cols);
}

static int
judge(const struct vs_dense *k, const struct vectors *a,
	const struct vectors *b, enum vs_cpu cpu, size_t lo, int label)
{
	size_t n = a->panel.vec.n_field;
	size_t ld = (N_COL + k->lanes - 1) / k->lanes * k->lanes, one;
	int32_t *p = room(4 * (one = N_ROW * ld) * sizeof(*p));
	int32_t *const sum[4] = { p, p + one, p + 2 * one, p + 3 * one };
	const struct vs_missing_sums t = { sum[0], sum[1], sum[2], sum[3], ld,
		NULL };
	int wrong = 0;

	count(k, &a->panel, &b->panel, label, sum, ld);
	vs_missing_solve(cpu, &a->panel, N_ROW, &b->panel, lo, N_COL, label,
		&t);
	for (size_t r = 0; r < N_ROW; r++)
		for (size_t c = lo; c < N_COL; c++) {
			int32_t want[3], product;

			sums_lost(a->g + r * n, b->g + c * n, n, label, want,
				&product);
			wrong += sum[0][r * ld + c] != product;
			for (size_t x = 0; x < 3; x++)
				wrong += sum[1 + x][r * ld + c] != want[x];
		}
	free(p);
	return wrong;
}

int
main(void)
{
	static const size_t fields[] = { 1, 63, 64, 65, 511, 512, 700 };
	const struct vs_dense *k;
	struct vs_rng rng;

	vs_rng_seed(&rng, 7);
	for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++) {
		struct vectors a = vectors_like(N_ROW, fields[f], &rng);
		struct vectors b = vectors_like(N_COL, fields[f], &rng);

		for (int n = 0; (k = vs_registry_dense[n]); n++)
			for (enum vs_cpu cpu = k->cpu; cpu <= vs_cpu_best();
				cpu++) {
				int wrong = judge(k, &a, &b, cpu, f % 3,
					(int)(f + cpu) % 2);

				T_OK(!wrong, "%s, %s, %zu fields: %d wrong",
					k->name, vs_cpu_name(cpu), fields[f],
					wrong);
			}
		vectors_free(&a);
		vectors_free(&b);
	}
	return T_DONE();
}
