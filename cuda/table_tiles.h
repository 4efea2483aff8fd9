/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block that counts tables of pairs or triples of vectors without
 * missing calls by 1-bit products on tensor cores, mma m16n8k256 of AND and
 * POPC, and drops those that cannot pass by chi_bound.h. Compiled by nvcc
 * for the device, and for the CPU by the tests.
 *
 * A block has 64 rows x 32 columns, a warp 16 x 16 of them, a thread eight
 * pairs. In each segment four products of planes of genotypes 0 and 1 are
 * counted: once for the two classes of all samples; then, for triples, for each
 * pivot's two rarer genotypes in both classes. A stage has up to 1024 fields of
 * a segment. While a stage is counted the following ones are copied, across the
 * ends of segments and pivots.
 */
#ifndef VS_CUDA_TABLE_TILES_H
#define VS_CUDA_TABLE_TILES_H

#include "cuda/card_triples.h"
#include "cuda/chi_bound.h"
#include "cuda/fragment.h"
#include "cuda/reserve.h"

#define TILES_THREADS 256
#define TILES_ROWS 64
#define TILES_COLS 32
#define TILES_LINES (TILES_ROWS + TILES_COLS)
#define TILES_WORDS 8 /* of a step of 256 fields */
#define TILES_STEPS 4 /* of a stage */
#define TILES_STAGES 3
#define TILES_STEP_BYTES (2 * TILES_LINES * 32)
#define TILES_STAGE_BYTES (TILES_STEPS * TILES_STEP_BYTES)
/* samples of a line by genotype, and the cases among them: of all samples, then
 * of a pivot's two rarer genotypes; floats */
#define TILES_MARGINS (3 * 2 * VS_CARD_LEVELS)
#define TILES_MARGIN_BYTES (4 * TILES_MARGINS * TILES_LINES)
#define TILES_SHARED (TILES_STAGES * TILES_STAGE_BYTES + TILES_MARGIN_BYTES)
#define TILES_SUMS 8 /* sums per thread and product: two fragments */

/* ---- what is copied ---- */

/* The part with the rows of pivot k, or of all samples for k = -1, and the
 * number there of the block's first row. */
VS_DEVICE const struct vs_card_part *
tiles_rows(const struct vs_card_triples *t, int k, uint32_t *first)
{
	*first = t->work.i_lo + isa_block_y() * TILES_ROWS -
		(k < 0 ? 0 : t->i_from);
	return k < 0 ? &t->work.i : &t->pivot[k].i;
}

VS_DEVICE const struct vs_card_part *
tiles_cols(const struct vs_card_triples *t, int k, uint32_t *first)
{
	*first = t->work.j_lo + isa_block() * TILES_COLS -
		(k < 0 ? 0 : t->j_from);
	return k < 0 ? &t->work.j : &t->pivot[k].j;
}

/* The part with line y of the block (its rows, then its columns), and the
 * line's number there; past the last existing line, that of the last. */
VS_DEVICE const struct vs_card_part *
tiles_line(const struct vs_card_triples *t, int k, uint32_t y, uint32_t *v)
{
	const bool row = y < TILES_ROWS;
	const uint32_t n = row ? (k < 0 ? t->work.i_hi : t->n_i)
			       : (k < 0 ? t->work.j_hi : t->n_j);
	const struct vs_card_part *p =
		row ? tiles_rows(t, k, v) : tiles_cols(t, k, v);

	*v += row ? y : y - TILES_ROWS;
	*v = *v < n ? *v : n - 1;
	return p;
}

/* Stage of words of a segment of pivot k. */
struct tiles_at {
	int k;
	uint32_t segment, word, end; /* of the segment */
};

/* Move to the next words. returns 0 if there are none */
VS_DEVICE int
tiles_next(const struct vs_card_triples *t, struct tiles_at *at)
{
	at->word += TILES_STEPS * TILES_WORDS;
	VS_ROLLED
	while (at->word >= at->end) {
		const struct vs_card_part *p;

		if (++at->segment == (at->k < 0 ? 2 : 4)) {
			at->segment = 0;
			at->k++;
		}
		if (at->k == (int)t->n_pivot)
			return 0;
		p = at->k < 0 ? &t->work.i : &t->pivot[at->k].i;
		at->word = vs_card_tables_begin(p, at->segment);
		at->end = p->end[at->segment];
	}
	return 1;
}

