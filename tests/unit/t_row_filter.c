/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Row filter: from dense sums of one label, of first fields, with a batch
 * filter before it, or from all sums of a pair, rows give exactly the records
 * that pass by the plain definition, vectors clustered or not, at thresholds
 * that some pair has; and the float test leaves few that do not pass.
 */
#include "libcore/engine/pair/exact.h"
#include "libcore/engine/prune/row_filter.h"
#include "tests/unit/sums.h"
#include "tests/unit/test.h"
#include "tests/unit/vectors.h"

#define N_VEC 72
#define LD VS_ROW_FILTER_LANES

/* Input of the decision of a row. */
enum source { ONE, FIRST, BATCH, BATCH_FIRST, ALL, N_SOURCE };

static const char *const source_name[N_SOURCE] = { "one label", "first fields",
	"batch", "batch of first fields", "all sums" };

/* All that a row filter is given, of one arrangement of the panel. */
static struct {
	float room[10][LD];
	int32_t p[N_VEC * LD], lost[3][N_VEC * LD];
	struct vs_sides sides;
	struct vs_rest rest;
	struct vs_representatives rows, cols;
	struct vs_batch_filter batch;
} w;

/* Findings over all arrangements. */
struct outcome {
	size_t n_rec, n_left, n_pair;
	int wrong;
};

/* Sums of all rows of leaders with all columns, over the first n fields. */
static void
count(const struct vectors *d, size_t n)
{
	for (size_t x = 0; x < w.rows.n; x++)
		for (size_t y = 0; y < w.cols.n; y++) {
			size_t i = vs_representatives_place(&w.rows, x);
			size_t j = vs_representatives_place(&w.cols, y);
			size_t at = x * LD + y;
			int32_t lost[3];

			sums_lost(vectors_at(d, i), vectors_at(d, j), n,
				d->q.lead, lost, &w.p[at]);
			for (int k = 0; k < 3; k++)
				w.lost[k][at] = lost[k];
		}
}

static void
begin(void)
{
	if (vs_representatives_room(&w.rows, N_VEC) ||
		vs_representatives_room(&w.cols, N_VEC) ||
		vs_batch_filter_room(&w.batch, N_VEC, LD))
		exit(4);
	w.sides = (struct vs_sides){ .bl = w.room[0],
		.bo = w.room[1],
		.ws = w.room[2],
		.c = w.room[3],
		.loose = { .above = w.room[4], .below = w.room[5] } };
	w.rest = (struct vs_rest){ 0, { w.room[6], w.room[7] },
		{ .above = w.room[8], .below = w.room[9] } };
}

static void
end(void)
{
	vs_representatives_free(&w.rows);
	vs_representatives_free(&w.cols);
	vs_batch_filter_free(&w.batch);
}

/*
 * Rows [0, row_end) with columns [from, to), or all with all; columns are
 * clustered from `taken` on, so that both ends may be within a cluster.
 */
struct block {
	size_t row_end, taken, from, to;
	bool diagonal;
};

static bool
wanted(const struct block *b, size_t i, size_t j)
{
	return b->diagonal ? i < j
			   : i < b->row_end && j >= b->from && j < b->to;
}

/* True if the cell passes by its own threshold, or by the sum's. */
static bool
passes(const struct vs_query *q, const double value[4], uint32_t cell)
{
	const struct vs_thresholds *t = q->thresholds;

	if (!t)
		return value[cell] > q->threshold;
	return value[cell] > t->one[(cell >> 1) + (cell & 1)] ||
		((cell == 0 || cell == 3) && value[0] > 0 && value[3] > 0 &&
			value[0] + value[3] > t->sum);
}

