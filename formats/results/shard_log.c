/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of a shard's log, and finally of the shard. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/shard_log_inner.h"
#include "formats/results/shard_names.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

#define FRAME sizeof(struct vs_shard_log_frame)

int
vs_shard_log_shard(const char *path, char **shard)
{
	int code = vs_mem_copy_text(shard, path);

	if (!code)
		(*shard)[strlen(path) - strlen(VS_SHARD_NAMES_LOG)] = 0;
	return code;
}

int
vs_shard_log_make(struct vs_shard_log **l, const char *path)
{
	struct vs_shard_log *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "log");

	if (code)
		return code;
	p->fd = -1;
	code = vs_mem_copy_text(&p->path, path);
	if (!code)
		code = vs_shard_log_shard(path, &p->shard);
	if (code)
		vs_shard_log_close(p);
	else
		*l = p;
	return code;
}

bool
vs_shard_log_sums_counts(const struct vs_shard_log *l)
{
	return l->plan.codec.id == VS_CODEC_NONE &&
		(l->run->has_num || l->run->has_nvalid);
}

void
vs_shard_log_codec(struct vs_shard_log *l, struct vs_codec codec)
{
	const enum vs_codec_id id =
		codec.id == VS_CODEC_NONE ? VS_CODEC_SUMMED : codec.id;

	l->plan.codec = codec;
	for (int c = 0; c < VS_N_COL; c++) {
		struct vs_shard_log_column *k = &l->column[c];

		k->width =
			c != VS_COL_CELL && vs_codec_shuffles(id) ? k->size : 1;
	}
	l->slot = FRAME + vs_codec_bound(id, 8 * VS_SHARD_LOG_ROWS);
	l->slot = (l->slot + 7) / 8 * 8;
}

/* There is room for enough chunks to keep all threads busy. */
int
vs_shard_log_columns(struct vs_shard_log *l, const struct vs_run *run)
{
	size_t n = 0;
	int code = 0;

	l->run = run;
	for (int c = 0; c < VS_N_COL; c++)
		n += vs_run_has_column(run, c);
	l->most = (1 + (size_t)vs_h5_n_thread() / n) * VS_SHARD_LOG_ROWS;
	for (int c = 0; c < VS_N_COL && !code; c++) {
		struct vs_shard_log_column *k = &l->column[c];

		if (!vs_run_has_column(run, c))
			continue;
		k->type = vs_run_column_type(run, c);
		k->size = vs_result_bytes_of(k->type);
		code = vs_digest_new(&k->digest);
		if (!code)
			code = vs_mem_room(&k->rows, l->most, k->size,
				"records");
	}
	return code;
}

/* ---- frames ---- */

/* Write n bytes, with room for a frame before them. */
static int
put_frame(struct vs_shard_log *l, uint64_t kind, uint8_t *at, size_t n)
{
	struct vs_shard_log_frame f = { .kind = kind,
		.n = n,
		.before = l->before,
		.bytes = vs_digest_64(at + FRAME, n) };
	int code;

	f.hash = vs_digest_64(&f, offsetof(struct vs_shard_log_frame, hash));
	memcpy(at, &f, FRAME);
	code = vs_file_put(l->fd, l->path, at, FRAME + n, l->end);
	l->end += FRAME + n;
	l->before = f.hash;
	return code;
}

static int
pack(struct vs_shard_log *l, int column, const uint8_t *rows, size_t n,
	int thread, uint8_t *to, size_t *n_packed)
{
	const struct vs_shard_log_column *k = &l->column[column];
	struct vs_codec codec = l->plan.codec;

	if (codec.id == VS_CODEC_NONE)
		codec.id = VS_CODEC_SUMMED;
	return vs_codec_pack(l->packer[thread], codec, k->width, rows,
		n * k->size, to, l->slot - FRAME, n_packed);
}

static int
pack_piece(void *ctx, size_t piece, int thread)
{
	struct vs_shard_log *l = ctx;
	const int c = (int)(piece % VS_N_COL);
	const size_t row = piece / VS_N_COL * VS_SHARD_LOG_ROWS;

	return !l->column[c].size
		? 0
		: pack(l, c, l->column[c].rows + row * l->column[c].size,
			  VS_SHARD_LOG_ROWS, thread,
			  l->packed + piece * l->slot + FRAME,
			  &l->n_packed[piece]);
}

