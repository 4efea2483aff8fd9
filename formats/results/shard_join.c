/* SPDX-License-Identifier: BSD-3-Clause */
/* Several shards of a rank become one. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/result_seen.h"
#include "formats/results/shard_join.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define ROWS (4 * 65536) /* records copied at a time: chunks side by side */

/* Threads that wait for HDF5, to read vectors, go first. */
static void
let_in(const struct vs_shard_writer_plan *plan)
{
	if (!plan->door)
		return;
	pthread_mutex_unlock(plan->door);
	sched_yield();
	pthread_mutex_lock(plan->door);
}

static int
check_stop(const struct vs_shard_join *j)
{
	return j->plan->stop && j->plan->stop() ? VS_DONE : 0;
}

static int
copy(const struct vs_shard_join *j, struct vs_result *from,
	struct vs_result_writer *to, uint64_t *n_records)
{
	struct vs_tile_row *tile = NULL;
	struct vs_record *rec = NULL;
	size_t n_tile = 0;
	/* in addition to the memory of the computation */
	const uint64_t most = j->beside ? ROWS / 4 : ROWS;
	int code = vs_result_tiles(from, &tile, &n_tile);

	if (!code)
		code = vs_mem_room(&rec, most, sizeof(*rec), "records");
	for (uint64_t lo = 0; lo < from->n_records && !code; lo += most) {
		uint64_t hi = from->n_records - lo < most ? from->n_records
							  : lo + most;

		if (j->beside)
			let_in(j->plan);
		code = check_stop(j);
		if (!code)
			code = vs_result_read(from, lo, hi, rec);
		if (!code)
			code = vs_result_add(to, rec, (size_t)(hi - lo));
	}
	for (size_t k = 0; k < n_tile && !code; k++) {
		tile[k].first += (int64_t)*n_records;
		code = vs_result_tile(to, &tile[k]);
	}
	*n_records += from->n_records;
	free(rec);
	free(tile);
	return code;
}

/* The stages of all files, and their permutations. */
static int
span_stages(const struct vs_text_pool *files, struct vs_run *run)
{
	int code = 0;

	for (size_t k = 0; k < files->n && !code; k++) {
		struct vs_result *r = NULL;

		code = vs_result_open(&r, vs_text_pool_string(files, k),
			VS_H5_OURS | VS_H5_TRUSTED);
		if (!code && r->run.stage_begin < run->stage_begin)
			run->stage_begin = r->run.stage_begin;
		if (!code && r->run.stage_end > run->stage_end)
			run->stage_end = r->run.stage_end;
		if (!code)
			code = vs_null_maxima_join(run->null_maxima,
				r->run.null_maxima, run->permutations,
				vs_h5_reader_path(r->file));
		vs_result_close(r);
	}
	return code;
}

static int
copy_all(const struct vs_shard_join *j, struct vs_result_writer *w,
	struct vs_digest_sum *source_sum, struct vs_tile_counts *counts)
{
	uint64_t n_records = 0;
	int code = 0;
	bool has;

	for (size_t k = 0; k < j->files->n && !code; k++) {
		struct vs_result *r = NULL;

		code = vs_result_open(&r, vs_text_pool_string(j->files, k),
			VS_H5_OURS | VS_H5_TRUSTED);
		if (!code)
			code = vs_result_watch(r, false);
		if (!code)
			code = copy(j, r, w, &n_records);
		if (!code)
			code = vs_result_seen_check(r);
		if (!code)
			vs_digest_sum_add(source_sum, &r->source_sum);
		if (!code && counts->count)
			code = vs_tile_counts_add_file(counts, r->file, &has);
		vs_result_close(r);
	}
	return code;
}

int
vs_shard_join_remove(const struct vs_shard_join *j)
{
	for (size_t k = 0; k < j->files->n; k++) {
		const char *one = vs_text_pool_string(j->files, k);

		if (strcmp(one, j->path) && unlink(one))
			return vs_fail_errno(VS_EMACHINE, "%s: cannot remove",
				one);
	}
	return 0;
}

int
vs_shard_join(const struct vs_shard_join *j)
{
	struct vs_result_plan plan = { .path = j->path,
		.kind = VS_KIND_SHARD,
		.codec = j->plan->codec,
		.generator = j->plan->generator,
		.force = true };
	struct vs_digest_sum source_sum = { { 0 } };
	struct vs_tile_counts counts;
	struct vs_result_end end = { .provenance = j->plan->provenance,
		.stats = j->stats,
		.source_sum = &source_sum,
		.counts = &counts };
	struct vs_result_writer *w = NULL;
	struct vs_run run = *j->run;
	int code = span_stages(j->files, &run);

	if (!code)
		code = vs_tile_counts_like(&counts, j->plan->counts);
	if (code)
		return code;
	code = vs_result_create(&w, &plan, &run);
	if (!code)
		code = copy_all(j, w, &source_sum, &counts);
	if (code)
		vs_result_abandon(w);
	else
		code = vs_result_finish(w, &end, NULL);
	vs_tile_counts_free(&counts);
	return code;
}
