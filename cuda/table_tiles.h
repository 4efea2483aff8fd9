/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block that counts tables of pairs or triples of vectors without
 * missing calls by 1-bit products on tensor cores, mma m16n8k256 of AND and
 * POPC, and drops those that cannot pass by chi_bound.h. Compiled by nvcc
 * for the device, and for the CPU by the tests.
 *
 * A block has 64 rows x 32 columns, a warp 16 x 16 of them, a thread eight
 * pairs. In each segment four products of planes of genotypes 0 and 1 are
 * counted: for the two classes of all samples; or, for triples, for each
 * pivot's two rarer genotypes in both classes. A stage has up to 1024 fields,
 * 128 bytes of each line as they lie in the part, of any segments. While a
 * stage is counted the following ones are copied, across the ends of pivots.
 *
 * Counts below 2^16 are packed two to a word, so that a multiprocessor has
 * registers for two blocks. The first launch for some rows and columns writes
 * the counts of all samples to device memory, 16 bytes a pair.
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
#define TILES_PLANE_BYTES (128 * TILES_LINES)
/* stages in shared memory, by planes of a line: 3 of 2 planes, or 2 of 3 */
#define TILES_STAGES(planes) (5 - (planes))
#define TILES_STAGE_BYTES(planes) ((planes)*TILES_PLANE_BYTES)
#define TILES_RING_BYTES (6 * TILES_PLANE_BYTES)
/* lines of a plane that the threads copy at a time */
#define TILES_PASS (TILES_THREADS / 8)
#define TILES_PASSES (TILES_LINES / TILES_PASS)
/* samples of a line by genotype, and the cases among them, floats; for each
 * genotype of a pivot */
#define TILES_SLICE (4 * 2 * VS_CARD_LEVELS * TILES_LINES)
#define TILES_MARGIN_BYTES (3 * TILES_SLICE)
/* and a sum of each thread */
#define TILES_SHARED (TILES_RING_BYTES + TILES_MARGIN_BYTES + 4 * TILES_THREADS)
#define TILES_SUMS 8 /* sums per thread and product: two fragments */

/* ---- what is copied ---- */

/*
 * The part with the rows of pivot k, or of all samples, and the number there of
 * the block's first row.
 */
VS_DEVICE const struct vs_card_part *
tiles_rows(const struct vs_card_triples *t, uint32_t k, const int all,
	uint32_t *first)
{
	*first = t->work.i_lo + isa_block_y() * TILES_ROWS -
		(all ? 0 : t->i_from);
	return all ? &t->work.i : &t->pivot[k].i;
}

VS_DEVICE const struct vs_card_part *
tiles_cols(const struct vs_card_triples *t, uint32_t k, const int all,
	uint32_t *first)
{
	*first =
		t->work.j_lo + isa_block() * TILES_COLS - (all ? 0 : t->j_from);
	return all ? &t->work.j : &t->pivot[k].j;
}

/* Number of pivots that the block counts, the launch's first ones. */
VS_DEVICE uint32_t
tiles_pivots(const struct vs_card_triples *t)
{
	return vs_card_triples_pivots(t,
		t->work.i_lo + (isa_anew(isa_block_y()) + 1) * TILES_ROWS - 1);
}

/* The part with line y of the block (its rows, then its columns), and the
 * line's number there; past the last existing line, that of the last. */
VS_DEVICE const struct vs_card_part *
tiles_line(const struct vs_card_triples *t, uint32_t k, const int all,
	uint32_t y, uint32_t *v)
{
	const bool row = y < TILES_ROWS;
	const uint32_t n = row ? t->work.i_hi - (all ? 0 : t->i_from)
			       : t->work.j_hi - (all ? 0 : t->j_from);
	const struct vs_card_part *p =
		row ? tiles_rows(t, k, all, v) : tiles_cols(t, k, all, v);

	*v += row ? y : y - TILES_ROWS;
	*v = *v < n ? *v : n - 1;
	return p;
}

/* Store a line's samples and cases by genotype as floats. */
VS_DEVICE void
tiles_store(uint32_t to, uint32_t y, const int32_t control[VS_CARD_LEVELS],
	const int32_t cases[VS_CARD_LEVELS])
{
	VS_UNROLL
	for (uint32_t x = 0; x < VS_CARD_LEVELS; x++) {
		const uint32_t at = to + 4 * (x * TILES_LINES + y);

		isa_store(at, isa_bits((float)(control[x] + cases[x])));
		isa_store(at + 4 * VS_CARD_LEVELS * TILES_LINES,
			isa_bits((float)cases[x]));
	}
}

