/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of a shard's log. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/shard_log_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/bits/record_digest.h"

#define FRAME sizeof(struct vs_shard_log_frame)

/* A walk over frames, which may go past the last commit. */
struct walk {
	struct vs_shard_log *l;
	uint64_t at, size, before;
	size_t n_chunk; /* begun */
	int column;     /* of the last chunk's frame */
	uint8_t *bytes;
	size_t room;
};

static int
damaged(const struct vs_shard_log *l, const char *why)
{
	return vs_fail(VS_EINPUT,
		"%s: is damaged: %s; remove it to repeat its part", l->path,
		why);
}

static int
cannot_be(const struct vs_shard_log *l)
{
	return damaged(l, "it states what cannot be");
}

/* The next frame, with its bytes at w->bytes; *whole is false at the first
 * incomplete one, where the log ends. */
static int
next_frame(struct walk *w, struct vs_shard_log_frame *f, bool *whole)
{
	const struct vs_shard_log *l = w->l;
	int code = 0;

	*whole = false;
	if (w->size - w->at < FRAME)
		return 0;
	code = vs_file_get(l->fd, l->path, f, FRAME, w->at);
	if (code ||
		f->hash !=
			vs_digest_64(f,
				offsetof(struct vs_shard_log_frame, hash)) ||
		f->before != w->before || f->n > w->size - w->at - FRAME)
		return code;
	code = vs_mem_grow(&w->bytes, &w->room, f->n + 1, 1, "log");
	if (!code)
		code = vs_file_get(l->fd, l->path, w->bytes, f->n,
			w->at + FRAME);
	*whole = !code && f->bytes == vs_digest_64(w->bytes, f->n);
	return code;
}

static int
take_chunk(struct walk *w, const struct vs_shard_log_frame *f)
{
	struct vs_shard_log *l = w->l;
	const int c = (int)f->kind;
	int first = 0, code = 0;

	while (!l->column[first].size)
		first++;
	if (c == first) {
		code = vs_mem_grow(&l->chunk, &l->room_chunk, w->n_chunk + 1,
			sizeof(*l->chunk), "chunks");
		if (code)
			return code;
		memset(&l->chunk[w->n_chunk++], 0, sizeof(*l->chunk));
		w->column = -1;
	}
	if (!w->n_chunk || w->n_chunk <= l->n_chunk || c <= w->column ||
		f->n > 16 * VS_SHARD_LOG_ROWS)
		return cannot_be(l);
	for (int k = w->column + 1; k < c; k++)
		if (l->column[k].size)
			return cannot_be(l);
	w->column = c;
	l->chunk[w->n_chunk - 1].at[c] = w->at + FRAME;
	l->chunk[w->n_chunk - 1].n[c] = f->n;
	return 0;
}

/* True if the parts of a commit of n bytes, at least its words, add up to n and
 * agree with it. */
static bool
is_sized(const struct walk *w, const struct vs_shard_log_words *s, uint64_t n)
{
	const struct vs_shard_log *l = w->l;
	uint64_t left = n - sizeof(*s);
	int last = VS_N_COL - 1;

	while (!l->column[last].size)
		last--;
	if (s->n_tile > left / sizeof(*l->tile))
		return false;
	left -= s->n_tile * sizeof(*l->tile);
	if (s->n_counts != l->counts.n || s->n_counts > left / sizeof(vs_wide))
		return false;
	left -= s->n_counts * sizeof(vs_wide);
	for (int c = 0; c < VS_N_COL; c++) {
		if (s->n_bytes[c] > left ||
			(s->n_bytes[c] && !l->column[c].size))
			return false;
		left -= s->n_bytes[c];
	}
	return !left && s->n_rows < VS_SHARD_LOG_ROWS &&
		s->codec < VS_CODEC_SUMMED &&
		/* a chunk has all columns */
		(w->n_chunk == l->n_chunk || w->column == last) &&
		s->n_records == w->n_chunk * VS_SHARD_LOG_ROWS + s->n_rows;
}

