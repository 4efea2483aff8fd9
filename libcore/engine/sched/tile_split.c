/* SPDX-License-Identifier: BSD-3-Clause */
/* Split of a tile into strips and pieces of work. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/sched/tile_split.h"

#define PIECES_A_THREAD 16 /* of a tile: the last ones are 6 % of its time */
#define ROWS 256           /* rows: fewer do not pay for the columns */
#define ROWS_NUMBERS 192   /* for numbers, which are counted 96 at a time */
#define PIECES_A_DRIVER 8  /* the list makes the last pieces smaller */
#define ROWS_DRIVER 8192   /* fewer do not pay for a round trip */
#define LEAST 1024         /* rows that a device cuts off, or fewer that */
#define LEAST_SECONDS 5e-4 /* it takes so long for, a multiple of */
#define LEAST_ROWS 128
#define FINE 32         /* fewest rows that the CPU cuts off */
#define FINE_NUMBERS 96 /* the same for numbers */
#define SETUP 96        /* rows counted in the time of sorting columns */
#define LEAST_WIDTH 16  /* fewest columns that the CPU takes together */
#define SECTION 1024    /* fewer rows are merged with the next class */

/* The living vectors of block b, which begins at place at of panel p. */
static void
living(const struct vs_plan *plan, int64_t b, const struct vs_panel *p,
	size_t at, size_t *lo, size_t *hi)
{
	uint64_t first, end;

	vs_plan_block(plan, b, &first, &end);
	*lo = at;
	*hi = at + (size_t)(end - first);
	while (*hi > *lo && p->dead[*hi - 1])
		--*hi;
}

/* Rows of a tile by class of missing calls, and their bounds. */
struct sections {
	struct vs_bound_groups rows[VS_MISSING_CLASSES];
	size_t lo[VS_MISSING_CLASSES + 1];
	size_t n;
};

/* Cut rows [lo, hi) of a panel where the class of leaders rises above all
 * earlier ones: once per class, in any order. */
static void
find_sections(const struct vs_panel *p, size_t lo, size_t hi, bool by_class,
	struct sections *s)
{
	int most = -1;

	s->n = 0;
	s->lo[0] = lo;
	for (size_t v = lo; by_class && v < hi; v++) {
		int class = p->behind[v] ? most : vs_panel_missing_class(p, v);

		if (class <= most)
			continue;
		if (v - s->lo[s->n] >= SECTION)
			s->lo[++s->n] = v;
		most = class;
	}
	s->lo[++s->n] = hi;
}

/* Pairs that a span counts. */
static uint64_t
pairs_of(const struct vs_strip *s, size_t lo, size_t hi, size_t col, size_t end)
{
	uint64_t above, below;

	if (!s->diagonal || hi <= col)
		return (hi - lo) * (end - col);
	/* a row past the first column has the columns after it */
	above = lo < col ? col - lo : 0;
	lo = lo < col ? col : lo;
	below = (end - 1 - lo + end - hi) * (hi - lo) / 2;
	return above * (end - col) + below;
}

/* Pairs of a span of a narrow band, by rows of the file. */
static uint64_t
near_pairs(const struct vs_wanted *w, bool diagonal, uint64_t lo, uint64_t hi,
	uint64_t col, uint64_t end)
{
	uint64_t n = 0;

	for (uint64_t row = lo; row < hi; row++) {
		uint64_t a = diagonal && row >= col ? row + 1 : col, b = end;

		vs_wanted_near_of(w, row, &a, &b);
		n += b - a;
	}
	return n;
}

static bool
bounded(const struct vs_query *q)
{
	return vs_query_prunes(q) &&
		!vs_query_without(q, VS_WITHOUT_BLOCK_BOUND);
}

/* Reduce rows [*lo, *hi) to those that columns [col, end) may want; blocks are
 * in file order. */
static void
band_rows(const struct vs_wanted *w, const struct vs_strip *s, size_t col,
	size_t end, size_t *lo, size_t *hi)
{
	const uint64_t first = s->j->first + s->j->row[col],
		       row = s->i->first + s->i->row[*lo],
		       last = row + (*hi - *lo);
	uint64_t a, b;

	vs_wanted_band(w, first, first + (end - col), &a, &b);
	a = a < row ? row : a > last ? last : a;
	b = b < a ? a : b > last ? last : b;
	*hi = *lo + (size_t)(b - row);
	*lo += (size_t)(a - row);
}

