/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors, sums and values in device memory; the same code runs on the device
 * and on the CPU.
 */
#ifndef VS_CUDA_CARD_H
#define VS_CUDA_CARD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/host_device.h"
#include "libcore/base/record.h"
#include "libcore/base/thresholds.h"
#include "libcore/engine/pair_sums.h"
#include "libcore/metric/cosine.h"
#include "libcore/metric/dice.h"
#include "libcore/metric/jaccard.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/ps.h"
#include "libcore/metric/r.h"
#include "libcore/metric/r2.h"

#ifdef __CUDA_ARCH__
#define VS_POPC(x) __popc(x)
#else
#define VS_POPC(x) __builtin_popcount(x)
#endif

/* ---- vectors in the layout of the engines ---- */

/*
 * Planes of 1 bit per field, 0 past the last field and where a call is missing:
 * t1 is g >= 1, t2 is g = 2, m is present; m only in data with missing calls;
 * then h, g = 1, for an engine that counts it.
 *
 * A tile is 128 vectors x 1024 fields of one plane, 16384 bytes: a row of 128
 * bytes for each vector, whose 16-byte chunk c is at place c ^ (row & 7):
 * reading rows or columns of chunks has no bank conflicts in shared memory. The
 * planes of a tile follow one another, then come the next 1024 fields, then the
 * next 128 vectors. Fields and vectors are padded to whole tiles with 0.
 */
#define VS_TILE_VECS 128
#define VS_TILE_FIELDS 1024
#define VS_TILE_WORDS 4096 /* of 32 bits */

enum vs_card_plane { VS_PLANE_T1, VS_PLANE_T2, VS_PLANE_M };

/* Index of word w (fields 32 w and on) of row r of a tile. */
VS_BOTH uint32_t
vs_tile_at(uint32_t r, uint32_t w)
{
	return r * 32 + (((w / 4) ^ (r & 7)) * 4) + w % 4;
}

/*
 * Filter and recipe terms of one vector. A column's terms come first and are
 * read together.
 */
struct vs_card_side {
	/*
	 * scale t / u less the slack: r u_i >= threshold_j c_ij, for labels of
	 * i and j, holds whenever that cell's value passes, and rarely
	 * otherwise
	 */
	union {
		struct {
			float threshold[2];   /* of moments: see vs_may_be() */
			int32_t sum, present; /* as in struct vs_panel */
			float u[2]; /* 1 - gamma f by label; 0 without a call */
		};
		double total; /* of numbers */
	};
	uint32_t row;
	int32_t square; /* sum g^2 */
} __attribute__((aligned(16)));

#define VS_CARD_SEGMENTS 6

/*
 * Consecutive vectors of a block in device memory. For metrics of tables,
 * fields are grouped in n_segment segments, see card_tables.h: segment k ends
 * with word end[k], and size[k] of its fields are samples.
 */
struct vs_card_part {
	uint32_t *plane;
	struct vs_card_side *side;
	int32_t *margin; /* for tables, instead of side; else null */
	uint32_t n_segment, end[VS_CARD_SEGMENTS];
	int32_t size[VS_CARD_SEGMENTS];
	uint32_t n_vec;   /* a multiple of VS_TILE_VECS, padding included */
	uint32_t n_block; /* of VS_TILE_FIELDS fields */
	uint32_t n_plane; /* 2, or 3 in data with missing calls, plus h */
	uint32_t half;    /* number of plane h; 0: there is none */
	int32_t complete; /* no call is missing */
	uint64_t first;   /* number of the first vector in the block */
	uint64_t file;    /* number in the file of row 0 of the block */
};

/* Offset of the tile of vector group g, fields from VS_TILE_FIELDS k on. */
VS_BOTH size_t
vs_tile_of(const struct vs_card_part *p, uint32_t g, uint32_t k, uint32_t plane)
{
	return (((size_t)g * p->n_block + k) * p->n_plane + plane) *
		VS_TILE_WORDS;
}

VS_BOTH size_t
vs_word_at(const struct vs_card_part *p, uint32_t v, uint32_t w, uint32_t plane)
{
	return vs_tile_of(p, v / VS_TILE_VECS, w / 32, plane) +
		vs_tile_at(v % VS_TILE_VECS, w % 32);
}

/* Conversion of a panel's planes, rows [0, n), to vectors from `at` on of a
 * part. */
