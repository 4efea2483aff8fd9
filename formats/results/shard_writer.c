/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of a rank's shards: a log that turns into one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/shard_log.h"
#include "formats/results/shard_names.h"
#include "formats/results/shard_writer.h"
#include "formats/results/write_behind.h"
#include "libcore/base/clock.h"
#include "libcore/base/mem.h"

#define PATIENCE 1.0 /* seconds that a tile may wait to be written */
#define PART 4       /* share of commit_seconds: lost on a signal */
#define ASIDE 9999   /* segment number of shards that replace each other */

struct vs_shard_writer {
	struct vs_shard_writer_plan plan;
	struct vs_text dir; /* of this rank */
	struct vs_run run;
	struct vs_write_behind *behind;
	uint64_t n_since; /* records since a tile was finished */
	/* the writing thread's, and others' when it is not writing */
	pthread_mutex_t lock;
	struct vs_shard_log *log; /* null: none begun */
	bool any;                 /* one was begun */
	bool whole;               /* it ends with a tile */
	double safe;              /* time of the last commit */
	char *path;               /* of its shard */
};

static void
enter(const struct vs_shard_writer *s)
{
	if (s->plan.door)
		pthread_mutex_lock(s->plan.door);
}

static void
leave(const struct vs_shard_writer *s)
{
	if (s->plan.door)
		pthread_mutex_unlock(s->plan.door);
}

static int
check_input(const struct vs_shard_writer *s)
{
	int code;

	enter(s);
	code = s->plan.input ? vs_h5_reader_unchanged(s->plan.input) : 0;
	leave(s);
	return code;
}

/* True if a name is taken, by a shard or by its log. */
static bool
is_taken(struct vs_text *path)
{
	const size_t n = path->len;
	bool taken = !access(path->bytes, F_OK) ||
		vs_text_add(path, VS_SHARD_NAMES_LOG) ||
		!access(path->bytes, F_OK);

	path->len = n;
	path->bytes[n] = 0;
	return taken;
}

int
vs_shard_writer_aside(const struct vs_shard_writer_plan *plan,
	struct vs_text *path)
{
	struct vs_text dir = { 0 };
	int code =
		vs_shard_names_dir(&dir, plan->dir, plan->rank, plan->n_rank);

	if (!code)
		code = vs_text_add(path, VS_SHARD_NAMES_SEGMENT, dir.bytes,
			plan->rank, ASIDE);
	vs_text_free(&dir);
	return code;
}

/* The rank's own name, or that of the first free segment. */
static int
choose_name(const struct vs_shard_writer *s, struct vs_text *path)
{
	int code;

	if (s->plan.same)
		return vs_shard_writer_aside(&s->plan, path);
	code = vs_text_add(path, VS_SHARD_NAMES_WHOLE, s->dir.bytes,
		s->plan.rank);

	if (code || (!s->plan.aside && !is_taken(path)))
		return code;
	for (int k = 0; !code; k++) {
		path->len = 0;
		code = vs_text_add(path, VS_SHARD_NAMES_SEGMENT, s->dir.bytes,
			s->plan.rank, k);
		if (!code && !is_taken(path))
			break;
	}
	return code;
}

static struct vs_shard_log_plan
log_plan(const struct vs_shard_writer *s)
{
	return (struct vs_shard_log_plan){ .force = s->plan.same,
		.codec = s->plan.codec,
		.generator = s->plan.generator,
		.provenance = s->plan.provenance,
		.counts = s->plan.counts };
}

static int
begin(struct vs_shard_writer *s)
{
	struct vs_shard_log_plan plan = log_plan(s);
	struct vs_text path = { 0 };
	int code = choose_name(s, &path);

	plan.path = path.bytes;
	enter(s);
	if (!code)
		code = vs_shard_log_new(&s->log, &plan, &s->run);
	leave(s);
	free(s->path);
	s->path = path.bytes;
	s->any = true;
	return code;
}