/* Set the rows that each span of the strip wants; returns their total. */
static uint64_t
bound_strip(const struct vs_job *job, const struct vs_query *q,
	const struct vs_bound_groups *rows, const struct vs_bound_groups *cols,
	struct vs_strip *s, uint64_t *counted)
{
	const bool band = vs_job_is_band(job), narrow = vs_job_is_narrow(job);
	/* of a band, which is in file order */
	const uint64_t row = s->i->first + s->i->row[s->i_lo] - s->i_lo;
	const uint64_t first = s->j->first + s->j->row[s->j_lo] - s->j_lo;
	size_t lo = s->i_hi, hi = s->i_lo;
	uint64_t cost = 0;

	for (size_t k = 0, col = s->j_lo; col < s->j_hi; k++, col += VS_SPAN) {
		size_t end = s->j_hi - col < VS_SPAN ? s->j_hi : col + VS_SPAN;
		size_t a = s->i_lo, b = s->i_hi;

		if (band)
			band_rows(job->wanted, s, col, end, &a, &b);
		else if (rows->memory)
			vs_block_bound_range(rows, cols, col, end, &a, &b);
		else if (vs_query_family(q) == VS_FAMILY_MINIMA && bounded(q))
			vs_block_bound_minima_range(q, s->i, s->j, col, end, &a,
				&b);
		if (s->diagonal && b > end - 1)
			b = end - 1;
		if (a >= b)
			continue;
		s->span[k].lo = a;
		s->span[k].hi = b;
		lo = a < lo ? a : lo;
		hi = b > hi ? b : hi;
		cost += (b - a) * (end - col);
		*counted += narrow
			? near_pairs(job->wanted, s->diagonal, row + a, row + b,
				  first + col, first + end)
			: pairs_of(s, a, b, col, end);
	}
	s->i_lo = lo;
	s->i_hi = hi;
	return cost;
}

/* Split all strips by columns; those without rows are left out. */
static uint64_t
bound_strips(struct vs_tile_split *split, const struct vs_job *job,
	const struct vs_query *q, const struct vs_strip *whole, size_t step,
	const struct sections *sections, const struct vs_bound_groups *cols)
{
	size_t n_col = whole->j_hi - whole->j_lo;
	size_t n = (n_col + step - 1) / step * sections->n;
	uint64_t cost = 0, counted = 0;

#pragma omp parallel for num_threads(job->n_thread) schedule(dynamic) \
	reduction(+ : cost, counted)
	for (size_t k = 0; k < n; k++) {
		size_t at = k / sections->n * step, x = k % sections->n;
		struct vs_strip *s = &split->strip[k];
		uint64_t pairs = 0;

		vs_float_env_set();
		*s = *whole;
		s->i_lo = sections->lo[x];
		s->i_hi = sections->lo[x + 1];
		s->j_lo += at;
		s->j_hi = n_col - at < step ? s->j_hi : s->j_lo + step;
		cost += bound_strip(job, q, &sections->rows[x], cols, s,
			&pairs);
		counted += pairs;
	}
	for (size_t k = 0; k < n; k++)
		if (split->strip[k].i_lo < split->strip[k].i_hi)
			split->strip[split->n_strip++] = split->strip[k];
	split->counted += counted;
	return cost;
}

/* The strips of a tile that have rows, and what they cost. */
static int
make_strips(struct vs_tile_split *split, const struct vs_job *job,
	const struct vs_tile_task *task, size_t step, uint64_t *cost)
{
	const struct vs_query now = vs_query_now(job->query);
	const struct vs_query *q = &now;
	struct vs_strip whole = { .i = task->i,
		.j = task->j,
		.diagonal = task->bi == task->bj };
	struct sections rows = { 0 };
	struct vs_bound_groups cols = { 0 };
	/* vectors of numbers are characterised by their sums */
	bool grouped = bounded(q) && !task->i->total;
	int code = 0;

	living(job->plan, task->bi, whole.i, task->i_at, &whole.i_lo,
		&whole.i_hi);
	living(job->plan, task->bj, whole.j, task->j_at, &whole.j_lo,
		&whole.j_hi);
	if (whole.i_lo == whole.i_hi || whole.j_lo == whole.j_hi)
		return 0;
	find_sections(whole.i, whole.i_lo, whole.i_hi,
		grouped && q->has_missing, &rows);
	code = vs_mem_new(&split->strip,
		(whole.j_hi - whole.j_lo + step - 1) / step * rows.n,
		sizeof(*split->strip), "strips of a tile");
	for (size_t k = 0; k < rows.n && grouped && !code; k++)
		code = vs_block_bound_make(&rows.rows[k], q, whole.i,
			rows.lo[k], rows.lo[k + 1]);
	if (!code && grouped)
		code = vs_block_bound_make(&cols, q, whole.j, whole.j_lo,
			whole.j_hi);
	if (!code)
		*cost = bound_strips(split, job, q, &whole, step, &rows, &cols);
	vs_block_bound_free(&cols);
	for (size_t k = 0; k < rows.n; k++)
		vs_block_bound_free(&rows.rows[k]);
	return code;
}