static int
make_team(struct vs_shard_log *l)
{
	const size_t n = l->most / VS_SHARD_LOG_ROWS * VS_N_COL;
	const int n_thread = vs_h5_n_thread();
	int code = l->team ? 0 : vs_team_new(&l->team, n_thread);

	if (!l->packer)
		VS_MEM_NEW(&code, l->packer, (size_t)n_thread, "packers");
	for (; l->n_packer < n_thread && !code; l->n_packer++)
		code = vs_codec_new(&l->packer[l->n_packer]);
	if (!l->n_packed)
		VS_MEM_NEW(&code, l->n_packed, n, "chunks");
	return code || l->packed
		? code
		: vs_mem_room(&l->packed, n, l->slot, "chunks");
}

static int
put_chunk(struct vs_shard_log *l, size_t piece)
{
	struct vs_shard_log_chunk *chunk = &l->chunk[l->n_chunk];
	int code = 0;

	memset(chunk, 0, sizeof(*chunk));
	for (int c = 0; c < VS_N_COL && !code; c++) {
		if (!l->column[c].size)
			continue;
		chunk->at[c] = l->end + FRAME;
		chunk->n[c] = l->n_packed[piece + (size_t)c];
		code = put_frame(l, (uint64_t)c,
			l->packed + (piece + (size_t)c) * l->slot, chunk->n[c]);
	}
	l->n_chunk += !code;
	return code;
}

/* Write the rows that fill chunks. */
static int
put_chunks(struct vs_shard_log *l)
{
	const size_t n = l->n_rows / VS_SHARD_LOG_ROWS,
		     rows = n * VS_SHARD_LOG_ROWS;
	int code = n ? make_team(l) : 0;

	if (!code)
		code = vs_mem_grow(&l->chunk, &l->room_chunk, l->n_chunk + n,
			sizeof(*l->chunk), "chunks");
	if (code || !n)
		return code;
	vs_team_start(l->team, pack_piece, l, n * VS_N_COL);
	code = vs_team_wait(l->team);
	for (size_t k = 0; k < n && !code; k++)
		code = put_chunk(l, k * VS_N_COL);
	for (int c = 0; c < VS_N_COL && !code; c++) {
		struct vs_shard_log_column *k = &l->column[c];

		if (!k->size)
			continue;
		vs_digest_add(k->digest, k->rows, rows * k->size);
		memmove(k->rows, k->rows + rows * k->size,
			(l->n_rows - rows) * k->size);
	}
	l->n_rows -= rows;
	return code;
}

/* ---- writing ---- */

/* Write the head: a shard without records, which identifies the run. */
static int
put_head(struct vs_shard_log *l)
{
	struct vs_result_plan plan = { .path = l->path,
		.kind = VS_KIND_SHARD,
		.codec = l->plan.codec,
		.generator = l->plan.generator };
	struct vs_digest_sum none = { { 0, 0 } };
	struct vs_result_end end = { .provenance = l->plan.provenance,
		.source_sum = &none,
		.counts = &l->counts };
	struct vs_result_writer *w = NULL;
	off_t size;
	int code = vs_result_create(&w, &plan, l->run);

	if (!code)
		code = vs_result_finish(w, &end, NULL);
	if (code)
		return code;
	code = vs_file_scratch(l->path);
	l->scratch = !code;
	if (!code)
		l->fd = open(l->path, O_RDWR | O_CLOEXEC);
	size = l->fd < 0 ? -1 : lseek(l->fd, 0, SEEK_END);
	if (!code && size < 0)
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot open", l->path);
	l->end = (uint64_t)size;
	return code;
}

int
vs_shard_log_new(struct vs_shard_log **l, const struct vs_shard_log_plan *plan,
	const struct vs_run *run)
{
	struct vs_shard_log *p = NULL;
	struct vs_text path = { 0 };
	int code = vs_text_add(&path, "%s" VS_SHARD_NAMES_LOG, plan->path);

	if (!code)
		code = vs_shard_log_make(&p, path.bytes);
	vs_text_free(&path);
	if (code)
		return code;
	p->plan = *plan;
	code = vs_shard_log_columns(p, run);
	vs_shard_log_codec(p, plan->codec);
	if (!code)
		code = vs_tile_counts_like(&p->counts, plan->counts);
	if (!code)
		code = put_head(p);
	if (code)
		vs_shard_log_close(p);
	else
		*l = p;
	return code;
}

