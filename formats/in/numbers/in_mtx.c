/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix Market reader: sparse entries in any order. All are read, then
 * delivered by vector, so memory holds only these. Beside a file of 10x
 * Genomics, matrix.mtx, are the names of its rows and columns, features.tsv or
 * genes.tsv, and barcodes.tsv.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

#define BANNER "%%MatrixMarket"
#define TENX "matrix.mtx"

#define LEAST_ENTRY 3 /* bytes of a line, without its end: "1 1" */

struct mtx {
	struct vs_matrix_entries s;
	bool pattern;   /* entries have no number and stand for 1 */
	bool symmetric; /* an entry off the diagonal stands for two */
	uint64_t n_stated;
	uint64_t *line; /* of each entry */
	uint64_t n;
};

static bool
mtx_is(const char *bytes, size_t n)
{
	return n >= 14 && !strncasecmp(bytes, BANNER, 14);
}

static int
read_banner(struct vs_matrix *m)
{
	struct mtx *x = m->state;
	char *line, *word[5] = { NULL };
	size_t len;
	int code = vs_lines_next(m->lines, &line, &len);

	if (code != 1)
		return code ? code : vs_lines_fail(m->lines, "is empty");
	for (int k = 0; k < 5; k++)
		word[k] = vs_lines_word(&line, &len);
	if (!word[4] || strcasecmp(word[1], "matrix") ||
		strcasecmp(word[2], "coordinate") ||
		(strcasecmp(word[3], "real") &&
			strcasecmp(word[3], "integer") &&
			strcasecmp(word[3], "pattern")) ||
		(strcasecmp(word[4], "general") &&
			strcasecmp(word[4], "symmetric")))
		return vs_lines_fail(m->lines,
			"only \"matrix coordinate real|integer|pattern "
			"general|symmetric\" is supported; in SciPy: "
			"io.mmwrite(FILE, sparse.coo_matrix(m), "
			"symmetry='general')");
	x->symmetric = !strcasecmp(word[4], "symmetric");
	x->pattern = !strcasecmp(word[3], "pattern");
	return 0;
}

/* Next line that is neither empty nor a comment. */
static int
next_line(struct vs_matrix *m, char **line)
{
	size_t len;
	int code;

	do
		code = vs_lines_next_full(m->lines, line, &len);
	while (code == 1 && **line == '%');
	return code;
}

static bool
next_int(char **line, int64_t *out)
{
	size_t len;
	char *word = vs_lines_word(line, &len);

	return word && vs_num_int(word, out);
}

static int
read_size(struct vs_matrix *m)
{
	struct mtx *x = m->state;
	int64_t row = 0, column = 0, n = 0;
	size_t len;
	char *line;
	int code = next_line(m, &line);

	if (code < 0)
		return code;
	if (!code || !next_int(&line, &row) || !next_int(&line, &column) ||
		!next_int(&line, &n) || vs_lines_word(&line, &len) || row < 1 ||
		column < 1 || n < 0 || (double)n > (double)row * (double)column)
		return vs_lines_fail(m->lines,
			"rows, columns and entries expected here");
	/* lines are vectors, so nothing need be transposed */
	m->by_column = m->how.transpose;
	m->n_line = (uint64_t)(m->by_column ? column : row);
	m->n_cell = (uint64_t)(m->by_column ? row : column);
	x->n_stated = (uint64_t)n;
	if (x->symmetric && row != column)
		return vs_lines_fail(m->lines,
			"a symmetric matrix has as many rows as columns, not "
			"%lld and %lld",
			(long long)row, (long long)column);
	if ((uint64_t)n > vs_lines_left(m->lines) / LEAST_ENTRY)
		return vs_fail(VS_EINPUT,
			"%s: is cut short: it has no room for %lld entries",
			vs_lines_name(m->lines), (long long)n);
	if (vs_matrix_too_sparse((double)row, (double)column, (double)n))
		return vs_lines_fail(m->lines,
			"%lld rows and %lld columns are too many for %lld "
			"entries: leave empty ones out",
			(long long)row, (long long)column, (long long)n);
	if (m->n_cell > VS_PACKED_FIELDS || m->n_line > VS_PACKED_VECTORS)
		return vs_lines_fail(m->lines,
			"%llu vectors of %llu fields are too many",
			(unsigned long long)m->n_line,
			(unsigned long long)m->n_cell);
	return 0;
}

