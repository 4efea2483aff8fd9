/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Association scores of triples. For a first vector u the samples of each of
 * its two rarer genotypes are moved together in the rows of all second and
 * third vectors, so that 8 cells of either class are products of short rows of
 * bits; the other 19 follow from the tables of pairs and the vectors' own
 * counts. Where calls are missing all 27 are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/layout.h"
#include "libcore/base/mem.h"
#include "libcore/engine/tables.h"
#include "libcore/engine/triple/slab.h"
#include "libcore/kern/bits/bits_move.h"

#define SIDE VS_BITS_MOST
#define LD (VS_BITS_PLANES * SIDE)
#define PLANES VS_BITS_PLANES
/*
 * Words of a row from which on AMX, which opens bits to bytes for each part, is
 * slower than VPOPCNT: 300 x 16,384 takes 0.23 s, not 0.31.
 */
#define LONG 32
#define PADDING 8          /* words by which a row is rounded up */
#define MEMORY (24u << 20) /* of moved rows */
#define LEAST 64           /* second vectors, and third ones, of a slab */
#define MOST 512
#define WIDE 16 /* columns whose cells are inferred together */

/* Rows of a genotype of u and a class: plane p of vector x begins at word + (p
 * room + x) n_word. */
struct moved {
	struct vs_compress *mask;
	uint64_t *word;
	size_t n_word;
};

struct worker {
	const struct vs_triple_data *all;
	struct vs_query q; /* by the threshold there is by now */
	const struct vs_bits *bits, *bits_long; /* of short and long rows */
	size_t n_plane, most;                   /* vectors of a side */
	struct moved moved[PLANES][2];
	struct vs_compress *mask;
	uint64_t *rows;
	/* places of vectors in the moved rows: v at v - v_at, w at w - w_at */
	size_t v_at, w_at;
	size_t u; /* whose rows are moved */
	/* by place: samples of a vector by genotype of u, its own plane and
	 * class, and of the vector alone */
	int32_t *of_u[PLANES][PLANES][2], *own[PLANES][2];
	int32_t *sum[PLANES][2]; /* of a part, by genotype of u and class */
	/* tables of pairs: of all parts, 4 cells of either class */
	int32_t *pair;
	size_t v_lo, v_hi, w_lo, w_hi; /* that these are of */
	struct vs_tables *tables;
	int32_t *none; /* counts of a genotype of u that no sample has: 0 */
	void *scratch, *bytes; /* of vs_bits, and of vs_bits_move_planes() */
};

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- sizes ---- */

/* Words of a row of all genotypes of u. */
static size_t
row_words(const struct vs_query *q)
{
	return q->classes->n_word[0] + q->classes->n_word[1] +
		2 * PLANES * PADDING;
}

static size_t
most_vectors(const struct vs_query *q)
{
	const size_t bytes = 8 * row_words(q) * (size_t)vs_tables_planes(q);
	size_t n = MEMORY / (2 * bytes) / 32 * 32;

	return n < LEAST ? LEAST : n > MOST ? MOST : n;
}

static struct vs_slab_most
most_of(const struct vs_query *q)
{
	const size_t n = most_vectors(q);

	return (struct vs_slab_most){ VS_SLAB_U, n, n, false };
}

/* Bytes of the tables of pairs. */
static size_t
pair_bytes(size_t most)
{
	return 8 * most * most * sizeof(int32_t);
}

static size_t
lay_out(struct worker *w, const struct vs_query *q, void *at)
{
	const struct vs_classes *c = q->classes;
	struct vs_layout l = { .at = at };
	size_t place_bytes;

	w->n_plane = (size_t)vs_tables_planes(q);
	w->most = most_vectors(q);
	place_bytes = (2 * w->most + WIDE) * sizeof(int32_t);
	w->mask = vs_layout_next(&l,
		w->n_plane * (c->n_word[0] + c->n_word[1]) * sizeof(*w->mask));
	w->rows =
		vs_layout_next(&l, 2 * w->most * w->n_plane * row_words(q) * 8);
	for (size_t x = 0; x < PLANES * PLANES * 2; x++)
		w->of_u[x / 6][x / 2 % 3][x % 2] =
			vs_layout_next(&l, place_bytes);
	for (size_t x = 0; x < PLANES * 2; x++)
		w->own[x / 2][x % 2] = vs_layout_next(&l, place_bytes);
	for (size_t a = 0; a < w->n_plane; a++)
		for (int k = 0; k < 2; k++)
			w->sum[a][k] =
				vs_layout_next(&l, LD * LD * sizeof(int32_t));
	w->pair = vs_layout_next(&l,
		w->n_plane == 2 ? pair_bytes(w->most) + WIDE * 4 : 0);
	w->tables = vs_layout_next(&l, sizeof(*w->tables));
	w->none = vs_layout_next(&l, SIDE * sizeof(*w->none));
	w->scratch = vs_layout_next(&l, VS_BITS_SCRATCH);
	w->bytes = vs_layout_next(&l,
		VS_BITS_MOVE_SCRATCH(c->n_word[0] > c->n_word[1]
				? c->n_word[0]
				: c->n_word[1]));
	return l.used;
}

