/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan of the sealed shards of a run, to resume it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/complete.h"
#include "formats/results/shard_log.h"
#include "formats/results/shard_writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

bool
vs_shard_writer_unfinished(const struct vs_run *run)
{
	size_t n = strlen(run->selection),
	       m = strlen(VS_SHARD_WRITER_UNFINISHED);

	return n > m &&
		!strcmp(run->selection + n - m, VS_SHARD_WRITER_UNFINISHED);
}

#define ABOVE ", so far above "

void
vs_shard_writer_set_above(struct vs_run *run, double above)
{
	size_t n = strlen(run->selection);

	snprintf(run->selection + n, sizeof(run->selection) - n, ABOVE "%.17g",
		above);
}

bool
vs_shard_writer_above(const struct vs_run *run, double *above)
{
	const char *at = strstr(run->selection, ABOVE);

	if (!at || !vs_shard_writer_unfinished(run))
		return false;
	*above = strtod(at + strlen(ABOVE), NULL);
	return true;
}

/* Restore the selection of an unfinished run. */
static void
finish_selection(struct vs_run *run)
{
	char *at = strstr(run->selection, ABOVE);

	if (!vs_shard_writer_unfinished(run))
		return;
	run->selection[strlen(run->selection) -
		strlen(VS_SHARD_WRITER_UNFINISHED)] = 0;
	if (at)
		*at = 0;
}

/* A shard, some of its tiles at a time. */
struct scan {
	struct vs_plan plan;
	double least, *above;
};

static int
note_some(void *ctx, const struct vs_tile_row *tile, size_t n)
{
	struct scan *s = ctx;

	for (size_t k = 0; k < n; k++) {
		double *at = &s->above[vs_plan_number(&s->plan, tile[k].bi,
			tile[k].bj)];

		*at = fmin(*at, s->least);
	}
	return 0;
}

/* Note the value down to which a shard's tiles have been searched. */
static int
note_above(struct vs_result *r, double least, double **above)
{
	struct scan s = { .least = least };
	int code = vs_run_plan(&r->run, &s.plan);
	uint64_t n = code ? 0 : vs_plan_n_tile(&s.plan);

	if (!code && !*above) {
		code = vs_mem_room(above, n, sizeof(**above), "list of tiles");
		for (uint64_t t = 0; t < n && !code; t++)
			(*above)[t] = INFINITY;
	}
	s.above = *above;
	return code ? code : vs_result_tiles_each(r, note_some, &s, &n);
}

/* Take the grid and the identity of the run from the first file found. */
static int
take_grid(const struct vs_run *found, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	struct vs_plan plan;
	int code;

	if (sealed->done)
		return 0;
	run->tile = found->tile;
	run->n_blocks = found->n_blocks;
	run->row_tiles = found->row_tiles;
	memcpy(run->order, found->order, sizeof(run->order));
	memcpy(run->run_uuid, found->run_uuid, sizeof(run->run_uuid));
	code = vs_run_plan(found, &plan);
	return code ? code
		    : vs_mem_new(&sealed->done, vs_plan_n_tile(&plan) / 64 + 1,
			      8, "list of tiles");
}

static int
check_run(const char *path, struct vs_run *run, const struct vs_run *found)
{
	const char *why = vs_run_differs(run, found);

	return why ? vs_fail(VS_EINPUT,
			     "%s: belongs to another run: its %s differs; give "
			     "another directory",
			     path, why)
		   : vs_null_maxima_join(run->null_maxima, found->null_maxima,
			     run->permutations, path);
}

static int
held_twice(const char *path)
{
	return vs_fail(VS_EINPUT,
		"%s: holds tiles that another shard of the run holds too: "
		"remove it, and --resume repeats its part",
		path);
}

/* flags: of vs_result_open() */
static int
scan_file(const char *path, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed, unsigned flags)
{
	struct vs_result *r = NULL;
	uint64_t n_tile = 0, n_new = 0;
	double least = 0;
	bool begun, has = false;
	int code = vs_result_open(&r, path, VS_H5_OURS | flags);

	if (!code)
		code = take_grid(&r->run, run, sealed);
	begun = !code && vs_shard_writer_above(&r->run, &least);
	if (!code)
		finish_selection(&r->run);
	if (!code)
		code = check_run(path, run, &r->run);
	if (!code)
		code = begun ? note_above(r, least, &sealed->above)
			     : vs_result_tiles_mark(r, sealed->done, &n_new,
				       &n_tile);
	if (!code && n_new < n_tile) {
		/* a selection from fewer tiles */
		if (n_new || !*run->selection)
			code = held_twice(path);
		else if (!sealed->look && unlink(path))
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove",
				path);
	}
	if (!code && n_new && sealed->counts)
		code = vs_tile_counts_add_file(sealed->counts, r->file, &has);
	if (!code && n_new && sealed->counts && !has)
		sealed->n_bare += n_new;
	if (!code)
		sealed->n_done += n_new;
	if (!code && n_new) {
		sealed->n_record += r->n_records;
		vs_digest_sum_add(&sealed->sum, &r->sum);
	}
	vs_result_close(r);
	return code;
}

