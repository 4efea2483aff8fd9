/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dense symmetric matrix output: the values of pairs are collected before they
 * are written, as text with names, as distances, or for NumPy. NA or NaN is
 * unknown.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/out/vertex_label.h"
#include "formats/out/writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/metric.h"

struct matrix {
	size_t n;      /* show->n_row */
	size_t *at;    /* for each row of the sites: its row here, or n */
	double *value; /* of row i and column j <= i: [i (i + 1) / 2 + j] */
};

static void
matrix_end(struct vs_writer *w)
{
	struct matrix *m = w->state;

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

static int
matrix_begin(struct vs_writer *w)
{
	const struct vs_show *show = w->show;
	const size_t n = show->n_row, n_value = n * (n + 1) / 2;
	struct matrix *m = NULL;
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
static void
matrix_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct matrix *m = w->state;
	size_t i = m->at[line->row[0]], j = m->at[line->row[1]];
	size_t lo = i < j ? i : j, hi = i < j ? j : i;

	if (hi < m->n)
		m->value[hi * (hi + 1) / 2 + lo] =
			vs_column_undefined(w->show, line) ? NAN
							   : line->rec.value;
}

/* The value of rows i and j; NaN: unknown. */
static double
value_of(const struct matrix *m, size_t i, size_t j)
{
	return i < j ? m->value[j * (j + 1) / 2 + i]
		     : m->value[i * (i + 1) / 2 + j];
}

/* ---- text ---- */

static void
put_label(struct vs_writer *w, const struct vs_text_pool *label, size_t k)
{
	size_t len;
	const char *text = vs_text_pool_get(label, w->show->row[k], &len);

	vs_out_put(w->out, text, len);
}

/* Write the first line: all labels or, for distances, the number of them. */
static void
put_head(struct vs_writer *w, const struct vs_text_pool *label, bool distances)
{
	const struct matrix *m = w->state;

	vs_out_text(w->out, distances ? "" : "id");
	if (distances)
		vs_out_int(w->out, (int64_t)m->n);
	for (size_t k = 0; k < m->n && !distances; k++) {
		vs_out_char(w->out, '\t');
		put_label(w, label, k);
	}
	vs_out_char(w->out, '\n');
}

/* Write a line for each vector: its label, then its value or distance with
 * each vector. */
static int
put_lines(struct vs_writer *w, bool distances)
{
	const bool turn = distances && w->show->strong != VS_STRONG_LOW;
	const struct matrix *m = w->state;
	struct vs_text_pool label = { 0 };
	int code = vs_vertex_label_make(&label, w->show->sites, 1);

	if (code)
		return code;
	if (distances || w->show->head)
		put_head(w, &label, distances);
	for (size_t i = 0; i < m->n && !vs_out_closed(w->out); i++) {
		put_label(w, &label, i);
		for (size_t j = 0; j < m->n; j++) {
			const double x = value_of(m, i, j);

			vs_out_char(w->out, distances ? ' ' : '\t');
			if (distances && i == j)
				vs_out_char(w->out, '0');
			else if (isnan(x))
				vs_out_text(w->out, "NA");
			else
				vs_column_value(w->out, w->show,
					turn ? 1 - x : x);
		}
		vs_out_char(w->out, '\n');
	}
	vs_text_pool_free(&label);
	return w->out->code;
}

/* A first line of labels; tabs. */
static int
matrix_finish(struct vs_writer *w)
{
	return put_lines(w, false);
}

const struct vs_writer_kind vs_writer_matrix = {
	.name = "matrix",
	.help = "dense and symmetric, with names, of at most 20,000 rows",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS | VS_NEEDS_MATRIX,
	.begin = matrix_begin,
	.line = matrix_line,
	.finish = matrix_finish,
	.end = matrix_end,
};

/* ---- distances ---- */

static int
dist_begin(struct vs_writer *w)
{
	const struct vs_show *show = w->show;

	if (vs_metric_find(show->metric)->family == VS_FAMILY_TABLES)
		return vs_fail(VS_EUSAGE,
			"--to dist: %s is not a similarity of two vectors; "
			"--to matrix shows it",
			show->metric);
	if (show->absent_zero && show->strong == VS_STRONG_LOW)
		return vs_fail(VS_EUSAGE,
			"--absent 0: a distance of 0 would mean that the "
			"vectors are equal; use NA, or a run of all pairs");
	return matrix_begin(w);
}

/*
 * PHYLIP's relaxed square form: the number of vectors, then lines with blanks.
 * The distance is 1 - value, or the value if lower ones are closer.
 */
static int
dist_finish(struct vs_writer *w)
{
	return put_lines(w, true);
}

const struct vs_writer_kind vs_writer_dist = {
	.name = "dist",
	.help = "distances, 1 - value, for PHYLIP and R",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS | VS_NEEDS_MATRIX,
	.begin = dist_begin,
	.line = matrix_line,
	.finish = dist_finish,
	.end = matrix_end,
};

/* ---- NumPy's .npy, version 1.0, of doubles or floats, as values are ---- */

/* Bytes before the data, a multiple of 64 as NumPy requires. */
#define HEAD 128

static void
put_npy_head(struct vs_out *o, size_t n, bool f32)
{
	char head[HEAD + 1];
	int len = snprintf(head, sizeof(head),
		"\x93NUMPY\x01%c%c%c{'descr': '<f%d', 'fortran_order': False, "
		"'shape': (%zu, %zu), }",
		0, HEAD - 10, 0, f32 ? 4 : 8, n, n);

	vs_out_put(o, head, (size_t)len);
	for (; len < HEAD - 1; len++)
		vs_out_char(o, ' ');
	vs_out_char(o, '\n');
}

static int
npy_finish(struct vs_writer *w)
{
	const struct matrix *m = w->state;
	struct vs_out *o = w->out;

	put_npy_head(o, m->n, w->show->f32);
	for (size_t i = 0; i < m->n && !vs_out_closed(o); i++)
		for (size_t j = 0; j < m->n; j++) {
			double value = value_of(m, i, j);
			float single = (float)value;

			if (w->show->f32)
				vs_out_put(o, (char *)&single, sizeof(single));
			else
				vs_out_put(o, (char *)&value, sizeof(value));
		}
	return o->code;
}

const struct vs_writer_kind vs_writer_npy = {
	.name = "npy",
	.help = "the same matrix for NumPy, without names",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS | VS_NEEDS_MATRIX,
	.begin = matrix_begin,
	.line = matrix_line,
	.finish = npy_finish,
	.end = matrix_end,
};