static size_t
bytes_of(const struct vs_query *q)
{
	struct worker w;

	return sizeof(w) + lay_out(&w, q, NULL);
}

static const char *
kernel_of(const struct vs_query *q)
{
	return vs_registry_bits_pick(q->cpu)->name;
}

static void
close_worker(void *worker)
{
	struct worker *w = worker;

	if (w)
		free(w->mask);
	free(w);
}

static int
open_worker(void **out, const struct vs_triple_data *t)
{
	struct worker *w = NULL;
	void *memory = NULL;
	int code = vs_mem_new(&w, 1, sizeof(*w), "worker");

	if (code)
		return code;
	code = vs_mem_room(&memory, lay_out(w, &t->q, NULL), 1,
		"tables of a thread");
	if (code) {
		free(w);
		return code;
	}
	lay_out(w, &t->q, memory);
	w->all = t;
	w->bits = vs_registry_bits_pick(t->q.cpu);
	w->bits_long = vs_registry_bits_pick(
		t->q.cpu < VS_CPU_AMX ? t->q.cpu : VS_CPU_AVX512ICL);
	w->u = SIZE_MAX;
	memset(w->none, 0, SIDE * sizeof(*w->none));
	*out = w;
	return 0;
}

/* ---- rows moved together ---- */

static void
prepare_masks(struct worker *w, size_t u)
{
	const struct vs_class_rows *by = &w->all->by_class;
	struct vs_compress *mask = w->mask;
	uint64_t *word = w->rows;

	for (size_t a = 0; a < w->n_plane; a++)
		for (int k = 0; k < 2; k++) {
			struct moved *m = &w->moved[a][k];
			size_t n;

			m->mask = mask;
			m->word = word;
			n = vs_compress_prepare(mask,
				vs_class_rows_at(by, k, (int)a, u),
				by->n_word[k]);
			m->n_word = vs_vec_words(n);
			mask += by->n_word[k];
			word += 2 * w->most * w->n_plane * m->n_word;
		}
}

/* Vector v goes to place x. */
static void
move_vector(struct worker *w, size_t v, size_t x)
{
	const struct vs_class_rows *by = &w->all->by_class;

	for (int k = 0; k < 2; k++) {
		struct vs_bits_move m = { .n_mask = (int)w->n_plane,
			.n_plane = (int)w->n_plane,
			.n_word = by->n_word[k],
			.scratch = w->bytes };

		for (size_t p = 0; p < w->n_plane; p++)
			m.in[p] = vs_class_rows_at(by, k, (int)p, v);
		for (size_t a = 0; a < w->n_plane; a++) {
			const struct moved *to = &w->moved[a][k];

			m.mask[a] = to->mask;
			m.n_out[a] = to->n_word;
			for (size_t p = 0; p < w->n_plane; p++)
				m.out[a][p] = to->word +
					(p * 2 * w->most + x) * to->n_word;
		}
		vs_bits_move_planes(w->q.cpu, &m);
		for (size_t a = 0; a < w->n_plane; a++)
			for (size_t p = 0; p < w->n_plane; p++)
				w->of_u[a][p][k][x] = m.count[a][p];
	}
}

/* All of the vector at place x by u's genotype and its own, from those that
 * were counted. */
static void
complete_pair(struct worker *w, size_t v, size_t x)
{
	const int32_t(*u)[2] = w->all->by_class.count[w->u];
	const int32_t(*own)[2] = w->all->by_class.count[v];

	for (int k = 0; k < 2; k++) {
		for (int a = 0; a < 2; a++)
			w->of_u[a][2][k][x] = u[a][k] - w->of_u[a][0][k][x] -
				w->of_u[a][1][k][x];
		for (int p = 0; p < 3; p++) {
			w->own[p][k][x] = own[p][k];
			w->of_u[2][p][k][x] = own[p][k] - w->of_u[0][p][k][x] -
				w->of_u[1][p][k][x];
		}
	}
}

