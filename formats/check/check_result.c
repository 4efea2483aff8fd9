/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrity check of a shard or result, beyond what reading it checks: order,
 * index, duplicates. */
#include <stdlib.h>

#include "formats/check/check.h"
#include "formats/results/block_map.h"
#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* State of one pass over the records. */
struct pass {
	struct vs_result *r;
	const char *path;
	struct vs_record last; /* of the blocks taken */
	bool any;
	struct block *block; /* of each thread */
	/* merged */
	int64_t *i_offset;
	uint8_t *occurs;
};

/* A block of records, checked by one thread. */
struct block {
	struct vs_record first, last;
	uint64_t lo;
};

/* Check that records ascend from one to the next, the second being of this
 * row. */
static int
check_order(const struct pass *p, const struct vs_record *last,
	const struct vs_record *rec, uint64_t row)
{
	int way = vs_record_compare(last, rec);

	if (way < 0)
		return 0;
	return vs_fail(VS_ENO, "%s: /records: row %llu: %s", p->path,
		(unsigned long long)row,
		way ? "comes before the row above it"
		    : "is the same as the row above it");
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
	int code = 0;

	for (size_t k = 0; k < n && !code && p->i_offset; k++) {
		code = check_index(p, &rec[k], lo + k);
		if (!code && k)
			code = check_order(p, &rec[k - 1], &rec[k], lo + k);
	}
	p->block[thread] = (struct block){ rec[0], rec[n - 1], lo };
	return code;
}

static int
take_block(void *with, int thread)
{
	struct pass *p = with;
	const struct block *b = &p->block[thread];
	int code = p->any && p->i_offset
		? check_order(p, &p->last, &b->first, b->lo)
		: 0;

	p->last = b->last;
	p->any = true;
	return code;
}

/* Read all records, which checks them. */
static int
walk(struct pass *p)
{
	struct vs_block_work work = { p, check_block, take_block };
	struct vs_block_map *map = NULL;
	int n_thread = vs_h5_n_thread();
	int code = vs_mem_new(&p->block, (size_t)n_thread, sizeof(*p->block),
		"threads");

	if (!code)
		code = vs_result_watch(p->r, false);
	if (!code)
		code = vs_block_map_new(&map, n_thread);
	if (!code)
		code = vs_block_map_run(map, p->r, p->r->n_records, &work);
	vs_block_map_free(map);
	return code ? code : vs_result_seen_check(p->r);
}

/* The nodes are the vectors that occur, ascending; there may be none. */
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

	VS_MEM_NEW(&code, p->occurs, (size_t)p->r->run.n_vectors,
		"vectors that occur");
	if (!code)
		code = walk(p);
	if (!code)
		code = check_nodes(p);
	return code;
}

int
vs_check_result(struct vs_result *r, uint64_t memory)
{
	struct pass p = { .r = r, .path = vs_h5_reader_path(r->file) };
	int code = r->kind == VS_KIND_MERGED ? check_merged(&p) : walk(&p);

	if (!code && r->kind == VS_KIND_SHARD)
		code = vs_check_twice(r, memory);
	free(p.block);
	free(p.occurs);
	free(p.i_offset);
	vs_result_rest(r);
	return code;
}
