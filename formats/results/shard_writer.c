/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpointed writer of a rank's shards. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "formats/results/shard_join.h"
#include "formats/results/shard_names.h"
#include "formats/results/shard_writer.h"
#include "formats/results/write_behind.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

#define PATIENCE 1.0 /* seconds that a tile may wait to be written */
#define PART 4       /* of commit_seconds: lost on a signal */
#define KEPT 4       /* files of a rank that need not become one */
#define KEPT_SEALED 2
#define TOGETHER 8        /* files that become one where there are many */
#define SHARE 0.05        /* of the time since the start, for joins, beside */
#define AT_FIRST 1        /* core second */
#define JOIN_SECONDS 0.01 /* of one, however small; and bytes a second */
#define RATE 3e7

struct vs_shard_writer {
	struct vs_shard_writer_plan plan;
	struct vs_text dir; /* of this rank */
	struct vs_run run;
	struct vs_write_behind *behind;
	uint64_t n_since; /* records since a tile was finished */
	/* the writer's, unless it was flushed */
	struct vs_result_writer *writer; /* null: none begun */
	struct vs_digest_sum source_sum; /* of the one begun */
	struct vs_tile_counts counts;    /* likewise */
	uint64_t n_records, n_tile;      /* in the one begun */
	bool whole;                      /* it ends with a tile */
	double begun, sealed;            /* from when on, up to when all is */
	double join_seconds, join_bytes; /* of its files while it runs */
	char *path;                      /* of the last one begun */
	int sequence;
};

static int
begin(struct vs_shard_writer *s)
{
	struct vs_result_plan plan = { .kind = VS_KIND_SHARD,
		.codec = s->plan.codec,
		.generator = s->plan.generator };
	struct vs_text path = { 0 };
	int code;

	/* numbers of an earlier attempt are passed over */
	do {
		path.len = 0;
		code = vs_text_add(&path, VS_SHARD_NAMES_SEGMENT, s->dir.bytes,
			s->plan.rank, s->sequence++);
	} while (!code && !access(path.bytes, F_OK));
	plan.path = path.bytes;
	if (!code)
		code = vs_result_create(&s->writer, &plan, &s->run);
	free(s->path);
	s->path = path.bytes;
	s->n_records = s->n_tile = 0;
	memset(&s->source_sum, 0, sizeof(s->source_sum));
	vs_tile_counts_clear(&s->counts);
	return code;
}

static int
seal(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	struct vs_result_end end = { .provenance = s->plan.provenance,
		.stats = stats,
		.source_sum = &s->source_sum,
		.counts = &s->counts };
	struct vs_result_writer *w = s->writer;
	int code = 0;

	s->writer = NULL;
	s->sealed = vs_clock();
	if (w && s->plan.input)
		code = vs_h5_reader_unchanged(s->plan.input);
	if (code)
		vs_result_abandon(w);
	return w && !code ? vs_result_finish(w, &end, NULL) : code;
}

/* This rank's files in the directory, NUL-terminated within the pool; or its
 * segments alone. */
static int
own_files(const struct vs_shard_writer *s, bool segments,
	struct vs_text_pool *own)
{
	struct vs_text_pool all = { 0 };
	int code = vs_run_shards(s->dir.bytes, &all);

	for (size_t k = 0; k < all.n && !code; k++) {
		const char *path = vs_text_pool_string(&all, k);
		bool segment;

		if (vs_shard_names_rank(path, &segment) == s->plan.rank &&
			(segment || !segments))
			code = vs_text_pool_add(own, path, strlen(path) + 1);
	}
	vs_text_pool_free(&all);
	return code;
}

/*
 * Index of the first file to join, with all behind it; n: none. Where there is
 * time for that, all become one, or all but the first: that one stays until the
 * others are about as large as the root of its size, so that joins cost least
 * in all. Else many wait for each other, and each is written again a few times.
 */
