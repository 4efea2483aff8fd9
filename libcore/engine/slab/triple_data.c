/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of triples: vectors, exact sums, records, pair bounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/reserve.h"
#include "libcore/bits/product.h"
#include "libcore/engine/slab/triple_data.h"
#include "libcore/engine/tables/tables.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/node_memory.h"

/* 1 / u of a vector without any call: its bounds are never reached. */
#define NEVER 1e30f

/* Bytes of a vector in c, e and grade, which are one array. */
#define BOUND_BYTES (3 * sizeof(float) + 2 * sizeof(uint16_t))

/* ---- properties of the vectors ---- */

uint64_t
vs_triple_data_bytes(const struct vs_query *q, uint64_t n_vec)
{
	uint64_t panel = vs_panel_bytes(q->element, q->n_field);

	if (vs_element_is_number(q->element))
		return n_vec * panel + VS_PANEL_MORE;
	if (q->classes)
		return n_vec * panel + VS_PANEL_MORE +
			vs_class_rows_bytes(q->classes, (size_t)n_vec,
				vs_tables_planes(q));
	return n_vec * ((q->has_missing ? 2 : 1) * panel + BOUND_BYTES);
}

/* Bytes of a vector's planes, or numbers. */
static size_t
plane_bytes(const struct vs_query *q)
{
	return vs_element_is_number(q->element)
		? q->n_field * vs_element_bytes(q->element)
		: 16 * vs_vec_words(q->n_field);
}

uint64_t
vs_triple_data_row_bytes(const struct vs_query *q)
{
	uint64_t bytes = plane_bytes(q);

	if (vs_element_is_number(q->element))
		return bytes;
	if (!q->classes)
		return q->has_missing ? 2 * bytes : bytes;
	for (int k = 0; k < 2; k++)
		bytes += 8 * (uint64_t)vs_tables_planes(q) *
			q->classes->n_word[k];
	return bytes;
}

/* Turn missing calls of v into homozygotes without the leading label's
 * allele. */
static void
fill(struct vs_triple_data *t, size_t v)
{
	const uint64_t *h = vs_vec_plane(&t->all.vec, v, 0);
	const uint64_t *p = vs_vec_plane(&t->all.vec, v, 1);
	uint64_t *full_h = vs_vec_plane(&t->filled.vec, v, 0);
	uint64_t *full_p = vs_vec_plane(&t->filled.vec, v, 1);
	int32_t n = (int32_t)t->q.n_field;
	int32_t more = t->q.lead ? 0 : n - t->all.present[v];

	for (size_t w = 0; w < t->all.vec.n_word; w++) {
		full_h[w] = h[w] | p[w];
		full_p[w] = t->q.lead ? p[w] & h[w] : p[w];
	}
	t->filled.sum[v] = t->all.sum[v] + 2 * more;
	t->filled.two[v] = t->all.two[v] + more;
	t->filled.present[v] = n;
}

static float
reciprocal(const struct vs_triple_data *t, size_t v, int label)
{
	double u = vs_alleles_u(t->q.alleles, t->all.sum[v], t->all.present[v],
		label);

	return u > 0 ? (float)(1 / u) : NEVER;
}

static uint16_t
grade(const struct vs_triple_data *t, size_t v, int label)
{
	int64_t c = t->all.present[v];

	return c ? (uint16_t)(VS_TRIPLE_DATA_GRADES *
			   (int64_t)vs_panel_sum(&t->all, v, label) / (2 * c))
		 : 0;
}

/* ---- memory: of one rank or of several, or only address space ---- */

static int
take_memory(const struct vs_triple_data *t, void *out, size_t bytes,
	const char *what)
{
	return t->streamed       ? vs_reserve_new(out, bytes, what)
		: t->n_share > 1 ? vs_node_memory_new(out, bytes, what)
				 : vs_mem_room(out, bytes, 1, what);
}

/* Arrays other than the rows always have memory, even if rows do not. */
static int
take_behind(const struct vs_triple_data *t, void *memory, size_t rows,
	size_t bytes, const char *what)
{
	return t->streamed
		? vs_reserve_take((char *)memory + rows, bytes - rows, what)
		: 0;
}

static void
give_memory(const struct vs_triple_data *t, void *memory, size_t bytes)
{
	if (t->streamed)
		vs_reserve_free(memory, bytes);
	else if (t->n_share > 1)
		vs_node_memory_free(memory, bytes);
	else
		free(memory);
}

