/* SPDX-License-Identifier: BSD-3-Clause */
/* Recovery of shards from the checkpoints of a run that was killed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/seal.h"
#include "formats/results/result_columns.h"
#include "formats/results/shard_names.h"
#include "formats/results/shard_saved.h"
#include "formats/results/temporaries.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/bits/record_digest.h"

#define ROWS VS_H5_SAVED_ROWS

struct recovery {
	struct vs_h5_saved *saved;
	struct vs_result *like; /* a shard of the same run, the caller's */
	struct vs_run run;
	struct vs_codec codec;
	size_t column[VS_N_COL]; /* numbers of the columns that there are */
	void *rows[VS_N_COL];
	struct vs_record *rec;
	struct vs_digest_sum sum; /* of the records */
	struct vs_result_writer *writer;
	/* as stated last */
	struct vs_shard_saved words;
	struct vs_tile_counts counts;
	double *maxima;
};

static size_t
size_of(enum vs_type type)
{
	return type == VS_U8 ? 1 : type == VS_F32 ? 4 : 8;
}

static void
end(struct recovery *r)
{
	vs_result_abandon(r->writer);
	vs_h5_saved_close(r->saved);
	vs_tile_counts_free(&r->counts);
	for (int c = 0; c < VS_N_COL; c++)
		free(r->rows[c]);
	free(r->rec);
	free(r->maxima);
}

/* Open a shard of the rank, or another one; null: there is none. */
static int
open_like(struct vs_result **like, const char *dir, int rank)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files);
	size_t found = 0;
	bool segment;

	for (size_t k = 0; k < files.n; k++)
		if (vs_shard_names_rank(vs_text_pool_string(&files, k),
			    &segment) == rank)
			found = k;
	if (!code && files.n)
		code = vs_result_open(like, vs_text_pool_string(&files, found),
			VS_H5_OURS);
	vs_text_pool_free(&files);
	return code;
}

static int
open_columns(struct recovery *r)
{
	int code = vs_mem_room(&r->rec, ROWS, sizeof(*r->rec), "records");

	for (int c = 0; c < VS_N_COL && !code; c++) {
		size_t size = size_of(vs_run_column_type(&r->run, c));

		if (!vs_run_has_column(&r->run, c))
			continue;
		code = vs_h5_saved_find(r->saved, vs_run_column_path(c), size,
			&r->column[c]);
		if (!code)
			code = vs_mem_room(&r->rows[c], ROWS, size, "records");
	}
	if (!code)
		r->codec = vs_h5_saved_codec(r->saved, r->column[VS_COL_I]);
	return code;
}

static int
bad_words(const char *path)
{
	return vs_fail(VS_EINPUT,
		"%s: is damaged: its checkpoint is invalid; remove it to "
		"repeat its part",
		path);
}

/* Shape of a checkpoint's counters, if it has any, without them. */
static bool
shape_of(const struct vs_shard_saved *w, struct vs_tile_counts *c)
{
	uint64_t n;

	*c = (struct vs_tile_counts){ 0 };
	if (!w->n_counts)
		return true;
	*c = (struct vs_tile_counts){ w->n_row, w->kind, w->least, w->n_bucket,
		w->n_counts, NULL };
	return w->n_row > 0 && w->n_bucket > 0 && w->kind >= 0 &&
		w->kind < VS_TILE_KINDS &&
		!__builtin_mul_overflow(w->n_row, w->n_bucket, &n) &&
		w->n_counts >= vs_tile_counts_more(w->kind) &&
		w->n_counts - vs_tile_counts_more(w->kind) == n;
}

/* Take the contents of a checkpoint other than its tiles, which follow at
 * *tile. */
