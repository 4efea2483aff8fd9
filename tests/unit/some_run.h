/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of a run that no program has made, for tests of its files. */
#ifndef VS_TESTS_UNIT_SOME_RUN_H
#define VS_TESTS_UNIT_SOME_RUN_H

#include <string.h>

#include "formats/results/result.h"

static struct vs_run
some_run(int64_t n_vec, int n_way, const char *value_type, bool num,
	bool nvalid)
{
	struct vs_run run = {
		.run_uuid = "00000000-0000-4000-8000-000000000000",
		.metric = "ccc",
		.n_way = n_way,
		.vectors_uuid = "00000000-0000-4000-8000-000000000001",
		.vectors_content = "0123456789abcdef0123456789abcdef",
		.vectors_path = "/somewhere/x.vec.h5",
		.n_vectors = n_vec,
		.n_fields = 77,
		.compute = "cpu-scalar",
		.ccc_gamma = 2.0 / 3,
		.ccc_multiplier = 4.5,
		.missing = "none",
		.threshold_op = "none",
		.threshold = 0.7,
		.cell_mask = n_way == 3 ? 255 : 15,
		.has_num = num,
		.has_nvalid = nvalid,
		.tile = 100,
		.n_stages = 1,
		.stage_end = 1,
		.n_blocks = n_vec / 100,
		.n_proc = 1,
		.coverage = "full",
		.n_shards = 2,
		.index_space = "file",
	};

	strcpy(run.value_type, value_type);
	return run;
}

/* Values of a tile of its full blocks of 100. */
static inline int64_t
some_values(const struct vs_run *run, int64_t bi, int64_t bj)
{
	if (run->n_way == 2)
		return bi == bj ? 4950 * 4 : 10000 * 4;
	return bi == bj ? (4950 * (run->n_vectors - 100) + 161700) * 8
			: 10000 * (run->n_vectors - 100 * (bj + 1)) * 8;
}

#endif
