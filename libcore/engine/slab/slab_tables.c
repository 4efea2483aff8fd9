/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Association scores of triples. For the two rarer genotypes of u and of v, the
 * samples that have both a genotype of u and one of v are added up for 512
 * third vectors at a time, which gives 8 cells per class; the other 19 follow
 * from the tables of pairs and the vectors' own counts. If calls are missing,
 * all 27 are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/slab/slab.h"
#include "libcore/engine/tables/tables.h"

#define MOST_V 512
#define MOST_W VS_LANES
#define WIDE VS_TABLES_WIDE
#define PARTS (MOST_W / WIDE)
#define NO_U SIZE_MAX

/*
 * Counts for WIDE third vectors, by class: of the four cells of a second
 * vector, and samples by plane, for each of u's rarer genotypes and overall.
 */
struct pair_part {
	_Alignas(64) int32_t cell[2][4][WIDE];
};
struct third_part {
	_Alignas(64) int32_t of_u[2][2][3][WIDE], of_all[2][3][WIDE];
};

struct worker {
	const struct vs_triple_data *t;
	struct vs_query q; /* with the threshold of a row */
	int n_plane;
	struct vs_lane_block block; /* of the slab's third vectors */
	struct vs_lane_counts counts;
	/* counts of the current row, for VS_TABLES columns */
	int32_t (*taken[2])[VS_TABLES];
	struct third_part *third;
	struct pair_part (*pair)[PARTS]; /* tables of pairs, by second vector */
	size_t v_lo, v_hi, w_lo, w_hi;   /* block of these tables, */
	size_t first;                    /* and the vector in lane 0 */
	struct vs_tables *tables;
};

static struct vs_slab_most
most_of(const struct vs_query *q)
{
	(void)q;
	return (struct vs_slab_most){ VS_SLAB_U, MOST_V, MOST_W, true };
}

static void
lay_out(void *worker, const struct vs_query *q, struct vs_layout *l)
{
	struct worker *w = worker;

	w->n_plane = vs_tables_planes(q);
	vs_lane_counts_lay_block(&w->block, q->classes, w->n_plane, l);
	vs_lane_counts_lay_out(&w->counts, q->classes, q->cpu,
		w->n_plane * w->n_plane, w->n_plane, l);
	vs_tables_lay_sums(&w->counts, q, l);
	for (int k = 0; k < 2; k++)
		w->taken[k] = vs_layout_next(l,
			VS_TABLES_CELLS * sizeof(*w->taken[k]));
	w->third = vs_layout_next(l, PARTS * sizeof(*w->third));
	w->pair = vs_layout_next(l,
		w->n_plane == 2 ? MOST_V * sizeof(*w->pair) : 0);
	w->tables = vs_layout_next(l, sizeof(*w->tables));
}

static const char *
kernel_of(const struct vs_query *q)
{
	return vs_registry_lanes_pick(q->cpu)->name;
}

static void
begin(void *worker, const struct vs_triple_data *t)
{
	struct worker *w = worker;

	(void)t;
	memset(w->third, 0, PARTS * sizeof(*w->third));
	vs_tables_init(w->tables);
}

/* ---- counting ---- */

/* Rows: a first vector, or NO_U, and second vectors [v, v + n_v). */
struct rows {
	const struct vs_slab *slab;
	size_t u, v, n_v;
};

/*
 * Column of the slab that is lane 0. The columns that rows leave out are its
 * first ones, so that each row wants the lanes from vs_slab_left_out() on: as
 * few as possible; they are added with registers of half the width.
 */
static size_t
first_column(const struct vs_slab *s)
{
	return s->skip > s->w_lo && s->skip < s->w_hi ? s->skip - s->w_lo : 0;
}

/* Third vector of a lane. */
static size_t
third_of(const struct vs_slab *s, size_t lane)
{
	const size_t w = s->w_lo + first_column(s) + lane;

	return w < s->w_hi ? w : w - (s->w_hi - s->w_lo);
}

