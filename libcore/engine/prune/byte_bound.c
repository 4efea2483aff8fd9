/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bounds of sums of minima, or of products, by dot products of bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/prune/byte_bound.h"
#include "libcore/engine/prune/byte_edges.h"
#include "libcore/kern/dots/layers.h"
#include "libcore/kern/dots/signed_bytes.h"
#include "libcore/metric/ps.h"

#define COLS 1024
#define LEAST_COLS 32
#define COLS_BYTES ((size_t)8 << 20) /* most bytes of columns */
#define ROWS 256
#define LEAST_ROWS 32
#define ROWS_BYTES ((size_t)4 << 20)
#define SAMPLE 32 /* vectors of a strip that layers are derived from */
/* cost to pack a row, amortised over the columns */
#define PACK_CYCLES_PER_BYTE(cpu) ((cpu) >= VS_CPU_AVX512ICL ? 0.5 : 1.2)
#define MIN_GAIN 0.8 /* the cost model errs by 20 %: gain more than that */
#define LOOK 64
/* For fewer pairs, sums decide all there is to decide. */
#define LEAST_THRESHOLD 0.01

/* Sizes of the buffers of a worker. */
struct shape {
	const struct vs_dots *dots;
	size_t step;         /* bytes of a layer of a vector */
	size_t n_col, n_row; /* at the most */
	size_t cols, rows;   /* bytes of them, and of 16 columns */
	size_t block;
};

struct vs_byte_bound {
	struct vs_query q;
	struct shape shape;
	struct vs_packed_columns chosen; /* the strip that the layers are for */
	struct vs_packed_columns *held;  /* of a part, in cols */
	void *cols;
	/* n 0: it is cheaper to count all; for products 1, the rest is
	 * unused */
	struct vs_layers layers;
	double step;                 /* for products, unit of the bytes */
	double chosen_at, threshold; /* of the layers, and of their sums */
	uint8_t *rows, *block;
	double *half;                    /* of columns; then of rows */
	struct vs_signed_vector *vector; /* the same for products */
	float *col_threshold, *row_threshold;
	/* thresholds of negative products, if these may pass */
	float *col_negative, *row_negative;
	uint32_t *dot;
	uint64_t *hit;
};

/* The number of vectors of n_layer layers that fit in bytes: at most `most`,
 * and 0 if fewer than `least` fit. */
static size_t
fitting(size_t most, size_t least, size_t bytes, size_t step, int n_layer)
{
	while (most >= least && most * step * (size_t)n_layer > bytes)
		most /= 2;
	return most >= least ? most : 0;
}

static size_t
width_of(const struct shape *s, int n_layer)
{
	return fitting(s->n_col, LEAST_COLS, COLS_BYTES, s->step, n_layer);
}

static size_t
rows_of(const struct shape *s, int n_layer)
{
	size_t n = fitting(s->n_row, LEAST_ROWS, ROWS_BYTES, s->step, n_layer);

	return n ? n : LEAST_ROWS;
}

static bool
shape_of(struct shape *s, const struct vs_query *q, size_t most)
{
	s->dots = vs_registry_dots_pick(q->cpu);
	if (!s->dots || !vs_query_prunes(q) || !q->n_field || q->has_missing ||
		vs_query_without(q, VS_WITHOUT_BYTE_BOUND))
		return false;
	if (vs_query_family(q) == VS_FAMILY_INNER &&
		(double)q->n_field * 4 * VS_SIGNED_MIDDLE * VS_SIGNED_MIDDLE >
			s->dots->limit)
		return false;
	s->step = vs_layers_lines(q->n_field, 1) * VS_DOTS_LINE;
	s->n_row = ROWS;
	s->n_col = COLS;
	while (s->n_col > LEAST_COLS && s->n_col / 2 >= most)
		s->n_col /= 2;
	s->n_col = width_of(s, 1);
	s->cols = s->rows = s->block = 0;
	for (int k = 1; k <= VS_LAYERS && width_of(s, k); k++) {
		size_t layers = s->step * (size_t)k;
		size_t cols = width_of(s, k) * layers;
		size_t rows = rows_of(s, k) * layers;

		s->cols = cols > s->cols ? cols : s->cols;
		s->rows = rows > s->rows ? rows : s->rows;
		s->block = VS_DOTS_SIDE * layers;
	}
	return s->n_col;
}