static int
by_cost(const void *a, const void *b)
{
	const struct vs_piece *x = a, *y = b;

	return x->cost != y->cost    ? x->cost < y->cost ? 1 : -1
		: x->part != y->part ? x->part > y->part ? 1 : -1
				     : (x->lo > y->lo) - (x->lo < y->lo);
}

uint64_t
vs_tile_split_cost(const struct vs_strip *s, const struct vs_piece *piece)
{
	uint64_t cost = 0;

	for (size_t k = 0; k < VS_SPANS; k++) {
		size_t a = vs_max_size(s->span[k].lo, piece->lo);
		size_t b = vs_min_size(s->span[k].hi, piece->hi);
		size_t col = s->j_lo + k * VS_SPAN, end = col + VS_SPAN;

		col = vs_max_size(col, piece->col);
		end = vs_min_size(end, piece->end);
		if (a < b && col < end)
			cost += (uint64_t)(b - a) * (end - col);
	}
	return cost;
}

/* How to cut a tile into pieces. */
struct cuts {
	uint64_t share; /* approximate cost of a piece */
	size_t least;   /* its rows are a multiple of this */
	/* with a device: for the CPU, as in struct vs_piece; else 0 */
	size_t fine, width;
	int halvings;
	size_t grain; /* fewest for the device, or 0 */
	void *of;
};

/* Fewest rows that a device cuts off. */
static size_t
grain_of(const struct vs_job *job, size_t n_col)
{
	double row = (double)n_col * vs_tile_split_unit(job->query),
	       rows = LEAST_SECONDS * job->device->rate(job->query) / row;

	return rows < LEAST
		? (size_t)rows / LEAST_ROWS * LEAST_ROWS + LEAST_ROWS
		: LEAST;
}

/* How often columns may be halved such that vs_strip_part() can cut there. */
static int
halvings_of(size_t width)
{
	int n = 0;

	while (width >= 2 * LEAST_WIDTH && width % 2 == 0 &&
		(width / 2 % VS_SPAN == 0 || VS_SPAN % (width / 2) == 0)) {
		width /= 2;
		n++;
	}
	return n;
}

static int
cut_strip(struct vs_tile_split *split, size_t strip, const struct cuts *c)
{
	const struct vs_strip *s = &split->strip[strip];
	const struct vs_piece all = { .of = c->of,
		.part = strip,
		.lo = s->i_lo,
		.hi = s->i_hi,
		.col = s->j_lo,
		.end = s->j_hi,
		.fine = c->fine,
		.block = LEAST_ROWS,
		.width = c->width,
		.halvings = c->halvings,
		.setup = c->width ? SETUP : 0 };
	uint64_t n = vs_tile_split_cost(s, &all) / c->share + 1;
	size_t rows = (all.hi - all.lo) / n / c->least * c->least + c->least;
	int code = 0;

	for (size_t lo = all.lo; lo < all.hi && !code; lo += rows) {
		struct vs_piece piece = all;

		code = vs_mem_grow(&split->piece, &split->room,
			split->n_piece + 1, sizeof(*split->piece),
			"pieces of a tile");
		if (code)
			break;
		piece.lo = lo;
		piece.hi = all.hi - lo < rows ? all.hi : lo + rows;
		piece.grain = c->width ? c->grain : piece.hi - lo;
		piece.cost = vs_tile_split_cost(s, &piece);
		if (!piece.cost)
			continue;
		split->piece[split->n_piece++] = piece;
		split->amount += piece.cost;
	}
	return code;
}

/* True if a quarter or more of the remaining columns are followers. */
static bool
is_clustered(const struct vs_job *job, const struct vs_tile_task *task)
{
	size_t lo, hi, n = 0;

	if (task->j->total)
		return false;
	living(job->plan, task->bj, task->j, task->j_at, &lo, &hi);
	for (size_t v = lo; v < hi; v++)
		n += task->j->behind[v] > 0;
	return 4 * n >= hi - lo && n;
}

