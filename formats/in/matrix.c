/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules common to all matrix readers. */
#include <math.h>
#include <string.h>

#include "formats/in/matrix.h"
#include "libcore/base/fail.h"

/* True if entries may be missing: bits and reals may. */
static bool
may_miss(const struct vs_matrix *m)
{
	return m->how.smallest || !vs_element_is_integer(m->how.element);
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
		if (isfinite(cell[c]) || (isnan(cell[c]) && may_miss(m)))
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
