/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy .npy output, version 1.0, of a dense symmetric matrix of doubles, or of
 * floats if values are floats; NaN is unknown.
 */
#include <stdio.h>

#include "formats/out/pair_matrix.h"

/* Bytes before the data, a multiple of 64 as NumPy requires. */
#define HEAD 128

static void
put_head(struct vs_out *o, size_t n, bool f32)
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
	const struct vs_pair_matrix *m = w->state;
	struct vs_out *o = w->out;

	put_head(o, m->n, w->show->f32);
	for (size_t i = 0; i < m->n && !vs_out_closed(o); i++)
		for (size_t j = 0; j < m->n; j++) {
			double value = vs_pair_matrix_get(m, i, j);
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
	.begin = vs_pair_matrix_begin,
	.line = vs_pair_matrix_line,
	.finish = npy_finish,
	.end = vs_pair_matrix_end,
};