/* Store the margins of the block's lines over all samples. */
VS_DEVICE void
tiles_margins(const struct vs_card_triples *t, uint32_t to)
{
	const uint32_t y = isa_thread();
	const struct vs_card_part *p;
	uint32_t v;

	if (y >= TILES_LINES)
		return;
	p = tiles_line(t, 0, 1, y, &v);
	tiles_store(to, y, vs_card_tables_margin(p, v, 0),
		vs_card_tables_margin(p, v, 1));
}

/* Store the margins of the block's lines for each genotype of pivot k. */
VS_DEVICE void
tiles_pivot_margins(const struct vs_card_triples *t, uint32_t k, uint32_t to)
{
	const uint32_t y = isa_thread();
	int32_t rest[2][VS_CARD_LEVELS];
	const struct vs_card_part *p;
	uint32_t v;

	if (y >= TILES_LINES)
		return;
	p = tiles_line(t, k, 1, y, &v);
	VS_UNROLL
	for (uint32_t c = 0; c < 2; c++)
		VS_UNROLL
	for (uint32_t x = 0; x < VS_CARD_LEVELS; x++)
		rest[c][x] = vs_card_tables_margin(p, v, c)[x];
	p = tiles_line(t, k, 0, y, &v);
	VS_UNROLL
	for (uint32_t g = 0; g < 2; g++) {
		const int32_t *m[2] = { vs_card_tables_margin(p, v, 2 * g),
			vs_card_tables_margin(p, v, 2 * g + 1) };

		tiles_store(to + g * TILES_SLICE, y, m[0], m[1]);
		VS_UNROLL
		for (uint32_t c = 0; c < 2; c++)
			VS_UNROLL
		for (uint32_t x = 0; x < VS_CARD_LEVELS; x++)
			rest[c][x] -= m[c][x];
	}
	tiles_store(to + 2 * TILES_SLICE, y, rest[0], rest[1]);
}

/* ---- products ---- */

#define TILES_PIVOT 24 /* bits of the number of a stage */
#define TILES_CHUNKS(planes) ((planes)*VS_TILE_WORDS / 4) /* of a tile */

/* The ring of stages: the next one to be copied, and the last one that is
 * counted. */
struct tiles_ring {
	uint32_t next; /* its number; above, its pivot, VS_CARD_PIVOTS: none */
	/* offsets of the chunks that the thread copies for stage 0, in chunks
	 * from the part's first */
	uint32_t at[TILES_PASSES];
	uint32_t slot, step; /* its first byte in the ring; the next step */
};

/* Past the ring. */
VS_DEVICE uint32_t
tiles_behind(void)
{
	return isa_shared() + TILES_RING_BYTES;
}

/* Copy pivot k next, or the first one after it that has any samples; or all
 * samples. */
VS_DEVICE void
tiles_source(const struct vs_card_triples *t, struct tiles_ring *r, uint32_t k,
	const int all, const uint32_t planes)
{
	const uint32_t n = all ? 1 : tiles_pivots(t);

	VS_ROLLED
	while (k < n && !(all ? &t->work.i : &t->pivot[k].i)->n_block)
		k++;
	r->next = (k < n ? k : VS_CARD_PIVOTS) << TILES_PIVOT;
	if (k >= n)
		return;
	VS_UNROLL
	for (uint32_t m = 0; m < TILES_PASSES; m++) {
		const uint32_t thread = isa_thread();
		const struct vs_card_part *p;
		uint32_t v, line;

		if (m * TILES_PASS < TILES_ROWS)
			tiles_rows(t, k, all, &line);
		else
			tiles_cols(t, k, all, &line);
		p = tiles_line(t, k, all, thread / 8 + m * TILES_PASS, &v);
		/* a line that repeats another one has the order of its place */
		r->at[m] =
			v / VS_TILE_VECS * p->n_block * TILES_CHUNKS(planes) +
			v % VS_TILE_VECS * 8 +
			((thread ^ v ^ (line + thread / 8)) & 7);
	}
}