/* Copy a stage: a thread copies one plane of one line, if any. */
VS_DEVICE void
tiles_copy(const struct vs_card_triples *t, const struct tiles_at *at,
	uint32_t stage)
{
	const uint32_t y = isa_thread() % TILES_LINES;
	const uint32_t plane = isa_thread() / TILES_LINES;
	const struct vs_card_part *p;
	const uint32_t *line;
	uint32_t to = stage + stage_chunk(plane * TILES_LINES + y, 0);
	uint32_t v, tile;

	if (plane > 1)
		return;
	p = tiles_line(t, at->k, y, &v);
	line = p->plane + vs_tile_of(p, v / VS_TILE_VECS, 0, plane) +
		v % VS_TILE_VECS * 32;
	tile = p->n_plane * VS_TILE_WORDS;
	VS_UNROLL
	for (uint32_t step = 0; step < TILES_STEPS; step++) {
		const uint32_t w = at->word + step * TILES_WORDS;
		const uint32_t *from = line + (size_t)(w / 32) * tile;
		const uint32_t chunk = w % 32 / 4;

		if (w >= at->end)
			break;
		/* the two chunks of a step are adjacent, in some order */
		isa_copy16(to, from + (chunk ^ (v & 7)) * 4);
		isa_copy16(to ^ 16, from + ((chunk + 1) ^ (v & 7)) * 4);
		to += TILES_STEP_BYTES;
	}
}

/* Copy the samples and cases of the block's lines by genotype, as floats: of
 * all samples for k = -1 and g = 0, or of those with the pivot's genotype g. */
VS_DEVICE void
tiles_margins(const struct vs_card_triples *t, int k, uint32_t g, uint32_t to)
{
	VS_ROLLED
	for (uint32_t y = isa_thread(); y < TILES_LINES; y += TILES_THREADS) {
		uint32_t v;
		const struct vs_card_part *p = tiles_line(t, k, y, &v);
		const int32_t *m[2] = { vs_card_tables_margin(p, v, g),
			vs_card_tables_margin(p, v, g + (k < 0 ? 1 : 2)) };

		VS_UNROLL
		for (uint32_t x = 0; x < VS_CARD_LEVELS; x++) {
			const uint32_t at = to + 4 * (x * TILES_LINES + y);

			isa_store(at, isa_bits((float)(m[0][x] + m[1][x])));
			isa_store(at + 4 * VS_CARD_LEVELS * TILES_LINES,
				isa_bits((float)m[1][x]));
		}
	}
}

/* ---- products ---- */

/* Position in the ring of stages. */
struct tiles_ring {
	struct tiles_at copy; /* the next stage to be copied */
	int any;              /* there is one */
	uint32_t slot;
};

VS_DEVICE uint32_t
tiles_stage(uint32_t slot)
{
	return isa_shared() + slot * TILES_STAGE_BYTES;
}

VS_DEVICE void
tiles_copy_next(const struct vs_card_triples *t, struct tiles_ring *r,
	uint32_t slot)
{
	if (r->any) {
		tiles_copy(t, &r->copy, tiles_stage(slot));
		r->any = tiles_next(t, &r->copy);
	}
	isa_commit();
}

/* Copy the first stages. */
VS_DEVICE void
tiles_begin(const struct vs_card_triples *t, struct tiles_ring *r)
{
	r->any = tiles_next(t, &r->copy);
	for (uint32_t k = 0; k < TILES_STAGES - 1; k++)
		tiles_copy_next(t, r, k);
}

/* Add the four products of a step; if folded, products of unequal planes share
 * a sum. */
VS_DEVICE void
tiles_step(uint32_t from, int32_t sum[4][TILES_SUMS], const int folded)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;
	const uint32_t row = thread / 32 % 4 * 16;
	const uint32_t col = TILES_ROWS + thread / 128 * 16;
	uint32_t a[2][4], b[2][4];

	VS_UNROLL
	for (uint32_t p = 0; p < 2; p++) {
		isa_ldmatrix4(a[p],
			from + fragment_a(p * TILES_LINES + row, lane));
		isa_ldmatrix4(b[p],
			from + fragment_b(p * TILES_LINES + col, lane));
	}
	VS_UNROLL
	for (uint32_t x = 0; x < 4; x++)
		VS_UNROLL
	for (uint32_t n = 0; n < 2; n++)
		isa_mma(sum[folded ? (x + 1) / 2 : x] + 4 * n, a[x / 2],
			b[x % 2] + 2 * n);
}

