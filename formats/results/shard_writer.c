/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpointed writer of a rank's shards. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "formats/results/join_policy.h"
#include "formats/results/shard_join.h"
#include "formats/results/shard_names.h"
#include "formats/results/shard_writer.h"
#include "formats/results/write_behind.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

#define PATIENCE 1.0   /* seconds that a tile may wait to be written */
#define PART 4         /* of commit_seconds: lost on a signal */
#define KEPT 4         /* files of a rank that need not become one at the end */
#define RECORD_BYTES 8 /* of a file, before one was sealed */

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
	uint64_t n_saved;                /* tiles in its last checkpoint */
	bool whole;                      /* it ends with a tile */
	double safe;                     /* up to when all is */
	double record_bytes;             /* of the file sealed last */
	struct vs_join_policy joins;     /* of its files while it runs */
	char *path;                      /* of the last one begun */
	int sequence;
};

static int
seal(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	struct vs_result_end end = { .provenance = s->plan.provenance,
		.stats = stats,
		.source_sum = &s->source_sum,
		.counts = &s->counts };
	struct vs_result_writer *w = s->writer;
	struct stat st;
	int code = 0;

	s->writer = NULL;
	s->safe = vs_clock();
	if (w && s->plan.input)
		code = vs_h5_reader_unchanged(s->plan.input);
	if (code)
		vs_result_abandon(w);
	if (w && !code)
		code = vs_result_finish(w, &end, NULL);
	if (w && !code && s->n_records && !stat(s->path, &st))
		s->record_bytes = (double)st.st_size / (double)s->n_records;
	return code;
}

/*
 * This rank's files in the directory, NUL-terminated within the pool, oldest
 * first: one that has the rank's last name, then its segments.
 */
static int
own_files(const struct vs_shard_writer *s, struct vs_text_pool *own)
{
	struct vs_text_pool all = { 0 };
	int code = vs_run_shards(s->dir.bytes, &all);

	for (int segments = 0; segments < 2; segments++)
		for (size_t k = 0; k < all.n && !code; k++) {
			const char *path = vs_text_pool_string(&all, k);
			bool segment;

			if (vs_shard_names_rank(path, &segment) ==
					s->plan.rank &&
				segment == segments)
				code = vs_text_pool_add(own, path,
					strlen(path) + 1);
		}
	vs_text_pool_free(&all);
	return code;
}

/* Their sizes, with room for one more. */
static int
sizes(const struct vs_text_pool *files, double **size)
{
	struct stat st;
	int code = vs_mem_new(size, files->n + 1, sizeof(**size), "sizes");

	for (size_t k = 0; k < files->n && !code; k++)
		if (!stat(vs_text_pool_string(files, k), &st))
			(*size)[k] = (double)st.st_size;
	return code;
}

/* Whether there is room for a file of that size, and for what comes next. */
static bool
has_room(const struct vs_shard_writer *s, double bytes)
{
	struct statvfs fs;

	return !statvfs(s->dir.bytes, &fs) &&
		(double)fs.f_bavail * (double)fs.f_frsize > 2 * bytes;
}

/* Sealed files from a first one on become one. */
static int
join_from(struct vs_shard_writer *s, size_t first)
{
	struct vs_text_pool files = { 0 }, some = { 0 };
	struct vs_shard_join j = { .plan = &s->plan,
		.run = &s->run,
		.files = &some,
		.beside = true };
	const double started = vs_clock();
	double *size = NULL, bytes = 0;
	int code = own_files(s, &files);

	if (!code)
		code = sizes(&files, &size);
	for (size_t k = first; k < files.n && !code; k++) {
		const char *one = vs_text_pool_string(&files, k);

		bytes += size[k];
		code = vs_text_pool_add(&some, one, strlen(one) + 1);
	}
	if (!code && some.n > 1 && has_room(s, bytes)) {
		j.path = vs_text_pool_string(&some, 0);
		code = vs_shard_join(&j);
		if (!code)
			code = vs_shard_join_remove(&j);
		vs_join_policy_add(&s->joins, vs_clock() - started, bytes);
	}
	free(size);
	vs_text_pool_free(&some);
	vs_text_pool_free(&files);
	/* a run that is stopped ends by itself */
	return code == VS_DONE ? 0 : code;
}

/*
 * Let a rank have few files however often it was stopped: one more than are
 * kept, of a run that ended before it joined them, become one before another
 * is begun.
 */
static int
make_place(struct vs_shard_writer *s)
{
	struct vs_text_pool files = { 0 };
	int code;

	if (*s->run.selection)
		return 0;
	code = own_files(s, &files);
	if (!code && files.n > VS_JOIN_POLICY_KEPT)
		code = join_from(s, VS_JOIN_POLICY_KEPT - 1);
	vs_text_pool_free(&files);
	return code;
}