static int
parse(struct recovery *r, const char *path, const uint8_t *bytes, size_t n,
	const uint8_t **tile)
{
	struct vs_shard_saved *w = &r->words;
	struct vs_tile_counts is;
	vs_wide none;
	const uint8_t *at = bytes + sizeof(*w);
	size_t left = n - sizeof(*w);
	int code = 0;

	if (n < sizeof(*w))
		return bad_words(path);
	memcpy(w, bytes, sizeof(*w));
	if (w->n_tile > left / sizeof(struct vs_tile_row) ||
		w->n_counts > left / sizeof(vs_wide) ||
		w->n_maxima > left / sizeof(double) ||
		w->n_maxima != (uint64_t)r->run.permutations ||
		left !=
			w->n_tile * sizeof(struct vs_tile_row) +
				w->n_counts * sizeof(vs_wide) +
				w->n_maxima * sizeof(double))
		return bad_words(path);
	*tile = at;
	at += w->n_tile * sizeof(struct vs_tile_row);
	if (!shape_of(w, &is) ||
		(r->counts.count && !vs_tile_counts_alike(&is, &r->counts)))
		return bad_words(path);
	if (w->n_counts && !r->counts.count) {
		is.count = &none;
		code = vs_tile_counts_like(&r->counts, &is);
	}
	if (!code && w->n_counts)
		memcpy(r->counts.count, at, w->n_counts * sizeof(vs_wide));
	at += w->n_counts * sizeof(vs_wide);
	if (!code && w->n_maxima && !r->maxima)
		code = vs_mem_room(&r->maxima, w->n_maxima, sizeof(double),
			"permutations");
	if (!code && w->n_maxima)
		memcpy(r->maxima, at, w->n_maxima * sizeof(double));
	return code;
}

/* State the tiles of all checkpoints, whose records follow others in the shard,
 * or of the last one alone look at the rest. */
static int
each_checkpoint(struct recovery *r, const char *path, bool tiles,
	uint64_t others)
{
	const uint64_t n = vs_h5_saved_count(r->saved);
	int code = 0;

	for (uint64_t k = tiles ? 0 : n - 1; k < n && !code; k++) {
		const uint8_t *at = NULL;
		void *words = NULL;
		size_t n_words;

		code = vs_h5_saved_words(r->saved, k, &words, &n_words);
		if (!code)
			code = parse(r, path, words, n_words, &at);
		for (uint64_t t = 0; tiles && t < r->words.n_tile && !code;
			t++) {
			struct vs_tile_row tile;

			memcpy(&tile, at + t * sizeof(tile), sizeof(tile));
			tile.first += (int64_t)others;
			code = vs_result_tile(r->writer, &tile);
			r->sum.h[0] -= tile.sum.h[0];
			r->sum.h[1] -= tile.sum.h[1];
		}
		free(words);
	}
	return code;
}

static void
join_rows(const struct recovery *r, uint64_t n)
{
	const bool f32 = vs_run_column_type(&r->run, VS_COL_VALUE) == VS_F32;
	const uint64_t *i = r->rows[VS_COL_I], *j = r->rows[VS_COL_J],
		       *k = r->rows[VS_COL_K];
	const uint8_t *cell = r->rows[VS_COL_CELL];
	const int64_t *num = r->rows[VS_COL_NUM],
		      *nvalid = r->rows[VS_COL_NVALID];
	const void *value = r->rows[VS_COL_VALUE];

	for (uint64_t v = 0; v < n; v++)
		r->rec[v] = (struct vs_record){ .i = (uint32_t)i[v],
			.j = (uint32_t)j[v],
			.k = k ? (uint32_t)k[v] : VS_NO_VEC,
			.nvalid = nvalid ? (int32_t)nvalid[v] : -1,
			.value = f32 ? (double)((const float *)value)[v]
				     : ((const double *)value)[v],
			.num = num ? num[v] : -1,
			.cell = (cell ? cell[v] : VS_NO_CELL) & VS_NO_CELL };
}

static int
copy_records(struct recovery *r, const char *path)
{
	const uint64_t n = r->words.n_records;
	int code = 0;

	for (int c = 0; c < VS_N_COL; c++)
		if (r->rows[c] &&
			vs_h5_saved_n_rows(r->saved, r->column[c]) != n)
			return bad_words(path);
	for (uint64_t lo = 0; lo < n && !code; lo += ROWS) {
		uint64_t now = n - lo < ROWS ? n - lo : ROWS;

		for (int c = 0; c < VS_N_COL && !code; c++)
			if (r->rows[c])
				code = vs_h5_saved_rows(r->saved, r->column[c],
					lo / ROWS, r->rows[c]);
		if (code)
			break;
		join_rows(r, now);
		vs_record_digest_sum(&r->sum, r->rec, now);
		code = vs_result_add(r->writer, r->rec, now);
	}
	return code;
}