/* Store the entry of a line and a cell, and its mirror image. */
static void
put_entry(struct mtx *x, uint64_t line, uint64_t cell, double value)
{
	x->line[x->n] = line;
	x->s.cell[x->n] = (uint32_t)cell;
	x->s.value[x->n++] = value;
	if (x->symmetric && line != cell) {
		x->line[x->n] = cell;
		x->s.cell[x->n] = (uint32_t)line;
		x->s.value[x->n++] = value;
	}
}

static int
read_entry(struct vs_matrix *m, char *line)
{
	struct mtx *x = m->state;
	double value = 1;
	int64_t at[2] = { 0, 0 };
	char place[VS_MATRIX_PLACE], *word;
	size_t len;
	bool got = next_int(&line, &at[0]) && next_int(&line, &at[1]);
	uint64_t l = (uint64_t)at[m->by_column],
		 c = (uint64_t)at[!m->by_column];
	int code;

	word = vs_lines_word(&line, &len);
	if (!got ||
		(x->pattern ? word != NULL
			    : !word || !vs_num_any(word, &value)) ||
		vs_lines_word(&line, &len))
		return vs_lines_fail(m->lines, "row, column%s expected here",
			x->pattern ? "" : " and a number");
	if (at[0] < 1 || at[1] < 1 || l > m->n_line || c > m->n_cell)
		return vs_lines_fail(m->lines,
			"row %lld, column %lld is outside the matrix",
			(long long)at[0], (long long)at[1]);
	if (m->how.missing_as_zero && isnan(value))
		value = 0;
	put_entry(x, l - 1, c - 1, value);
	if (!vs_matrix_is_odd(value))
		return 0;
	snprintf(place, sizeof(place), "line %llu (row %lld, column %lld)",
		(unsigned long long)vs_lines_number(m->lines), (long long)at[0],
		(long long)at[1]);
	code = vs_matrix_check(m, place, value);
	return code ? code : vs_matrix_count_rounded(m, place, word, value);
}

static int
read_entries(struct vs_matrix *m)
{
	struct mtx *x = m->state;
	uint64_t k = 0;
	char *line;
	int code;

	while ((code = next_line(m, &line)) == 1) {
		if (k++ == x->n_stated)
			return vs_lines_fail(m->lines,
				"more than the %llu entries stated",
				(unsigned long long)x->n_stated);
		code = read_entry(m, line);
		if (code)
			return code;
	}
	if (!code && k < x->n_stated)
		code = vs_fail(VS_EINPUT,
			"%s: is cut short: %llu of %llu entries",
			vs_lines_name(m->lines), (unsigned long long)k,
			(unsigned long long)x->n_stated);
	return code;
}

/* Group the entries of each line, keeping their order. */
static int
sort_entries(struct vs_matrix *m)
{
	struct mtx *x = m->state;
	double *value = NULL;
	uint32_t *cell = NULL;
	int code =
		vs_mem_new(&x->s.at, m->n_line + 2, sizeof(*x->s.at), "lines");

	VS_MEM_ROOM(&code, value, x->n, "entries");
	VS_MEM_ROOM(&code, cell, x->n, "entries");
	if (code) {
		free(value);
		free(cell);
		return code;
	}
	/* at[l + 2] counts line l, then at[l + 1] is where its next one goes */
	for (uint64_t k = 0; k < x->n; k++)
		x->s.at[x->line[k] + 2]++;
	for (uint64_t l = 2; l < m->n_line + 2; l++)
		x->s.at[l] += x->s.at[l - 1];
	for (uint64_t k = 0; k < x->n; k++) {
		uint64_t to = x->s.at[x->line[k] + 1]++;

		value[to] = x->s.value[k];
		cell[to] = x->s.cell[k];
	}
	free(x->s.value);
	free(x->s.cell);
	x->s.value = value;
	x->s.cell = cell;
	return 0;
}

