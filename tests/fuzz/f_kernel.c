/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every counting kernel of pairs that this machine runs against sums taken
 * field by field: genotypes are made of the input, one in two bits, repeated
 * over the fields that its head asks for.
 */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/kern/kernels.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/panels.h"

const unsigned fuzz_rounds = 1200;

#define HEAD 6
#define MOST_VEC 48
#define MOST_FIELD 1300

static uint8_t g[MOST_VEC][MOST_FIELD];

struct shape {
	size_t n_vec, n_field, n_row, lo, n_col;
};

static void
panel(struct vs_panel *p, const struct shape *s, const uint8_t *bytes, size_t n)
{
	if (panel_new(p, s->n_vec, s->n_field))
		exit(4);
	for (size_t v = 0, at = 0; v < s->n_vec; v++)
		for (size_t q = 0; q < s->n_field; q++, at++) {
			/* by a step of one bit more for each turn */
			size_t bit = (at + at / (4 * n) * 3) % (4 * n);

			g[v][q] = bytes[bit / 4] >> 2 * (bit % 4) & 3;
			vs_vec_set(&p->vec, v, q, g[v][q]);
		}
	panel_make(p, 0, s->n_vec, 1);
}

static void *
aligned(size_t n)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, n ? n : 64))
		exit(4);
	memset(p, 0xa5, n);
	return p;
}

static int32_t
plain(size_t i, size_t j, size_t n, int label)
{
	int32_t sum = 0;

	for (size_t q = 0; q < n; q++)
		if (g[i][q] != 3 && g[j][q] != 3)
			sum += label ? g[i][q] * g[j][q]
				     : (2 - g[i][q]) * (2 - g[j][q]);
	return sum;
}

static void
plain_four(size_t i, size_t j, size_t n, int32_t sum[4])
{
	memset(sum, 0, 4 * sizeof(*sum));
	for (size_t q = 0; q < n; q++) {
		int mi = g[i][q] == 3, mj = g[j][q] == 3;
		int xi = mi ? 0 : g[i][q] - 1, xj = mj ? 0 : g[j][q] - 1;

		sum[0] += xi * xj;
		sum[1] += xi * mj;
		sum[2] += mi * xj;
		sum[3] += mi * mj;
	}
}

static void
dense(const struct vs_dense *k, const struct vs_panel *p, const struct shape *s,
	int label)
{
	size_t whole = (s->n_col + k->lanes - 1) / k->lanes * k->lanes;
	size_t ld = (whole + VS_COLS - 1) / VS_COLS * VS_COLS;
	void *cols = aligned(k->col_room(s->n_col, s->n_field));
	void *rows = aligned(k->row_room(s->n_row, s->n_field));
	int32_t *sum = aligned(s->n_row * ld * sizeof(*sum));

	k->take_cols(p, s->lo, s->n_col, label, cols);
	k->count(p, 0, s->n_row, label, cols, 0, s->n_col, rows, sum, ld);
	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = 0; c < s->n_col; c++)
			FUZZ_HOLDS(sum[r * ld + c] ==
					plain(r, s->lo + c, s->n_field, label),
				"%s, label %d: row %zu, column %zu", k->name,
				label, r, c);
	free(cols);
	free(rows);
	free(sum);
}

static void
sparse(const struct vs_sparse *k, const struct vs_panel *p,
	const struct shape *s)
{
	for (size_t r = 0; r < s->n_row; r++)
		for (size_t c = 0; c < s->n_col; c++) {
			int32_t want[4], pair[4];

			plain_four(r, s->lo + c, s->n_field, want);
			k->pair(p, r, p, s->lo + c, pair);
			FUZZ_HOLDS(!memcmp(pair, want, sizeof(want)),
				"%s: row %zu, column %zu", k->name, r, c);
		}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct vs_dense *d;
	const struct vs_sparse *x;
	struct vs_panel p;
	struct shape s;

	if (n <= HEAD)
		return 0;
	s.n_vec = 2 + bytes[0] % (MOST_VEC - 1);
	s.n_field = 1 + (bytes[1] | (size_t)bytes[2] << 8) % MOST_FIELD;
	s.n_row = 1 + bytes[3] % (s.n_vec < 9 ? s.n_vec : 9);
	s.lo = bytes[4] % s.n_vec;
	s.n_col = 1 + bytes[5] % (s.n_vec - s.lo);
	panel(&p, &s, bytes + HEAD, n - HEAD);
	for (int k = 0; (d = vs_registry_dense[k]); k++)
		if (d->cpu <= vs_cpu_best())
			for (int label = 0; label < 2; label++)
				dense(d, &p, &s, label);
	for (int k = 0; (x = vs_registry_sparse[k]); k++)
		if (x->cpu <= vs_cpu_best())
			sparse(x, &p, &s);
	vs_panel_free(&p);
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	uint8_t x[HEAD + 90];

	for (uint8_t seed = 0; seed < 6; seed++) {
		for (size_t k = 0; k < sizeof(x); k++)
			x[k] = (uint8_t)((k * 211 + seed * 57) ^ k * k >> 4);
		x[2] = seed;
		take(x, sizeof(x));
	}
}