size_t
vs_byte_bound_columns(const struct vs_query *q, size_t most)
{
	struct shape s;

	return shape_of(&s, q, most) ? s.n_col : 0;
}

size_t
vs_byte_bound_bytes(const struct vs_query *q, size_t most)
{
	struct shape s;

	if (!shape_of(&s, q, most))
		return 0;
	return s.rows + s.block +
		(s.n_col + s.n_row) *
		(sizeof(double) + 2 * sizeof(float) +
			sizeof(struct vs_signed_vector)) +
		s.n_row *
		(VS_BYTE_BOUND_COLS * sizeof(uint32_t) +
			VS_BYTE_BOUND_WORDS * sizeof(uint64_t)) +
		sizeof(struct vs_byte_bound);
}

size_t
vs_byte_bound_cols_bytes(const struct vs_query *q, size_t most)
{
	struct shape s;

	return shape_of(&s, q, most) ? s.cols : 0;
}

void
vs_byte_bound_close(struct vs_byte_bound *u)
{
	if (!u)
		return;
	free(u->rows);
	free(u->block);
	free(u->half);
	free(u->vector);
	free(u->col_threshold);
	free(u->dot);
	free(u->hit);
	free(u);
}

static int
make_room(struct vs_byte_bound *u)
{
	const struct shape *s = &u->shape;
	size_t n = s->n_col + s->n_row;
	int code = vs_mem_room(&u->rows, s->rows, 1, "rows of bytes");

	VS_MEM_ROOM(&code, u->block, s->block, "bytes");
	VS_MEM_ROOM(&code, u->half, n, "bounds");
	VS_MEM_ROOM(&code, u->vector, n, "bounds");
	VS_MEM_ROOM(&code, u->col_threshold, 2 * n, "bounds");
	VS_MEM_ROOM(&code, u->dot, s->n_row * VS_BYTE_BOUND_COLS,
		"sums of products");
	VS_MEM_ROOM(&code, u->hit, s->n_row * VS_BYTE_BOUND_WORDS,
		"bits of pairs");
	if (code)
		return code;
	u->row_threshold = u->col_threshold + s->n_col;
	u->col_negative = u->col_threshold + n;
	u->row_negative = u->col_negative + s->n_col;
	return 0;
}

int
vs_byte_bound_open(struct vs_byte_bound **byte_bound, const struct vs_query *q,
	size_t most, struct vs_packed_columns *held, void *cols)
{
	struct vs_byte_bound *u = NULL;
	struct shape s;
	int code;

	*byte_bound = NULL;
	if (!shape_of(&s, q, most))
		return 0;
	code = vs_mem_new(&u, 1, sizeof(*u), "bounds");
	if (code)
		return code;
	u->q = *q;
	u->shape = s;
	u->held = held;
	u->cols = cols;
	code = make_room(u);
	if (code)
		vs_byte_bound_close(u);
	else
		*byte_bound = u;
	return code;
}

void
vs_byte_bound_forget(struct vs_byte_bound *u, const struct vs_panel *panel)
{
	if (u)
		vs_packed_columns_forget(&u->chosen, panel);
}

size_t
vs_byte_bound_most_rows(const struct vs_byte_bound *u)
{
	return rows_of(&u->shape, u->layers.n);
}

/*
 * A vector's share in the threshold of a pair: the pair may pass if the sum of
 * products reaches the shares of both, each half of the rest of the least sum
 * of minima, in units. If it is not finite, all pass.
 */
