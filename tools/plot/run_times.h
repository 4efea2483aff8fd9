/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times at which the tiles of a run were finished, from its sealed shards: each
 * states when its program began and when it was sealed, and the seconds that
 * each of its tiles took.
 */
#ifndef VS_TOOLS_PLOT_RUN_TIMES_H
#define VS_TOOLS_PLOT_RUN_TIMES_H

#include "formats/results/result.h"

#define VS_RUN_TIMES_PARTS 200

struct vs_run_times_shard {
	int32_t rank, stage_begin, stage_end;
	uint64_t n_tile, n_record;
	/* seconds of work since the run began: the shard before it was sealed,
	 * and it was sealed */
	double begin, end;
	/* tiles and records finished in each part of that time */
	uint32_t tile[VS_RUN_TIMES_PARTS];
	uint64_t record[VS_RUN_TIMES_PARTS];
	/* of the reading */
	size_t number;          /* in the order of the files */
	double core, total;     /* seconds of its tiles; of its program, or 0 */
	double started, sealed; /* since 1970 */
};

struct vs_run_times {
	struct vs_run run;                /* of the first shard */
	struct vs_run_times_shard *shard; /* by rank, and by time */
	size_t n, room;
	uint64_t n_tile, n_record, n_all; /* of all shards; tiles of the run */
	int n_rank;                       /* the greatest rank, and 1 */
	double *start; /* of each time that the run was started, first 0 */
	int n_start;
	double seconds; /* of work, without the time between two starts */
};

/*
 * Read the shards of a run directory, or one shard.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_run_times_read(struct vs_run_times *t, const char *path);
void vs_run_times_free(struct vs_run_times *t);

#endif
