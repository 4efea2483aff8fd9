/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of contingency tables from lists of samples and rows of lanes. */
#include <string.h>

#include "libcore/engine/tables/lane_counts.h"

void
vs_lane_counts_lay_block(struct vs_lane_block *b, const struct vs_classes *c,
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
vs_lane_counts_take_block(struct vs_lane_block *b, enum vs_cpu cpu,
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

#define MANY 16 /* rows counted for one part of the samples after another */

void
vs_lane_counts_lay_out(struct vs_lane_counts *t, const struct vs_classes *c,
	enum vs_cpu cpu, int n_list, int n_plane, struct vs_layout *l)
{
	const size_t n_word =
		c->n_word[0] > c->n_word[1] ? c->n_word[0] : c->n_word[1];

	t->kernel = vs_registry_lanes_pick(cpu);
	t->cpu = cpu;
	t->n_list = n_list;
	t->n_plane = n_plane;
	t->n_bit = vs_lanes_bits(64 * n_word);
	t->most = n_word > VS_LANE_PART ? MANY : 1;
	t->bit = vs_layout_next(l,
		t->most * 2 * (size_t)(n_list * n_plane * t->n_bit) * VS_LANES /
			8);
	t->n = vs_layout_next(l, t->most * sizeof(*t->n));
	t->field = vs_layout_next(l,
		(64 * VS_LANE_PART + VS_LANES_SLACK) * sizeof(*t->field));
}

static size_t
sums_of_rows(const struct vs_lane_counts *t, size_t n)
{
	return n * (size_t)(t->n_list * t->n_plane * t->n_weight) * VS_LANES;
}

void
vs_lane_counts_lay_sums(struct vs_lane_counts *t, const struct vs_trait *trait,
	int n_weight, struct vs_layout *l)
{
	t->trait = trait;
	t->n_weight = n_weight;
	t->sum = vs_layout_next(l, sums_of_rows(t, t->most) * sizeof(*t->sum));
}

int64_t *
vs_lane_counts_sums(const struct vs_lane_counts *t, size_t row, int list,
	int plane, int weight)
{
	const size_t at =
		(row * (size_t)t->n_list + (size_t)list) * (size_t)t->n_plane +
		(size_t)plane;

	return t->sum + (at * (size_t)t->n_weight + (size_t)weight) * VS_LANES;
}

void
vs_lane_counts_clear(struct vs_lane_counts *t, size_t n)
{
	memset(t->n, 0, n * sizeof(*t->n));
	if (t->trait)
		memset(t->sum, 0, sums_of_rows(t, n) * sizeof(*t->sum));
}

static uint64_t *
bits_at(const struct vs_lane_counts *t, size_t row, int of, int list, int plane)
{
	const size_t at =
		((2 * row + (size_t)of) * (size_t)t->n_list + (size_t)list) *
			(size_t)t->n_plane +
		(size_t)plane;

	return t->bit + at * (size_t)t->n_bit * VS_LANES_WORDS;
}

void
vs_lane_counts_add(struct vs_lane_counts *t, const struct vs_lane_block *block,
	size_t row, int of, int list, const uint64_t *a, const uint64_t *b,
	size_t word, const size_t lanes[2])
{
	const size_t left = block->n_word[of] - word;
	uint32_t *sum = &t->n[row][of][list];
	const size_t n = vs_lanes_list(t->cpu, a + word, b ? b + word : NULL,
		left < VS_LANE_PART ? left : VS_LANE_PART,
		(uint32_t)(64 * word), t->field);
	struct vs_lanes_call call = { .field = t->field,
		.n = vs_lanes_pad(t->field, n,
			(uint32_t)(64 * block->n_word[of])),
		.lo = lanes[0],
		.hi = lanes[1],
		.before = vs_lanes_bits(*sum),
		.after = vs_lanes_bits(*sum + n) };

	if (!n)
		return;
	for (int p = 0; p < t->n_plane; p++) {
		call.row = block->row[of][p];
		call.count = bits_at(t, row, of, list, p);
		t->kernel->count(&call);
		for (int w = 0; w < t->n_weight; w++)
			vs_lanes_weigh(t->cpu,
				&(struct vs_lanes_weigh){ call.row, t->field, n,
					lanes[0], lanes[1], t->trait->weight[w],
					vs_lane_counts_sums(t, row, list, p,
						w) });
	}
	*sum += (uint32_t)n;
}

void
vs_lane_counts_take(const struct vs_lane_counts *t, size_t row, int of,
	int list, int plane, size_t word, int32_t *out)
{
	t->kernel->take(bits_at(t, row, of, list, plane),
		vs_lanes_bits(t->n[row][of][list]), word, out);
}