/* Read the first column of a file beside, if it exists: n names. */
static int
read_names(struct vs_matrix *m, const char *path, uint64_t n,
	struct vs_text_pool *name)
{
	struct vs_lines *l = NULL;
	char *line;
	size_t len;
	int code;

	if (access(path, F_OK))
		return 0;
	code = vs_lines_open(&l, path);
	while (!code && (code = vs_lines_next_full(l, &line, &len)) == 1)
		code = vs_text_pool_add(name, line, strcspn(line, "\t"));
	if (!code)
		code = vs_lines_note(l, m->how.provenance);
	vs_lines_close(l);
	if (!code && name->n != n)
		code = vs_fail(VS_EINPUT,
			"%s: has %zu names, and %s needs %llu; restore the "
			"file that belongs to it, or rename it",
			path, name->n, vs_lines_name(m->lines),
			(unsigned long long)n);
	return code;
}

/* The names of 10x Genomics: STEMmatrix.mtx has STEMbarcodes.tsv beside it. */
static int
read_beside(struct vs_matrix *m)
{
	static const char *const files[] = { "features.tsv.gz", "features.tsv",
		"genes.tsv.gz", "genes.tsv", "barcodes.tsv.gz",
		"barcodes.tsv" };
	const char *path = vs_lines_name(m->lines), *end = NULL;
	struct vs_text t = { 0 };
	int code = 0;

	for (const char *at = path; (at = strstr(at, TENX)); at++)
		end = at;
	if (!end || (end[strlen(TENX)] && strcmp(end + strlen(TENX), ".gz")))
		return 0;
	for (size_t k = 0; k < sizeof(files) / sizeof(*files) && !code; k++) {
		const bool columns = *files[k] == 'b',
			   lines = columns == m->by_column;
		struct vs_text_pool *to = lines ? &m->line_ids : &m->cell_id;

		t.len = 0;
		code = vs_text_add(&t, "%.*s%s", (int)(end - path), path,
			files[k]);
		if (!code && !to->n)
			code = read_names(m, t.bytes,
				lines ? m->n_line : m->n_cell, to);
	}
	t.len = 0;
	if (!code && (m->line_ids.n || m->cell_id.n))
		code = vs_text_add(&t,
			"names are from the files of 10x "
			"Genomics beside it");
	if (!code && t.len)
		code = vs_text_pool_add(&m->guess, t.bytes, t.len + 1);
	vs_text_free(&t);
	return code;
}

static int
mtx_open(struct vs_matrix *m)
{
	struct mtx *x = m->state;
	int code = read_banner(m);
	uint64_t room;

	if (!code)
		code = read_size(m);
	room = x->n_stated * (x->symmetric ? 2 : 1);
	if (code ||
		(code = vs_mem_room(&x->line, room, sizeof(*x->line),
			 "entries")) ||
		(code = vs_mem_room(&x->s.cell, room, sizeof(*x->s.cell),
			 "entries")) ||
		(code = vs_mem_room(&x->s.value, room, sizeof(*x->s.value),
			 "entries")) ||
		(code = read_entries(m)) || (code = sort_entries(m)) ||
		(code = read_beside(m)))
		return code;
	return vs_matrix_sparse(m, x->n);
}

static void
mtx_close(struct vs_matrix *m)
{
	struct mtx *x = m->state;

	free(x->s.at);
	free(x->s.cell);
	free(x->s.value);
	free(x->s.seen);
	free(x->line);
}

const struct vs_matrix_kind vs_matrix_market = {
	.is = mtx_is,
	.state = sizeof(struct mtx),
	.open = mtx_open,
	.next = vs_matrix_sparse_next,
	.place = vs_matrix_place,
	.close = mtx_close,
};
