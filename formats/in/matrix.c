/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/matrix.h"
#include "libcore/base/fail.h"

#define SNIFF 16 /* leading bytes that identify the kind */

static const struct vs_matrix_kind *const kinds[] = {
#define READER(name)
#define MATRIX(name) &vs_matrix_##name,
#include "formats/in/rows.h"
#undef READER
#undef MATRIX
};

int
vs_matrix_open(struct vs_matrix *m, const char *path,
	const struct vs_matrix_how *how)
{
	const char *bytes;
	size_t n, k = 0;
	int code;

	memset(m, 0, sizeof(*m));
	m->how = *how;
	m->n_line = VS_ROWS_UNKNOWN;
	code = vs_lines_open(&m->lines, path);
	if (!code)
		code = vs_lines_peek(m->lines, SNIFF, &bytes, &n);
	if (code)
		return code;
	while (!kinds[k]->is(bytes, n))
		k++;
	m->kind = kinds[k];
	if (m->kind != &vs_matrix_table &&
		(how->header >= 0 || how->text_columns >= 0))
		return vs_fail(VS_EUSAGE,
			"%s: is no text: --header and --text-columns do not "
			"go with it",
			vs_lines_name(m->lines));
	code = m->kind->open(m);
	if (!code && (!m->n_cell || m->n_cell > VS_PACKED_VECTORS))
		code = vs_fail(VS_EINPUT, "%s: has lines of %llu numbers",
			vs_lines_name(m->lines), (unsigned long long)m->n_cell);
	return code;
}

/* May an entry be missing? Bits may. */
static bool
may_miss(const struct vs_matrix *m)
{
	return m->how.element == VS_BIT2 && !m->how.smallest;
}

int
vs_matrix_check(const struct vs_matrix *m, const char *place, double x)
{
	const char *name = vs_lines_name(m->lines);

	if (isnan(x) && may_miss(m))
		return 0;
	if (isnan(x))
		return vs_fail(VS_EINPUT,
			"%s: %s: the entry is missing; --missing-as-zero takes "
			"it for 0, and --element bit keeps it",
			name, place);
	if (isinf(x))
		return vs_fail(VS_EINPUT,
			"%s: %s: is not finite; numbers must be, so correct it "
			"or leave its row or column out",
			name, place);
	if (x < 0)
		return vs_fail(VS_EINPUT,
			"%s: %s: %g is negative; numbers must be 0 or more, so "
			"correct it or leave its row or column out",
			name, place, x);
	return 0;
}

int
vs_matrix_next(struct vs_matrix *m, double *cell)
{
	char place[VS_MATRIX_PLACE];
	int code = m->kind->next(m, cell);

	if (code != 1)
		return code;
	m->n_given++;
	for (uint64_t c = 0; c < m->n_cell; c++) {
		if (m->how.missing_as_zero && isnan(cell[c]))
			cell[c] = 0;
		if ((cell[c] >= 0 && cell[c] < HUGE_VAL) ||
			(isnan(cell[c]) && may_miss(m)))
			continue;
		m->kind->place(m, c, place, sizeof(place));
		return vs_matrix_check(m, place, cell[c]);
	}
	return 1;
}

void
vs_matrix_close(struct vs_matrix *m)
{
	if (m->kind)
		m->kind->close(m);
	vs_lines_close(m->lines);
	vs_text_pool_free(&m->cell_id);
	vs_text_free(&m->note);
	memset(m, 0, sizeof(*m));
}