/* Ranks that share arrays all continue, or none does. */
static int
agreed(const struct vs_triple_data *t, int code)
{
	return t->n_share > 1 ? vs_comm_local_agree(code) : code;
}

/* This rank's share of n things: its start; for at + 1: its end. */
static size_t
share_of(const struct vs_triple_data *t, size_t n, int at)
{
	return (size_t)((unsigned __int128)n * (unsigned)at /
		(unsigned)t->n_share);
}

static int
make_panel(const struct vs_triple_data *t, enum vs_element element,
	size_t n_vec, struct vs_panel *p)
{
	const size_t n_field = t->q.n_field;
	const char *what = "panel of vectors";
	void *memory = NULL;
	size_t bytes;
	int code;

	if (__builtin_mul_overflow(n_vec, vs_panel_bytes(element, n_field),
		    &bytes) ||
		__builtin_add_overflow(bytes, VS_PANEL_MORE, &bytes))
		return vs_fail_memory(what, ~0ull);
	code = take_memory(t, &memory, bytes, what);
	if (code)
		return code;
	vs_panel_on(p, element, n_vec, n_field, memory);
	return take_behind(t, memory, n_vec * plane_bytes(&t->q), bytes, what);
}

static void
give_panel(const struct vs_triple_data *t, const struct vs_panel *p)
{
	give_memory(t, p->vec.word,
		p->vec.n_vec * vs_panel_bytes(t->q.element, t->q.n_field) +
			VS_PANEL_MORE);
}

/* Load each rank's share of the vectors into the panel of all. */
static int
read_all(struct vs_triple_data *t, size_t n,
	int (*load)(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p),
	void *ctx)
{
	const size_t lo = share_of(t, n, t->share),
		     hi = share_of(t, n, t->share + 1);
	int code = 0;

	t->all.n_vec = lo;
	if (hi > lo)
		code = load(ctx, lo, hi, &t->all);
	t->all.first = 0;
	t->all.n_vec = n;
	return agreed(t, code);
}

/* Split vectors by class. */
static int
split(struct vs_triple_data *t, size_t lo, size_t hi, int n_thread)
{
	const size_t n_word = t->all.vec.n_word, n = (size_t)n_thread;
	uint64_t *plane = NULL;
	int code = vs_mem_room(&plane, n * n_word, sizeof(*plane), "classes");

	if (code)
		return code;
#pragma omp parallel for num_threads(n_thread) schedule(static)
	for (size_t k = 0; k < n; k++)
		for (size_t v = lo + k; v < hi; v += n)
			vs_class_rows_take(&t->by_class, t->q.classes, t->q.cpu,
				&t->all, v, v, plane + k * n_word);
	free(plane);
	return 0;
}

/* Set frequencies, 1 / u and calls of vectors, by place. */
static void
describe(struct vs_triple_data *t, size_t lo, size_t hi, int n_thread)
{
#pragma omp parallel for num_threads(n_thread)
	for (size_t v = lo; v < hi; v++) {
		vs_float_env_set();
		if (!t->complete)
			fill(t, v);
		for (int label = 0; label < 2; label++) {
			t->e[label][v] = reciprocal(t, v, label);
			t->grade[2 * v + (size_t)label] = grade(t, v, label);
		}
		t->c[v] = t->all.present[v] ? (float)t->all.present[v]
					    : 3 * (float)t->q.n_field;
	}
}

int
vs_triple_data_derive(struct vs_triple_data *t, size_t lo, size_t hi,
	int n_thread)
{
	if (vs_element_is_number(t->q.element))
		return 0;
	if (t->q.classes)
		return split(t, lo, hi, n_thread);
	describe(t, lo, hi, n_thread);
	return 0;
}

/* Redo this rank's share where vectors have moved. */
static int
derive(struct vs_triple_data *t, int n_thread)
{
	const size_t n = t->all.n_vec;

	return agreed(t,
		vs_triple_data_derive(t, share_of(t, n, t->share),
			share_of(t, n, t->share + 1), n_thread));
}