/* Products of n words of a segment. */
VS_DEVICE void
tiles_segment(const struct vs_card_triples *t, struct tiles_ring *r, uint32_t n,
	int32_t sum[4][TILES_SUMS], const int folded)
{
	VS_UNROLL
	for (uint32_t x = 0; x < 4; x++)
		VS_UNROLL
	for (uint32_t k = 0; k < TILES_SUMS; k++)
		sum[x][k] = 0;
	VS_ROLLED
	while (n) {
		const uint32_t last = r->slot ? r->slot - 1 : TILES_STAGES - 1;
		const uint32_t most = TILES_STEPS * TILES_WORDS;
		const uint32_t here = n < most ? n : most;

		/* the stage has arrived, and all warps have counted the one
		 * before */
		isa_wait(TILES_STAGES - 2);
		isa_sync();
		tiles_copy_next(t, r, last);
		VS_ROLLED
		for (uint32_t s = 0; s < here / TILES_WORDS; s++)
			tiles_step(tiles_stage(r->slot) + s * TILES_STEP_BYTES,
				sum, folded);
		r->slot = r->slot + 1 == TILES_STAGES ? 0 : r->slot + 1;
		n -= here;
	}
}

/* ---- tables ---- */

/* Samples and cases of nine cells. */
struct tiles_cells {
	float n[9], k[9];
};

/* The nine cells of a pair from four of them and the margins, of samples or of
 * cases, as floats. */
VS_DEVICE void
tiles_infer(uint32_t margins, uint32_t row, uint32_t col, float cell[9])
{
	float i[2], j[VS_CARD_LEVELS];

	VS_UNROLL
	for (uint32_t g = 0; g < VS_CARD_LEVELS; g++) {
		const uint32_t from = margins + 4 * g * TILES_LINES;

		if (g < 2)
			i[g] = isa_float(isa_load(from + 4 * row));
		j[g] = isa_float(isa_load(from + 4 * (TILES_ROWS + col)));
	}
	VS_UNROLL
	for (uint32_t a = 0; a < 2; a++)
		cell[3 * a + 2] = i[a] - cell[3 * a] - cell[3 * a + 1];
	VS_UNROLL
	for (uint32_t b = 0; b < 3; b++)
		cell[6 + b] = j[b] - cell[b] - cell[3 + b];
}

/* The cells of a pair from products of its controls and of its cases. */
VS_DEVICE void
tiles_count(const int32_t control[4][TILES_SUMS],
	const int32_t cases[4][TILES_SUMS], uint32_t pair, uint32_t margins,
	uint32_t row, uint32_t col, struct tiles_cells *to)
{
	VS_UNROLL
	for (uint32_t x = 0; x < 4; x++) {
		const uint32_t at = 3 * (x / 2) + x % 2;

		to->n[at] = (float)(control[x][pair] + cases[x][pair]);
		to->k[at] = (float)cases[x][pair];
	}
	tiles_infer(margins, row, col, to->n);
	tiles_infer(margins + 4 * VS_CARD_LEVELS * TILES_LINES, row, col,
		to->k);
}

VS_DEVICE void
tiles_add(const struct tiles_cells *c, float share, const int entropy,
	const int skew, struct vs_chi *to)
{
	VS_UNROLL
	for (uint32_t x = 0; x < 9; x++)
		vs_chi_add(to, c->n[x], c->k[x], share, entropy, skew);
}

/* The sums of a thread: for a pivot's segments, and for all samples by
 * class. */
struct tiles_sums {
	int32_t of[4][4][TILES_SUMS], all[2][4][TILES_SUMS];
};

/* True if the table of a pair, alone or with a pivot, may pass. */
VS_DEVICE int
tiles_may_pass(const struct tiles_sums *s, const struct vs_card_chi *q,
	uint32_t pair, uint32_t margins, uint32_t row, uint32_t col,
	const int entropy, const int skew, const int pairs)
{
	const uint32_t step = 4 * 2 * VS_CARD_LEVELS * TILES_LINES;
	struct tiles_cells rest, cell;
	struct vs_chi sum = { 0, 0, 0 };

	tiles_count(s->all[0], s->all[1], pair, margins, row, col, &rest);
	VS_UNROLL
	for (uint32_t a = 0; a < 2 && !pairs; a++) {
		tiles_count(s->of[a], s->of[2 + a], pair,
			margins + (1 + a) * step, row, col, &cell);
		tiles_add(&cell, q->share, entropy, skew, &sum);
		VS_UNROLL
		for (uint32_t x = 0; x < 9; x++) {
			rest.n[x] -= cell.n[x];
			rest.k[x] -= cell.k[x];
		}
	}
	tiles_add(&rest, q->share, entropy, skew, &sum);
	return vs_chi_may_pass(&sum, q, pairs ? 9 : 27, entropy, skew);
}