struct vs_card_expand {
	const uint32_t *from; /* vector v, plane p: from[(2 v + p) stride] */
	uint32_t stride;      /* words of a plane */
	/* vectors from n to the end of the last tile become padding */
	uint32_t n, at;
	uint32_t n_field;
	/* an enum vs_element; for numbers, `from` has n rows of n_field of
	 * them instead, see card_numbers.h */
	int32_t element;
	/* for tables: the field at each place, or VS_CARD_NO_FIELD; else
	 * null */
	const uint32_t *field;
	struct vs_card_part to;
};
#define VS_CARD_NO_FIELD UINT32_MAX

/* Word w of a vector's three planes from a panel's h and p. */
VS_BOTH void
vs_ready_word(uint32_t h, uint32_t p, uint32_t w, uint32_t n_field,
	uint32_t out[3])
{
	uint32_t left = n_field > 32 * w ? n_field - 32 * w : 0;
	uint32_t used = left < 32 ? (1u << left) - 1 : ~0u;

	out[VS_PLANE_T1] = ~(h ^ p) & used;
	out[VS_PLANE_T2] = h & p & used;
	out[VS_PLANE_M] = (h | ~p) & used;
}

/* Convert word w of vector v and store it. */
VS_BOTH void
vs_expand_word(const struct vs_card_expand *e, uint32_t v, uint32_t w)
{
	const uint32_t *from = e->from + (size_t)2 * v * e->stride + w;
	uint32_t out[3] = { 0 };

	if (v < e->n && w < e->stride)
		vs_ready_word(from[0], from[e->stride], w, e->n_field, out);
	for (uint32_t p = 0; p < e->to.n_plane; p++)
		e->to.plane[vs_word_at(&e->to, e->at + v, w, p)] =
			p && p == e->to.half ? out[0] ^ out[1] : out[p];
}

/* Spread four bits to four bytes, the lowest first. */
VS_BOTH uint32_t
vs_spread(uint32_t bits)
{
	return ((bits & 15) * 0x204081) & 0x01010101;
}

/* ---- sums ---- */

/*
 * Sums of a pair: sum g g' and, if calls are missing, also sum g m', sum m g'
 * and sum m m', i before j; of candidates that are settled, also the fields
 * with g = 2 and m', and with m and g' = 2.
 */
enum {
	VS_SUM_GG,
	VS_SUM_GM,
	VS_SUM_MG,
	VS_SUM_MM,
	VS_SUM_2M,
	VS_SUM_M2,
	VS_CARD_SUMS
};

/* Accumulate a word of two vectors, planes a and b, without and with m. */
VS_BOTH int32_t
vs_popc_dense(const uint32_t a[2], const uint32_t b[2])
{
	uint32_t u = ~((a[0] ^ a[1]) | (b[0] ^ b[1]));

	return VS_POPC(u) - 2 * VS_POPC(u & (a[1] ^ b[1]));
}

/* With x = g - 1, and g = 0 in padding: g g' = x x' + g + g' - 1. */
VS_BOTH int32_t
vs_popc_dense_end(int32_t xx, const struct vs_card_side *i,
	const struct vs_card_side *j, uint32_t n_block)
{
	return xx + i->sum + j->sum - (int32_t)(n_block * VS_TILE_FIELDS);
}

VS_BOTH void
vs_popc_missing(const uint32_t a[3], const uint32_t b[3], int32_t sum[4])
{
	uint32_t u = a[2] & b[2] & ~((a[0] ^ a[1]) | (b[0] ^ b[1]));

	sum[VS_SUM_GG] += VS_POPC(u) - 2 * VS_POPC(u & (a[1] ^ b[1]));
	sum[VS_SUM_GM] += VS_POPC(a[0] & b[2]) + VS_POPC(a[1] & b[2]);
	sum[VS_SUM_MG] += VS_POPC(a[2] & b[0]) + VS_POPC(a[2] & b[1]);
	sum[VS_SUM_MM] += VS_POPC(a[2] & b[2]);
}

VS_BOTH void
vs_popc_twos(const uint32_t a[3], const uint32_t b[3],
	int32_t sum[VS_CARD_SUMS])
{
	sum[VS_SUM_2M] += VS_POPC(a[1] & b[2]);
	sum[VS_SUM_M2] += VS_POPC(a[2] & b[1]);
}

VS_BOTH void
vs_popc_missing_end(int32_t sum[4])
{
	sum[VS_SUM_GG] += sum[VS_SUM_GM] + sum[VS_SUM_MG] - sum[VS_SUM_MM];
}

/* ---- wanted pairs ---- */

#define VS_CARD_SPAN 512
#define VS_CARD_SPANS 16

