/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules common to all matrix readers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* True if entries may be missing: bits and reals may. */
static bool
may_miss(const struct vs_matrix *m)
{
	return m->how.smallest || !vs_element_is_integer(m->how.element);
}

int
vs_matrix_check(const struct vs_matrix *m, const char *place, double x)
{
	const char *name = m->name;

	if (isnan(x) && may_miss(m))
		return 0;
	if (isnan(x))
		return vs_fail(VS_EINPUT,
			"%s: %s: the entry is missing; --missing-as-zero takes "
			"it for 0, and --element f32, f64 or bit keeps it",
			name, place);
	if (isinf(x))
		return vs_fail(VS_EINPUT,
			"%s: %s: is not finite; numbers must be, so correct it "
			"or leave its row or column out",
			name, place);
	return 0;
}

int
vs_matrix_count_rounded(struct vs_matrix *m, const char *place,
	const char *word, double x)
{
	const char *digits = word + strspn(word, "+-");
	char exact[VS_MATRIX_PLACE];

	digits += strspn(digits, "0");
	if (!*digits || digits[strspn(digits, "0123456789")])
		return 0;
	snprintf(exact, sizeof(exact), "%.0f", fabs(x));
	if (!strcmp(digits, exact) || m->n_rounded++)
		return 0;
	return vs_text_add(&m->rounded, "%s: %s", place, word);
}

/* An entry that is not finite, or too large to be sure that it is exact. */
static int
check_odd(struct vs_matrix *m, uint64_t c, double x)
{
	char place[VS_MATRIX_PLACE], word[VS_MATRIX_PLACE];
	int code;

	m->kind->place(m, c, place, sizeof(place));
	code = vs_matrix_check(m, place, x);
	if (code || isnan(x) || !m->kind->word)
		return code;
	m->kind->word(m, c, word, sizeof(word));
	return vs_matrix_count_rounded(m, place, word, x);
}

int
vs_matrix_next(struct vs_matrix *m, double *cell)
{
	bool rows = m->part.n && !m->kind->cut, past;
	int code;

	do { /* lines of later parts are read, too */
		past = rows && m->n_given >= m->part.hi;
		code = m->kind->next(m, cell);
		if (code != 1)
			return code;
		if (m->line_ids.n)
			m->line_id = vs_text_pool_get(&m->line_ids, m->n_given,
				&m->line_id_len);
		m->n_given++;
	} while (past);
	for (uint64_t c = 0; c < m->n_cell; c++) {
		if (m->how.missing_as_zero && isnan(cell[c]))
			cell[c] = 0;
		if (!vs_matrix_is_odd(cell[c]) ||
			(isnan(cell[c]) && may_miss(m)))
			continue;
		code = check_odd(m, c, cell[c]);
		if (code)
			return code;
	}
	return 1;
}

/* Read and skip lines of other parts. */
static int
cut_rows(struct vs_matrix *m)
{
	double *cell = NULL;
	int code = vs_mem_room(&cell, m->n_cell, sizeof(*cell), "a line");

	vs_part_rows(&m->part, m->n_line);
	for (uint64_t k = 0; k < m->part.lo && !code; k++) {
		code = vs_matrix_next(m, cell);
		code = code == 1 ? 0 : code;
	}
	free(cell);
	return code;
}

int
vs_matrix_cut(struct vs_matrix *m, int64_t k, int64_t n)
{
	m->part.k = k;
	m->part.n = n;
	if (m->by_column != m->how.transpose)
		return vs_fail(VS_EINPUT,
			"%s: its vectors are not stored one after another, so "
			"it cannot be cut into parts; omit --part, or "
			"transpose it first",
			m->name);
	if (m->kind->cut)
		return m->kind->cut(m);
	if (m->n_line == VS_ROWS_UNKNOWN)
		return vs_fail(VS_EINPUT,
			"%s: cannot be cut into parts; omit --part", m->name);
	return cut_rows(m);
}

void
vs_matrix_place(const struct vs_matrix *m, uint64_t cell, char *text,
	size_t room)
{
	unsigned long long at[2] = { m->n_given, cell + 1 };

	snprintf(text, room, "row %llu, column %llu", at[m->by_column],
		at[!m->by_column]);
}

bool
vs_matrix_too_sparse(double rows, double columns, double n)
{
	return rows * columns > 0x1p30 + 0x1p20 * n ||
		fmax(rows, columns) > 0x1p24 + 0x1p10 * n;
}

int
vs_matrix_sparse(struct vs_matrix *m, uint64_t n)
{
	struct vs_matrix_entries *x = m->state;
	int code = vs_mem_new(&x->seen, m->n_cell, sizeof(*x->seen), "cells");

	return code
		? code
		: vs_text_add(&m->note, "%llu x %llu, entries: %llu",
			  (unsigned long long)m->n_line,
			  (unsigned long long)m->n_cell, (unsigned long long)n);
}

int
vs_matrix_sparse_next(struct vs_matrix *m, double *cell)
{
	struct vs_matrix_entries *x = m->state;
	const uint64_t l = m->n_given;

	if (l == m->n_line)
		return 0;
	memset(cell, 0, m->n_cell * sizeof(*cell));
	for (uint64_t k = x->at[l]; k < x->at[l + 1]; k++) {
		const uint32_t c = x->cell[k];
		const unsigned long long at[2] = { l + 1, c + 1ull };

		if (x->seen[c] == l + 1)
			return vs_fail(VS_EINPUT,
				"%s: row %llu, column %llu occurs twice; sum "
				"its entries or drop one",
				m->name, at[m->by_column], at[!m->by_column]);
		x->seen[c] = l + 1;
		cell[c] = x->value[k];
	}
	return 1;
}

void
vs_matrix_close(struct vs_matrix *m)
{
	if (m->state)
		m->kind->close(m);
	free(m->state);
	vs_lines_close(m->lines);
	vs_text_pool_free(&m->cell_id);
	vs_text_pool_free(&m->line_ids);
	vs_text_free(&m->note);
	vs_text_free(&m->rounded);
	vs_text_pool_free(&m->guess);
	memset(m, 0, sizeof(*m));
}