static int
make_classes(struct vs_triple_data *t)
{
	const struct vs_classes *c = t->q.classes;
	const size_t n = t->all.n_vec;
	const int n_plane = vs_tables_planes(&t->q);
	const size_t bytes = vs_class_rows_bytes(c, n, n_plane);
	const char *what = "vectors by class";
	void *memory = NULL;
	int code = take_memory(t, &memory, bytes, what);

	if (code)
		return code;
	vs_class_rows_place(&t->by_class, c, n, n_plane, memory);
	return take_behind(t, memory,
		(size_t)((char *)t->by_class.count - (char *)memory), bytes,
		what);
}

static int
make_bounds(struct vs_triple_data *t)
{
	const size_t n = t->all.n_vec;
	int code = take_memory(t, &t->c, n * BOUND_BYTES, "bounds");

	if (!code)
		code = take_behind(t, t->c, 0, n * BOUND_BYTES, "bounds");
	if (code)
		return code;
	t->e[0] = t->c + n;
	t->e[1] = t->c + 2 * n;
	t->grade = (uint16_t *)(t->c + 3 * n);
	t->complete = t->streamed ? !t->q.has_missing
				  : vs_panel_complete(&t->all, 0, n);
	t->filled = t->all;
	return t->complete ? 0 : make_panel(t, VS_BIT2, n, &t->filled);
}

static void
begin(struct vs_triple_data *t, const struct vs_query *q)
{
	memset(t, 0, sizeof(*t));
	t->q = *q;
	t->known = INFINITY;
	t->sparse = vs_registry_sparse_pick(q->cpu);
	t->n_share = 1;
}

int
vs_triple_data_open(struct vs_triple_data *t, const struct vs_query *q,
	uint64_t n_vec, bool shared,
	int (*load)(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p),
	void *ctx, int n_thread)
{
	const size_t n = (size_t)n_vec;
	int code;

	begin(t, q);
	if (shared)
		vs_comm_local(&t->share, &t->n_share);
	code = make_panel(t, q->element, n, &t->all);
	t->filled = t->all;
	if (!code)
		code = read_all(t, n, load, ctx);
	if (code || vs_element_is_number(q->element))
		return code;
	code = q->classes ? make_classes(t) : make_bounds(t);
	return code ? code : derive(t, n_thread);
}

int
vs_triple_data_reserve(struct vs_triple_data *t, const struct vs_query *q,
	uint64_t n_vec)
{
	int code;

	begin(t, q);
	t->streamed = true;
	code = make_panel(t, q->element, (size_t)n_vec, &t->all);
	t->all.n_vec = (size_t)n_vec;
	t->filled = t->all;
	if (code || vs_element_is_number(q->element))
		return code;
	return q->classes ? make_classes(t) : make_bounds(t);
}

int
vs_triple_data_rows(const struct vs_triple_data *t,
	struct vs_panel_part rows[VS_TRIPLE_DATA_ROWS])
{
	const struct vs_class_rows *by = &t->by_class;
	const size_t bytes = plane_bytes(&t->q);
	int n = 0;

	rows[n++] = (struct vs_panel_part){ (char *)t->all.vec.word, bytes };
	if (t->filled.vec.word != t->all.vec.word)
		rows[n++] = (struct vs_panel_part){ (char *)t->filled.vec.word,
			bytes };
	for (int k = 0; k < 2 * by->n_plane; k++)
		rows[n++] = (struct vs_panel_part){ (char *)vs_class_rows_at(by,
							    k % 2, k / 2, 0),
			8 * by->n_word[k % 2] };
	return n;
}

int
vs_triple_data_sort(struct vs_triple_data *t, const struct vs_plan *plan,
	int n_thread)
{
	int code = 0;

	for (int64_t b = t->share; b < plan->n_block && !code;
		b += t->n_share) {
		uint64_t lo, hi;

		vs_plan_block(plan, b, &lo, &hi);
		code = vs_panel_sort(&t->all, (size_t)lo, (size_t)hi, 0,
			(size_t)(hi - lo), n_thread);
	}
	code = agreed(t, code);
	return code ? code : derive(t, n_thread);
}

void
vs_triple_data_close(struct vs_triple_data *t)
{
	if (t->filled.vec.word != t->all.vec.word)
		give_panel(t, &t->filled);
	if (t->by_class.word[0])
		give_memory(t, t->by_class.word[0],
			vs_class_rows_bytes(t->q.classes, t->by_class.most,
				t->by_class.n_plane));
	give_memory(t, t->c, t->all.n_vec * BOUND_BYTES);
	give_panel(t, &t->all);
	memset(t, 0, sizeof(*t));
}