/* Append tiles in the order of their records, in the run's grid. */
static int
take_tiles(struct vs_shard_log *l, const uint8_t *at, uint64_t n)
{
	struct vs_plan plan;
	int code = vs_run_plan(l->run, &plan);

	if (!code)
		code = vs_mem_grow(&l->tile, &l->room_tile, l->n_tile + n + 1,
			sizeof(*l->tile), "tiles");
	for (uint64_t k = 0; k < n && !code; k++) {
		struct vs_tile_row t;

		memcpy(&t, at + k * sizeof(t), sizeof(t));
		if (!vs_plan_has(&plan, t.bi, t.bj) || t.count < 0 ||
			t.first != (int64_t)l->n_in_tiles ||
			__builtin_add_overflow(l->n_in_tiles, (uint64_t)t.count,
				&l->n_in_tiles))
			return cannot_be(l);
		l->tile[l->n_tile++] = t;
		vs_digest_sum_add(&l->sum, &t.sum);
	}
	return code;
}

static int
take_commit(struct walk *w, const struct vs_shard_log_frame *f)
{
	struct vs_shard_log *l = w->l;
	struct vs_shard_log_words s = { 0 };
	const uint8_t *at = w->bytes + sizeof(s);
	int code;

	if (f->n >= sizeof(s))
		memcpy(&s, w->bytes, sizeof(s));
	if (f->n < sizeof(s) || !is_sized(w, &s, f->n))
		return cannot_be(l);
	code = take_tiles(l, at, s.n_tile);
	if (!code && l->n_in_tiles != s.n_records)
		code = cannot_be(l);
	if (code)
		return code;
	at += s.n_tile * sizeof(*l->tile);
	if (s.n_counts)
		memcpy(l->counts.count, at, s.n_counts * sizeof(vs_wide));
	at += s.n_counts * sizeof(vs_wide);
	for (int c = 0; c < VS_N_COL; c++) {
		l->pending[c] = w->at + FRAME + (uint64_t)(at - w->bytes);
		l->n_pending[c] = s.n_bytes[c];
		at += s.n_bytes[c];
	}
	vs_shard_log_codec(l,
		(struct vs_codec){ (enum vs_codec_id)s.codec, (int)s.level });
	l->n_records = s.n_records;
	l->n_rows = s.n_rows;
	l->source_sum = s.source_sum;
	l->n_chunk = w->n_chunk;
	l->n_committed = l->n_tile;
	l->n_commit++;
	return 0;
}

static int
read_frames(struct walk *w)
{
	struct vs_shard_log *l = w->l;
	struct vs_shard_log_frame f;
	bool whole = true;
	int code = 0;

	l->end = w->at;
	while (!code) {
		code = next_frame(w, &f, &whole);
		if (code || !whole)
			break;
		if (f.kind == VS_SHARD_LOG_COMMIT)
			code = take_commit(w, &f);
		else if (f.kind < VS_N_COL && l->column[f.kind].size)
			code = take_chunk(w, &f);
		else
			code = cannot_be(l);
		w->at += FRAME + f.n;
		w->before = f.hash;
		if (f.kind != VS_SHARD_LOG_COMMIT)
			continue;
		l->end = w->at;
		l->before = f.hash;
	}
	return code;
}

/* Counters as the head has them, all zero. */
static int
shape_counts(struct vs_shard_log *l)
{
	struct vs_tile_counts is;
	vs_wide none;
	bool has = false;
	int code = vs_tile_counts_shape(&is, l->head->file, &has);

	is.count = &none;
	return code || !has ? code : vs_tile_counts_like(&l->counts, &is);
}