/* Copy the next stage, if any. A thread copies a chunk of some lines. */
VS_DEVICE void
tiles_copy(const struct vs_card_triples *t, struct tiles_ring *r, uint32_t slot,
	const int all, const uint32_t planes)
{
	const uint32_t to = isa_shared() + slot + 16 * isa_thread();
	const uint32_t k = r->next >> TILES_PIVOT;
	const uint32_t stage = r->next % (1u << TILES_PIVOT);

	if (k < VS_CARD_PIVOTS) {
		const uint32_t *plane[2] = {
			(all ? &t->work.i : &t->pivot[k].i)->plane,
			(all ? &t->work.j : &t->pivot[k].j)->plane
		};

		VS_UNROLL
		for (uint32_t m = 0; m < planes * TILES_PASSES; m++) {
			const uint32_t x = m / planes,
				       at = r->at[x] +
				stage * TILES_CHUNKS(planes);

			isa_copy16(to + m % planes * TILES_PLANE_BYTES +
					x * TILES_PASS * 128,
				plane[x * TILES_PASS >= TILES_ROWS] +
					(size_t)at * 4 +
					m % planes * VS_TILE_WORDS);
		}
		r->next++;
		if (stage + 1 == (all ? &t->work.i : &t->pivot[k].i)->n_block)
			tiles_source(t, r, k + 1, all, planes);
	}
	isa_commit();
}

/* Copy the first stages of pivots or of all samples, when none is in use. */
VS_DEVICE void
tiles_begin(const struct vs_card_triples *t, struct tiles_ring *r,
	const int all, const uint32_t planes)
{
	r->step = 0;
	tiles_source(t, r, 0, all, planes);
	VS_ROLLED
	for (r->slot = 0;
		r->slot < TILES_RING_BYTES - TILES_STAGE_BYTES(planes);
		r->slot += TILES_STAGE_BYTES(planes))
		tiles_copy(t, r, r->slot, all, planes);
}

/*
 * The chunks of a thread's fragments of a row and a column in the first step of
 * the ring; bits 5 and 6 change with the step. Lines have their chunks in the
 * order of the part's lines.
 */
VS_DEVICE void
tiles_chunks(const struct vs_card_triples *t, const int all, uint32_t *row,
	uint32_t *col)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;

	tiles_rows(t, 0, all, row);
	tiles_cols(t, 0, all, col);
	*row = isa_shared() + 128 * (thread / 32 % 4 * 16 + lane % 16) +
		16 * ((lane / 16) ^ ((*row + lane) & 7));
	*col = isa_shared() +
		128 *
			(TILES_ROWS + thread / 128 * 16 + lane / 16 * 8 +
				lane % 8) +
		16 * ((lane / 8 & 1) ^ ((*col + lane) & 7));
}

/* Add up the planes * planes products of a step. If folded, the two products of
 * different planes share a sum. */
VS_DEVICE void
tiles_step(uint32_t row, uint32_t col, int32_t (*sum)[TILES_SUMS],
	const int folded, const uint32_t planes)
{
	uint32_t a[3][4], b[3][4];

	VS_UNROLL
	for (uint32_t p = 0; p < planes; p++) {
		isa_ldmatrix4(a[p], row + p * TILES_PLANE_BYTES);
		isa_ldmatrix4(b[p], col + p * TILES_PLANE_BYTES);
	}
	VS_UNROLL
	for (uint32_t x = 0; x < planes * planes; x++)
		VS_UNROLL
	for (uint32_t n = 0; n < 2; n++)
		isa_mma(sum[folded ? (x + 1) / 2 : x] + 4 * n, a[x / planes],
			b[x % planes] + 2 * n);
}

/* Set n sums of each of a thread's pairs to 0. */
VS_DEVICE void
tiles_zero(int32_t (*sum)[TILES_SUMS], const uint32_t n)
{
	VS_UNROLL
	for (uint32_t y = 0; y < n; y++)
		VS_UNROLL
	for (uint32_t k = 0; k < TILES_SUMS; k++)
		sum[y][k] = 0;
}