/* ---- bounds by a pair ---- */

double
vs_triple_data_most(const struct vs_query *q, int64_t r, const int32_t two[2],
	double uu, int64_t c)
{
	double m = two[0] < two[1] ? two[0] : two[1], all = two[0] + two[1];
	double all_r = (double)r, best = 0;
	double slope = q->alleles->gamma / (2 * (double)q->n_field);
	/* where one of these bounds takes over from another, and where 2 r is
	 * reached */
	double end[4] = { 0, vs_min_f64(2 * m, all_r / 2),
		vs_min_f64(2 * all, all_r) - 2 * m, 2 * (all_r - m - all) };
	const double rise[3] = { 4, 2, 1 };
	const double start[3] = { 0, 4 * m, 2 * (m + all) };

	if (c <= 0)
		return INFINITY;
	for (int k = 0; k < 3; k++) {
		double s = (1 / slope - start[k] / rise[k]) / 2;

		end[k + 1] = vs_max_f64(end[k], end[k + 1]);
		s = vs_min_f64(vs_max_f64(s, end[k]), end[k + 1]);
		best = vs_max_f64(best,
			(rise[k] * s + start[k]) * (1 - slope * s));
	}
	return best * uu / (q->alleles->scale3 * (double)c);
}

double
vs_triple_data_threshold(const struct vs_query *q, int cell)
{
	int ones = (cell >> 1) + (cell & 1);

	return vs_min_f64(vs_query_threshold(q, 3, ones),
		vs_query_threshold(q, 3, ones + 1));
}

unsigned
vs_triple_data_open_cells(const struct vs_triple_data *t, size_t i, size_t j,
	const int32_t r[4], int64_t c_low)
{
	const struct vs_query *q = &t->q;
	int64_t si = t->all.sum[i], ci = t->all.present[i];
	int64_t sj = t->all.sum[j], cj = t->all.present[j];
	unsigned bits = 0;

	if (q->threshold < 0)
		return 15;
	if (!ci || !cj || ci < q->min_joint || cj < q->min_joint)
		return 0;
	if (c_low < q->min_joint)
		c_low = q->min_joint;
	for (int cell = 0; cell < 4; cell++) {
		double ui = vs_alleles_u(q->alleles, si, ci, cell >> 1);
		double uj = vs_alleles_u(q->alleles, sj, cj, cell & 1);
		double threshold = vs_triple_data_threshold(q, cell);

		const int32_t two[2] = {
			vs_panel_two(&t->all, i, cell >> 1),
			vs_panel_two(&t->all, j, cell & 1),
		};

		/* bound and value are each rounded a few times */
		if (vs_triple_data_most(q, r[cell], two, ui * uj, c_low) *
				(1 + 1e-9) >
			threshold)
			bits |= 1u << cell;
	}
	return bits;
}

/* ---- exact sums ---- */

/*
 * A missing entry is 0 in x, so a sum over the fields all three share is the
 * sum over the fields where the product is present, less that over those where
 * the third vector is missing.
 */
void
vs_triple_data_count(const struct vs_triple_data *t, struct vs_products *p,
	size_t i, size_t j, size_t k, struct vs_sums *sums)
{
	const struct vs_panel *a = &t->all, *b = &p->panel;
	int32_t n = (int32_t)t->q.n_field, c = b->present[0];
	int32_t with[3][4], x[8];

	if (!p->valid || p->i != i || p->j != j) {
		for (int which = 0; which < 3; which++)
			vs_product_make(a, i, j, (enum vs_product)which,
				&p->panel, (size_t)which);
		p->i = i;
		p->j = j;
		p->valid = true;
		c = b->present[0];
	}
	for (size_t which = 0; which < 3; which++)
		t->sparse->pair(b, which, a, k, with[which]);
	/* for one vector sum x = s - c */
	x[0] = c + a->present[k] - n + with[0][3];
	x[1] = a->sum[k] - a->present[k] - with[0][2];
	x[2] = b->sum[2] - c - with[2][1];
	x[3] = with[2][0];
	x[4] = b->sum[1] - c - with[1][1];
	x[5] = with[1][0];
	x[6] = b->sum[0] - c - with[0][1];
	x[7] = with[0][0];
	/* g = x + 1, one vector after the other */
	for (int bit = 1; bit < 8; bit *= 2)
		for (int s = 0; s < 8; s++)
			if (s & bit)
				x[s] += x[s - bit];
	memcpy(sums->g, x, sizeof(x));
}

