/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrity check of a shard or result: order, ranges, sums, index. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/check/check.h"
#include "formats/results/block_map.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/bits/record_digest.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/cube.h"

/* State of one pass over the records. */
struct pass {
	struct vs_result *r;
	const char *path;
	uint64_t memory;       /* bytes for sorting */
	struct vs_record last; /* of the blocks taken */
	bool any;
	struct block *block;             /* of each thread */
	struct vs_thresholds thresholds; /* of a run with thresholds by class */
	enum {
		ANY,
		GREATER,
		GREATER_OR_EQUAL,
		LESS,
		LESS_OR_EQUAL,
		BY_CLASS
	} op;
	bool f32, cells;
	double least;      /* value of the metric */
	int64_t *place;    /* of vectors in the grid; null: their rows */
	atomic_bool mixed; /* some records of a shard do not rise */
	struct vs_digest_sum sum;
	uint64_t counts; /* where its sum is stated */
	/* shards */
	struct vs_plan plan;
	struct vs_tile_row *tile;
	size_t n_tile;
	struct vs_digest_sum *tile_sum; /* of the records of each */
	/* merged */
	int64_t *i_offset;
	uint8_t *occurs;
};

/* A block of records, looked at by one thread. */
struct block {
	struct vs_record first, last;
	uint64_t lo;
	struct vs_digest_sum sum;
	uint64_t counts;
};

static int
is_wrong(const struct pass *p, uint64_t row, const char *column,
	const char *expected, long long found)
{
	return vs_fail(VS_ENO,
		"%s: /records/%s: row %llu: %s expected, %lld found", p->path,
		column, (unsigned long long)row, expected, found);
}

static int
check_rows(const struct pass *p, const struct vs_record *rec, uint64_t row)
{
	const struct vs_run *run = &p->r->run;
	uint64_t n = (uint64_t)run->n_vectors;
	bool triple = run->n_way == 3;

	if (rec->j >= n)
		return is_wrong(p, row, "j", "a row of the vectors",
			(long long)rec->j);
	if (rec->i >= rec->j)
		return is_wrong(p, row, "i", "less than j", (long long)rec->i);
	if (triple && rec->k >= n)
		return is_wrong(p, row, "k", "a row of the vectors",
			(long long)rec->k);
	if (triple && rec->j >= rec->k)
		return is_wrong(p, row, "j", "less than k", (long long)rec->j);
	if (p->place && !vs_sets_want(&run->sets, p->place, rec))
		return is_wrong(p, row, "j",
			triple ? "a vector of the set"
			       : "a vector of the other set",
			(long long)rec->j);
	if (!p->cells)
		return 0;
	if (rec->cell >= 1u << run->n_way)
		return is_wrong(p, row, "cell", triple ? "0 to 7" : "0 to 3",
			rec->cell);
	if (!((uint32_t)run->cell_mask >> rec->cell & 1))
		return is_wrong(p, row, "cell", "a cell of the run's mask",
			rec->cell);
	return 0;
}

/*
 * The decision was made on the f64 value; rounded to f32 it may have come
 * down to the threshold or half a step below it.
 */
static bool
may_have_passed(const struct pass *p, const struct vs_record *rec)
{
	const struct vs_run *run = &p->r->run;
	int last = (1 << run->n_way) - 1, cell = (int)rec->cell;
	double value = rec->value, least = value;

	if (p->f32) {
		value = nextafterf((float)value, INFINITY);
		least = nextafterf((float)least, -INFINITY);
	}
	switch (p->op) {
	case BY_CLASS:
		/* the other value of a sum may stand elsewhere */
		return value >
			p->thresholds.one[__builtin_popcount(rec->cell)] ||
			(isfinite(p->thresholds.sum) && value > 0 &&
				(!cell || cell == last));
	case GREATER:
		return value > run->threshold;
	case GREATER_OR_EQUAL:
		return value >= run->threshold;
	case LESS:
		return least < run->threshold;
	case LESS_OR_EQUAL:
		return least <= run->threshold;
	case ANY:
		break;
	}
	return true;
}

static int
wrong_value(const struct pass *p, const struct vs_record *rec, uint64_t row)
{
	const struct vs_run *run = &p->r->run;
	char text[VS_NUM_ROOM], bound[VS_THRESHOLDS_ROOM];

	vs_num_print(rec->value, text);
	if (!isfinite(rec->value) || rec->value < p->least)
		return vs_fail(VS_ENO,
			"%s: /records/value: row %llu: a finite value of %g or "
			"more expected, %s found",
			p->path, (unsigned long long)row, p->least, text);
	if (*run->class_thresholds)
		snprintf(bound, sizeof(bound), "%s", run->class_thresholds);
	else
		vs_num_print(run->threshold, bound);
	return vs_fail(VS_ENO,
		"%s: /records/value: row %llu: %s does not pass the threshold "
		"%s",
		p->path, (unsigned long long)row, text, bound);
}

