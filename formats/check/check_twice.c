/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for duplicate records in a shard whose records are not sorted. */
#include "formats/check/check.h"
#include "formats/results/bucket_sort.h"
#include "formats/results/ordered.h"
#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"

struct twice {
	struct vs_result *r;
	uint64_t memory; /* bytes for sorting */
};

static int
open_shard(void *with, size_t s, struct vs_result **r)
{
	(void)s;
	*r = ((struct twice *)with)->r;
	return 0;
}

static void
leave_shard(void *with, size_t s, struct vs_result *r)
{
	(void)with;
	(void)s;
	(void)r;
}

/* VS_DONE: there is not enough memory. */
static int
find_in_memory(struct twice *t)
{
	struct vs_bucket_source source = {
		.ctx = t,
		.n = 1,
		.n_vec = (uint64_t)t->r->run.n_vectors,
		.open = open_shard,
		.leave = leave_shard,
	};
	struct vs_bucket_sort *b = NULL;
	struct vs_record *rec;
	size_t n = 1;
	int code = vs_bucket_sort_new(&b, &source, t->memory, vs_h5_n_thread());

	while (!code && n) {
		code = vs_bucket_sort_next(b, &rec, &n);
		/* records of one first vector are in one band */
		for (size_t k = 1; k < n && !code; k++)
			if (!vs_record_compare(&rec[k - 1], &rec[k]))
				code = vs_result_comes_twice(t->r, &rec[k]);
	}
	vs_bucket_sort_free(b);
	return code;
}

static int
find_on_disk(struct twice *t)
{
	struct vs_result *const shard[] = { t->r };
	struct vs_ordered *o = NULL;
	struct vs_record last = { 0 }, rec;
	uint64_t n = 0;
	int code = vs_ordered_new(&o, shard, 1, t->memory), more = 0;

	while (!code && (more = vs_ordered_next(o, &rec)) > 0) {
		if (n++ && !vs_record_compare(&last, &rec))
			code = vs_result_comes_twice(t->r, &rec);
		last = rec;
	}
	vs_ordered_free(o);
	return code ? code : more;
}

int
vs_check_twice(struct vs_result *r, uint64_t memory)
{
	struct twice t = { r, memory };
	int code = vs_result_seen_once(r) ? 0 : find_in_memory(&t);

	return code == VS_DONE ? find_on_disk(&t) : code;
}