/* Add the products of segment x of a part, the one after that counted last. */
VS_DEVICE void
tiles_count(const struct vs_card_triples *t, struct tiles_ring *r,
	const struct vs_card_part *p, uint32_t x, int32_t (*sum)[TILES_SUMS],
	const int all, const int folded, const uint32_t planes)
{
	const uint32_t end = p->end[x] / TILES_WORDS;
	uint32_t row, col;

	tiles_chunks(t, all, &row, &col);
	VS_ROLLED
	while (r->step < end) {
		const uint32_t next = (r->step / TILES_STEPS + 1) * TILES_STEPS;

		if (r->step % TILES_STEPS == 0) {
			const uint32_t last = r->slot;

			/* the stage has arrived, and all warps have counted
			 * the one before */
			if (TILES_STAGES(planes) == 3)
				isa_wait(1);
			else
				isa_wait(0);
			isa_sync();
			tiles_copy(t, r, last, all, planes);
			r->slot = last + TILES_STAGE_BYTES(planes);
			if (r->slot == TILES_RING_BYTES)
				r->slot = 0;
		}
		VS_ROLLED
		for (; r->step < (next < end ? next : end); r->step++) {
			const uint32_t bits = r->step % TILES_STEPS * 32;

			tiles_step((row ^ bits) + r->slot,
				(col ^ bits) + r->slot, sum, folded, planes);
		}
	}
}

/* Products of a segment of two planes. */
VS_DEVICE void
tiles_segment(const struct vs_card_triples *t, struct tiles_ring *r,
	const struct vs_card_part *p, uint32_t x, int32_t sum[4][TILES_SUMS],
	const int all, const int folded)
{
	tiles_zero(sum, 4);
	tiles_count(t, r, p, x, sum, all, folded, 2);
}

/* ---- tables ---- */

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

/* Add the nine cells of a pair, from four products of its controls and of its
 * cases, and the margins. */
VS_DEVICE void
tiles_add(const int32_t control[4], const int32_t cases[4], uint32_t margins,
	uint32_t row, uint32_t col, const struct vs_card_chi *q,
	const int entropy, const int skew, struct vs_chi *to)
{
	float n[9], k[9];

	VS_UNROLL
	for (uint32_t x = 0; x < 4; x++) {
		const uint32_t at = 3 * (x / 2) + x % 2;

		n[at] = (float)(control[x] + cases[x]);
		k[at] = (float)cases[x];
	}
	tiles_infer(margins, row, col, n);
	tiles_infer(margins + 4 * VS_CARD_LEVELS * TILES_LINES, row, col, k);
	VS_UNROLL
	for (uint32_t x = 0; x < 9; x++)
		vs_chi_add(to, n[x], k[x], q->share, entropy, skew);
}

/* ---- counts that are kept ---- */

/* Words of the counts of two neighbouring pairs: both in one if narrow. */
#define TILES_PER(wide) ((wide) ? 1 : 2)

/* Keep a segment's n products: at once, since two registers become one. */
VS_DEVICE void
tiles_keep(const int32_t (*sum)[TILES_SUMS], uint32_t (*to)[TILES_SUMS],
	const uint32_t n, const int wide)
{
	VS_UNROLL
	for (uint32_t x = 0; x < n; x++)
		VS_UNROLL
	for (uint32_t k = 0; k < TILES_SUMS / TILES_PER(wide); k++)
		to[x][k] = wide ? (uint32_t)sum[x][k]
				: isa_anew((uint32_t)sum[x][2 * k] +
					  ((uint32_t)sum[x][2 * k + 1] << 16));
}

/* Sum of the kept words of n products. */
VS_DEVICE uint32_t
tiles_sum(const uint32_t (*of)[TILES_SUMS], const uint32_t n, const int wide)
{
	uint32_t sum = 0;

	VS_UNROLL
	for (uint32_t x = 0; x < n * TILES_SUMS / TILES_PER(wide); x++)
		sum += of[x % n][x / n];
	return sum;
}

/* Place of the sum of the thread's counts, in shared memory after the margins,
 * because no register is free. */
VS_DEVICE uint32_t
tiles_sum_at(void)
{
	return tiles_behind() + TILES_MARGIN_BYTES + 4 * isa_thread();
}

/* Add to it. */
VS_DEVICE void
tiles_total(uint32_t more)
{
	isa_store(tiles_sum_at(), isa_load(tiles_sum_at()) + more);
}

/* Count of a pair from a kept word. */
VS_DEVICE int32_t
tiles_half(uint32_t word, uint32_t pair, const int wide)
{
	return (int32_t)(wide ? word : pair % 2 ? word >> 16 : word & 0xffff);
}

/* Place of the counts of all samples in words k of n of a thread, for a
 * class. */