/* The first column that rows from v on want. */
static size_t
first_column(const struct vs_slab *s, size_t v)
{
	return s->w_lo >= s->skip && v + 1 > s->w_lo ? v + 1 : s->w_lo;
}

/* Rows of the slab's second vectors from v_from on and its third ones. */
static void
move_rows(struct worker *w, const struct vs_slab *s, size_t u, size_t v_from)
{
	const bool apart = s->w_lo >= s->v_hi || s->w_hi <= s->v_lo;
	size_t end = s->v_hi;

	w->u = u;
	prepare_masks(w, u);
	w->v_at = s->v_lo;
	w->w_at = s->v_lo;
	if (apart) {
		w->w_at = s->w_lo - w->most;
	} else {
		w->v_at = w->w_at = least(s->v_lo, s->w_lo);
		v_from = least(v_from, first_column(s, v_from));
		end = s->w_hi > end ? s->w_hi : end;
	}
	for (size_t v = v_from; v < end; v++)
		move_vector(w, v, v - w->v_at);
	for (size_t v = s->w_lo; apart && v < s->w_hi; v++)
		move_vector(w, v, v - w->w_at);
	for (size_t v = v_from; w->n_plane == 2 && v < end; v++)
		complete_pair(w, v, v - w->v_at);
	for (size_t v = s->w_lo; w->n_plane == 2 && apart && v < s->w_hi; v++)
		complete_pair(w, v, v - w->w_at);
}

/* ---- counting ---- */

/* A part of a slab: rows [v, v + n_v) and columns [c, c + n_c). */
struct part {
	const struct vs_slab *slab;
	size_t v, n_v, c, n_c;
};

/* Columns before it + r are not wanted of row r. */
static int64_t
from_of(const struct part *p)
{
	const struct vs_slab *s = p->slab;

	return s->w_lo >= s->skip ? (int64_t)p->v + 1 - (int64_t)p->c
				  : VS_BITS_ALL;
}

static struct vs_bits_side
moved_side(const struct worker *w, const struct moved *m, size_t x, size_t n)
{
	return (struct vs_bits_side){ m->word + x * m->n_word, n,
		2 * w->most * m->n_word, m->n_word };
}

/* Cell 2 p + q of the tables of a pair of v with all columns. */
static int32_t *
pair_at(const struct worker *w, int class, int cell, size_t v)
{
	const size_t row = ((size_t) class * 4 + (size_t)cell) * w->most;

	return w->pair + (row + v - w->v_lo) * w->most;
}

/* The tables of pairs of a part. */
static void
count_pairs(struct worker *w, const struct part *p)
{
	for (int class = 0; class < 2; class ++) {
		w->bits->count(&(struct vs_bits_call){
			vs_tables_side(&w->all->by_class, class, p->v, p->n_v),
			vs_tables_side(&w->all->by_class, class, p->c, p->n_c),
			2, w->all->by_class.n_word[class], from_of(p),
			w->sum[0][0], LD, w->scratch });
		for (size_t cell = 0; cell < 4; cell++)
			for (size_t r = 0; r < p->n_v; r++)
				memcpy(pair_at(w, class, (int)cell, p->v + r) +
						p->c - w->w_lo,
					w->sum[0][0] +
						(cell / 2 * SIDE + r) * LD +
						cell % 2 * SIDE,
					p->n_c * sizeof(int32_t));
	}
}

static void
count_triples(struct worker *w, const struct part *p)
{
	for (size_t a = 0; a < w->n_plane; a++)
		for (int class = 0; class < 2; class ++) {
			const struct moved *m = &w->moved[a][class];
			const struct vs_bits *bits =
				m->n_word < LONG ? w->bits : w->bits_long;

			if (m->n_word)
				bits->count(&(struct vs_bits_call){
					moved_side(w, m, p->v - w->v_at,
						p->n_v),
					moved_side(w, m, p->c - w->w_at,
						p->n_c),
					(int)w->n_plane, m->n_word, from_of(p),
					w->sum[a][class], LD, w->scratch });
		}
}

/* ---- tables ---- */