/* Continue the log left by a rank of this number. */
static int
go_on(struct vs_shard_writer *s)
{
	const struct vs_shard_log_plan plan = log_plan(s);
	struct vs_text_pool files = { 0 };
	bool segment;
	int code = vs_run_shards_logs(s->plan.dir, &files);

	for (size_t k = 0; k < files.n && !code && !s->log; k++) {
		const char *path = vs_text_pool_string(&files, k);

		if (vs_shard_names_rank(path, &segment) != s->plan.rank)
			continue;
		code = vs_shard_log_open(&s->log, path);
		if (!code)
			code = vs_shard_log_each(s->log, NULL, NULL);
		if (!code)
			code = vs_shard_log_go_on(s->log, &plan, &s->run);
		if (!code)
			code = vs_mem_copy_text(&s->path,
				vs_shard_log_state(s->log).shard);
		s->any = s->whole = true;
	}
	vs_text_pool_free(&files);
	return code;
}

static int
commit(struct vs_shard_writer *s)
{
	const struct vs_shard_log_state is = vs_shard_log_state(s->log);
	int code = is.n_committed < is.n_tile ? check_input(s) : 0;

	if (!code && is.n_committed < is.n_tile)
		code = vs_shard_log_commit(s->log);
	s->safe = vs_clock();
	return code;
}

static int
seal(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	struct vs_shard_log *log = s->log;
	int code = log ? check_input(s) : 0;

	s->log = NULL;
	enter(s);
	if (log && !code)
		code = vs_shard_log_seal(log, s->plan.generator, stats);
	leave(s);
	vs_shard_log_close(log);
	return code;
}

/* Commit at intervals, if the last tile has ended. */
static int
commit_if_due(struct vs_shard_writer *s, double seconds)
{
	return !s->log || !s->whole || vs_clock() - s->safe < seconds
		? 0
		: commit(s);
}

static int
tend(void *ctx)
{
	struct vs_shard_writer *s = ctx;
	int code;

	pthread_mutex_lock(&s->lock);
	code = commit_if_due(s, s->plan.commit_seconds);
	pthread_mutex_unlock(&s->lock);
	return code;
}

/* Append records; the last tile may have some or none of them. */
static int
write_records(struct vs_shard_writer *s, const struct vs_record *rec, size_t n)
{
	int code = s->log ? 0 : begin(s);

	return code ? code : vs_shard_log_add(s->log, rec, n);
}

static int
write_tiles(struct vs_shard_writer *s,
	const struct vs_write_behind_batch *batch)
{
	struct vs_counted list[2];
	const size_t n_whole = batch->n_tile ? batch->n_whole : 0;
	int code = batch->n_tile ? write_records(s, batch->rec, n_whole) : 0;

	for (size_t k = 0; k < batch->n_tile && !code; k++)
		code = vs_shard_log_tile(s->log, &batch->tile[k].row,
			&batch->tile[k].source_sum);
	if (!code && batch->n_tile)
		vs_shard_log_counts(s->log,
			vs_tile_counts_all(&batch->counts, list));
	s->whole |= batch->n_tile > 0;
	if (!code)
		code = commit_if_due(s, s->plan.commit_seconds);
	if (code || batch->n == n_whole)
		return code;
	/* a tile with many records begins: once part of it is in the log,
	 * nothing is committed before its end, so whole tiles are committed
	 * first, though not for each tile */
	code = commit_if_due(s, s->plan.commit_seconds / PART);
	if (!code)
		code = write_records(s, batch->rec + n_whole,
			batch->n - n_whole);
	s->whole = false;
	return code;
}

static int
write_batch(void *ctx, const struct vs_write_behind_batch *batch)
{
	struct vs_shard_writer *s = ctx;
	int code;

	pthread_mutex_lock(&s->lock);
	code = write_tiles(s, batch);
	pthread_mutex_unlock(&s->lock);
	return code;
}