static float
threshold(const struct vs_layers *l, double total, double half,
	double threshold)
{
	double least = vs_ps_least_sum(total, threshold) * l->scale;
	float b = (float)((least / VS_LAYERS_SLACK - half) / l->unit);

	return isfinite(b) ? b : -INFINITY;
}

/* ---- products ---- */

static bool
has_products(const struct vs_byte_bound *u)
{
	return vs_query_family(&u->q) == VS_FAMILY_INNER;
}

/* The normalised vectors that are multiplied. */
static void
normalise(const struct vs_panel *p, size_t v, size_t n,
	struct vs_signed_vector *x)
{
	for (size_t k = 0; k < n; k++) {
		const double norm = sqrt(p->total[v + k]);

		x[k].factor = norm > 0 ? 1 / norm : 0;
		x[k].shift =
			p->sum[v + k] / (double)p->number.n_field * x[k].factor;
	}
}

/*
 * Share of one vector in the least dot product, or with sign -1 in the
 * greatest, of a pair whose inner product has an absolute value of `least`. As
 * the norms are 1 and the errors at most 1/4, the product is off by at most 5/4
 * of the sum of both errors. Values may be off by the rounding of their sums,
 * floats by three units.
 */
static float
product_threshold(const struct vs_byte_bound *u,
	const struct vs_signed_vector *x, double least, int sign)
{
	const double n = (double)u->q.n_field, m = VS_SIGNED_MIDDLE;
	const double rounding = u->q.element == VS_NUM_F32 ? 0x1p-14 : 0x1p-30;
	double b = (least - rounding) / 2 - 1.25 * x->error;

	if (!(x->error <= 0.25))
		return -(float)sign * INFINITY;
	b = sign * (b / (u->step * u->step) - 0x1p-22 * n * 4 * m * m);
	return (float)(b + m * x->sum + n * m * m / 2);
}

/* ---- how many layers, and which ---- */

/* Approximate cycles per field of a pair, counted with others, and alone. */
static double
cost_of(const struct vs_query *q, bool alone)
{
	double bytes = (double)vs_element_bytes(q->element);

	if (!alone && vs_query_family(q) == VS_FAMILY_INNER)
		return bytes / (q->cpu >= VS_CPU_AVX512 ? 116 : 58);
	if (!alone)
		return bytes / (q->cpu >= VS_CPU_AVX512 ? 60 : 45);
	/* one of the two vectors comes from L3, at ten bytes per cycle */
	return (vs_element_is_integer(q->element)        ? 0.15
			       : q->cpu >= VS_CPU_AVX512 ? 0.6
							 : 1.1) +
		bytes / 10;
}

/* Sample of a strip's columns at even distances. */
struct sample {
	struct vs_numbers b;
	size_t n;
	double total[SAMPLE];
};

static struct sample
take_sample(const struct vs_strip *s)
{
	size_t n_col = s->j_hi - s->j_lo;
	struct sample t = { .b = s->j->number,
		.n = n_col < SAMPLE ? n_col : SAMPLE };
	size_t step = n_col / t.n;

	t.b.at = vs_numbers_of(&t.b, s->j_lo);
	t.b.stride *= step;
	for (size_t k = 0; k < t.n; k++)
		t.total[k] = s->j->total[s->j_lo + k * step];
	return t;
}

static void
make_layers(const struct vs_byte_bound *u, const struct vs_byte_edges *e, int n,
	struct vs_layers *l)
{
	const struct shape *s = &u->shape;
	double edge[VS_LAYERS + 1];
	unsigned most = vs_layers_most(vs_layers_lines(u->q.n_field, n),
		s->dots->most, s->dots->limit);

	n = vs_byte_edges_get(e, n, edge);
	vs_layers_make(l, edge, n, most, u->q.element);
}