/* Words of lanes that a row wants. */
static void
lanes_of(const struct vs_slab *s, size_t v, size_t lanes[2])
{
	lanes[0] = vs_slab_left_out(s, v) / 64;
	lanes[1] = (s->w_hi - s->w_lo + 63) / 64;
}

/* Add words [x, x + VS_LANE_PART) of a class to the counts of row r. */
static void
add_row(struct worker *w, const struct rows *rows, size_t r, int of, size_t x,
	const size_t lanes[2])
{
	const struct vs_class_rows *by = &w->t->by_class;
	const bool alone = rows->u == NO_U;

	for (int p = 0; p < w->n_plane; p++) {
		const uint64_t *v = vs_class_rows_at(by, of, p, rows->v + r);

		for (int a = 0; a < (alone ? 1 : w->n_plane); a++)
			vs_lane_counts_add(&w->counts, &w->block, r, of,
				a * w->n_plane + p, v,
				alone ? NULL
				      : vs_class_rows_at(by, of, a, rows->u),
				x, lanes);
	}
}

/* Count the rows, one part of the samples after the other. */
static void
count_rows(struct worker *w, const struct rows *rows)
{
	const size_t *n_word = w->t->by_class.n_word;

	vs_lane_counts_clear(&w->counts, rows->n_v);
	for (int of = 0; of < 2; of++)
		for (size_t x = 0; x < n_word[of]; x += VS_LANE_PART)
			for (size_t r = 0; r < rows->n_v; r++) {
				size_t lanes[2] = { 0, VS_LANES_WORDS };

				if (rows->u != NO_U)
					lanes_of(rows->slab, rows->v + r,
						lanes);
				add_row(w, rows, r, of, x, lanes);
			}
}

/* The counts of a list and plane of VS_TABLES lanes from `at` on. */
static const int32_t *
take(struct worker *w, size_t r, int of, int list, int plane, size_t at)
{
	int32_t *to = w->taken[of][list * w->n_plane + plane];

	vs_lane_counts_take(&w->counts, r, of, list, plane, at / 64, to);
	return to;
}

/* Set the slab's third vectors as lanes, and their own samples. */
static void
take_block(struct worker *w, const struct vs_slab *s)
{
	const struct vs_class_rows *by = &w->t->by_class;

	vs_lane_counts_take_block(&w->block, w->q.cpu, by, s->w_lo,
		s->w_hi - s->w_lo, first_column(s));
	for (size_t c = 0; c < s->w_hi - s->w_lo; c++)
		for (int x = 0; x < 2 * VS_LANE_PLANES; x++)
			w->third[c / WIDE].of_all[x / 3][x % 3][c % WIDE] =
				by->count[third_of(s, c)][x % 3][x / 3];
}

/* The tables of pairs of second and third vectors. */
static void
count_pairs(struct worker *w, const struct vs_slab *s)
{
	for (size_t v = s->v_lo; v < s->v_hi; v += w->counts.most) {
		const struct rows rows = { s, NO_U, v,
			vs_min_size(w->counts.most, s->v_hi - v) };

		count_rows(w, &rows);
		for (size_t x = 0; x < 8 * rows.n_v * MOST_W; x += VS_TABLES) {
			const size_t at = x % MOST_W, r = x / MOST_W / 8;
			const int cell = (int)(x / MOST_W % 4);
			const int of = (int)(x / MOST_W / 4 % 2);
			const int32_t *from =
				take(w, r, of, cell / 2, cell % 2, at);
			struct pair_part *to =
				w->pair[v + r - s->v_lo] + at / WIDE;

			for (size_t k = 0; k < VS_TABLES / WIDE; k++)
				memcpy(to[k].cell[of][cell], from + k * WIDE,
					sizeof(to->cell[of][cell]));
		}
	}
}

