/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over missing calls by lists of fields, VS_GAPS_LANES pairs at a time.
 *
 * The bytes of the fields of a list are added up in registers. For what the
 * rows lose, lanes are rows and the list is that of a column; for the others,
 * lanes are columns and the list is that of a row.
 */
#include <string.h>

#include "libcore/kern/gaps/gaps.h"
#include "libcore/kern/squares.h"

#define LANES VS_GAPS_LANES
#define PART VS_GAPS_BYTE_LIST /* sums of up to 2 fit into a byte */

/* Half of the lanes: a register of AVX2. */
typedef uint8_t lanes32 __attribute__((vector_size(32)));
typedef uint64_t words32 __attribute__((vector_size(32), may_alias));

/* Bytes of LANES x LANES pairs. */
struct square {
	_Alignas(64) uint8_t at[LANES][LANES];
};

static size_t
squares(size_t n)
{
	return (n + LANES - 1) / LANES;
}

size_t
vs_gaps_square_bytes(size_t n, size_t n_field)
{
	return squares(n) * n_field * LANES;
}

size_t
vs_gaps_begin_bytes(size_t n)
{
	return (n + 1) * sizeof(uint32_t);
}

size_t
vs_gaps_list_bytes(size_t n, size_t n_field)
{
	return n * n_field / 4 * sizeof(uint16_t);
}

/* ---- vectors by field ---- */

/* Bit k of the byte becomes byte k, 0 or 1. */
VS_INLINE uint64_t
spread_bits(uint64_t byte)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t x = byte * ones & 0x8040201008040201;

	return (x + 0x7f * ones) >> 7 & ones;
}

/* Fields [64 w, 64 w + n) of the square of vectors from v on. */
VS_INLINE void
fill_square(const struct vs_panel *p, size_t v, size_t n_vec, size_t w,
	size_t n, int label, uint8_t *copies, uint8_t *lost)
{
	uint64_t one[64], two[64];

	for (size_t r = 0; r < 64; r++) {
		uint64_t h = ~0ull, q = 0;

		if (r < n_vec) {
			h = vs_vec_plane(&p->vec, v + r, 0)[w];
			q = vs_vec_plane(&p->vec, v + r, 1)[w];
		}
		/* a missing call looks as if it had both bits */
		one[r] = ~h;
		two[r] = label ? q : q ^ h;
	}
	transpose_bits(one);
	transpose_bits(two);
	for (size_t f = 0; f < n; f++)
		for (size_t k = 0; k < LANES; k += 8) {
			const uint64_t a = spread_bits(one[f] >> k & 255);
			const uint64_t b = spread_bits(two[f] >> k & 255);
			const uint64_t gone = a & b;
			const uint64_t g = (a ^ gone) + 2 * (b ^ gone);

			memcpy(copies + LANES * f + k, &g, 8);
			if (lost)
				memcpy(lost + LANES * f + k, &gone, 8);
		}
}

VS_INLINE void
fill_any(const struct vs_panel *p, size_t lo, int label,
	const struct vs_gaps *g)
{
	for (size_t v = 0; v < g->n; v += LANES)
		for (size_t f = 0; f < g->n_field; f += 64) {
			size_t at = v * g->n_field + f * LANES;

			fill_square(p, lo + v, g->n - v, f / 64,
				g->n_field - f < 64 ? g->n_field - f : 64,
				label, g->copies + at,
				g->lost ? g->lost + at : NULL);
		}
}

VS_BY_CPU(void, fill, (p, lo, label, g), const struct vs_panel *p, size_t lo,
	int label, const struct vs_gaps *g)

/* ---- lists ---- */

static uint16_t *
list_vector(const struct vs_panel *p, size_t v, uint16_t *to)
{
	size_t left = p->vec.n_field - (size_t)p->present[v];
	const uint64_t *h = vs_vec_plane(&p->vec, v, 0);
	const uint64_t *q = vs_vec_plane(&p->vec, v, 1);
	const size_t n_field = p->vec.n_field;

	/* an excluded vector's planes may hold anything */
	for (size_t w = 0; left && 64 * w < n_field; w++)
		for (uint64_t x = q[w] & ~h[w]; x && left; x &= x - 1, left--)
			*to++ = (uint16_t)(64 * w + (size_t)__builtin_ctzll(x));
	return to;
}