int
vs_tile_split_make(struct vs_tile_split *split, const struct vs_job *job,
	const struct vs_tile_task *task, int n_front, void *of)
{
	const bool numbers = task->j->total;
	const size_t most = (size_t)job->plan->tile;
	const bool follow = is_clustered(job, task);
	const struct vs_backend *b = n_front ? job->device : job->backend;
	size_t step = b->columns(job->query, most, follow);
	uint64_t cost = 0,
		 pieces = n_front ? PIECES_A_DRIVER * (uint64_t)n_front
				  : PIECES_A_THREAD * (uint64_t)job->n_thread;
	struct cuts c = { .of = of,
		.least = n_front  ? ROWS_DRIVER
			: numbers ? ROWS_NUMBERS
				  : ROWS };
	int code = make_strips(split, job, task, step, &cost);

	c.share = cost / pieces + 1;
	if (n_front) {
		c.fine = numbers ? FINE_NUMBERS : FINE;
		c.width = job->backend->columns(job->query, most, follow);
		c.halvings = halvings_of(c.width);
		c.grain = grain_of(job, step);
	}
	for (size_t k = 0; k < split->n_strip && !code; k++)
		code = cut_strip(split, k, &c);
	if (split->n_piece)
		qsort(split->piece, split->n_piece, sizeof(*split->piece),
			by_cost);
	return code;
}

void
vs_tile_split_free(struct vs_tile_split *split)
{
	free(split->strip);
	free(split->slab);
	free(split->piece);
	memset(split, 0, sizeof(*split));
}

double
vs_tile_split_unit(const struct vs_query *q)
{
	return (double)(q->n_field ? q->n_field : 1);
}

/* Rows of the file from the first of block b's vectors to the last, [lo, hi);
 * between two sets they ascend within each part of the plan. */
static void
rows_of(const struct vs_job *job, int64_t b, size_t *lo, size_t *hi)
{
	uint64_t first, end;

	vs_plan_block(job->plan, b, &first, &end);
	*lo = (size_t)vs_wanted_row(job->wanted, first);
	*hi = 1 + (size_t)vs_wanted_row(job->wanted, end - 1);
}

bool
vs_tile_split_is_empty(const struct vs_job *job,
	const struct vs_tile_task *task)
{
	size_t first, end, lo, hi;
	/* within a block, vectors may be in any order */

	if (!vs_wanted_is_by_place(job->wanted))
		return false;
	rows_of(job, task->bj, &first, &end);
	rows_of(job, task->bi, &lo, &hi);
	vs_wanted_reduce(job->wanted, first, end, &lo, &hi);
	return lo == hi;
}

/* Pairs of a tile in the band of a filter, with spans as in make_strips(). */
static uint64_t
pairs_in_band(const struct vs_job *job, const struct vs_tile_task *task)
{
	const struct vs_strip s = { .diagonal = task->bi == task->bj };
	const size_t step = job->backend->columns(job->query,
		(size_t)job->plan->tile, false);
	uint64_t first, last, left, right, n = 0;

	vs_plan_block(job->plan, task->bi, &first, &last);
	vs_plan_block(job->plan, task->bj, &left, &right);
	for (size_t at = left, next; at < right; at = next) {
		next = vs_min_size(at + step, right);
		for (size_t col = at; col < next; col += VS_SPAN) {
			const size_t end = vs_min_size(col + VS_SPAN, next);
			uint64_t lo, hi;

			vs_wanted_band(job->wanted, col, end, &lo, &hi);
			lo = vs_max_size(lo, first);
			hi = vs_min_size(hi, s.diagonal ? end - 1 : last);
			if (lo < hi)
				n += vs_job_is_narrow(job)
					? near_pairs(job->wanted, s.diagonal,
						  lo, hi, col, end)
					: pairs_of(&s, lo, hi, col, end);
		}
	}
	return n;
}

uint64_t
vs_tile_split_pairs(const struct vs_job *job, const struct vs_tile_task *task)
{
	if (vs_tile_split_is_empty(job, task))
		return 0;
	return vs_job_is_band(job)
		? pairs_in_band(job, task)
		: vs_plan_pairs(job->plan, task->bi, task->bj);
}

/* Pairs counted for a band: a span of columns has the rows that any of them
 * wants. */
static double
band_work(const struct vs_wanted *w)
{
	double n = 0;

	for (uint64_t col = 0; col < w->n_vec; col += VS_SPAN) {
		uint64_t end = col + VS_SPAN < w->n_vec ? col + VS_SPAN
							: w->n_vec,
			 lo, hi;

		vs_wanted_band(w, col, end, &lo, &hi);
		n += (double)(hi - lo) * (double)(end - col);
	}
	return n;
}

double
vs_tile_split_work(const struct vs_job *job)
{
	const struct vs_plan *plan = job->plan;
	double n = 0;

	if (!vs_wanted_is_by_place(job->wanted))
		return (double)vs_plan_n_pair(plan);
	if (vs_job_is_band(job))
		return band_work(job->wanted);
	for (uint64_t t = 0; t < vs_plan_n_tile(plan); t++) {
		struct vs_tile_task task;

		vs_plan_tile_of(plan, t, &task.bi, &task.bj);
		if (!vs_tile_split_is_empty(job, &task))
			n += (double)vs_plan_pairs(plan, task.bi, task.bj);
	}
	return n;
}