/* Third vectors by u's genotype and their own, from the counted cells. */
static void
count_first(struct worker *w, const struct vs_slab *s, size_t u)
{
	const int32_t(*own)[2] = w->t->by_class.count[u];

	count_rows(w, &(struct rows){ s, NO_U, u, 1 });
	for (size_t x = 0; x < 4 * MOST_W; x += VS_TABLES) {
		const size_t at = x % MOST_W;
		const int a = (int)(x / MOST_W % 2), of = (int)(x / MOST_W / 2);
		const int32_t *none = take(w, 0, of, a, 0, at);
		const int32_t *one = take(w, 0, of, a, 1, at);

		for (size_t c = 0; c < VS_TABLES; c++) {
			struct third_part *to = w->third + (at + c) / WIDE;
			int32_t(*of_u)[WIDE] = to->of_u[of][a];

			of_u[0][c % WIDE] = none[c];
			of_u[1][c % WIDE] = one[c];
			of_u[2][c % WIDE] = own[a][of] - none[c] - one[c];
		}
	}
}

/* ---- tables ---- */

/* Counts of a class: of the columns held, and of u and v. */
struct row {
	const int32_t (*taken)[VS_TABLES];
	int32_t of_v[4], own_v[2];
};

#define LANES 16
#define NAME(f) f##_16
#include "libcore/engine/slab/infer_cells.h"

#define LANES 8
#define NAME(f) f##_8
#include "libcore/engine/slab/infer_cells.h"

VS_INLINE int
infer_wide_any(const struct row *x, size_t at, const struct pair_part *pair_at,
	const struct third_part *third, int of, int32_t (*cell)[WIDE])
{
	infer_16(x, at, 0, pair_at, third, of, cell);
	return 0;
}

/* Vectors longer than a register would be kept in memory. */
VS_INLINE int
infer_any(const struct row *x, size_t at, const struct pair_part *pair_at,
	const struct third_part *third, int of, int32_t (*cell)[WIDE])
{
	infer_8(x, at, 0, pair_at, third, of, cell);
	infer_8(x, at + 8, 8, pair_at, third, of, cell);
	return 0;
}

VS_BY_CPU(int, infer_wide, (x, at, pair_at, third, of, cell),
	const struct row *x, size_t at, const struct pair_part *pair_at,
	const struct third_part *third, int of, int32_t (*cell)[WIDE])

VS_BY_CPU(int, infer, (x, at, pair_at, third, of, cell), const struct row *x,
	size_t at, const struct pair_part *pair_at,
	const struct third_part *third, int of, int32_t (*cell)[WIDE])

/* All cells of row r and columns [at + c, at + c + WIDE) of those held. */
static void
fill(struct worker *w, const struct rows *rows, size_t r, size_t at, size_t c)
{
	const size_t v = rows->v + r, part = (at + c) / WIDE;
	const int32_t(*own)[2] = w->t->by_class.count[v];

	for (int of = 0; of < 2; of++) {
		int32_t(*cell)[WIDE] = w->tables->count[of];
		struct row row = { w->taken[of], { 0 },
			{ own[0][of], own[1][of] } };

		if (w->n_plane == VS_LANE_PLANES) {
			for (int x = 0; x < VS_TABLES_CELLS; x++)
				memcpy(cell[x], w->taken[of][x] + c,
					sizeof(*cell));
			continue;
		}
		for (int x = 0; x < 4; x++)
			row.of_v[x] = (int32_t)w->counts.n[r][of][x];
		(w->q.cpu >= VS_CPU_AVX512 ? infer_wide : infer)(w->q.cpu, &row,
			c, w->pair[v - w->v_lo] + part, w->third + part, of,
			cell);
	}
	if (w->counts.trait)
		vs_tables_take_sums(w->tables, &w->counts, r, at + c);
}

/* ---- records ---- */