/* Mark the tiles of a log. */
static int
mark_log(const struct vs_shard_log *l, struct vs_shard_writer_sealed *sealed)
{
	const struct vs_shard_log_state is = vs_shard_log_state(l);
	struct vs_counted list[2];
	struct vs_plan plan;
	uint64_t n_new = 0;
	int code = vs_run_plan(&is.head->run, &plan);

	/* vs_shard_log_open() has checked that the tiles are in the grid */
	for (size_t k = 0; k < is.n_tile && !code; k++)
		n_new += vs_plan_mark(&plan, sealed->done, is.tile[k].bi,
			is.tile[k].bj);
	if (!code && n_new < is.n_tile)
		code = held_twice(is.path);
	if (code)
		return code;
	if (sealed->counts && !is.counts->count)
		sealed->n_bare += n_new;
	else if (sealed->counts &&
		vs_tile_counts_alike(sealed->counts, is.counts))
		vs_tile_counts_add(sealed->counts,
			vs_tile_counts_all(is.counts, list));
	else if (sealed->counts)
		return vs_fail(VS_EINPUT,
			"%s: has other buckets than values of the run; remove "
			"it to repeat its part",
			is.path);
	sealed->n_done += n_new;
	sealed->n_record += is.n_records;
	vs_digest_sum_add(&sealed->sum, &is.sum);
	return 0;
}

/* Scan a log; skip it if it has no commit or its shard exists. */
static int
scan_log(const char *path, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	struct vs_shard_log *l = NULL;
	int code = vs_shard_log_open(&l, path);

	if (code || vs_shard_log_is_empty(l) ||
		!access(vs_shard_log_state(l).shard, F_OK)) {
		vs_shard_log_close(l);
		return code;
	}
	code = take_grid(&vs_shard_log_state(l).head->run, run, sealed);
	if (!code)
		code = check_run(path, run, &vs_shard_log_state(l).head->run);
	if (!code)
		code = mark_log(l, sealed);
	vs_shard_log_close(l);
	return code;
}

static int
scan_logs(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards_logs(dir, &files);

	for (size_t k = 0; k < files.n && !code; k++)
		code = scan_log(vs_text_pool_string(&files, k), run, sealed);
	vs_text_pool_free(&files);
	return code;
}

struct sized {
	const char *path;
	uint64_t n_tile;
};

static int
by_tiles(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	return x->n_tile != y->n_tile ? x->n_tile < y->n_tile ? 1 : -1
				      : strcmp(x->path, y->path);
}

static int
size_of(const char *path, uint64_t *n)
{
	struct vs_result *r = NULL;
	int code = vs_result_open(&r, path, VS_H5_OURS | VS_H5_TRUSTED);

	if (!code)
		code = vs_result_tiles_each(r, NULL, NULL, n);
	vs_result_close(r);
	return code;
}

/*
 * If records were selected, each file also has the tiles of those before it:
 * the one with most is used, and those whose tiles it all has are removed.
 * files is freed.
 */
static int
scan_selected(struct vs_text_pool *files, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	struct sized *file = NULL;
	int code = vs_mem_new(&file, files->n, sizeof(*file), "file names");

	for (size_t k = 0; k < files->n && !code; k++) {
		file[k].path = vs_text_pool_string(files, k);
		code = size_of(file[k].path, &file[k].n_tile);
	}
	if (!code && files->n)
		qsort(file, files->n, sizeof(*file), by_tiles);
	for (size_t k = 0; k < files->n && !code; k++)
		code = scan_file(file[k].path, run, sealed, 0);
	free(file);
	vs_text_pool_free(files);
	if (code) {
		free(sealed->done);
		free(sealed->above);
		sealed->done = NULL;
		sealed->above = NULL;
	}
	return code;
}

static void
forget(struct vs_shard_writer_sealed *sealed)
{
	free(sealed->done);
	sealed->done = NULL;
	sealed->n_done = sealed->n_record = sealed->n_bare = 0;
	sealed->sum = (struct vs_digest_sum){ { 0, 0 } };
}

static int
scan_all(const struct vs_text_pool *files, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed, unsigned flags)
{
	int code = 0;

	for (size_t k = 0; k < files->n && !code; k++)
		code = scan_file(vs_text_pool_string(files, k), run, sealed,
			flags);
	return code;
}

/*
 * Check the shards against a completion file. Their records are not used here:
 * what the shards state has to add up to it.
 * found    false: it does not, and nothing is known
 */
static int
scan_complete(const char *dir, const struct vs_text_pool *files,
	struct vs_run *run, struct vs_shard_writer_sealed *sealed, bool *found)
{
	struct vs_complete mark = { 0 };
	const bool look = sealed->look;
	int code = vs_complete_read(dir, &mark, found);

	sealed->look = true; /* listed files stay for the other scan */
	if (!code && *found && mark.n_shards == files->n)
		code = scan_all(files, run, sealed, VS_H5_FAST);
	sealed->look = look;
	*found = !code && *found && sealed->n_done == mark.n_tiles &&
		sealed->n_record == mark.n_records &&
		vs_digest_sum_equal(&sealed->sum, &mark.sum);
	if (!*found)
		forget(sealed);
	/* the scan that reads everything reports what is wrong */
	if (code == VS_EINPUT) {
		vs_fail_clear();
		code = 0;
	}
	return code;
}

int
vs_shard_writer_scan(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	struct vs_text_pool files = { 0 };
	int code = sealed->look ? 0 : vs_run_shards_sweep(dir);
	bool found = false;

	sealed->done = NULL;
	sealed->above = NULL;
	sealed->n_done = sealed->n_record = sealed->n_bare = 0;
	sealed->sum = (struct vs_digest_sum){ { 0, 0 } };
	if (!code)
		code = vs_run_shards(dir, &files);
	if (!code && *run->selection)
		return scan_selected(&files, run, sealed);
	/* histograms and permutations become the output of this run */
	if (!code && !sealed->counts && !run->permutations)
		code = scan_complete(dir, &files, run, sealed, &found);
	if (!code && !found)
		code = scan_all(&files, run, sealed, 0);
	if (!code && !found)
		code = scan_logs(dir, run, sealed);
	vs_text_pool_free(&files);
	if (code) {
		free(sealed->done);
		sealed->done = NULL;
	}
	return code;
}
