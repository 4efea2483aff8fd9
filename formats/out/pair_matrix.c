/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense symmetric matrix of the values of pairs, collected before it is
 * written. */
#include <math.h>
#include <stdlib.h>

#include "formats/out/pair_matrix.h"
#include "libcore/base/mem.h"

void
vs_pair_matrix_end(struct vs_writer *w)
{
	struct vs_pair_matrix *m = w->state;

	if (m) {
		free(m->at);
		free(m->value);
	}
	free(m);
	w->state = NULL;
}

/* Value of a pair without a record, if that is 0. */
static double
absent(const struct vs_show *show, uint64_t i, uint64_t j)
{
	const uint64_t vec[2] = { i, j };

	return show->undefined && show->undefined(show->undefined_with, vec, 2)
		? NAN
		: 0;
}

int
vs_pair_matrix_begin(struct vs_writer *w)
{
	const struct vs_show *show = w->show;
	const size_t n = show->n_row, n_value = n * (n + 1) / 2;
	struct vs_pair_matrix *m = NULL;
	int code = vs_mem_new(&m, 1, sizeof(*m), "the matrix");

	w->state = m;
	VS_MEM_ROOM(&code, m->at, show->sites->n, "rows of the matrix");
	VS_MEM_ROOM(&code, m->value, n_value, "the matrix");
	if (code)
		return code;
	m->n = n;
	for (size_t row = 0; row < show->sites->n; row++)
		m->at[row] = n;
	for (size_t k = 0; k < n_value; k++)
		m->value[k] = NAN;
	for (size_t j = 1; j < n && show->absent_zero; j++)
		for (size_t i = 0; i < j; i++)
			m->value[j * (j + 1) / 2 + i] =
				absent(show, show->vec[i], show->vec[j]);
	for (size_t k = 0; k < n; k++) {
		m->at[show->row[k]] = k;
		m->value[k * (k + 1) / 2 + k] = show->itself[k];
	}
	return 0;
}

/* Each pair has one line, so threads write different values. */
void
vs_pair_matrix_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct vs_pair_matrix *m = w->state;
	size_t i = m->at[line->row[0]], j = m->at[line->row[1]];
	size_t lo = i < j ? i : j, hi = i < j ? j : i;

	if (hi < m->n)
		m->value[hi * (hi + 1) / 2 + lo] =
			vs_column_undefined(w->show, line) ? NAN
							   : line->rec.value;
}