bool
vs_gaps_take(enum vs_cpu cpu, const struct vs_panel *p, size_t lo, size_t n,
	int label, struct vs_gaps *g)
{
	const size_t n_field = p->vec.n_field;
	size_t most = n * n_field / 4, used = 0;
	uint16_t *to = g->field;

	for (size_t v = lo; v < lo + n; v++)
		used += n_field - (size_t)p->present[v];
	if (used > most || n_field > VS_GAPS_MOST_FIELDS)
		return false;
	g->n = n;
	g->n_field = n_field;
	g->longest = 0;
	for (size_t v = 0; v < n; v++) {
		g->begin[v] = (uint32_t)(to - g->field);
		to = list_vector(p, lo + v, to);
		used = (size_t)(to - g->field) - g->begin[v];
		g->longest = used > g->longest ? used : g->longest;
	}
	g->begin[n] = (uint32_t)(to - g->field);
	fill(cpu, p, lo, label, g);
	return true;
}

/* ---- sums ---- */

/* Entries [at, at + PART) of a list. */
struct part {
	const uint16_t *field, *end;
};

VS_INLINE struct part
part_of(const struct vs_gaps *g, size_t v, size_t at)
{
	const uint16_t *begin = g->field + g->begin[v];
	const size_t n = g->begin[v + 1] - g->begin[v];
	const size_t lo = at < n ? at : n;
	const size_t hi = at + PART < n ? at + PART : n;

	return (struct part){ begin + lo, begin + hi };
}

VS_INLINE void
add_up(const struct part *list, const uint8_t *square, uint8_t to[LANES])
{
	lanes32 a = { 0 }, b = { 0 };

	for (const uint16_t *f = list->field; f < list->end; f++) {
		const lanes32 *row = (const lanes32 *)(square + LANES * *f);

		a += row[0];
		b += row[1];
	}
	memcpy(to, &a, sizeof(a));
	memcpy(to + sizeof(a), &b, sizeof(b));
}

/* Swap bytes j apart of the words j apart. */
VS_INLINE void
swap_bytes(words32 m[8], const int j, const uint64_t low)
{
	for (int b = 0; b < 8; b += 2 * j)
		for (int k = b; k < b + j; k++) {
			words32 t = ((m[k] >> 8 * j) ^ m[k + j]) & low;

			m[k] ^= t << 8 * j;
			m[k + j] ^= t;
		}
}

/* Transpose LANES x LANES bytes, 8 x 32 of them at a time, into rows that are
 * ld apart. */
VS_INLINE void
transpose_bytes(const struct square *from, uint8_t *to, size_t ld)
{
	for (size_t r = 0; r < LANES; r += 8)
		for (size_t c = 0; c < LANES; c += 32) {
			words32 m[8];

			for (size_t k = 0; k < 8; k++)
				m[k] = *(const words32 *)&from->at[r + k][c];
			swap_bytes(m, 4, 0x00000000ffffffff);
			swap_bytes(m, 2, 0x0000ffff0000ffff);
			swap_bytes(m, 1, 0x00ff00ff00ff00ff);
			for (size_t x = 0; x < 4; x++)
				for (size_t k = 0; k < 8; k++) {
					uint64_t word = m[k][x];

					memcpy(to + (c + 8 * x + k) * ld + r,
						&word, 8);
				}
		}
}

VS_INLINE void
add_bytes(const uint8_t from[LANES], int32_t *to, bool more)
{
	if (more)
#pragma omp simd
		for (size_t k = 0; k < LANES; k++)
			to[k] += from[k];
	else
#pragma omp simd
		for (size_t k = 0; k < LANES; k++)
			to[k] = from[k];
}

