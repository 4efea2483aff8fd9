/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunk grid of a data set: the places of a chunk's bytes among its rows. */
#include <string.h>

#include "formats/h5/h5_common.h"
#include "libcore/base/minmax.h"

void
vs_h5_grid_make(struct vs_h5_grid *g, size_t size, int n_dim,
	const uint64_t *dim, const uint64_t *chunk)
{
	*g = (struct vs_h5_grid){ .size = size, .n_dim = n_dim };
	for (int k = 0; k < 3; k++)
		g->dim[k] = g->chunk[k] = 1;
	g->dim[0] = dim[0];
	g->chunk[0] = chunk[0];
	/* with two dimensions the second is the last, the middle is 1 */
	for (int k = 1; k < n_dim; k++) {
		g->dim[3 - n_dim + k] = dim[k];
		g->chunk[3 - n_dim + k] = chunk[k];
	}
	g->n_part = ((g->dim[1] + g->chunk[1] - 1) / g->chunk[1]) *
		((g->dim[2] + g->chunk[2] - 1) / g->chunk[2]);
	g->row_bytes = size * g->dim[1] * g->dim[2];
	g->chunk_bytes = size * g->chunk[0] * g->chunk[1] * g->chunk[2];
}

/* First element of chunk part along the middle and the last dimension. */
static void
start_of(const struct vs_h5_grid *g, uint64_t part, uint64_t *m, uint64_t *l)
{
	uint64_t across = (g->dim[2] + g->chunk[2] - 1) / g->chunk[2];

	*m = part / across * g->chunk[1];
	*l = part % across * g->chunk[2];
}

void
vs_h5_grid_offset(const struct vs_h5_grid *g, uint64_t band, uint64_t part,
	hsize_t *offset)
{
	uint64_t m, l;

	start_of(g, part, &m, &l);
	offset[0] = band * g->chunk[0];
	if (g->n_dim == 2)
		offset[1] = l;
	if (g->n_dim == 3) {
		offset[1] = m;
		offset[2] = l;
	}
}

void
vs_h5_grid_gather(const struct vs_h5_grid *g, uint64_t part,
	const uint8_t *rows, uint64_t n_rows, uint8_t *chunk)
{
	size_t line = g->size * g->chunk[2], used;
	uint64_t m0, l0, n_mid;

	start_of(g, part, &m0, &l0);
	n_mid = vs_min_size(g->chunk[1], g->dim[1] - m0);
	used = g->size * vs_min_size(g->chunk[2], g->dim[2] - l0);
	if (n_rows < g->chunk[0] || n_mid < g->chunk[1] || used < line)
		memset(chunk, 0, g->chunk_bytes);
	for (uint64_t r = 0; r < n_rows; r++)
		for (uint64_t m = 0; m < n_mid; m++)
			memcpy(chunk + (r * g->chunk[1] + m) * line,
				rows + r * g->row_bytes +
					((m0 + m) * g->dim[2] + l0) * g->size,
				used);
}

void
vs_h5_grid_scatter(const struct vs_h5_grid *g, uint64_t part,
	const uint8_t *chunk, uint8_t *rows, uint64_t n_rows)
{
	size_t line = g->size * g->chunk[2], used;
	uint64_t m0, l0, n_mid;

	start_of(g, part, &m0, &l0);
	n_mid = vs_min_size(g->chunk[1], g->dim[1] - m0);
	used = g->size * vs_min_size(g->chunk[2], g->dim[2] - l0);
	for (uint64_t r = 0; r < n_rows; r++)
		for (uint64_t m = 0; m < n_mid; m++)
			memcpy(rows + r * g->row_bytes +
					((m0 + m) * g->dim[2] + l0) * g->size,
				chunk + (r * g->chunk[1] + m) * line, used);
}
