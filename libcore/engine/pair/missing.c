/* SPDX-License-Identifier: BSD-3-Clause */
/* Corrections of the sums of pairs for missing calls, by a dense kernel. */
#include <stdbool.h>
#include <string.h>

#include "libcore/engine/pair/missing.h"
#include "libcore/kern/kernels.h"

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
vs_missing_take(const struct vs_panel *rows, size_t n, enum vs_mark mark,
	void *memory, struct vs_panel *marks)
{
	const size_t n_field = rows->vec.n_field, n_word = rows->vec.n_word;
	const uint64_t last = (1ull << n_field % 64) - 1;

	*marks = (struct vs_panel){ .vec = { memory, n, n_field, n_word, n_word,
					    NULL } };
	marks->n_vec = n;
	marks->sum = (int32_t *)(marks->vec.word + 2 * n * n_word);
	marks->present = marks->sum + n;
	marks->two = marks->present + n;
	for (size_t v = 0; v < n; v++) {
		const uint64_t *h = vs_vec_plane(&rows->vec, v, 0);
		const uint64_t *p = vs_vec_plane(&rows->vec, v, 1);
		uint64_t *to = vs_vec_plane(&marks->vec, v, 0);

		memset(to, 0, 2 * plane_bytes(n_field));
		/* a set bit: no copy */
		for (size_t w = 0; w < (n_field + 63) / 64; w++)
			to[w] = mark == VS_MARK_TWO ? ~(h[w] & p[w])
						    : h[w] | ~p[w];
		if (last)
			to[n_field / 64] &= last;
		marks->sum[v] = mark == VS_MARK_TWO
			? rows->two[v]
			: (int32_t)n_field - rows->present[v];
		marks->present[v] = (int32_t)n_field;
		marks->two[v] = 0;
	}
}

/* A row: its copies of the label, its fields present, and all fields. */
struct row {
	int32_t s, c, n;
};

VS_INLINE void
solve_label(const struct row *row, const struct vs_panel *cols, size_t lo,
	size_t hi, const struct vs_missing_sums *t, bool label)
{
	const int32_t si = row->s, ci = row->c, n = row->n, *p = t->p;
	const int32_t *sum = cols->sum, *present = cols->present;
	int32_t *other = t->other, *own = t->lost, *rest = t->other_lost;

#pragma omp simd
	for (size_t j = lo; j < hi; j++) {
		const int32_t cj = present[j], zeros = 2 * cj - sum[j];
		const int32_t sj = label ? sum[j] : zeros;
		/* for label 0, all other fields of `lost` have two copies */
		const int32_t a = label ? own[j] : 2 * zeros - own[j];
		const int32_t b = label ? 2 * zeros - rest[j] : rest[j];
		/* fields missing in both, and present in both */
		const int32_t lost = n - ci - (a + b) / 2;
		const int32_t both = ci + cj - n + lost;

		other[j] = si + sj - a - (4 * both + p[j] - other[j]) / 2;
		own[j] = a;
		rest[j] = lost;
	}
}

VS_INLINE void
solve_any(const struct row *row, const struct vs_panel *cols, size_t lo,
	size_t hi, const struct vs_missing_sums *t, int label)
{
	if (label)
		solve_label(row, cols, lo, hi, t, true);
	else
		solve_label(row, cols, lo, hi, t, false);
}

VS_BY_CPU(void, solve, (row, cols, lo, hi, t, label), const struct row *row,
	const struct vs_panel *cols, size_t lo, size_t hi,
	const struct vs_missing_sums *t, int label)

void
vs_missing_solve(enum vs_cpu cpu, const struct vs_panel *rows, size_t n,
	const struct vs_panel *cols, size_t lo, size_t hi, int label,
	const struct vs_missing_sums *t)
{
	for (size_t r = 0; r < n; r++) {
		const size_t at = r * t->ld;
		const struct vs_missing_sums own = { t->p + at, t->other + at,
			t->lost + at, t->other_lost + at, t->ld, NULL };
		const struct row row = { vs_panel_sum(rows, r, label),
			rows->present[r], (int32_t)rows->vec.n_field };

		for (size_t j = lo, end; j < hi; j = end) {
			end = t->block ? (j / VS_BLOCK_COLS + 1) * VS_BLOCK_COLS
				       : hi;
			end = end < hi ? end : hi;
			if (t->block && !(t->block[r] >> j / VS_BLOCK_COLS & 1))
				continue;
			solve(cpu, &row, cols, j, end, &own, label);
		}
	}
}
