/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for duplicate records in a shard whose records are not sorted. */
#include "formats/check/check.h"
#include "formats/results/ordered.h"
#include "formats/results/result_seen.h"

int
vs_check_twice(struct vs_result *r, uint64_t memory)
{
	struct vs_ordered *o = NULL;
	struct vs_record last = { 0 }, rec;
	uint64_t n = 0;
	int code, more = 0;

	if (vs_result_seen_once(r))
		return 0;
	code = vs_ordered_new(&o, &r, 1, memory);
	while (!code && (more = vs_ordered_next(o, &rec)) > 0) {
		if (n++ && !vs_record_compare(&last, &rec))
			code = vs_result_comes_twice(r, &rec);
		last = rec;
	}
	vs_ordered_free(o);
	return code ? code : more;
}