static int
check_numbers(const struct pass *p, const struct vs_record *rec, uint64_t row)
{
	const struct vs_run *run = &p->r->run;
	int64_t present = run->has_nvalid ? rec->nvalid : run->n_fields;

	if (!isfinite(rec->value) || rec->value < p->least ||
		!may_have_passed(p, rec))
		return wrong_value(p, rec, row);
	if (run->has_nvalid && (present < 0 || present > run->n_fields))
		return is_wrong(p, row, "nvalid", "0 to n_fields", present);
	if (present < run->min_joint)
		return is_wrong(p, row, "nvalid", "min_joint or more", present);
	if (run->has_num && p->cells &&
		(rec->num < 0 || rec->num > present << run->n_way))
		return is_wrong(p, row, "num", "0 to 2^n_way fields", rec->num);
	return 0;
}

/* Index of the tile that a row belongs to by the tiles' counts. */
static size_t
tile_at(const struct pass *p, uint64_t row)
{
	size_t lo = 0, hi = p->n_tile;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if ((uint64_t)p->tile[mid].first <= row)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static int
check_tile_of(const struct pass *p, const struct vs_record *rec, uint64_t row,
	const struct vs_tile_row *t)
{
	if (vs_plan_number_unordered(&p->plan, t->bi, t->bj) ==
		vs_sets_tile_of(&p->plan, p->place, rec))
		return 0;
	return vs_fail(VS_ENO,
		"%s: /records: row %llu: of vectors %llu %llu, stands in tile "
		"%d %d, where it does not belong",
		p->path, (unsigned long long)row, (unsigned long long)rec->i,
		(unsigned long long)rec->j, t->bi, t->bj);
}

/* Records of a block are in their tiles, whose sums grow. */
static int
check_tiles_of(struct pass *p, const struct vs_record *rec, uint64_t row,
	size_t n)
{
	int code = 0;

	for (size_t t = tile_at(p, row), now; n && !code;
		t++, rec += now, row += now, n -= now) {
		const struct vs_tile_row *tile = &p->tile[t];
		uint64_t left = (uint64_t)(tile->first + tile->count) - row;
		struct vs_digest_sum sum = { { 0, 0 } };

		now = left < n ? (size_t)left : n;
		for (size_t k = 0; k < now && !code; k++)
			code = check_tile_of(p, &rec[k], row + k, tile);
		vs_record_digest_sum(&sum, rec, now);
		for (int h = 0; h < 2; h++)
			__atomic_fetch_add(&p->tile_sum[t].h[h], sum.h[h],
				__ATOMIC_RELAXED);
	}
	return code;
}

/* Records rise from one to the next, the second being of this row. */
static int
check_order(struct pass *p, const struct vs_record *last,
	const struct vs_record *rec, uint64_t row)
{
	int way = vs_record_compare(last, rec);

	/* in a shard any order will do, and vs_check_twice() looks for pairs */
	if (way > 0 && p->tile)
		atomic_store_explicit(&p->mixed, true, memory_order_relaxed);
	else if (way >= 0)
		return vs_fail(VS_ENO, "%s: /records: row %llu: %s", p->path,
			(unsigned long long)row,
			way ? "comes before the row above it"
			    : "is the same as the row above it");
	return 0;
}

static void
mark(struct pass *p, uint64_t vector)
{
	__atomic_store_n(&p->occurs[vector], 1, __ATOMIC_RELAXED);
}

static int
check_index(struct pass *p, const struct vs_record *rec, uint64_t row)
{
	if ((int64_t)row < p->i_offset[rec->i] ||
		(int64_t)row >= p->i_offset[rec->i + 1])
		return vs_fail(VS_ENO,
			"%s: /index/i_offset: rows %lld to %lld are given to "
			"vector %llu, row %llu is its too",
			p->path, (long long)p->i_offset[rec->i],
			(long long)p->i_offset[rec->i + 1],
			(unsigned long long)rec->i, (unsigned long long)row);
	mark(p, rec->i);
	mark(p, rec->j);
	if (p->r->run.n_way == 3)
		mark(p, rec->k);
	return 0;
}

static int
check_block(void *with, int thread, struct vs_record *rec, uint64_t lo,
	size_t n)
{
	struct pass *p = with;
	struct block *b = &p->block[thread];
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		code = check_rows(p, &rec[k], lo + k);
		if (!code)
			code = check_numbers(p, &rec[k], lo + k);
		if (!code && !p->tile)
			code = check_index(p, &rec[k], lo + k);
		if (!code && k)
			code = check_order(p, &rec[k - 1], &rec[k], lo + k);
	}
	if (!code && p->tile)
		code = check_tiles_of(p, rec, lo, n);
	b->first = rec[0];
	b->last = rec[n - 1];
	b->lo = lo;
	b->sum = (struct vs_digest_sum){ { 0, 0 } };
	vs_record_digest_sum(&b->sum, rec, n);
	b->counts = p->r->has_counts ? vs_result_counts(p->r, rec, n) : 0;
	return code;
}