static int
read_log(struct vs_shard_log *l)
{
	struct walk w = { .l = l };
	struct stat st;
	int code;

	l->fd = open(l->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (l->fd < 0)
		return vs_fail_input(l->path, "open");
	code = vs_result_open(&l->head, l->path, VS_H5_OURS | VS_H5_HEAD);
	if (!code && (l->head->kind != VS_KIND_SHARD || l->head->n_records))
		code = cannot_be(l);
	if (!code)
		code = vs_shard_log_columns(l, &l->head->run);
	if (!code)
		code = shape_counts(l);
	if (!code && fstat(l->fd, &st))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot access", l->path);
	if (code)
		return code;
	w.at = vs_h5_reader_size(l->head->file);
	w.size = (uint64_t)st.st_size;
	code = read_frames(&w);
	free(w.bytes);
	return code;
}

int
vs_shard_log_open(struct vs_shard_log **l, const char *path)
{
	struct vs_shard_log *p = NULL;
	int code = vs_shard_log_make(&p, path);

	if (!code)
		code = read_log(p);
	if (code)
		vs_shard_log_close(p);
	else
		*l = p;
	return code;
}

bool
vs_shard_log_is_empty(const struct vs_shard_log *l)
{
	return !l->n_commit;
}

/* ---- records ---- */

struct reading {
	struct vs_shard_log *l;
	struct vs_codec_state *codec;
	uint8_t *packed;
	size_t room;
	struct vs_record *rec;
	struct vs_digest_sum sum;
};

static int
unpack(struct reading *r, int c, uint64_t at, uint64_t n, size_t n_rows)
{
	struct vs_shard_log *l = r->l;
	const struct vs_shard_log_column *k = &l->column[c];
	const enum vs_codec_id id = l->plan.codec.id;
	const char *why = NULL;
	int code = vs_mem_grow(&r->packed, &r->room, n + 1, 1, "chunk");

	if (!code)
		code = vs_file_get(l->fd, l->path, r->packed, n, at);
	if (code)
		return code;
	code = vs_codec_unpack(r->codec,
		id == VS_CODEC_NONE ? VS_CODEC_SUMMED : id, k->width, r->packed,
		n, k->rows, n_rows * k->size, &why);
	return code ? damaged(l, why) : 0;
}

static void
join_rows(const struct vs_shard_log *l, size_t n, struct vs_record *rec)
{
	const struct vs_shard_log_column *column = l->column;
	const bool f32 = column[VS_COL_VALUE].type == VS_F32;
	const void *rows[VS_N_COL];
	const uint64_t *i, *j, *k;
	const uint8_t *cell;
	const int64_t *num, *nvalid;

	for (int c = 0; c < VS_N_COL; c++)
		rows[c] = column[c].rows;
	i = rows[VS_COL_I];
	j = rows[VS_COL_J];
	k = rows[VS_COL_K];
	cell = rows[VS_COL_CELL];
	num = rows[VS_COL_NUM];
	nvalid = rows[VS_COL_NVALID];
	for (size_t v = 0; v < n; v++)
		rec[v] = (struct vs_record){ .i = (uint32_t)i[v],
			.j = (uint32_t)j[v],
			.k = k ? (uint32_t)k[v] : VS_NO_VEC,
			.nvalid = nvalid ? (int32_t)nvalid[v] : -1,
			.value = f32
				? (double)((const float *)rows[VS_COL_VALUE])[v]
				: ((const double *)rows[VS_COL_VALUE])[v],
			.num = num ? num[v] : -1,
			.cell = (cell ? cell[v] : VS_NO_CELL) & VS_NO_CELL };
}

/* The rows that the columns have by now. */
static int
give(struct reading *r, size_t n,
	int (*take)(void *ctx, const struct vs_record *rec, size_t n),
	void *ctx)
{
	struct vs_shard_log *l = r->l;

	join_rows(l, n, r->rec);
	vs_record_digest_sum(&r->sum, r->rec, n);
	if (vs_shard_log_sums_counts(l))
		l->counted += vs_digest_counts(r->rec, n, l->run->has_num,
			l->run->has_nvalid);
	return take ? take(ctx, r->rec, n) : 0;
}

static int
read_chunk(struct reading *r, const struct vs_shard_log_chunk *chunk)
{
	int code = 0;

	for (int c = 0; c < VS_N_COL && !code; c++) {
		const struct vs_shard_log_column *k = &r->l->column[c];

		if (!k->size)
			continue;
		code = unpack(r, c, chunk->at[c], chunk->n[c],
			VS_SHARD_LOG_ROWS);
		if (!code)
			vs_digest_add(k->digest, k->rows,
				VS_SHARD_LOG_ROWS * k->size);
	}
	return code;
}

int
vs_shard_log_each(struct vs_shard_log *l,
	int (*take)(void *ctx, const struct vs_record *rec, size_t n),
	void *ctx)
{
	struct reading r = { .l = l };
	int code = vs_codec_new(&r.codec);

	VS_MEM_ROOM(&code, r.rec, VS_SHARD_LOG_ROWS, "records");
	for (size_t k = 0; k < l->n_chunk && !code; k++) {
		code = read_chunk(&r, &l->chunk[k]);
		if (!code)
			code = give(&r, VS_SHARD_LOG_ROWS, take, ctx);
	}
	for (int c = 0; c < VS_N_COL && l->n_rows && !code; c++)
		if (l->column[c].size)
			code = unpack(&r, c, l->pending[c], l->n_pending[c],
				l->n_rows);
	if (!code && l->n_rows)
		code = give(&r, l->n_rows, take, ctx);
	if (!code && !vs_digest_sum_equal(&r.sum, &l->sum))
		code = damaged(l, "its records do not have the sum it states");
	vs_codec_free(r.codec);
	free(r.packed);
	free(r.rec);
	return code;
}
