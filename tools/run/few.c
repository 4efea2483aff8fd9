/* SPDX-License-Identifier: BSD-3-Clause */
/* Warning if the strongest record of a run rests on few samples. */
#include <math.h>
#include <string.h>

#include "libcore/plan/comm.h"
#include "tools/run/few.h"
#include "tools/shared/tool.h"

#define SHARE 4 /* less than 1 / SHARE of the samples is few */

void
vs_few_see(struct vs_few *few, const struct vs_record *rec, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const struct vs_record *best = &few->top;

		if (few->any &&
			(rec[k].value < best->value ||
				(rec[k].value == best->value &&
					vs_record_compare(&rec[k], best) >= 0)))
			continue;
		few->top = rec[k];
		few->any = true;
	}
}

/* The strongest of all ranks, by one key after the other; false: there is none.
 * What is equal in all keys is one record, on one rank. */
static bool
agree(const struct vs_few *few, struct vs_record *out)
{
	const struct vs_record *r = &few->top;
	const bool triple = few->any && r->k != VS_NO_VEC;
	const bool cell = few->any && r->cell != VS_NO_CELL;
	/* indices are below 2^53; a pair has no k, and some metrics no cell */
	const double key[] = { r->value, -(double)r->i, -(double)r->j,
		triple ? -(double)r->k : 0, cell ? -(double)r->cell : 0,
		(double)r->nvalid };
	const int n_key = sizeof(key) / sizeof(key[0]);
	double most[sizeof(key) / sizeof(key[0])];
	bool mine = few->any;

	for (int k = 0; k < n_key; k++) {
		most[k] = mine ? key[k] : -INFINITY;
		vs_comm_max_f64(&most[k], 1);
		mine = mine && key[k] == most[k];
	}
	if (isinf(most[0]))
		return false;
	*out = (struct vs_record){ .i = (uint32_t)-most[1],
		.j = (uint32_t)-most[2],
		.k = (uint32_t)-most[3],
		.value = most[0],
		.nvalid = (int32_t)most[5] };
	return true;
}

int
vs_few_warn(const struct vs_few *few, const struct vs_run *run,
	struct vs_packed *vectors)
{
	struct vs_record r = { 0 };
	char id[3][VS_PACKED_ID] = { "" };
	int code = 0;

	if (!run->has_nvalid || run->min_joint || !agree(few, &r) ||
		r.nvalid * SHARE >= run->n_fields || vs_comm_rank())
		return 0;
	for (int x = 0; x < run->n_way && !code; x++)
		code = vs_packed_id(vectors,
			x == 2      ? r.k
				: x ? r.j
				    : r.i,
			id[x]);
	if (code)
		return code;
	vs_tool_warn("the strongest %s (%s, %s%s%s) rests on %lld of %lld "
		     "samples: --min-joint leaves such out",
		run->n_way == 3 ? "triple" : "pair", id[0], id[1],
		run->n_way == 3 ? ", " : "", id[2], (long long)r.nvalid,
		(long long)run->n_fields);
	return 0;
}