int
vs_shard_writer_new(struct vs_shard_writer **s,
	const struct vs_shard_writer_plan *plan, const struct vs_run *run)
{
	struct vs_write_behind_plan behind = { .write = write_batch,
		.tend = tend,
		.counts = plan->counts,
		.alone = plan->n_thread < 2,
		.patience = plan->commit_seconds < PATIENCE
			? plan->commit_seconds
			: PATIENCE };
	struct vs_shard_writer *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "segments");

	if (code)
		return code;
	p->plan = *plan;
	p->run = *run;
	p->run.shard = plan->rank;
	p->safe = vs_clock();
	pthread_mutex_init(&p->lock, NULL);
	behind.ctx = p;
	vs_h5_threads(plan->n_thread);
	code = vs_shard_names_dir(&p->dir, plan->dir, plan->rank, plan->n_rank);
	if (!code && plan->resume && !plan->aside)
		code = go_on(p);
	if (!code)
		code = vs_write_behind_new(&p->behind, &behind);
	if (code)
		vs_shard_writer_abandon(p);
	else
		*s = p;
	return code;
}

const char *
vs_shard_writer_path(const struct vs_shard_writer *s)
{
	return s->path;
}

int
vs_shard_writer_settle(struct vs_shard_writer *s)
{
	int code = vs_write_behind_flush(s->behind);

	/* the writing thread may be committing too, as time passes */
	pthread_mutex_lock(&s->lock);
	/* a rank without tiles writes a shard without records to say so */
	if (!code && !s->any)
		code = begin(s);
	if (!code)
		code = seal(s, NULL);
	pthread_mutex_unlock(&s->lock);
	return code;
}

bool
vs_shard_writer_dropped(const struct vs_shard_writer *s)
{
	struct vs_shard_log_state is;

	if (!s->log)
		return false;
	is = vs_shard_log_state(s->log);
	return is.n_committed < is.n_tile;
}

int
vs_shard_writer_stop(struct vs_shard_writer *s)
{
	int code = vs_write_behind_close(s->behind);

	pthread_mutex_lock(&s->lock);
	/* part of a tile is useless */
	if (!code && s->log && s->whole)
		code = commit(s);
	pthread_mutex_unlock(&s->lock);
	return code;
}

int
vs_shard_writer_add(struct vs_shard_writer *s, const struct vs_record *rec,
	size_t n)
{
	s->n_since += n;
	return vs_write_behind_add(s->behind, rec, n);
}

int
vs_shard_writer_tile(struct vs_shard_writer *s, const struct vs_tile_row *row,
	const struct vs_digest_sum *source_sum, const struct vs_counted *counts)
{
	struct vs_write_behind_tile tile = { *row, *source_sum, counts };

	tile.row.count = (int64_t)s->n_since;
	s->n_since = 0;
	return vs_write_behind_tile(s->behind, &tile);
}

/* Whether this rank has a shard already. */
static int
has_shard(const struct vs_shard_writer *s, bool *has)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(s->dir.bytes, &files);
	bool segment;

	*has = false;
	for (size_t k = 0; k < files.n; k++)
		*has |= vs_shard_names_rank(vs_text_pool_string(&files, k),
				&segment) == s->plan.rank;
	vs_text_pool_free(&files);
	return code;
}

int
vs_shard_writer_finish(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	bool has = false;
	int code = vs_write_behind_flush(s->behind);

	/* the writing thread must not commit anything from here on */
	if (!code)
		code = vs_write_behind_close(s->behind);
	if (!code && !s->any)
		code = has_shard(s, &has);
	/* a rank without tiles writes a shard without records that states its
	 * stage */
	if (!code && !s->any && (!has || s->run.n_stages > 1))
		code = begin(s);
	if (!code)
		code = seal(s, stats);
	vs_shard_writer_abandon(s);
	return code;
}

void
vs_shard_writer_abandon(struct vs_shard_writer *s)
{
	if (!s)
		return;
	vs_write_behind_free(s->behind);
	vs_shard_log_close(s->log);
	pthread_mutex_destroy(&s->lock);
	vs_text_free(&s->dir);
	free(s->path);
	free(s);
}