static int
begin(struct vs_shard_writer *s)
{
	struct vs_result_plan plan = { .kind = VS_KIND_SHARD,
		.codec = s->plan.codec,
		.generator = s->plan.generator };
	struct vs_text path = { 0 };
	int code = make_place(s);

	if (code)
		return code;
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
	s->n_records = s->n_tile = s->n_saved = 0;
	memset(&s->source_sum, 0, sizeof(s->source_sum));
	vs_tile_counts_clear(&s->counts);
	return code;
}

/*
 * Whether the file that is written may be sealed, and which one is joined with
 * all behind it then, SIZE_MAX: none.
 */
static int
may_seal(const struct vs_shard_writer *s, bool *may, size_t *first)
{
	struct vs_text_pool files = { 0 };
	double *size = NULL, bytes = 0;
	int code = own_files(s, &files);

	if (!code)
		code = sizes(&files, &size);
	if (!code) {
		size[files.n] = s->record_bytes * (double)s->n_records;
		*may = vs_join_policy_allows(&s->joins, vs_clock(), size,
			files.n + 1, first);
		*may &= !s->plan.no_joins || *first > files.n;
		for (size_t k = *first; k <= files.n; k++)
			bytes += size[k];
		if (*first > files.n)
			*first = SIZE_MAX;
		else
			*may &= has_room(s, bytes);
	}
	free(size);
	vs_text_pool_free(&files);
	return code;
}

/* Flush what is being written, so that it can be found after a kill. */
static int
checkpoint(struct vs_shard_writer *s, bool *done)
{
	const struct vs_result_end end = { .source_sum = &s->source_sum,
		.counts = &s->counts };
	int code = s->plan.input ? vs_h5_reader_unchanged(s->plan.input) : 0;

	if (!code)
		code = vs_result_save(s->writer, &end, done);
	if (!code && *done) {
		s->n_saved = s->n_tile;
		s->safe = vs_clock();
	}
	return code;
}

/*
 * At intervals, if the last tile has ended: seal, where a join of what is
 * sealed then has its share of the time, or else leave a checkpoint. So a rank
 * has two sealed files, one that it writes, and one that others become.
 */
static int
save_if_due(struct vs_shard_writer *s, double seconds)
{
	size_t first = SIZE_MAX;
	bool may = true, done = false;
	int code = 0;

	if (!s->writer || !s->whole || vs_clock() - s->safe < seconds)
		return 0;
	if (!*s->run.selection)
		code = may_seal(s, &may, &first);
	if (!code && !may)
		code = checkpoint(s, &done);
	if (code || done)
		return code;
	code = seal(s, NULL);
	return code || first == SIZE_MAX ? code : join_from(s, first);
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
	code = save_if_due(s, s->plan.commit_seconds);
	leave(s);
	return code;
}

/* Records; the last tile may have some or none of them. */
static int
write_records(struct vs_shard_writer *s, const struct vs_record *rec, size_t n)
{
	int code = s->writer ? 0 : begin(s);

	return code ? code : vs_result_add(s->writer, rec, n);
}

static int
write_tiles(struct vs_shard_writer *s,
	const struct vs_write_behind_batch *batch)
{
	struct vs_counted list[2];
	const size_t n_whole = batch->n_tile ? batch->n_whole : 0;
	int code = batch->n_tile ? write_records(s, batch->rec, n_whole) : 0;

	vs_tile_counts_add(&s->counts,
		vs_tile_counts_all(&batch->counts, list));
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
		code = save_if_due(s, s->plan.commit_seconds);
	if (code || batch->n == n_whole)
		return code;
	/* a tile of many records begins: once a part of it is in the file
	 * nothing is saved before its end, so what is whole is saved first, but
	 * not for each tile */
	code = save_if_due(s, s->plan.commit_seconds / PART);
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
	p->joins.begun = p->safe = vs_clock();
	p->record_bytes = RECORD_BYTES;
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
	return s->writer && s->n_tile > s->n_saved;
}

int
vs_shard_writer_seal(struct vs_shard_writer *s, const struct vs_stats *stats)
{
	int code = vs_write_behind_close(s->behind);

	/* others may be reading vectors; a part of a tile is useless */
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
	const struct vs_digest_sum *source_sum, const struct vs_counted *counts)
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
	/* the writing thread must not seal anything from here on */
	if (!code)
		code = vs_write_behind_close(s->behind);
	if (!code)
		code = own_files(s, &files);
	/* a rank without a tile writes a shard without records that states its
	 * stage */
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
		code = own_files(s, &files);
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