/* Put what a file has into the shard that is written, behind other records. */
static int
copy_file(struct recovery *r, const char *path, uint64_t others)
{
	int code = copy_records(r, path);

	if (!code)
		code = each_checkpoint(r, path, true, others);
	if (!code && (r->sum.h[0] || r->sum.h[1]))
		code = vs_fail(VS_EINPUT,
			"%s: is damaged: its records do not have the sum it "
			"states; remove it to repeat its part",
			path);
	return code;
}

/* Seal a shard of the same run as `like`; w is freed either way. */
static int
seal(struct vs_result_writer *w, const struct vs_result *like,
	const struct vs_digest_sum *source_sum,
	const struct vs_tile_counts *counts)
{
	struct vs_provenance provenance = { 0 };
	struct vs_result_end last = { .provenance = &provenance,
		.source_sum = source_sum,
		.counts = counts };
	int code = vs_provenance_read(&provenance, like->file);

	if (code)
		vs_result_abandon(w);
	else
		code = vs_result_finish(w, &last, NULL);
	vs_provenance_free(&provenance);
	return code;
}

static int
write_shard(struct recovery *r, const char *path, const char *whole,
	const char *generator)
{
	struct vs_result_plan plan = { .path = whole,
		.kind = VS_KIND_SHARD,
		.codec = r->codec,
		.generator = generator };
	int code;

	r->run.stage_begin = r->words.stage_begin;
	r->run.stage_end = r->words.stage_end;
	r->run.null_maxima = r->maxima;
	code = vs_result_create(&r->writer, &plan, &r->run);
	if (!code)
		code = copy_file(r, path, 0);
	if (!code) {
		code = seal(r->writer, r->like, &r->words.source_sum,
			&r->counts);
		r->writer = NULL;
	}
	return code;
}

/* Give a file its name that was sealed before a kill; one that is not whole has
 * no checkpoint either, and stays. */
static int
take_sealed(const char *path, const char *whole)
{
	struct vs_seal seal;
	int fd,
		code = vs_seal_check(path, 1u << VS_KIND_SHARD, VS_H5_OURS,
			&seal);

	if (code == VS_EINPUT) {
		vs_fail_clear();
		return 0;
	}
	if (code)
		return code;
	/* its bytes before its name */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fsync(fd))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot flush", path);
	if (fd >= 0)
		close(fd);
	if (!code && rename(path, whole))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot rename %s", whole,
			path);
	return code ? code : vs_file_sync_dir(whole);
}

/* Read everything but records from a file for which r->saved is open. Its
 * histogram has the run's buckets if the shard next to it has one. */
static int
read_words(struct recovery *r, const char *path, int rank)
{
	struct vs_tile_counts run;
	bool has = false;
	int code;

	r->run = r->like->run;
	r->run.shard = rank;
	code = open_columns(r);
	if (!code)
		code = each_checkpoint(r, path, false, 0);
	if (!code)
		code = vs_tile_counts_shape(&run, r->like->file, &has);
	return !code && has && !vs_tile_counts_alike(&run, &r->counts)
		? bad_words(path)
		: code;
}

static int
recover_as(const char *path, const char *dir, const char *whole, int rank,
	const char *generator)
{
	struct recovery r = { 0 };
	int code = 0;

	/* killed between the two: it was made of this one */
	if (!access(whole, F_OK))
		goto remove;
	code = vs_h5_saved_open(&r.saved, path);
	if (!code && !r.saved)
		return take_sealed(path, whole);
	if (!code)
		code = open_like(&r.like, dir, rank);
	if (code || !r.like)
		goto out;
	code = read_words(&r, path, rank);
	if (!code)
		code = write_shard(&r, path, whole, generator);
	if (code)
		goto out;
remove:
	if (unlink(path) && errno != ENOENT)
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove", path);
out:
	vs_result_close(r.like);
	end(&r);
	return code;
}

