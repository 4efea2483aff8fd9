/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposed vectors of both classes. */
#include <string.h>

#include "libcore/engine/lane_block.h"

void
vs_lane_block_lay_out(struct vs_lane_block *b, const struct vs_classes *c,
	int n_plane, struct vs_layout *l)
{
	b->n_plane = n_plane;
	for (int k = 0; k < 2; k++) {
		b->n_word[k] = c->n_word[k];
		for (int p = 0; p < n_plane; p++)
			b->row[k][p] = vs_layout_next(l,
				(64 * c->n_word[k] + 1) * VS_LANES / 8);
	}
}

void
vs_lane_block_take(struct vs_lane_block *b, enum vs_cpu cpu,
	const struct vs_class_rows *r, size_t lo, size_t n, size_t first)
{
	for (int k = 0; k < 2; k++)
		for (int p = 0; p < b->n_plane; p++) {
			uint64_t *row = b->row[k][p];

			vs_lanes_turn(cpu, vs_class_rows_at(r, k, p, lo), n,
				first, r->n_word[k], b->n_word[k], row);
			memset(row + 64 * b->n_word[k] * VS_LANES_WORDS, 0,
				VS_LANES / 8);
		}
}