VS_DEVICE struct vs_card_four *
tiles_pair(const struct vs_card_triples *t, uint32_t k, uint32_t class_,
	const uint32_t n)
{
	const uint32_t n_col =
		(t->work.j_hi - t->work.j_lo + TILES_COLS - 1) / TILES_COLS;
	const size_t block = (size_t)isa_block_y() * n_col + isa_block();

	return t->pair +
		((block * n + k) * VS_CARD_CLASSES + class_) * TILES_THREADS +
		isa_thread();
}

/* A pivot's counts by segment. */
struct tiles_sums {
	uint32_t of[4][4][TILES_SUMS];
};

/* True if the table of a pair and the pivot may pass. rest: counts of the
 * pivot's third genotype, by class */
VS_DEVICE int
tiles_may_pass(const struct tiles_sums *s, const uint32_t rest[2][4],
	const struct vs_card_chi *q, uint32_t pair, uint32_t margins,
	uint32_t row, uint32_t col, const int entropy, const int skew,
	const int wide)
{
	struct vs_chi sum = { 0, 0, 0 };

	VS_UNROLL
	for (uint32_t a = 0; a < 3; a++) {
		int32_t n[2][4];

		VS_UNROLL
		for (uint32_t c = 0; c < 2; c++)
			VS_UNROLL
		for (uint32_t x = 0; x < 4; x++)
			n[c][x] = tiles_half(a == 2 ? rest[c][x]
						    : s->of[2 * a + c][x][pair /
							      TILES_PER(wide)],
				pair, wide);
		tiles_add(n[0], n[1], margins + a * TILES_SLICE, row, col, q,
			entropy, skew, &sum);
	}
	return vs_chi_may_pass(&sum, q, 27, entropy, skew);
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

/* Row and column in the block of a thread's pair. */
VS_DEVICE void
tiles_place(uint32_t pair, uint32_t *row, uint32_t *col)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;

	*row = thread / 32 % 4 * 16 + sum_row(lane, pair % 4);
	*col = thread / 128 * 16 + pair / 4 * 8 + sum_col(lane, pair % 4);
}

/* Append the thread's pairs that may pass together with pivot k. */
VS_DEVICE void
tiles_offer(const struct vs_card_triples *t, int k, const struct tiles_sums *s,
	uint32_t margins, const int entropy, const int skew, const int wide)
{
	VS_UNROLL
	for (uint32_t x = 0; x < TILES_SUMS / TILES_PER(wide); x++) {
		uint32_t rest[2][4];

		VS_UNROLL
		for (uint32_t c = 0; c < 2; c++) {
			const struct vs_card_four all = *tiles_pair(t,
				isa_anew(x), c, TILES_SUMS / TILES_PER(wide));

			/* halves borrow nothing: all differences are counts */
			VS_UNROLL
			for (uint32_t y = 0; y < 4; y++)
				rest[c][y] = all.of[y] - s->of[c][y][x] -
					s->of[2 + c][y][x];
		}
		VS_UNROLL
		for (uint32_t y = 0; y < TILES_PER(wide); y++) {
			const uint32_t pair = x * TILES_PER(wide) + y;
			uint32_t row, col;
			int may;

			/* one pair after the other: they need the registers */
			tiles_place(pair, &row, &col);
			may = tiles_may_pass(s, rest, &t->work.rule.chi, pair,
				isa_anew(margins), row, col, entropy, skew,
				wide);
			/* again, for the same reason */
			tiles_place(pair, &row, &col);
			tiles_append(t, k, row, col, may, 0);
		}
	}
}

/* Append the thread's pairs that may pass alone. */
VS_DEVICE void
tiles_offer_pairs(const struct vs_card_triples *t,
	const int32_t all[2][4][TILES_SUMS], uint32_t margins,
	const int entropy, const int skew)
{
	const struct vs_card_chi *q = &t->work.rule.chi;

	VS_UNROLL
	for (uint32_t pair = 0; pair < TILES_SUMS; pair++) {
		struct vs_chi sum = { 0, 0, 0 };
		int32_t n[2][4];
		uint32_t row, col;

		VS_UNROLL
		for (uint32_t x = 0; x < 8; x++)
			n[x / 4][x % 4] = all[x / 4][x % 4][pair];
		tiles_place(pair, &row, &col);
		tiles_add(n[0], n[1], isa_anew(margins), row, col, q, entropy,
			skew, &sum);
		tiles_append(t, -1, row, col,
			vs_chi_may_pass(&sum, q, 9, entropy, skew), 1);
	}
}