/* ---- from sums to records ---- */

/* Label 1 takes g, label 0 takes 2 - g of a field. */
void
vs_triple_data_eight(const int32_t g[8], int32_t r[8])
{
	memcpy(r, g, 8 * sizeof(*r));
	for (int bit = 1; bit < 8; bit *= 2)
		for (int s = 0; s < 8; s++)
			if (!(s & bit))
				r[s] = 2 * r[s] - r[s + bit];
}

static int
add(const struct vs_query *q, const size_t v[3], uint32_t cell, double value,
	int32_t r, int32_t c, struct vs_hits *found)
{
	struct vs_record *rec;
	int code = vs_hits_more(found, &rec);

	if (code)
		return code;
	rec->i = v[0];
	rec->j = v[1];
	rec->k = v[2];
	rec->cell = cell;
	rec->value = q->f32 ? (double)(float)value : value;
	rec->num = vs_recipe_num3(&q->alleles->recipe, r);
	rec->nvalid = q->has_missing ? c : -1;
	return 0;
}

static bool
is_near(const struct vs_triple_data *t, uint32_t u, uint32_t v, size_t w)
{
	return vs_wanted_near(t->wanted, u, t->all.row[w]) &&
		vs_wanted_near(t->wanted, v, t->all.row[w]);
}

bool
vs_triple_data_wants(const struct vs_triple_data *t, const size_t pair[2],
	size_t w, size_t *at, size_t *end, size_t hi)
{
	const uint32_t *row = t->all.row;
	const uint32_t u = row[pair[0]], v = row[pair[1]];
	size_t k = *at;

	*end = hi;
	if (!vs_wanted_is_by_place(t->wanted))
		return k < hi;
	if (!vs_wanted_near(t->wanted, u, v))
		return false;
	while (k < hi && !is_near(t, u, v, w + k))
		k++;
	*at = k;
	while (k < hi && is_near(t, u, v, w + k))
		k++;
	*end = k;
	return *at < k;
}

int
vs_triple_data_keep(const struct vs_triple_data *t, const size_t v[3],
	const struct vs_sums *sums, unsigned mask, struct vs_hits *found)
{
	const struct vs_query *q = &t->q;
	const struct vs_recipe *m = &q->alleles->recipe;
	int32_t r[8];
	int64_t c[3], factor[3][2];
	double value[8];
	size_t name[3];
	int place[3], code = 0;

	if (!vs_query_shares(q, sums->g[0]))
		return 0;
	vs_triple_data_eight(sums->g, r);
	for (int x = 0; x < 3; x++) {
		const uint32_t *row = t->all.row, own = row[v[x]];

		place[x] = (own > row[v[(x + 1) % 3]]) +
			(own > row[v[(x + 2) % 3]]);
		name[place[x]] = own;
		c[x] = t->all.present[v[x]];
		for (int label = 0; label < 2; label++)
			factor[x][label] = vs_recipe_factor(m, t->all.sum[v[x]],
				c[x], label);
	}
	/* a sum uses both */
	if (q->thresholds && mask & 0x81)
		mask |= 0x81;
	for (uint32_t cell = 0; cell < 8; cell++) {
		const int64_t f[3] = { factor[0][cell >> 2],
			factor[1][cell >> 1 & 1], factor[2][cell & 1] };

		value[cell] = mask >> cell & 1
			? vs_recipe_value3(m, r[cell], f, c, sums->g[0])
			: -INFINITY;
	}
	mask = vs_query_passes(q, 3, value);
	for (uint32_t cell = 0; cell < 8 && !code; cell++) {
		uint32_t named = cell >> 2 << (2 - place[0]) |
			(cell >> 1 & 1) << (2 - place[1]) |
			(cell & 1) << (2 - place[2]);

		if (mask >> cell & q->cell_mask >> named & 1 &&
			value[cell] <= t->known)
			code = add(q, name, named, value[cell], r[cell],
				sums->g[0], found);
	}
	return code;
}