/* Arrays of a row and class, by column, and numbers of v. */
struct row {
	const int32_t *eight[2][2][2]; /* by genotype of u, v, w */
	const int32_t *pair[2][2];     /* of v and w */
	const int32_t *of_w[2][3], *own_w[3];
	int32_t of_v[2][2], own_v[2];
	int32_t (*to)[VS_TABLES];
};

/* Cells of columns that are not counted: third = all - first - second. */
VS_INLINE void
subtract(const int32_t *all, const int32_t *first, const int32_t *second,
	int32_t *third)
{
#pragma omp simd
	for (int k = 0; k < WIDE; k++)
		third[k] = all[k] - first[k] - second[k];
}

VS_INLINE void
subtract_one(int32_t all, const int32_t *first, const int32_t *second,
	int32_t *third)
{
#pragma omp simd
	for (int k = 0; k < WIDE; k++)
		third[k] = all - first[k] - second[k];
}

VS_INLINE void
copy(const int32_t *from, int32_t *to)
{
#pragma omp simd
	for (int k = 0; k < WIDE; k++)
		to[k] = from[k];
}

/* All cells of a class of WIDE columns from c on, from those counted. */
VS_INLINE int
infer_any(const struct row *x, size_t c)
{
	int32_t pair[3][3][WIDE];

	for (int p = 0; p < 2; p++) {
		for (int q = 0; q < 2; q++)
			copy(x->pair[p][q] + c, pair[p][q]);
		subtract_one(x->own_v[p], pair[p][0], pair[p][1], pair[p][2]);
	}
	for (int q = 0; q < 3; q++)
		subtract(x->own_w[q] + c, pair[0][q], pair[1][q], pair[2][q]);
	for (int a = 0; a < 2; a++) {
		int32_t(*t)[VS_TABLES] = x->to + 9 * a;

		for (int p = 0; p < 2; p++) {
			for (int q = 0; q < 2; q++)
				copy(x->eight[a][p][q] + c, t[3 * p + q] + c);
			subtract_one(x->of_v[a][p], t[3 * p] + c,
				t[3 * p + 1] + c, t[3 * p + 2] + c);
		}
		for (int q = 0; q < 3; q++)
			subtract(x->of_w[a][q] + c, t[q] + c, t[3 + q] + c,
				t[6 + q] + c);
	}
	for (int y = 0; y < 9; y++)
		subtract(pair[y / 3][y % 3], x->to[y] + c, x->to[9 + y] + c,
			x->to[18 + y] + c);
	return 0;
}

VS_BY_CPU(int, infer, (row, c), const struct row *row, size_t c)

/* Columns [lo, hi) of a row, from what was counted of two genotypes each. */
static void
fill_inferred(struct worker *w, const struct part *p, size_t r, size_t lo,
	size_t hi)
{
	const size_t v = p->v + r, at_v = v - w->v_at, at_w = p->c - w->w_at;

	for (int class = 0; class < 2; class ++) {
		struct row row = { .to = w->tables->count[class] };

		for (size_t cell = 0; cell < 4; cell++) {
			const size_t g = cell / 2, q = cell % 2;

			row.pair[g][q] = pair_at(w, class, (int)cell, v) +
				p->c - w->w_lo;
			for (size_t a = 0; a < 2; a++)
				row.eight[a][g][q] = w->moved[a][class].n_word
					? w->sum[a][class] +
						(g * SIDE + r) * LD + q * SIDE
					: w->none;
		}
		for (size_t g = 0; g < 2; g++) {
			row.of_v[g][0] = w->of_u[g][0][class][at_v];
			row.of_v[g][1] = w->of_u[g][1][class][at_v];
			row.own_v[g] = w->own[g][class][at_v];
		}
		for (size_t q = 0; q < 3; q++) {
			row.own_w[q] = w->own[q][class] + at_w;
			for (size_t a = 0; a < 2; a++)
				row.of_w[a][q] = w->of_u[a][q][class] + at_w;
		}
		for (size_t c = lo / WIDE * WIDE; c < hi; c += WIDE)
			infer(w->q.cpu, &row, c);
	}
}

/* The same where all cells were counted. */
static void
fill_counted(struct worker *w, size_t r, size_t lo, size_t hi)
{
	for (size_t cell = 0; cell < VS_TABLES_CELLS; cell++)
		for (int class = 0; class < 2; class ++) {
			const size_t a = cell / 9, p = cell / 3 % 3;
			int32_t *to = w->tables->count[class][cell];

			if (w->moved[a][class].n_word)
				memcpy(to + lo,
					w->sum[a][class] + (p * SIDE + r) * LD +
						cell % 3 * SIDE + lo,
					(hi - lo) * sizeof(*to));
			else
				memset(to + lo, 0, (hi - lo) * sizeof(*to));
		}
}