/* The share of the sample's pairs that must be counted in any case. */
static double
share_left(struct vs_byte_bound *u, const struct sample *t,
	const struct vs_layers *l)
{
	float b[SAMPLE];
	size_t all = 0, left = 0;

	vs_layers_rows(u->q.cpu, l, &t->b, 0, t->n, u->rows, u->half);
	vs_layers_cols(u->q.cpu, l, &t->b, 0, t->n, u->cols, u->half, u->block);
	u->shape.dots->count(&(struct vs_dots_call){ u->rows, u->cols, SAMPLE,
		SAMPLE, vs_layers_lines(u->q.n_field, l->n), u->dot, SAMPLE,
		false });
	for (size_t k = 0; k < t->n; k++)
		b[k] = threshold(l, t->total[k], u->half[k], u->chosen_at);
	for (size_t i = 0; i < t->n; i++)
		for (size_t j = i + 1; j < t->n; j++) {
			if (!vs_ps_may_pass(t->total[i], t->total[j],
				    u->chosen_at))
				continue;
			all++;
			left += (float)u->dot[i * SAMPLE + j] >= b[i] + b[j];
		}
	return all ? (double)left / (double)all : 0;
}

/* Try more and more layers, until they cost more than the best so far in
 * total. */
static void
choose(struct vs_byte_bound *u, const struct vs_strip *s)
{
	static const int tries[] = { 1, 2, 3, 4, 6, 8, VS_LAYERS };
	const double alone = cost_of(&u->q, true);
	double least = MIN_GAIN * cost_of(&u->q, false);
	struct sample t = take_sample(s);
	struct vs_byte_edges e;

	if (!vs_byte_edges_find(&e, &t.b, t.n))
		return;
	e.even = vs_query_without(&u->q, VS_WITHOUT_BYTE_EDGES);
	for (size_t k = 0; k < sizeof(tries) / sizeof(*tries); k++) {
		struct vs_layers l;
		size_t width = width_of(&u->shape, tries[k]);
		double cost = tries[k] *
			(u->shape.dots->cost +
				PACK_CYCLES_PER_BYTE(u->q.cpu) / (double)width);

		if (!width || cost >= least)
			break;
		make_layers(u, &e, tries[k], &l);
		cost += share_left(u, &t, &l) * alone;
		if (cost >= least)
			continue;
		least = cost;
		u->layers = l;
	}
}

/* Pairs of a sample of n vectors that this step leaves to be counted. */
static size_t
pairs_left(struct vs_byte_bound *u, const struct vs_numbers *b, size_t n)
{
	const double least = vs_metric_least(u->q.metric, u->chosen_at);
	float low[SAMPLE], high[SAMPLE];
	size_t left = 0;

	vs_signed_bytes_rows(u->q.cpu, u->step, b, 0, n, u->rows, u->vector);
	vs_signed_bytes_cols(u->q.cpu, u->step, b, 0, n, u->cols, u->vector,
		u->block);
	u->shape.dots->count(&(struct vs_dots_call){ u->rows, u->cols, SAMPLE,
		SAMPLE, vs_layers_lines(u->q.n_field, 1), u->dot, SAMPLE,
		false });
	for (size_t k = 0; k < n; k++) {
		high[k] = product_threshold(u, &u->vector[k], least, 1);
		low[k] = product_threshold(u, &u->vector[k], least, -1);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			float d = (float)u->dot[i * SAMPLE + j];

			left += d >= high[i] + high[j] ||
				(vs_query_both_signs(&u->q) &&
					d <= low[i] + low[j]);
		}
	return left;
}

/*
 * Find the step that leaves the fewest pairs of a sample, and whether it
 * excludes enough. Bytes reach a certain number of standard deviations, more if
 * some numbers are outliers.
 */