/*
 * Terms of the bound for tables, chi_bound.h: share of cases; factor of d^2 / n
 * and, if skew, its excess for d > 0; factor of the bits of a cell; what the
 * table of a pair needs, and that of a triple; where calls are missing more for
 * each sample, by class.
 */
struct vs_card_chi {
	float share, scale, more, half, least[2], per[2], mixed;
	int32_t entropy, skew;
};

/* Query in the form of the device. */
struct vs_card_rule {
	struct vs_thresholds thresholds;
	struct vs_recipe recipe;
	int32_t n_field;
	int32_t weight;
	uint32_t cell_mask; /* cells kept, named as in the file */
	uint32_t test_mask; /* cells that may become one of those */
	int32_t f32, has_missing;
	int32_t has_num;   /* of moments: records have the product */
	int32_t min_joint; /* fields that a pair must share */
	/* an enum vs_device_code instead of thresholds and recipe, or 0; for
	 * moments, and for tables, among them triples of alleles */
	int32_t moment, table;
	/* of moments: whether they are about the means, or of either sign; and
	 * the square of the least r or cosine, see vs_joint_may_be() */
	int32_t centred, squared;
	float need;
	int32_t element; /* of numbers, whose minima are summed; or 0 */
	/* for tables: logarithms in device memory; the strength below which no
	 * value passes */
	struct vs_log_tables logs;
	double least;
	struct vs_card_chi chi; /* the bound */
	/* for triples of alleles: r / (c e e e) of a cell that passes, with e =
	 * 1 / u, by its number of labels 1 */
	float eight[4];
};

/* Candidate pair, by place in its parts. */
struct vs_card_cand {
	uint32_t i, j;
	union {
		/* only the first, unless all are needed */
		int32_t sum[VS_CARD_SUMS];
		double least; /* of numbers: the sum of minima */
	};
};

/* A value that passes. */
struct vs_card_record {
	uint64_t i, j; /* of the file */
	double value;
	int64_t num;
	int32_t nvalid;
	uint32_t cell;
};

/*
 * A launch: rows [i_lo, i_hi) of part i against columns [j_lo, j_hi) of part j;
 * columns of span k = (column - span_from) / VS_CARD_SPAN want only the rows of
 * its range. On the diagonal a pair is wanted if i is before j in their block.
 * An engine counts at least the wanted pairs and appends each candidate to
 * cand. *n_cand is the number found, even if they did not all fit.
 */
struct vs_card_work {
	struct vs_card_part i, j;
	struct vs_card_rule rule;
	uint32_t i_lo, i_hi, j_lo, j_hi;
	struct {
		uint32_t lo, hi;
	} span[VS_CARD_SPANS];
	int32_t span_from; /* may be negative */
	int32_t diagonal;
	int32_t missing; /* all four sums are needed */
	struct vs_card_cand *cand;
	uint32_t *n_cand;
	uint32_t room;
	/* owned by this worker, as large as the engine requested */
	void *scratch, *own;
	size_t scratch_bytes;
};

VS_BOTH uint32_t
vs_span_of(const struct vs_card_work *w, uint32_t j)
{
	return (uint32_t)((int32_t)j - w->span_from) / VS_CARD_SPAN;
}

VS_BOTH int
vs_wants(const struct vs_card_work *w, uint32_t i, uint32_t j)
{
	uint32_t k = vs_span_of(w, j);

	return j >= w->j_lo && j < w->j_hi && i >= w->i_lo && i < w->i_hi &&
		i >= w->span[k].lo && i < w->span[k].hi &&
		(!w->diagonal || w->i.first + i < w->j.first + j);
}

/*
 * True if any pair of rows [i, i + n_i) and columns [j, j + n_j) may be wanted.
 */
VS_BOTH int
vs_wants_any(const struct vs_card_work *w, uint32_t i, uint32_t n_i, uint32_t j,
	uint32_t n_j)
{
	uint32_t lo = j > w->j_lo ? j : w->j_lo;
	uint32_t hi = j + n_j < w->j_hi ? j + n_j : w->j_hi;

	if (lo >= hi || i >= w->i_hi || i + n_i <= w->i_lo ||
		(w->diagonal && w->i.first + i >= w->j.first + hi - 1))
		return 0;
	for (uint32_t k = vs_span_of(w, lo); k <= vs_span_of(w, hi - 1); k++)
		if (i < w->span[k].hi && i + n_i > w->span[k].lo)
			return 1;
	return 0;
}