int
vs_shard_log_go_on(struct vs_shard_log *l, const struct vs_shard_log_plan *plan,
	const struct vs_run *run)
{
	const struct vs_codec codec = l->plan.codec;

	for (int c = 0; c < VS_N_COL; c++)
		if (vs_run_has_column(run, c) != (l->column[c].size > 0) ||
			(l->column[c].size &&
				vs_run_column_type(run, c) !=
					l->column[c].type))
			return vs_fail(VS_EINPUT,
				"%s: has other columns than the run; remove it "
				"to repeat its part",
				l->path);
	l->plan = *plan;
	l->plan.codec = codec;
	l->run = run;
	vs_result_close(l->head);
	l->head = NULL;
	close(l->fd);
	l->fd = open(l->path, O_RDWR | O_CLOEXEC);
	return l->fd < 0 || ftruncate(l->fd, (off_t)l->end)
		? vs_fail_errno(VS_EMACHINE, "%s: cannot write", l->path)
		: 0;
}

int
vs_shard_log_add(struct vs_shard_log *l, const struct vs_record *rec, size_t n)
{
	int code = 0;

	if (vs_shard_log_sums_counts(l))
		l->counted += vs_digest_counts(rec, n, l->run->has_num,
			l->run->has_nvalid);
	l->n_records += n;
	for (size_t now; n && !code; n -= now, rec += now) {
		now = l->most - l->n_rows < n ? l->most - l->n_rows : n;
		for (int c = 0; c < VS_N_COL; c++) {
			const struct vs_shard_log_column *k = &l->column[c];

			if (k->size)
				vs_result_fill(c, k->type, rec, now,
					k->rows + l->n_rows * k->size);
		}
		l->n_rows += now;
		if (l->n_rows == l->most)
			code = put_chunks(l);
	}
	return code;
}

int
vs_shard_log_tile(struct vs_shard_log *l, const struct vs_tile_row *tile,
	const struct vs_digest_sum *source_sum)
{
	int code = vs_mem_grow(&l->tile, &l->room_tile, l->n_tile + 1,
		sizeof(*l->tile), "tiles");

	if (code)
		return code;
	l->tile[l->n_tile] = *tile;
	l->tile[l->n_tile++].first = (int64_t)l->n_in_tiles;
	l->n_in_tiles += (uint64_t)tile->count;
	vs_digest_sum_add(&l->sum, &tile->sum);
	vs_digest_sum_add(&l->source_sum, source_sum);
	return 0;
}

void
vs_shard_log_counts(struct vs_shard_log *l, const struct vs_counted *counts)
{
	vs_tile_counts_add(&l->counts, counts);
}

/* The rows outside of chunks; the words at `at` state their n_bytes. */
static int
put_rows(struct vs_shard_log *l, struct vs_text *t,
	struct vs_shard_log_words *words)
{
	int code = make_team(l);

	for (int c = 0; c < VS_N_COL && !code; c++) {
		size_t n = 0;

		if (!l->column[c].size || !l->n_rows)
			continue;
		code = pack(l, c, l->column[c].rows, l->n_rows, 0, l->packed,
			&n);
		words->n_bytes[c] = n;
		if (!code)
			code = vs_text_put(t, (const char *)l->packed, n);
	}
	return code;
}

static int
put_commit(struct vs_shard_log *l, struct vs_text *t)
{
	struct vs_shard_log_words words = { .n_records = l->n_records,
		.source_sum = l->source_sum,
		.codec = l->plan.codec.id,
		.level = (uint32_t)l->plan.codec.level,
		.n_tile = l->n_tile - l->n_committed,
		.n_counts = l->counts.count ? l->counts.n : 0,
		.n_rows = l->n_rows };
	const uint8_t frame[FRAME] = { 0 };
	int code;

	vs_text_put(t, frame, FRAME);
	vs_text_put(t, &words, sizeof(words));
	vs_text_put(t, l->tile + l->n_committed,
		words.n_tile * sizeof(*l->tile));
	vs_text_put(t, l->counts.count,
		words.n_counts * sizeof(*l->counts.count));
	code = put_rows(l, t, &words);
	if (code || t->code)
		return code ? code : t->code;
	memcpy(t->bytes + FRAME, &words, sizeof(words));
	return put_frame(l, VS_SHARD_LOG_COMMIT, (uint8_t *)t->bytes,
		t->len - FRAME);
}