/* The records of a block by the plain definition. */
static size_t
expect(const struct vectors *d, const struct block *b, struct vs_record **rec)
{
	size_t n = 0, room = 0;

	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = 0; j < d->n_vec; j++) {
			uint64_t x = d->panel.row[i], y = d->panel.row[j];
			uint64_t lo = x < y ? x : y, hi = x < y ? y : x;
			const struct vs_plain_pair *p =
				&d->pair[lo * d->n_vec + hi];

			for (uint32_t c = 0; c < 4 && wanted(b, i, j); c++) {
				if (p->nvalid < d->q.min_joint ||
					!passes(&d->q, p->value, c))
					continue;
				if (vs_mem_grow(rec, &room, n + 1,
					    sizeof(**rec), "records"))
					exit(4);
				(*rec)[n++] = (struct vs_record){ .i = lo,
					.j = hi,
					.k = VS_NO_VEC,
					.value = p->value[c],
					.num = p->num[c],
					.nvalid = d->missing ? p->nvalid : -1,
					.cell = c };
			}
		}
	vs_record_sort(*rec, n);
	return n;
}

/* Number of records that differ from those wanted. */
static int
compare(const struct vectors *d, const struct block *b, struct vs_hits *found)
{
	struct vs_record *want = NULL;
	size_t n = expect(d, b, &want);
	int wrong = n != found->n;

	vs_record_sort(found->rec, found->n);
	for (size_t k = 0; k < n && k < found->n; k++) {
		const struct vs_record *x = &want[k], *y = &found->rec[k];

		wrong += vs_record_compare(x, y) || x->value != y->value ||
			x->num != y->num || x->nvalid != y->nvalid;
	}
	free(want);
	return wrong;
}

static struct vs_row_filter
filter_of(const struct vectors *d, const struct block *b, enum source source)
{
	const bool first = source == FIRST || source == BATCH_FIRST;
	const bool batch = source == BATCH || source == BATCH_FIRST;

	return (struct vs_row_filter){ .q = &d->q,
		.sparse = vs_registry_sparse_pick(d->q.cpu),
		.rows = &w.rows,
		.cols = &w.cols,
		.hi = w.cols.n,
		.from = b->from,
		.to = b->to,
		.diagonal = b->diagonal,
		.sides = &w.sides,
		.rest = first ? &w.rest : NULL,
		.batch = batch ? &w.batch : NULL };
}

static int
filter_row(struct vs_row_filter *t, enum source source, struct vs_hits *found,
	size_t *n_left)
{
	uint16_t column[LD];

	t->pl = w.p + t->i * LD;
	t->whole = source == ALL;
	t->sums = (struct vs_joint_sums){ w.p,
		{ w.lost[0], w.lost[1], w.lost[2] }, LD };
	vs_joint_sums_row(&t->sums, t->i);
	if (!t->batch)
		*n_left += vs_row_filter_look(t);
	return vs_exact_row(t, column, vs_row_filter_row(t, NULL, column),
		found);
}

/* All rows of a block. first: which of the first fields */
static void
filter_block(const struct vectors *d, const struct block *b, enum source source,
	int first, struct outcome *x)
{
	const bool plain = source == ALL;
	struct vs_row_filter t = filter_of(d, b, source);
	struct vs_hits found = { .rec = NULL };
	struct vs_batch_filter_work work;
	size_t n = d->n_field, n_left = 0;

	vs_representatives_take(&w.rows, &d->panel, 0, b->row_end, N_VEC,
		plain);
	vs_representatives_take(&w.cols, &d->panel, b->taken, d->n_vec, N_VEC,
		plain);
	t.lo = vs_representatives_find(&w.cols, b->from);
	t.hi = vs_representatives_find(&w.cols, b->to - 1) + 1;
	vs_coefficients_sides(&d->q, &w.cols, &w.sides);
	if (t.rest) {
		n = vs_first_fields(n, first);
		w.rest.first = first;
		vs_coefficients_rest(&d->q, &w.cols, 0, w.cols.n, &w.rest);
	}
	count(d, n);
	work = (struct vs_batch_filter_work){ &w.rows, &w.sides, t.rest, w.p,
		LD, 0, w.cols.n, false };
	if (t.batch) {
		vs_batch_filter_rows(&w.batch, &d->q, &work);
		n_left += vs_batch_filter_look(&w.batch, &d->q, &work);
	}
	for (t.i = 0; t.i < w.rows.n; t.i++)
		x->wrong += filter_row(&t, source, &found, &n_left) != 0;
	x->wrong += compare(d, b, &found);
	x->n_rec += found.n;
	x->n_left += n_left;
	x->n_pair += w.rows.n * w.cols.n;
	free(found.rec);
}