static void
choose_step(struct vs_byte_bound *u, const struct vs_strip *s)
{
	static const double reach[] = { 4, 5, 6, 8, 12, 20 };
	const size_t n_col = s->j_hi - s->j_lo;
	const size_t n = n_col < SAMPLE ? n_col : SAMPLE, every = n_col / n;
	const size_t all = n * (n - 1) / 2;
	struct vs_numbers b = s->j->number;
	size_t least = SIZE_MAX;
	double step = 0, cost;

	b.at = vs_numbers_of(&b, s->j_lo);
	b.stride *= every;
	for (size_t k = 0; k < n; k++)
		normalise(s->j, s->j_lo + k * every, 1, &u->vector[k]);
	for (size_t t = 0; t < sizeof(reach) / sizeof(*reach); t++) {
		size_t left;

		/* in the type in which the bytes hold it */
		u->step = (double)(float)(reach[t] / VS_SIGNED_MIDDLE /
			sqrt((double)u->q.n_field));
		left = pairs_left(u, &b, n);
		if (left >= least)
			continue;
		least = left;
		step = u->step;
	}
	u->step = step;
	cost = u->shape.dots->cost +
		PACK_CYCLES_PER_BYTE(u->q.cpu) /
			(double)width_of(&u->shape, 1) +
		(all ? (double)least / (double)all : 1) * cost_of(&u->q, true);
	if (cost < MIN_GAIN * cost_of(&u->q, false))
		u->layers.n = 1;
}

/* ---- a strip ---- */

static void
fill_col_thresholds(struct vs_byte_bound *u, const struct vs_strip *s)
{
	const size_t n = u->held->n;
	const double least = vs_metric_least(u->q.metric, u->threshold);

	for (size_t k = 0; k < n && has_products(u); k++) {
		u->col_threshold[k] =
			product_threshold(u, &u->vector[k], least, 1);
		u->col_negative[k] =
			product_threshold(u, &u->vector[k], least, -1);
	}
	for (size_t k = n; k < u->shape.n_col; k++)
		u->col_negative[k] = -INFINITY;
	for (size_t k = 0; k < n && !has_products(u); k++)
		u->col_threshold[k] = threshold(&u->layers,
			s->j->total[s->j_lo + k], u->half[k], u->threshold);
	for (size_t k = n; k < u->shape.n_col; k++)
		u->col_threshold[k] = INFINITY;
}

size_t
vs_byte_bound_choose(struct vs_byte_bound *u, const struct vs_strip *s,
	const struct vs_query *now)
{
	bool had = vs_packed_columns_already(&u->chosen, s);

	if (!had || (!u->layers.n && u->chosen_at != now->threshold)) {
		u->chosen_at = now->threshold;
		vs_packed_columns_drop(u->held);
		u->layers.n = 0;
		if (now->threshold >= LEAST_THRESHOLD && has_products(u))
			choose_step(u, s);
		else if (now->threshold >= LEAST_THRESHOLD)
			choose(u, s);
	}
	return u->layers.n ? width_of(&u->shape, u->layers.n) : 0;
}

void
vs_byte_bound_begin(struct vs_byte_bound *u, const struct vs_strip *s,
	const struct vs_query *now)
{
	bool had = vs_packed_columns_already(u->held, s);

	if (!had && has_products(u)) {
		normalise(s->j, s->j_lo, u->held->n, u->vector);
		vs_signed_bytes_cols(u->q.cpu, u->step, &s->j->number, s->j_lo,
			u->held->n, u->cols, u->vector, u->block);
	} else if (!had)
		vs_layers_cols(u->q.cpu, &u->layers, &s->j->number, s->j_lo,
			u->held->n, u->cols, u->half, u->block);
	if (had && u->threshold == now->threshold)
		return;
	u->threshold = now->threshold;
	fill_col_thresholds(u, s);
}

void
vs_byte_bound_rows(struct vs_byte_bound *u, const struct vs_strip *s,
	const struct vs_rectangle *k)
{
	double *half = u->half + u->shape.n_col;
	const double least = vs_metric_least(u->q.metric, u->threshold);
	struct vs_signed_vector *x = u->vector + u->shape.n_col;

	if (has_products(u)) {
		normalise(s->i, k->row, k->n_row, x);
		vs_signed_bytes_rows(u->q.cpu, u->step, &s->i->number, k->row,
			k->n_row, u->rows, x);
		for (size_t r = 0; r < k->n_row; r++) {
			u->row_threshold[r] =
				product_threshold(u, &x[r], least, 1);
			u->row_negative[r] =
				product_threshold(u, &x[r], least, -1);
		}
		return;
	}
	vs_layers_rows(u->q.cpu, &u->layers, &s->i->number, k->row, k->n_row,
		u->rows, half);
	for (size_t r = 0; r < k->n_row; r++)
		u->row_threshold[r] = threshold(&u->layers,
			s->i->total[k->row + r], half[r], u->threshold);
}