static int
take_block(void *with, int thread)
{
	struct pass *p = with;
	const struct block *b = &p->block[thread];
	int code = p->any ? check_order(p, &p->last, &b->first, b->lo) : 0;

	p->last = b->last;
	p->any = true;
	vs_digest_sum_add(&p->sum, &b->sum);
	p->counts += b->counts;
	return code;
}

static int
check_sums(const struct pass *p)
{
	for (size_t t = 0; t < p->n_tile; t++)
		if (memcmp(&p->tile_sum[t], &p->tile[t].sum,
			    sizeof(*p->tile_sum)))
			return vs_fail(VS_ENO,
				"%s: /tiles: row %zu: its records' sum is not "
				"the one stated",
				p->path, t);
	if (memcmp(&p->sum, &p->r->sum, sizeof(p->sum)))
		return vs_fail(VS_ENO,
			"%s: /records: records_sum %016llx %016llx is stated, "
			"%016llx %016llx found",
			p->path, (unsigned long long)p->r->sum.h[0],
			(unsigned long long)p->r->sum.h[1],
			(unsigned long long)p->sum.h[0],
			(unsigned long long)p->sum.h[1]);
	if (p->r->has_counts && p->counts != p->r->counts)
		return vs_fail(VS_ENO,
			"%s: /records: counts_sum %016llx is stated, %016llx "
			"found",
			p->path, (unsigned long long)p->r->counts,
			(unsigned long long)p->counts);
	return 0;
}

static int
walk(struct pass *p)
{
	struct vs_block_work work = { p, check_block, take_block };
	struct vs_block_map *map = NULL;
	int n_thread = vs_h5_n_thread(), code;

	code = vs_mem_new(&p->block, (size_t)n_thread, sizeof(*p->block),
		"threads");
	if (!code)
		code = vs_mem_new(&p->tile_sum, p->n_tile, sizeof(*p->tile_sum),
			"tiles");
	if (!code)
		code = vs_block_map_new(&map, n_thread);
	if (!code)
		code = vs_block_map_run(map, p->r, 0, p->r->n_records, &work);
	vs_block_map_free(map);
	return code ? code : check_sums(p);
}

/* Values of a tile: of its pairs or of its triples. */
static int64_t
tile_values(const struct pass *p, int64_t bi, int64_t bj)
{
	const struct vs_run *run = &p->r->run;
	uint64_t n = run->n_way == 3 ? vs_cube_triples(&p->plan, bi, bj)
				     : vs_plan_pairs(&p->plan, bi, bj);

	return (int64_t)(n *
		(uint64_t)__builtin_popcount((unsigned)run->cell_mask));
}

static int
check_tile_row(const struct pass *p, size_t row, int64_t first)
{
	const struct vs_run *run = &p->r->run;
	const struct vs_tile_row *t = &p->tile[row];
	int32_t lo = t->bi < t->bj ? t->bi : t->bj;
	int32_t hi = t->bi < t->bj ? t->bj : t->bi;

	if (!vs_plan_has(&p->plan, lo, hi))
		return vs_fail(VS_ENO,
			"%s: /tiles: row %zu: %s 0 to %lld expected, tile "
			"%d %d found",
			p->path, row,
			p->place ? "a tile between the sets of blocks"
				 : "blocks",
			(long long)run->n_blocks - 1, t->bi, t->bj);
	if (t->first != first || t->count < 0 ||
		t->count > (int64_t)p->r->n_records - first)
		return vs_fail(VS_ENO,
			"%s: /tiles: row %zu: %lld records from row %lld; row "
			"%lld of %llu expected",
			p->path, row, (long long)t->count, (long long)t->first,
			(long long)first, (unsigned long long)p->r->n_records);
	if (t->evaluated != tile_values(p, lo, hi))
		return vs_fail(VS_ENO,
			"%s: /tiles: row %zu: %lld values evaluated, tile %d "
			"%d "
			"has %lld",
			p->path, row, (long long)t->evaluated, t->bi, t->bj,
			(long long)tile_values(p, lo, hi));
	return 0;
}

