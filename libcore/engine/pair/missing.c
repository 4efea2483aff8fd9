/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of pairs that miss calls, from products of a dense kernel. */
#include <string.h>

#include "libcore/engine/pair/missing.h"

static size_t
plane_bytes(size_t n_field)
{
	return vs_vec_words(n_field) * sizeof(uint64_t);
}

size_t
vs_missing_bytes(size_t n_row, size_t n_field)
{
	return n_row * (2 * plane_bytes(n_field) + 3 * sizeof(int32_t));
}

void
vs_missing_take(const struct vs_panel *rows, size_t n, void *memory,
	struct vs_panel *lost)
{
	const size_t n_field = rows->vec.n_field, n_word = rows->vec.n_word;
	const uint64_t last = (1ull << n_field % 64) - 1;

	*lost = (struct vs_panel){ .vec = { memory, n, n_field, n_word, n_word,
					   NULL } };
	lost->n_vec = n;
	lost->sum = (int32_t *)(lost->vec.word + 2 * n * n_word);
	lost->present = lost->sum + n;
	lost->two = lost->present + n;
	for (size_t v = 0; v < n; v++) {
		const uint64_t *h = vs_vec_plane(&rows->vec, v, 0);
		const uint64_t *p = vs_vec_plane(&rows->vec, v, 1);
		uint64_t *to = vs_vec_plane(&lost->vec, v, 0);

		memset(to, 0, 2 * plane_bytes(n_field));
		for (size_t w = 0; w < n_field / 64; w++)
			to[w] = h[w] | ~p[w];
		if (last)
			to[n_field / 64] =
				(h[n_field / 64] | ~p[n_field / 64]) & last;
		lost->sum[v] = (int32_t)n_field - rows->present[v];
		lost->present[v] = (int32_t)n_field;
		lost->two[v] = 0;
	}
}

/* A row: its copies of label 1, its fields present, and all fields. */
struct row {
	int32_t s, c, n;
};

VS_INLINE void
solve_any(const struct row *row, const struct vs_panel *cols, size_t lo,
	size_t hi, const struct vs_tally *t)
{
	const int32_t si = row->s, ci = row->c, n = row->n;
	const int32_t *sum = cols->sum, *present = cols->present;
	int32_t *xx = t->xx, *xm = t->xm, *mx = t->mx, *mm = t->mm;

#pragma omp simd
	for (size_t j = lo; j < hi; j++) {
		const int32_t sj = sum[j], cj = present[j];
		const int32_t one = mx[j], none = 2 * (2 * cj - sj) - mm[j];
		/* fields: that neither has, that both have */
		const int32_t lost = n - ci - (one + none) / 2;
		const int32_t both = ci + cj - n + lost;
		/* what each has of label 1 in these */
		const int32_t gj = sj - one;
		const int32_t gi = (4 * both + xx[j] - xm[j]) / 2 - gj;

		xx[j] += both - gi - gj;
		xm[j] = si - gi - (n - cj - lost);
		mx[j] = one - (n - ci - lost);
		mm[j] = lost;
	}
}

VS_BY_CPU(void, solve, (row, cols, lo, hi, t), const struct row *row,
	const struct vs_panel *cols, size_t lo, size_t hi,
	const struct vs_tally *t)

void
vs_missing_solve(enum vs_cpu cpu, const struct vs_panel *rows, size_t n,
	const struct vs_panel *cols, size_t lo, size_t hi,
	const struct vs_tally *t)
{
	for (size_t r = 0; r < n; r++) {
		const size_t at = r * t->ld;
		const struct vs_tally own = { t->xx + at, t->xm + at,
			t->mx + at, t->mm + at, t->ld };

		solve(cpu,
			&(struct row){ rows->sum[r], rows->present[r],
				(int32_t)rows->vec.n_field },
			cols, lo, hi, &own);
	}
}