static size_t
choose_join(const struct vs_shard_writer *s, const double *size, size_t n)
{
	const double time =
		AT_FIRST + SHARE * (vs_clock() - s->begun) - s->join_seconds;
	const double rate =
		s->join_bytes > RATE ? s->join_bytes / s->join_seconds : RATE;
	double sum = 0;
	size_t first = 1, wanted;

	for (size_t k = 1; k < n; k++)
		sum += size[k];
	if (sum * sum >= 2 * size[0] * size[n - 1]) {
		sum += size[0];
		first = 0;
	}
	wanted = n - first < TOGETHER ? n - first : TOGETHER;
	for (; first + wanted <= n; sum -= size[first++])
		if (JOIN_SECONDS + sum / rate <= time)
			return first;
	return n;
}

/* Whether there is room for a file of that size, and for what comes next. */
static bool
has_room(const struct vs_shard_writer *s, double bytes)
{
	struct statvfs fs;

	return !statvfs(s->dir.bytes, &fs) &&
		(double)fs.f_bavail * (double)fs.f_frsize > 2 * bytes;
}

/* Without room for a join the run goes on: all is sealed. */
static int
join_some(struct vs_shard_writer *s, const struct vs_text_pool *files,
	const double *size)
{
	struct vs_text_pool some = { 0 };
	struct vs_shard_join j = { .plan = &s->plan,
		.run = &s->run,
		.files = &some,
		.beside = true };
	const double started = vs_clock_cpu_thread();
	double bytes = 0;
	int code = 0;

	for (size_t k = choose_join(s, size, files->n); k < files->n && !code;
		k++) {
		const char *one = vs_text_pool_string(files, k);

		bytes += size[k];
		code = vs_text_pool_add(&some, one, strlen(one) + 1);
	}
	if (!code && some.n && has_room(s, bytes)) {
		j.path = vs_text_pool_string(&some, 0);
		code = vs_shard_join(&j);
		if (!code)
			code = vs_shard_join_remove(&j);
		s->join_seconds += vs_clock_cpu_thread() - started;
		s->join_bytes += bytes;
	}
	vs_text_pool_free(&some);
	/* a run that is stopped ends by itself */
	return code == VS_DONE ? 0 : code;
}

/*
 * So that a rank has few files however long it runs: two are kept, beside one
 * that is being written and one that others become. Joins take a small share of
 * the time at most; files that wait for it are joined later.
 */
static int
tidy(struct vs_shard_writer *s)
{
	struct vs_text_pool files = { 0 };
	double *size = NULL;
	struct stat st;
	int code;

	if (*s->run.selection)
		return 0;
	code = own_files(s, true, &files);
	if (!code && files.n > KEPT_SEALED)
		code = vs_mem_new(&size, files.n, sizeof(*size), "sizes");
	for (size_t k = 0; k < files.n && size; k++)
		if (!stat(vs_text_pool_string(&files, k), &st))
			size[k] = (double)st.st_size;
	if (!code && size)
		code = join_some(s, &files, size);
	free(size);
	vs_text_pool_free(&files);
	return code;
}

/* Seal if it is time and the last tile has ended. */
static int
seal_if_due(struct vs_shard_writer *s)
{
	int code;

	if (!s->writer || !s->whole ||
		vs_clock() - s->sealed < s->plan.commit_seconds)
		return 0;
	code = seal(s, NULL);
	return code ? code : tidy(s);
}

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
tend(void *ctx)
{
	struct vs_shard_writer *s = ctx;
	int code;

	enter(s);
	code = seal_if_due(s);
	leave(s);
	return code;
}

/* Records, of which the last tile may have none or some. */
static int
write_records(struct vs_shard_writer *s, const struct vs_record *rec, size_t n)
{
	int code = s->writer ? 0 : begin(s);

	return code ? code : vs_result_add(s->writer, rec, n);
}

/* A tile of many records begins. Once it has a part in the file there is no
 * seal before its end, so what is whole is sealed first, but no file for each
 * tile. Where all tiles are such ones it is the only seal there is. */
static int
begin_tile(struct vs_shard_writer *s)
{
	int code;

	if (!s->writer || !s->whole ||
		vs_clock() - s->sealed < s->plan.commit_seconds / PART)
		return 0;
	code = seal(s, NULL);
	return code ? code : tidy(s);
}