static int
check_shard(struct pass *p)
{
	const struct vs_run *run = &p->r->run;
	int64_t first = 0;
	/* that it fits was looked at as the file was opened */
	int code = vs_run_plan(run, &p->plan);

	if (!code)
		code = vs_result_tiles(p->r, &p->tile, &p->n_tile);
	if (code)
		return code;
	for (size_t t = 0; t < p->n_tile; t++) {
		code = check_tile_row(p, t, first);
		if (code)
			return code;
		first += p->tile[t].count;
	}
	if ((uint64_t)first != p->r->n_records)
		return vs_fail(VS_ENO,
			"%s: /tiles: hold %lld records, the file %llu", p->path,
			(long long)first, (unsigned long long)p->r->n_records);
	code = walk(p);
	return !code && p->mixed ? vs_check_twice(p->r, p->memory) : code;
}

static int
check_offsets(const struct pass *p)
{
	int64_t n = p->r->run.n_vectors, last = 0;

	for (int64_t v = 0; v <= n; v++) {
		if (p->i_offset[v] < last || (!v && p->i_offset[v]))
			return vs_fail(VS_ENO,
				"%s: /index/i_offset: row %lld: %s expected, "
				"%lld found",
				p->path, (long long)v,
				v ? "no less than the row above" : "0",
				(long long)p->i_offset[v]);
		last = p->i_offset[v];
	}
	if ((uint64_t)last != p->r->n_records)
		return vs_fail(VS_ENO,
			"%s: /index/i_offset: ends at %lld, there are %llu "
			"records",
			p->path, (long long)last,
			(unsigned long long)p->r->n_records);
	return 0;
}

/* The nodes are the vectors that occur, ascending; none at all is allowed. */
static int
check_nodes(const struct pass *p)
{
	struct vs_nodes nodes = { 0 };
	int64_t v = 0, n = p->r->run.n_vectors;
	bool has;
	int code = vs_h5_reader_has(p->r->file, "/nodes", &has);

	if (!code && has)
		code = vs_result_nodes(p->r, &nodes);
	for (size_t k = 0; !code && nodes.n && k <= nodes.n; k++) {
		int64_t found = k < nodes.n ? nodes.vector[k] : n;

		while (v < n && !p->occurs[v])
			v++;
		if (found != v)
			code = vs_fail(VS_ENO,
				"%s: /nodes/vector: row %zu: %lld expected, "
				"%lld found",
				p->path, k, (long long)v, (long long)found);
		v++;
	}
	vs_result_nodes_free(&nodes);
	return code;
}

static int
check_merged(struct pass *p)
{
	int code = vs_result_index(p->r, &p->i_offset);

	if (!code)
		code = vs_mem_new(&p->occurs, (size_t)p->r->run.n_vectors, 1,
			"vectors that occur");
	if (!code)
		code = check_offsets(p);
	if (!code)
		code = walk(p);
	if (!code)
		code = check_nodes(p);
	return code;
}

/* Statements of the run, read once for all records. */
static void
read_run(struct pass *p)
{
	const struct vs_run *run = &p->r->run;
	const struct vs_metric *m = vs_metric_find(run->metric);
	const char *op = run->threshold_op;

	/* one read proves that it is readable */
	vs_thresholds_read(run->class_thresholds, run->n_way, &p->thresholds);
	p->op = !strcmp(op, "class") ? BY_CLASS
		: !strcmp(op, "gt")  ? GREATER
		: !strcmp(op, "ge")  ? GREATER_OR_EQUAL
		: !strcmp(op, "lt")  ? LESS
		: !strcmp(op, "le")  ? LESS_OR_EQUAL
				     : ANY;
	p->f32 = !strcmp(run->value_type, "f32");
	p->cells = vs_run_has_cells(run);
	p->least = m ? vs_metric_lowest(m, true) : 0;
}

int
vs_check_result(struct vs_result *r, uint64_t memory)
{
	struct pass p = { .r = r,
		.path = vs_h5_reader_path(r->file),
		.memory = memory };
	int code = 0;

	read_run(&p);
	if (r->run.n_way != 2 && r->run.n_way != 3)
		return vs_fail(VS_ENO,
			"%s: /run: n_way 2 or 3 expected, %d "
			"found",
			p.path, r->run.n_way);
	if (*r->run.between)
		code = vs_sets_places(&r->run.sets, (uint64_t)r->run.n_vectors,
			&p.place);
	if (!code)
		code = r->kind == VS_KIND_MERGED ? check_merged(&p)
						 : check_shard(&p);
	free(p.place);
	free(p.block);
	free(p.tile_sum);
	free(p.occurs);
	free(p.i_offset);
	free(p.tile);
	vs_result_rest(r);
	return code;
}