/* The bits of LOOK columns that reach their thresholds. */
VS_INLINE uint64_t
look_any(const uint32_t *dot, const float *cols, float row)
{
	uint8_t hit[LOOK];
	uint64_t bits = 0, eight;
	int any = 0;

#pragma omp simd reduction(| : any)
	for (int k = 0; k < LOOK; k++)
		any |= (float)dot[k] >= row + cols[k];
	if (!any)
		return 0;
	for (int k = 0; k < LOOK; k++)
		hit[k] = (float)dot[k] >= row + cols[k];
	/* bytes are 0 or 1: in the product, byte k is bit 56 + k */
	for (int k = 0; k < LOOK; k += 8) {
		memcpy(&eight, &hit[k], 8);
		bits |= (eight * 0x0102040810204080ull >> 56) << k;
	}
	return bits;
}

VS_BY_CPU(uint64_t, look, (dot, cols, row), const uint32_t *dot,
	const float *cols, float row)

/* The same of those that are at most their thresholds. */
static uint64_t
look_negative(const uint32_t *dot, const float *cols, float row)
{
	uint64_t bits = 0;

	for (int k = 0; k < LOOK; k++)
		bits |= (uint64_t)((float)dot[k] <= row + cols[k]) << k;
	return bits;
}

/* Mask of bits from lo on and below hi. */
static uint64_t
between(size_t lo, size_t hi)
{
	uint64_t from = lo >= 64 ? 0 : ~0ull << lo;

	return hi >= 64 ? from : from & ((1ull << hi) - 1);
}

const uint64_t *
vs_byte_bound_look(struct vs_byte_bound *u, const struct vs_strip *s,
	const struct vs_rectangle *k, size_t at, double *pairs)
{
	const size_t n_line = vs_layers_lines(u->q.n_field, u->layers.n);
	const size_t side = VS_DOTS_PAIR;
	size_t end = k->hi - at < VS_BYTE_BOUND_COLS ? k->hi
						     : at + VS_BYTE_BOUND_COLS;
	size_t inferred = 0, hits = 0;

	u->shape.dots->count(&(struct vs_dots_call){ u->rows,
		(uint8_t *)u->cols + at / VS_DOTS_SIDE * n_line * VS_DOTS_TILE,
		(k->n_row + side - 1) / side * side,
		(end - at + side - 1) / side * side, n_line, u->dot,
		VS_BYTE_BOUND_COLS, false });
	for (size_t r = 0; r < k->n_row; r++) {
		size_t from = vs_rectangle_from(s, k, k->row + r);
		uint64_t *hit = u->hit + r * VS_BYTE_BOUND_WORDS;

		from = from < at ? at : from;
		inferred += from < end ? end - from : 0;
		for (size_t c = 0; c < VS_BYTE_BOUND_COLS; c += LOOK, hit++) {
			size_t lo = from - at > c ? from - at - c : 0;

			*hit = 0;
			if (at + c >= end || lo >= LOOK)
				continue;
			*hit = look(u->q.cpu,
				u->dot + r * VS_BYTE_BOUND_COLS + c,
				u->col_threshold + at + c, u->row_threshold[r]);
			if (has_products(u) && vs_query_both_signs(&u->q))
				*hit |= look_negative(u->dot +
						r * VS_BYTE_BOUND_COLS + c,
					u->col_negative + at + c,
					u->row_negative[r]);
			*hit &= between(lo, end - at - c);
			hits += (size_t)__builtin_popcountll(*hit);
		}
	}
	*pairs += (double)(inferred - hits);
	return u->hit;
}
