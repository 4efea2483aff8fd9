/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of matrix formats, made from formats/in/rows.h; first bytes identify
 * one. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The matrix of a folder of 10x Genomics into t. 0; VS_EMACHINE */
static int
of_folder(struct vs_text *t, const char **path)
{
	struct stat st;
	int code;

	if (stat(*path, &st) || !S_ISDIR(st.st_mode))
		return 0;
	code = vs_text_add(t, "%s/matrix.mtx.gz", *path);
	if (!code && access(t->bytes, F_OK))
		t->bytes[t->len - strlen(".gz")] = '\0';
	if (!code && !access(t->bytes, F_OK))
		*path = t->bytes;
	return code;
}

int
vs_matrix_open(struct vs_matrix *m, const char *path,
	const struct vs_matrix_how *how)
{
	struct vs_text inside = { 0 };
	const char *bytes;
	size_t n, k = 0;
	int code = how->sites ? 0 : of_folder(&inside, &path);

	memset(m, 0, sizeof(*m));
	m->how = *how;
	m->n_line = VS_ROWS_UNKNOWN;
	m->name = path;
	if (!code && !how->sites)
		code = vs_lines_open(&m->lines, path);
	vs_text_free(&inside);
	if (!code && m->lines) {
		m->name = vs_lines_name(m->lines);
		code = vs_lines_peek(m->lines, SNIFF, &bytes, &n);
	}
	if (code)
		return code;
	while (m->lines && !kinds[k]->is(bytes, n))
		k++;
	m->kind = m->lines ? kinds[k] : &vs_matrix_sites;
	if (m->kind != &vs_matrix_table && vs_table_how_states(&how->table))
		return vs_fail(VS_EUSAGE, "%s: is not a text table; omit --%s",
			m->name, vs_table_how_states(&how->table));
	code = vs_mem_new(&m->state, 1, m->kind->state, "reader");
	if (!code)
		code = m->kind->open(m);
	if (!code && (!m->n_cell || m->n_cell > VS_PACKED_VECTORS))
		code = vs_fail(VS_EINPUT, "%s: has lines of %llu numbers",
			m->name, (unsigned long long)m->n_cell);
	return code;
}