/* ---- float filter ---- */

/* The four sums r of a candidate, by cell 2 a + b. returns  c_ij */
VS_BOTH int32_t
vs_card_sums(const struct vs_card_work *w, const struct vs_card_side *i,
	const struct vs_card_side *j, const int32_t sum[4], int32_t r[4])
{
	const struct vs_pair_sums s = {
		w->missing ? sum[VS_SUM_MM] : w->rule.n_field,
		w->missing ? sum[VS_SUM_GM] : i->sum,
		w->missing ? sum[VS_SUM_MG] : j->sum,
		sum[VS_SUM_GG],
	};

	vs_pair_sums_cells(w->rule.weight, s, r);
	return s.c;
}

/*
 * Float filter. A value passes if r u_i u_j / (scale c_ij) > t. In floats both
 * sides of r u_i >= threshold_j c_ij take at most three roundings of 2^-24
 * each, and the threshold is lowered by VS_CARD_SLACK: no cell that passes is
 * missed. Integers of more than 24 bits are rounded too, which is one of the
 * three.
 */
#define VS_CARD_SLACK (1.0 - 1.0 / (1 << 20))

/*
 * Float filter of moments of n fields, none missing: r = (p - s_i s_j / n) /
 * (d_i d_j), d being the root of q - s^2 / n. A value passes above t d_i d_j,
 * where t is the least r or cosine for the threshold; a square also below its
 * negative. Side: u = { s, n t d }, threshold = { s, d }; for a cosine s = 0
 * and d is the root of q. The terms, all at most 4 n, lose fewer than ten
 * roundings of 2^-24, which the slack covers.
 */
VS_BOTH float
vs_moment_slack(int32_t n_field)
{
	return (float)n_field / 65536;
}

VS_BOTH int
vs_may_be(int32_t moment, float p, float mean, float need)
{
	return p - mean >= need || (moment == VS_DEVICE_R2 && mean - p >= need);
}

/*
 * The same if calls are missing, of the c fields shared, with the copies s in
 * them: for the sum of squares, k = q - 2 s of all fields bounds it, as each
 * field lost with two copies takes two of the copies lost.
 */
VS_BOTH int
vs_joint_may_be(const struct vs_card_rule *rule, float c, float p, float si,
	float sj, float ki, float kj)
{
	const float slack = vs_moment_slack(rule->n_field);
	const float per = rule->centred ? 1 / (c > 1 ? c : 1) : 0;
	float over = p - si * sj * per;
	float qi = fmaxf(si, 2 * si + ki) - si * si * per - slack;
	float qj = fmaxf(sj, 2 * sj + kj) - sj * sj * per - slack;

	if (rule->squared)
		over = fabsf(over);
	over += slack;
	return rule->need < 0 ||
		(over >= 0 &&
			over * over >=
				rule->need * fmaxf(qi, 0) * fmaxf(qj, 0));
}

VS_BOTH float
vs_joint_squares(const struct vs_card_side *side)
{
	return (float)(side->square - 2 * side->sum);
}

VS_BOTH int
vs_may_pass(const struct vs_card_rule *q, const struct vs_card_side *i,
	const struct vs_card_side *j, const int32_t r[4], int32_t c)
{
	float low0 = j->threshold[0] * (float)c,
	      low1 = j->threshold[1] * (float)c;
	float n = (float)q->n_field;

	if (q->moment)
		return vs_may_be(q->moment, (float)r[3],
			i->u[0] / n * j->threshold[0],
			i->u[1] / n * j->threshold[1] -
				vs_moment_slack(q->n_field));
	return ((q->test_mask & 1) && (float)r[0] * i->u[0] >= low0) ||
		((q->test_mask & 2) && (float)r[1] * i->u[0] >= low1) ||
		((q->test_mask & 4) && (float)r[2] * i->u[1] >= low0) ||
		((q->test_mask & 8) && (float)r[3] * i->u[1] >= low1);
}

/* Whether a pair with these sums may pass. */
VS_BOTH int
vs_sums_may_pass(const struct vs_card_work *w, const struct vs_card_side *i,
	const struct vs_card_side *j, const int32_t sum[4])
{
	int32_t r[4], c;

	if (w->rule.moment && w->missing)
		return vs_joint_may_be(&w->rule, (float)sum[VS_SUM_MM],
			(float)sum[VS_SUM_GG], (float)sum[VS_SUM_GM],
			(float)sum[VS_SUM_MG], vs_joint_squares(i),
			vs_joint_squares(j));
	c = vs_card_sums(w, i, j, sum, r);
	return vs_may_pass(&w->rule, i, j, r, c);
}