/* Every source and step of the CPU, on the diagonal and off it. */
static void
try_threshold(struct vectors *d, double threshold, struct outcome out[N_SOURCE])
{
	static size_t turn;
	const struct block block[] = { { N_VEC, 0, 0, N_VEC, true },
		{ N_VEC / 3, N_VEC / 3, N_VEC / 3 + (turn % 5),
			N_VEC - turn % 7, false } };
	static int round;

	turn++;
	d->q.threshold = threshold;
	vectors_panel(d);
	for (int source = 0; source < N_SOURCE; source++) {
		bool first = source == FIRST || source == BATCH_FIRST;

		if (first && d->n_field < VS_FIRSTS_LEAST)
			continue;
		d->q.cpu = (enum vs_cpu)(round++ % ((int)vs_cpu_best() + 1));
		filter_block(d, &block[turn % 2], (enum source)source,
			round % VS_FIRSTS, &out[source]);
	}
}

static void
report(const struct vectors *d, const struct outcome out[N_SOURCE])
{
	for (int k = 0; k < N_SOURCE; k++) {
		if (!out[k].n_pair)
			continue;
		T_OK(!out[k].wrong && out[k].n_rec > 50 &&
				out[k].n_left <= out[k].n_pair * 3 / 4,
			"%s, %zu fields, %u missing, joint %d, label %d, %s: "
			"%zu pairs, %zu left, %zu records, %d wrong",
			d->q.metric->name, d->n_field, d->missing,
			(int)d->q.min_joint, d->q.lead, source_name[k],
			out[k].n_pair, out[k].n_left, out[k].n_rec,
			out[k].wrong);
	}
}

static void
try(size_t n_field, unsigned missing, bool duo, int64_t min_joint,
	const struct vs_thresholds *classes)
{
	const double at[] = { 0.8, 0.99, 0.9999 };
	struct vectors d;

	vectors_make(&d, N_VEC, n_field, missing, duo, n_field + missing);
	vectors_pairs(&d);
	d.q.min_joint = min_joint;
	d.q.thresholds = classes;
	for (d.q.lead = 0; d.q.lead < 2; d.q.lead++) {
		struct outcome out[N_SOURCE] = { { 0 } };

		for (int k = 0; k < 3; k++)
			for (int step = -1; step < 2; step++) {
				double value = vectors_value(&d, at[k]);

				value = step ? nextafter(value, 2 * step)
					     : value;
				if (classes)
					value = vs_thresholds_least(classes, 2);
				try_threshold(&d, value, out);
			}
		report(&d, out);
	}
	vectors_free(&d);
}

int
main(void)
{
	static const struct vs_thresholds classes[] = {
		{ { 0.65, 0.55, 0.75 }, INFINITY },
		{ { INFINITY, INFINITY, 0.7 }, 1.3 },
	};

	begin();
	try(60, 0, false, 0, NULL);
	try(120, 20, false, 0, NULL);
	try(120, 20, true, 60, NULL);
	try(300, 20, true, 155, NULL);
	try(300, 20, false, 0, NULL);
	try(2100, 0, false, 0, NULL);
	try(2100, 10, false, 1000, NULL);
	try(300, 0, false, 0, &classes[0]);
	try(300, 10, false, 0, &classes[1]);
	end();
	return T_DONE();
}
