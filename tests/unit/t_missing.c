/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Losses of pairs that miss calls, by lists of the calls missing and from
 * products of every dense kernel, by either label, against sums taken field by
 * field.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/pair/missing.h"
#include "libcore/kern/gaps/gaps.h"
#include "libcore/kern/kernels.h"
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

/* Vectors that miss one in `share` calls; 0: every fifth misses all, others one
 * in some. */
static struct vectors
vectors_like(size_t n_vec, size_t n_field, uint64_t share, struct vs_rng *rng)
{
	struct vectors v = { .g = room(n_vec * n_field + 1) };

	if (vs_panel_new(&v.panel, n_vec, n_field))
		exit(4);
	for (size_t i = 0; i < n_vec; i++) {
		uint64_t one_in = i % 5 == 4 ? 1 : 2 + vs_rng_below(rng, 50);

		one_in = !share ? one_in : i % 7 ? share : ~0ull;

		for (size_t q = 0; q < n_field; q++) {
			int g = (int)vs_rng_below(rng, 3);

			g = vs_rng_below(rng, one_in) ? g : 3;
			v.g[i * n_field + q] = (uint8_t)g;
			vs_vec_set(&v.panel.vec, i, q, g);
		}
	}
	vs_panel_make(&v.panel, 0, n_vec, 1);
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

	vs_missing_take(a, N_ROW, memory, &lost);
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
	const struct vs_missing_sums t = { sum[0], sum[1], sum[2], sum[3], ld };
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

/* ---- lists ---- */

/* Room beside the arrays that must not be touched. */
#define GUARD 64

/* Lists of n vectors, of arrays that end where they should; false: they do not
 * fit. */
static bool
take(struct vs_gaps *g, const struct vectors *v, size_t n, int label,
	enum vs_cpu cpu, bool lost)
{
	size_t n_field = v->panel.vec.n_field;
	size_t bytes = vs_gaps_square_bytes(n, n_field);

	*g = (struct vs_gaps){ .copies = aligned_alloc(64, bytes),
		.lost = lost ? aligned_alloc(64, bytes) : NULL,
		.begin = room(vs_gaps_begin_bytes(n)),
		.field = room(vs_gaps_list_bytes(n, n_field) + 1) };
	return vs_gaps_take(cpu, &v->panel, 0, n, label, g);
}

static void
drop(struct vs_gaps *g)
{
	free(g->copies);
	free(g->lost);
	free(g->begin);
	free(g->field);
}

/* Number of differences of the sums of columns [64, n) or all. */
static int
compare(const struct vectors *a, const struct vectors *b, size_t n_row,
	size_t n_col, size_t from, int label, const struct vs_gaps_sums *t)
{
	const void *const sum[3] = { t->i, t->j, t->both };
	size_t n = a->panel.vec.n_field;
	int wrong = 0;

	for (size_t r = 0; r < n_row; r++)
		for (size_t c = from; c < n_col; c++) {
			int32_t want[3], product;

			sums_lost(a->g + r * n, b->g + c * n, n, label, want,
				&product);
			for (size_t x = 0; x < 3; x++) {
				size_t at = r * t->ld + c - from;

				wrong += want[x] !=
					(t->bytes ? ((const uint8_t *)
								    sum[x])[at]
						  : ((const int32_t *)sum[x])
								[at]);
			}
		}
	return wrong;
}

/* Lists of vectors that miss one in one_in calls. */
static void
try_lists(size_t n_field, size_t n_row, size_t n_col, uint64_t one_in,
	struct vs_rng *rng)
{
	struct vectors a = vectors_like(n_row, n_field, one_in, rng);
	struct vectors b = vectors_like(n_col, n_field, one_in, rng);
	size_t ld = (n_col + 63) / 64 * 64, longest = 0;
	int wrong = 0, n = 0;

	for (int cpu = 0; cpu <= (int)vs_cpu_best(); cpu++)
		for (int k = 0; k < 4; k++) {
			struct vs_gaps rows, cols;
			size_t from = k & 2 && n_col > 64 ? 64 : 0;
			struct vs_gaps_sums t = { .ld = ld,
				.i = room(4 * n_row * ld),
				.j = room(4 * n_row * ld),
				.both = room(4 * n_row * ld) };

			wrong += !take(&rows, &a, n_row, k & 1,
				(enum vs_cpu)cpu, false);
			wrong += !take(&cols, &b, n_col, k & 1,
				(enum vs_cpu)cpu, true);
			longest = rows.longest > cols.longest ? rows.longest
							      : cols.longest;
			for (int bytes = 0; bytes < 2; bytes++) {
				t.bytes = bytes;
				if (bytes && longest > VS_GAPS_BYTE_LIST)
					continue;
				vs_gaps_count((enum vs_cpu)cpu, &rows, &cols,
					from, n_col, &t);
				wrong += compare(&a, &b, n_row, n_col, from,
					k & 1, &t);
				n++;
			}
			drop(&rows);
			drop(&cols);
			free(t.i);
			free(t.j);
			free(t.both);
		}
	T_OK(!wrong,
		"lists, %zu fields, %zu x %zu, longest %zu: %d wrong of %d",
		n_field, n_row, n_col, longest, wrong, n);
	vectors_free(&a);
	vectors_free(&b);
}

/* More calls missing than the lists have room for: a quarter. */
static void
try_many(struct vs_rng *rng)
{
	struct vectors v = vectors_like(40, 200, 2, rng);
	struct vs_gaps g;

	T_OK(!take(&g, &v, 40, 1, vs_cpu_best(), true),
		"lists of half of the calls are refused: they do not fit");
	drop(&g);
	vectors_free(&v);
}

int
main(void)
{
	static const size_t fields[] = { 1, 63, 64, 65, 511, 512, 700 };
	const struct vs_dense *k;
	struct vs_rng rng;

	vs_rng_seed(&rng, 7);
	for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++) {
		struct vectors a = vectors_like(N_ROW, fields[f], 0, &rng);
		struct vectors b = vectors_like(N_COL, fields[f], 0, &rng);

		for (int n = 0; (k = vs_registry_dense_at(n)); n++)
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
	try_lists(1, 1, 1, 20, &rng);
	try_lists(63, 3, 65, 9, &rng);
	try_lists(427, 70, 140, 28, &rng);
	try_lists(1000, 64, 130, 100, &rng);
	try_lists(1100, 65, 66, 5, &rng); /* lists of more than 127 */
	try_many(&rng);
	return T_DONE();
}
