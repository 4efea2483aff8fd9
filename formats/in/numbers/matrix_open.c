/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of matrix formats, made from formats/in/rows.h; first bytes identify
 * one. */
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

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
	m->kind = how->field ? &vs_matrix_vcf : kinds[k];
	if (m->kind != &vs_matrix_table && vs_table_how_states(&how->table))
		return vs_fail(VS_EUSAGE, "%s: is not a text table; omit --%s",
			vs_lines_name(m->lines),
			vs_table_how_states(&how->table));
	code = vs_mem_new(&m->state, 1, m->kind->state, "reader");
	if (!code)
		code = m->kind->open(m);
	if (!code && (!m->n_cell || m->n_cell > VS_PACKED_VECTORS))
		code = vs_fail(VS_EINPUT, "%s: has lines of %llu numbers",
			vs_lines_name(m->lines), (unsigned long long)m->n_cell);
	return code;
}