/*
 * The name that a temporary file of a shard was to get, to free(), and its
 * rank. *whole is null where it is of no shard.
 */
static int
name_whole(const char *path, char **whole, int *rank)
{
	const char *tail = strstr(strrchr(path, '/'), VS_SHARD_NAMES_TAIL);
	bool segment;
	int code = tail ? vs_mem_copy_text(whole, path) : 0;

	if (code || !tail)
		return code;
	(*whole)[tail - path + (ptrdiff_t)strlen(VS_SHARD_NAMES_TAIL)] = 0;
	*rank = vs_shard_names_rank(*whole, &segment);
	if (*rank < 0) {
		free(*whole);
		*whole = NULL;
	}
	return 0;
}

struct share {
	int part, n_part;
	const char *generator;
};

static int
recover(const char *dir, const char *path, void *ctx)
{
	struct share *s = ctx;
	char *whole = NULL;
	int rank, code = name_whole(path, &whole, &rank);

	/* not by their order: the other parts remove files meanwhile */
	if (!code && whole && rank % s->n_part == s->part)
		code = recover_as(path, dir, whole, rank, s->generator);
	free(whole);
	return code;
}

int
vs_shard_saved_recover(const char *dir, int part, int n_part,
	const char *generator)
{
	struct share s = { .part = part,
		.n_part = n_part,
		.generator = generator };

	return vs_temporaries_each(dir, recover, &s);
}

/* ---- a shard of all checkpoints ---- */

struct gathering {
	const char *to, *generator;
	struct vs_result *like;
	struct vs_result_writer *writer;
	uint64_t n_records;
	struct vs_digest_sum source_sum;
	struct vs_tile_counts counts;
};

static int
add_file(struct gathering *g, struct recovery *r, const char *path)
{
	struct vs_result_plan plan = { .path = g->to,
		.kind = VS_KIND_SHARD,
		.generator = g->generator,
		.force = true };
	struct vs_counted list[2];
	int code = read_words(r, path, g->like->run.shard);

	if (code)
		return code;
	if (!g->writer) {
		plan.codec = r->codec;
		/* the others may have tiles of any stage */
		r->run.stage_begin = 0;
		r->run.stage_end = r->run.n_stages;
		code = vs_tile_counts_like(&g->counts, &r->counts);
		if (!code)
			code = vs_result_create(&g->writer, &plan, &r->run);
		if (code)
			return code;
	}
	if (!vs_tile_counts_alike(&g->counts, &r->counts))
		return bad_words(path);
	r->writer = g->writer;
	code = copy_file(r, path, g->n_records);
	r->writer = NULL;
	if (code)
		return code;
	g->n_records += r->words.n_records;
	vs_digest_sum_add(&g->source_sum, &r->words.source_sum);
	vs_tile_counts_add(&g->counts, vs_tile_counts_all(&r->counts, list));
	return 0;
}

static int
gather(const char *dir, const char *path, void *ctx)
{
	struct gathering *g = ctx;
	struct recovery r = { .like = g->like };
	char *whole = NULL;
	int rank, code = name_whole(path, &whole, &rank);

	(void)dir;
	/* a shard was made of it, which counts if it was there in time */
	if (code || !whole || !access(whole, F_OK))
		goto out;
	code = vs_h5_saved_open(&r.saved, path);
	if (code == VS_EINPUT && access(path, F_OK)) {
		vs_fail_clear(); /* since it was listed */
		code = 0;
	}
	if (!code && r.saved)
		code = add_file(g, &r, path);
out:
	end(&r);
	free(whole);
	return code;
}

int
vs_shard_saved_gather(const char *dir, const char *path, const char *generator,
	bool *made)
{
	struct gathering g = { .to = path, .generator = generator };
	int code = open_like(&g.like, dir, -1);

	if (!code && g.like)
		code = vs_temporaries_each(dir, gather, &g);
	*made = !code && g.writer;
	if (*made) {
		code = seal(g.writer, g.like, &g.source_sum, &g.counts);
		g.writer = NULL;
	}
	vs_result_abandon(g.writer);
	vs_tile_counts_free(&g.counts);
	vs_result_close(g.like);
	return code;
}