static int
add(const struct worker *w, const size_t v[3], size_t c, struct vs_hits *found)
{
	struct vs_record *rec;
	int code = vs_hits_more(found, &rec);

	if (code)
		return code;
	*rec = (struct vs_record){ .num = -1,
		.nvalid = -1,
		.cell = VS_NO_CELL };
	vs_triple_data_name(w->t, v, rec);
	vs_tables_record(w->tables, &w->q, c, rec);
	return 0;
}

/* Lanes [at + lo, at + hi) of row r, among the VS_TABLES from `at` on. */
static int
do_columns(struct worker *w, const struct rows *rows, size_t r, size_t at,
	size_t lo, size_t hi, struct vs_hits *found)
{
	uint16_t column[VS_TABLES];
	size_t n = 0;
	int code = 0;

	w->tables->n_cell = VS_TABLES_CELLS;
	for (size_t c = lo / WIDE * WIDE; c < hi; c += WIDE) {
		fill(w, rows, r, at, c);
		n += vs_tables_passing(w->tables, &w->q, c, lo > c ? lo - c : 0,
			vs_min_size(hi - c, WIDE), column + n);
	}
	for (size_t k = 0; k < n && !code; k++)
		code = add(w,
			(size_t[]){ rows->u, rows->v + r,
				third_of(rows->slab, at + column[k]) },
			column[k], found);
	return code;
}

/* Take all counts of row r for VS_TABLES columns. */
static void
take_row(struct worker *w, size_t r, size_t at)
{
	for (int of = 0; of < 2; of++)
		for (int x = 0; x < w->counts.n_list * w->n_plane; x++)
			take(w, r, of, x / w->n_plane, x % w->n_plane, at);
}

static int
do_rows(struct worker *w, const struct rows *rows, struct vs_hits *found)
{
	const struct vs_slab *s = rows->slab;
	const size_t n_w = s->w_hi - s->w_lo;
	int code = 0;

	count_rows(w, rows);
	for (size_t r = 0; r < rows->n_v && !code; r++) {
		const size_t lo = vs_slab_left_out(s, rows->v + r);

		w->q = vs_query_now(&w->t->q);
		for (size_t at = lo / VS_TABLES * VS_TABLES; at < n_w && !code;
			at += VS_TABLES) {
			take_row(w, r, at);
			code = do_columns(w, rows, r, at,
				vs_max_size(lo, at) - at,
				vs_min_size(n_w - at, VS_TABLES), found);
		}
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}

static int
count_slab(void *worker, const struct vs_triple_data *t,
	const struct vs_slab *s, struct vs_hits *found, uint64_t *counted)
{
	struct worker *w = worker;
	const size_t first = s->w_lo + first_column(s);
	const bool same_w =
		w->w_lo == s->w_lo && w->w_hi == s->w_hi && w->first == first;
	const bool same_v = w->v_lo == s->v_lo && w->v_hi == s->v_hi;
	int code = 0;

	w->t = t;
	w->q = t->q;
	if (!same_w)
		take_block(w, s);
	if (w->n_plane == 2 && !(same_w && same_v))
		count_pairs(w, s);
	w->v_lo = s->v_lo;
	w->v_hi = s->v_hi;
	w->w_lo = s->w_lo;
	w->w_hi = s->w_hi;
	w->first = first;
	for (size_t u = s->u_lo; u < s->u_hi && !code; u++) {
		size_t v = s->ordered && u >= s->v_lo ? u + 1 : s->v_lo;

		if (v < s->v_hi && w->n_plane == 2)
			count_first(w, s, u);
		for (; v < s->v_hi && !code; v += w->counts.most)
			code = do_rows(w,
				&(struct rows){ s, u, v,
					vs_min_size(w->counts.most,
						s->v_hi - v) },
				found);
	}
	*counted += vs_slab_triples(s);
	return code;
}

const struct vs_slab_kind vs_slab_tables = { sizeof(struct worker), kernel_of,
	most_of, lay_out, begin, count_slab };