/* ---- exact values ---- */

VS_BOTH double
vs_card_value(const struct vs_recipe *m, int64_t r,
	const struct vs_card_side *i, int a, const struct vs_card_side *j,
	int b, int64_t c)
{
	return vs_recipe_value(m, r, vs_recipe_factor(m, i->sum, i->present, a),
		i->present, vs_recipe_factor(m, j->sum, j->present, b),
		j->present, c);
}

VS_BOTH double
vs_card_moment(const struct vs_card_work *w, const int32_t sum[VS_CARD_SUMS],
	const struct vs_card_side *i, const struct vs_card_side *j)
{
	struct vs_moments m = { w->rule.n_field, sum[VS_SUM_GG], i->sum, j->sum,
		i->square, j->square, 0 };

	if (w->missing)
		m = (struct vs_moments){ sum[VS_SUM_MM], sum[VS_SUM_GG],
			sum[VS_SUM_GM], sum[VS_SUM_MG],
			sum[VS_SUM_GM] + 2 * sum[VS_SUM_2M],
			sum[VS_SUM_MG] + 2 * sum[VS_SUM_M2], 0 };
	switch ((enum vs_device_code)w->rule.moment) {
	case VS_DEVICE_R2:
		return vs_r2_value(&m);
	case VS_DEVICE_R:
		return vs_r_value(&m);
	case VS_DEVICE_COSINE:
		return vs_cosine_value(&m);
	case VS_DEVICE_JACCARD:
		return vs_jaccard_value(&m);
	case VS_DEVICE_DICE:
		return vs_dice_value(&m);
	case VS_DEVICE_NONE:
	case VS_DEVICE_ALLELES:
	case VS_DEVICE_K2:
	case VS_DEVICE_LBF:
	case VS_DEVICE_MI:
	case VS_DEVICE_G:
	case VS_DEVICE_INTER:
	case VS_DEVICE_BETA:
	case VS_DEVICE_ALPHA:
		break;
	}
	return (double)NAN; /* passes no threshold */
}

/*
 * Exact records of a candidate. If the vectors are in reverse file order, the
 * pair is stored swapped. returns  number of records, at most four
 */
VS_BOTH int
vs_card_refine(const struct vs_card_work *w, const struct vs_card_cand *pair,
	struct vs_card_record out[4])
{
	const struct vs_card_rule *q = &w->rule;
	const struct vs_card_side *si = &w->i.side[pair->i];
	const struct vs_card_side *sj = &w->j.side[pair->j];
	uint64_t i = w->i.file + (uint64_t)si->row;
	uint64_t j = w->j.file + (uint64_t)sj->row;
	int turned = i > j, n = 0;
	int32_t r[4], c = vs_card_sums(w, si, sj, pair->sum, r);
	double v[4];
	uint32_t pass;

	if (q->moment || q->element) {
		v[0] = q->element
			? vs_ps_value(pair->least, si->total, sj->total)
			: vs_card_moment(w, pair->sum, si, sj);
		if (!(v[0] > q->thresholds.one[0]) || c < q->min_joint)
			return 0;
		out[0].i = turned ? j : i;
		out[0].j = turned ? i : j;
		out[0].value = q->f32 ? (double)(float)v[0] : v[0];
		out[0].num = !q->has_num ? -1
			: q->element     ? vs_record_num((int64_t)pair->least)
					 : pair->sum[0];
		out[0].nvalid = q->has_missing ? c : -1;
		out[0].cell = VS_NO_CELL;
		return 1;
	}
	if (c < q->min_joint)
		return 0;
	for (int cell = 0; cell < 4; cell++)
		v[cell] = vs_card_value(&q->recipe, r[cell], si, cell >> 1, sj,
			cell & 1, c);
	pass = vs_thresholds_pass(&q->thresholds, 2, v);
	for (uint32_t cell = 0; cell < 4; cell++) {
		uint32_t named = turned ? vs_record_swap_cell(cell) : cell;

		if (!(pass >> cell & q->cell_mask >> named & 1))
			continue;
		out[n].i = turned ? j : i;
		out[n].j = turned ? i : j;
		out[n].value = q->f32 ? (double)(float)v[cell] : v[cell];
		out[n].num = vs_recipe_num(&q->recipe, r[cell]);
		out[n].nvalid = q->has_missing ? c : -1;
		out[n++].cell = named;
	}
	return n;
}

#endif