int
vs_shard_log_commit(struct vs_shard_log *l)
{
	struct vs_text t = { 0 };
	int code = put_chunks(l);

	if (!code)
		code = put_commit(l, &t);
	vs_text_free(&t);
	if (!code && fdatasync(l->fd))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot flush", l->path);
	if (code)
		return code;
	l->n_committed = l->n_tile;
	l->n_commit++;
	if (l->scratch)
		vs_file_scratch_keep(l->path);
	l->scratch = false;
	return 0;
}

/* ---- the shard ---- */

/* Write a column: its chunks as they are, and the rows after them. */
static int
copy_column(struct vs_shard_log *l, int c, struct vs_h5_writer_data *to)
{
	struct vs_shard_log_column *k = &l->column[c];
	uint8_t *packed = NULL;
	int code = vs_mem_room(&packed, l->slot, 1, "chunk");

	for (size_t x = 0; x < l->n_chunk && !code; x++) {
		const struct vs_shard_log_chunk *chunk = &l->chunk[x];

		code = vs_file_get(l->fd, l->path, packed, chunk->n[c],
			chunk->at[c]);
		if (!code)
			code = vs_h5_writer_chunk(to, packed, chunk->n[c]);
	}
	free(packed);
	vs_h5_writer_digest(to, k->digest);
	k->digest = NULL;
	return code ? code : vs_h5_writer_append(to, k->rows, l->n_rows);
}

static int
copy_all(struct vs_shard_log *l, struct vs_result_writer *w)
{
	int code = 0;

	for (int c = 0; c < VS_N_COL && !code; c++)
		if (l->column[c].size)
			code = copy_column(l, c, vs_result_column(w, c));
	for (size_t k = 0; k < l->n_tile && !code; k++)
		code = vs_result_tile(w, &l->tile[k]);
	vs_result_count(w, l->n_records, l->counted);
	return code;
}

static int
write_shard(struct vs_shard_log *l, const struct vs_provenance *provenance,
	const char *generator, const struct vs_stats *stats)
{
	struct vs_result_plan plan = { .path = l->shard,
		.kind = VS_KIND_SHARD,
		.codec = l->plan.codec,
		.generator = generator,
		.force = l->plan.force };
	struct vs_result_end end = { .provenance = provenance,
		.stats = stats,
		.source_sum = &l->source_sum,
		.counts = &l->counts };
	struct vs_result_writer *w = NULL;
	int code = put_chunks(l);

	if (!code)
		code = vs_result_create(&w, &plan, l->run);
	if (!code)
		code = copy_all(l, w);
	if (code)
		vs_result_abandon(w);
	else
		code = vs_result_finish(w, &end, NULL);
	return code;
}

int
vs_shard_log_seal(struct vs_shard_log *l, const char *generator,
	const struct vs_stats *stats)
{
	struct vs_provenance provenance = { 0 };
	int code = 0;

	if (l->head)
		code = vs_provenance_read(&provenance, l->head->file);
	if (!code)
		code = write_shard(l,
			l->head ? &provenance : l->plan.provenance, generator,
			stats);
	vs_provenance_free(&provenance);
	/* a kill between the two leaves both files: the shard counts */
	if (!code && unlink(l->path))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove", l->path);
	return code;
}

struct vs_shard_log_state
vs_shard_log_state(const struct vs_shard_log *l)
{
	return (struct vs_shard_log_state){ .tile = l->tile,
		.n_tile = l->n_tile,
		.n_committed = l->n_committed,
		.n_records = l->n_records,
		.sum = l->sum,
		.source_sum = l->source_sum,
		.counts = &l->counts,
		.head = l->head,
		.codec = l->plan.codec,
		.path = l->path,
		.shard = l->shard };
}

void
vs_shard_log_close(struct vs_shard_log *l)
{
	if (!l)
		return;
	if (l->scratch)
		vs_file_scratch_end(l->path);
	if (l->fd >= 0)
		close(l->fd);
	vs_team_free(l->team);
	for (int k = 0; k < l->n_packer; k++)
		vs_codec_free(l->packer[k]);
	for (int c = 0; c < VS_N_COL; c++) {
		vs_digest_free(l->column[c].digest);
		free(l->column[c].rows);
	}
	vs_tile_counts_free(&l->counts);
	vs_result_close(l->head);
	free(l->packer);
	free(l->packed);
	free(l->n_packed);
	free(l->chunk);
	free(l->tile);
	free(l->shard);
	free(l->path);
	free(l);
}