/* ---- the block ---- */

/* Add what the block's threads counted to the sum of its rows: tile_check.h. */
VS_DEVICE void
tiles_check(const struct vs_card_triples *t, uint32_t counted)
{
	if (t->check)
		isa_add(t->check + isa_block_y(), counted);
}

/* True if no pair or triple of the block is wanted, with any pivot. */
VS_DEVICE bool
tiles_idle(const struct vs_card_triples *t, const int pairs)
{
	uint32_t row, col;

	tiles_rows(t, 0, 1, &row);
	tiles_cols(t, 0, 1, &col);
	if (pairs)
		return !vs_wants_any(&t->work, row, TILES_ROWS, col,
			TILES_COLS);
	return t->work.j.first + col >= t->skip &&
		t->work.j.first + col + TILES_COLS - 1 <= t->work.i.first + row;
}

/* Program of a thread block that counts pairs. */
VS_DEVICE void
tiles_pairs_kernel(const struct vs_card_triples *t, const int entropy,
	const int skew)
{
	const uint32_t margins = tiles_behind();
	struct tiles_ring r;
	int32_t all[2][4][TILES_SUMS];

	if (tiles_idle(t, 1))
		return;
	tiles_begin(t, &r, 1, 2);
	tiles_margins(t, margins);
	VS_UNROLL
	for (uint32_t c = 0; c < 2; c++)
		tiles_segment(t, &r, &t->work.i, c, all[c], 1, 0);
	isa_sync();
	tiles_offer_pairs(t, all, margins, entropy, skew);
}

/* Count all samples, by class. The counts are stored in fours: by product, or
 * by column where calls are missing. */
VS_DEVICE void
tiles_all(const struct vs_card_triples *t, const uint32_t planes,
	const int wide)
{
	const uint32_t n = planes * planes;
	const uint32_t fours = n * TILES_SUMS / TILES_PER(wide) / 4;
	struct tiles_ring r;

	tiles_begin(t, &r, 1, planes);
	VS_ROLLED
	for (uint32_t c = 0; c < VS_CARD_CLASSES; c++) {
		int32_t sum[9][TILES_SUMS];
		uint32_t word[9][TILES_SUMS];

		tiles_zero(sum, n);
		tiles_count(t, &r, &t->work.i, c, sum, 1, 0, planes);
		tiles_keep(sum, word, n, wide);
		tiles_total(tiles_sum(word, n, wide));
		VS_UNROLL
		for (uint32_t k = 0; k < fours; k++) {
			struct vs_card_four four;

			VS_UNROLL
			for (uint32_t x = 0; x < 4; x++)
				four.of[x] =
					planes == 2 ? word[x][k] : word[k][x];
			*tiles_pair(t, k, c, fours) = four;
		}
	}
	/* until the last stages are free */
	isa_sync();
}

/* Program of a thread block that counts triples. wide: counts do not fit 16
 * bits */
VS_DEVICE void
tiles_kernel(const struct vs_card_triples *t, const int entropy, const int skew,
	const int wide)
{
	const uint32_t margins = tiles_behind();
	struct tiles_ring r;

	if (tiles_idle(t, 0))
		return;
	isa_store(tiles_sum_at(), 0);
	if (!t->counted)
		tiles_all(t, 2, wide);
	tiles_begin(t, &r, 0, 2);
	VS_ROLLED
	for (uint32_t k = 0; k < tiles_pivots(t); k++) {
		struct tiles_sums s;
		uint32_t all = 0;

		/* until all warps are done with the previous pivot */
		isa_sync();
		tiles_pivot_margins(t, k, margins);
		r.step = 0;
		VS_UNROLL
		for (uint32_t x = 0; x < 4; x++) {
			int32_t sum[4][TILES_SUMS];

			tiles_segment(t, &r, &t->pivot[k].i, x, sum, 0, 0);
			tiles_keep(sum, s.of[x], 4, wide);
		}
		VS_UNROLL
		for (uint32_t x = 0; x < 4; x++)
			all += tiles_sum(s.of[x], 4, wide);
		tiles_total(all);
		isa_sync();
		tiles_offer(t, (int)k, &s, margins, entropy, skew, wide);
	}
	tiles_check(t, isa_load(tiles_sum_at()));
}

#endif