/* A square of pairs: rows from r on, columns from c on. */
struct piece {
	const struct vs_gaps *rows, *cols;
	size_t r, n_row, c, n_col;
	size_t at; /* entries of lists from there on */
};

/* Copies of the rows in fields that columns miss, by column. */
VS_INLINE void
add_rows(const struct piece *x, struct square *by_col)
{
	const uint8_t *copies = x->rows->copies + x->r * x->rows->n_field;

	for (size_t k = 0; k < x->n_col; k++) {
		const struct part list = part_of(x->cols, x->c + k, x->at);

		add_up(&list, copies, by_col->at[k]);
	}
	memset(by_col->at + x->n_col, 0, (LANES - x->n_col) * LANES);
}

/* Sums of a table of the columns over the lists of the rows, ld apart. */
VS_INLINE void
add_cols(const struct piece *x, const uint8_t *table, uint8_t *to, size_t ld)
{
	const uint8_t *square = table + x->c * x->cols->n_field;

	for (size_t k = 0; k < x->n_row; k++) {
		const struct part list = part_of(x->rows, x->r + k, x->at);

		add_up(&list, square, to + k * ld);
	}
}

VS_INLINE void
count_bytes(const struct piece *x, size_t to, const struct vs_gaps_sums *out)
{
	uint8_t *i = (uint8_t *)out->i + to;
	struct square by_col, s;

	add_rows(x, &by_col);
	if (x->n_row == LANES) {
		transpose_bytes(&by_col, i, out->ld);
	} else {
		transpose_bytes(&by_col, s.at[0], LANES);
		for (size_t k = 0; k < x->n_row; k++)
			memcpy(i + k * out->ld, s.at[k], LANES);
	}
	add_cols(x, x->cols->copies, (uint8_t *)out->j + to, out->ld);
	add_cols(x, x->cols->lost, (uint8_t *)out->both + to, out->ld);
}

/* Add rows of bytes to sums of rows of more. */
VS_INLINE void
widen(const struct piece *x, const struct square *s, int32_t *to, size_t ld)
{
	for (size_t k = 0; k < x->n_row; k++)
		add_bytes(s->at[k], to + k * ld, x->at);
}

VS_INLINE void
count_wide(const struct piece *x, size_t to, const struct vs_gaps_sums *out)
{
	struct square by_col, s;

	add_rows(x, &by_col);
	transpose_bytes(&by_col, s.at[0], LANES);
	widen(x, &s, (int32_t *)out->i + to, out->ld);
	add_cols(x, x->cols->copies, s.at[0], LANES);
	widen(x, &s, (int32_t *)out->j + to, out->ld);
	add_cols(x, x->cols->lost, s.at[0], LANES);
	widen(x, &s, (int32_t *)out->both + to, out->ld);
}

VS_INLINE void
count_any(const struct vs_gaps *rows, const struct vs_gaps *cols, size_t col,
	size_t end, const struct vs_gaps_sums *out)
{
	const size_t longest =
		rows->longest > cols->longest ? rows->longest : cols->longest;
	struct piece x = { .rows = rows, .cols = cols };

	for (x.r = 0; x.r < rows->n; x.r += LANES)
		for (x.c = col; x.c < end; x.c += LANES) {
			const size_t to = x.r * out->ld + x.c - col;

			x.n_row = rows->n - x.r < LANES ? rows->n - x.r : LANES;
			x.n_col = cols->n - x.c < LANES ? cols->n - x.c : LANES;
			x.at = 0;
			if (out->bytes)
				count_bytes(&x, to, out);
			else
				do
					count_wide(&x, to, out);
				while ((x.at += PART) < longest);
		}
}

VS_BY_CPU(void, count, (rows, cols, col, end, out), const struct vs_gaps *rows,
	const struct vs_gaps *cols, size_t col, size_t end,
	const struct vs_gaps_sums *out)

void
vs_gaps_count(enum vs_cpu cpu, const struct vs_gaps *rows,
	const struct vs_gaps *cols, size_t col, size_t end,
	const struct vs_gaps_sums *out)
{
	count(cpu, rows, cols, col, end, out);
}