/* Append the pair of the block's row and column, with pivot k or alone, if it
 * may pass and is wanted. All lanes of a warp take part. */
VS_DEVICE void
tiles_append(const struct vs_card_triples *t, int k, uint32_t row, uint32_t col,
	int may, const int pairs)
{
	const struct vs_card_work *w = &t->work;
	uint32_t i, j, yes, at;

	if (!isa_any(may))
		return;
	i = w->i_lo + isa_block_y() * TILES_ROWS + row;
	j = w->j_lo + isa_block() * TILES_COLS + col;
	yes = may &&
		(pairs ? vs_wants(w, i, j)
		       : vs_card_triples_wants(t, (uint32_t)k, i, j));
	at = vs_warp_reserve(w->n_cand, yes);
	if (yes && at < w->room) {
		w->cand[at].i = i;
		w->cand[at].j = j;
		w->cand[at].sum[0] = k;
	}
}

/* Append the thread's pairs that may pass together with pivot k; -1: alone. */
VS_DEVICE void
tiles_offer(const struct vs_card_triples *t, int k, const struct tiles_sums *s,
	uint32_t margins, const int entropy, const int skew, const int pairs)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;
	const uint32_t first_row = thread / 32 % 4 * 16;
	const uint32_t first_col = thread / 128 * 16;

	VS_UNROLL
	for (uint32_t pair = 0; pair < TILES_SUMS; pair++) {
		/* one pair after the other: they need the registers */
		const uint32_t row =
			isa_anew(first_row) + sum_row(lane, pair % 4);
		const uint32_t col =
			first_col + pair / 4 * 8 + sum_col(lane, pair % 4);
		const int may = tiles_may_pass(s, &t->work.rule.chi, pair,
			isa_anew(margins), row, col, entropy, skew, pairs);

		tiles_append(t, k, row, col, may, pairs);
	}
}

/* ---- the block ---- */

/* True if no pair or triple of the block is wanted, with any pivot. */
VS_DEVICE bool
tiles_idle(const struct vs_card_triples *t, const int pairs)
{
	uint32_t row, col;

	tiles_rows(t, -1, &row);
	tiles_cols(t, -1, &col);
	if (pairs)
		return !vs_wants_any(&t->work, row, TILES_ROWS, col,
			TILES_COLS);
	return t->work.j.first + col >= t->skip &&
		t->work.j.first + col + TILES_COLS - 1 <= t->work.i.first + row;
}

/* Program of a thread block; pairs: count pairs, without a pivot. */
VS_DEVICE void
tiles_kernel(const struct vs_card_triples *t, const int entropy, const int skew,
	const int pairs)
{
	const uint32_t margins = tiles_stage(TILES_STAGES);
	struct tiles_ring r = { { -1, UINT32_MAX, 0, 0 }, 0, 0 };
	struct tiles_sums s;

	if (tiles_idle(t, pairs))
		return;
	tiles_begin(t, &r);
	tiles_margins(t, -1, 0, margins);
	VS_UNROLL
	for (uint32_t c = 0; c < 2; c++)
		tiles_segment(t, &r,
			t->work.i.end[c] - vs_card_tables_begin(&t->work.i, c),
			s.all[c], 0);
	if (pairs) {
		isa_sync();
		tiles_offer(t, -1, &s, margins, entropy, skew, 1);
		return;
	}
	VS_ROLLED
	for (uint32_t k = 0; k < t->n_pivot; k++) {
		const struct vs_card_part *p = &t->pivot[k].i;

		/* until all warps are done with the previous pivot */
		isa_sync();
		VS_UNROLL
		for (uint32_t g = 0; g < 2; g++)
			tiles_margins(t, (int)k, g,
				margins +
					(1 + g) * 4 * 2 * VS_CARD_LEVELS *
						TILES_LINES);
		VS_UNROLL
		for (uint32_t x = 0; x < 4; x++)
			tiles_segment(t, &r,
				p->end[x] - vs_card_tables_begin(p, x), s.of[x],
				0);
		isa_sync();
		tiles_offer(t, (int)k, &s, margins, entropy, skew, 0);
	}
}

#endif