static int
write_tiles(struct vs_shard_writer *s,
	const struct vs_write_behind_batch *batch)
{
	const size_t n_whole = batch->n_tile ? batch->n_whole : 0;
	int code = batch->n_tile ? write_records(s, batch->rec, n_whole) : 0;

	vs_tile_counts_add(&s->counts, batch->counts.count);
	for (size_t k = 0; k < batch->n_tile && !code; k++) {
		struct vs_tile_row tile = batch->tile[k].row;

		tile.first = (int64_t)s->n_records;
		s->n_records += (uint64_t)tile.count;
		vs_digest_sum_add(&s->source_sum, &batch->tile[k].source_sum);
		code = vs_result_tile(s->writer, &tile);
	}
	s->n_tile += batch->n_tile;
	s->whole |= batch->n_tile > 0;
	if (!code)
		code = seal_if_due(s);
	if (code || batch->n == n_whole)
		return code;
	code = begin_tile(s);
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

	enter(s);
	code = write_tiles(s, batch);
	leave(s);
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
	p->begun = p->sealed = vs_clock();
	behind.ctx = p;
	vs_h5_threads(plan->n_thread);
	code = vs_shard_names_dir(&p->dir, plan->dir, plan->rank, plan->n_rank);
	if (!code)
		code = vs_tile_counts_like(&p->counts, plan->counts);
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

	/* the writing thread may be at it too, as time goes by */
	enter(s);
	/* a rank without a tile says so in a shard without records */
	if (!code && !s->writer && !s->sequence)
		code = begin(s);
	if (!code)
		code = seal(s, NULL);
	leave(s);
	return code;
}

bool
vs_shard_writer_dropped(const struct vs_shard_writer *s)
{
	return s->writer && s->n_tile;
}

int
vs_shard_writer_seal(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	int code = vs_write_behind_close(s->behind);

	/* others may be reading vectors; what holds a part of a tile is of no
	 * use */
	enter(s);
	if (!code && s->whole)
		code = seal(s, stats);
	leave(s);
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
	const struct vs_digest_sum *source_sum, const vs_wide *counts)
{
	struct vs_write_behind_tile tile = { *row, *source_sum, counts };

	tile.row.count = (int64_t)s->n_since;
	s->n_since = 0;
	return vs_write_behind_tile(s->behind, &tile);
}

int
vs_shard_writer_finish(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	struct vs_text_pool files = { 0 };
	struct vs_text path = { 0 };
	int code = vs_text_add(&path, VS_SHARD_NAMES_WHOLE, s->dir.bytes,
		s->plan.rank);

	if (!code)
		code = vs_write_behind_flush(s->behind);
	/* the thread that writes is to seal nothing beside us from here on */
	if (!code)
		code = vs_write_behind_close(s->behind);
	if (!code)
		code = own_files(s, false, &files);
	/* a rank without a tile says so in a shard without records, and of
	 * which stage it is */
	if (!code && !s->writer && !s->sequence &&
		(!files.n || s->run.n_stages > 1))
		code = begin(s);
	if (!code && s->writer && !files.n) {
		/* the only one has its last name from the start */
		code = vs_result_rename(s->writer, path.bytes);
		if (!code)
			code = seal(s, stats);
		goto out;
	}
	if (!code)
		code = seal(s, stats);
	vs_text_pool_free(&files);
	if (!code)
		code = own_files(s, false, &files);
	if (code)
		goto out;
	if (files.n == 1) {
		if (strcmp(files.bytes, path.bytes) &&
			rename(files.bytes, path.bytes))
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot rename",
				files.bytes);
	} else if (files.n > KEPT || *s->run.selection) {
		const struct vs_shard_join j = { .plan = &s->plan,
			.run = &s->run,
			.files = &files,
			.path = path.bytes,
			.stats = stats };

		code = vs_shard_join(&j);
		if (!code)
			code = vs_shard_join_remove(&j);
	}
	if (!code)
		code = vs_file_sync_dir(path.bytes);
out:
	vs_text_free(&path);
	vs_text_pool_free(&files);
	vs_shard_writer_abandon(s);
	return code;
}

void
vs_shard_writer_abandon(struct vs_shard_writer *s)
{
	if (!s)
		return;
	vs_write_behind_free(s->behind);
	vs_result_abandon(s->writer);
	vs_tile_counts_free(&s->counts);
	vs_text_free(&s->dir);
	free(s->path);
	free(s);
}