/* ---- records ---- */

static int
add(const struct worker *w, const size_t v[3], size_t c, struct vs_hits *found)
{
	const uint32_t *row = w->all->all.row;
	uint32_t name[3];
	struct vs_record *rec;
	int code = vs_hits_more(found, &rec);

	if (code)
		return code;
	for (int x = 0; x < 3; x++) {
		const uint32_t own = row[v[x]];

		name[(own > row[v[(x + 1) % 3]]) +
			(own > row[v[(x + 2) % 3]])] = own;
	}
	*rec = (struct vs_record){ .i = name[0],
		.j = name[1],
		.k = name[2],
		.num = -1,
		.nvalid = -1,
		.cell = VS_NO_CELL };
	vs_tables_record(w->tables, &w->q, c, rec);
	return 0;
}

/* Columns [lo, hi) of row r. */
static int
do_columns(struct worker *w, const struct part *p, size_t r, size_t lo,
	size_t hi, struct vs_hits *found)
{
	uint16_t column[VS_TABLES];
	size_t n;
	int code = 0;

	if (lo >= hi)
		return 0;
	if (w->n_plane == 2)
		fill_inferred(w, p, r, lo, hi);
	else
		fill_counted(w, r, lo, hi);
	w->tables->n_cell = VS_TABLES_CELLS;
	vs_tables_sum(w->tables, &w->q, lo, hi);
	n = vs_tables_passing(w->tables, &w->q, lo, hi, column);
	for (size_t k = 0; k < n && !code; k++)
		code = add(w, (size_t[]){ w->u, p->v + r, p->c + column[k] },
			column[k], found);
	return code;
}

static int
do_part(struct worker *w, const struct part *p, struct vs_hits *found)
{
	const size_t at = p->c - p->slab->w_lo;
	int code = 0;

	count_triples(w, p);
	for (size_t r = 0; r < p->n_v && !code; r++) {
		size_t part[2][2];

		vs_slab_wanted(p->slab, p->v + r, at, at + p->n_c, part);
		for (int x = 0; x < 2 && !code; x++)
			code = do_columns(w, p, r, part[x][0] - at,
				part[x][1] - at, found);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}

/* The parts of a slab with second vectors from v_from on. */
static int
each_part(struct worker *w, const struct vs_slab *s, size_t v_from,
	struct vs_hits *found,
	int (*visit)(struct worker *w, const struct part *p,
		struct vs_hits *found))
{
	int code = 0;

	for (size_t v = v_from; v < s->v_hi && !code; v += SIDE)
		for (size_t c = first_column(s, v); c < s->w_hi && !code;
			c += SIDE) {
			const struct part p = { s, v, least(SIDE, s->v_hi - v),
				c, least(SIDE, s->w_hi - c) };

			if (from_of(&p) < (int64_t)p.n_c)
				code = visit(w, &p, found);
		}
	return code;
}

static int
visit_pairs(struct worker *w, const struct part *p, struct vs_hits *found)
{
	(void)found;
	count_pairs(w, p);
	return 0;
}

static int
count_slab(void *worker, const struct vs_slab *s, struct vs_hits *found,
	uint64_t *counted)
{
	struct worker *w = worker;
	int code = 0;

	w->q = vs_query_now(&w->all->q);
	if (w->n_plane == 2 &&
		(w->v_lo != s->v_lo || w->v_hi != s->v_hi ||
			w->w_lo != s->w_lo || w->w_hi != s->w_hi)) {
		w->v_lo = s->v_lo;
		w->v_hi = s->v_hi;
		w->w_lo = s->w_lo;
		w->w_hi = s->w_hi;
		each_part(w, s, s->v_lo, NULL, visit_pairs);
	}
	for (size_t u = s->u_lo; u < s->u_hi && !code; u++) {
		const size_t v_from =
			s->ordered && u >= s->v_lo ? u + 1 : s->v_lo;

		if (v_from >= s->v_hi)
			continue;
		move_rows(w, s, u, v_from);
		code = each_part(w, s, v_from, found, do_part);
	}
	*counted += vs_slab_triples(s);
	return code;
}

const struct vs_slab_kind vs_slab_tables = { kernel_of, most_of, bytes_of,
	open_worker, close_worker, count_slab };
