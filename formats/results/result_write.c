/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of shards and results, by columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/codec.h"
#include "formats/results/bucket_sort.h"
#include "formats/results/result_columns.h"
#include "formats/results/result_write.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/team.h"
#include "libcore/bits/record_digest.h"
#include "libcore/plan/comm.h"

/* Records that fit in L1 and L2 while their columns are filled. */
#define NEAR 512

/* Records of a merged file that a thread takes at a time. */
#define PIECE 4096

struct vs_result_writer {
	struct vs_h5_writer *file;
	struct vs_h5_writer_data *column[VS_N_COL];
	char *path;
	enum vs_kind kind;
	struct vs_codec codec;
	struct vs_run run; /* texts not included */
	uint64_t n_records;
	struct vs_digest_sum sum;
	uint64_t counts;       /* vs_digest_counts() of the records */
	struct vs_record last; /* merged: to check the order */
	bool has_last;
	int64_t *i_offset; /* merged: counts, then offsets */
	struct vs_tile_row *tile;
	size_t n_tile, room_tile;
	struct vs_team *team; /* merged: fills columns */
	/* of a file that ranks write together */
	uint64_t n_joint;
	struct vs_h5_joint *joint;
	void *room[VS_N_COL]; /* columns of a piece */
	size_t room_rows[VS_N_COL];
};

/*
 * Uncompressed chunks have no checksum, and the sum of the records covers only
 * their values.
 */
static bool
has_counts(const struct vs_result_writer *w)
{
	return w->codec.id == VS_CODEC_NONE &&
		(w->run.has_num || w->run.has_nvalid);
}

static void
add_counts(struct vs_result_writer *w, const struct vs_record *rec, size_t n)
{
	if (has_counts(w))
		__atomic_fetch_add(&w->counts,
			vs_digest_counts(rec, n, w->run.has_num,
				w->run.has_nvalid),
			__ATOMIC_RELAXED);
}

static int
begin_columns(struct vs_result_writer *w)
{

	vs_h5_writer_group(w->file, "/records");
	for (int c = 0; c < VS_N_COL; c++) {
		struct vs_h5_writer_shape shape = {
			.type = vs_run_column_type(&w->run, c),
			.n_dim = 1,
			.dim = { w->n_joint },
			.dims = "record",
			.codec = w->codec,
			.shuffle = c != VS_COL_CELL,
		};

		if (vs_run_has_column(&w->run, c))
			vs_h5_writer_data(w->file, vs_run_column_path(c),
				&shape, &w->column[c]);
	}
	return vs_h5_writer_code(w->file);
}

static int
write_chromosomes(struct vs_result_writer *w, const struct vs_run *run)
{
	vs_h5_writer_group(w->file, "/chromosomes");
	return vs_h5_writer_column(w->file, VS_RUN_CHROMOSOMES, VS_I64,
		run->chromosomes.first, run->chromosomes.n, w->codec);
}

static int
begin(struct vs_result_writer *w, const struct vs_result_plan *plan,
	const struct vs_run *run)
{
	char features[256];
	int code = 0;

	snprintf(features, sizeof(features), "way%d%s", run->n_way,
		plan->codec.id == VS_CODEC_ZSTD              ? " zstd"
			: plan->codec.id == VS_CODEC_DEFLATE ? " deflate"
							     : "");
	vs_run_features(run, plan->kind, features, sizeof(features));
	if (run->chromosomes.n && plan->kind == VS_KIND_SHARD)
		strcat(features, " chromosomes");
	if (w->kind == VS_KIND_MERGED)
		code = vs_mem_new(&w->i_offset, (size_t)run->n_vectors + 1,
			sizeof(*w->i_offset), "index");
	if (code || (plan->joint && vs_comm_rank()))
		return code;
	code = vs_h5_writer_create(&w->file, plan->path, plan->kind, features,
		plan->generator, plan->force);
	if (!code && plan->reproducible)
		vs_h5_writer_reproducible(w->file);
	if (!code)
		code = vs_run_fields_write(w->file, "/run", vs_run_fields,
			plan->kind, run);
	if (!code && *run->between)
		code = vs_sets_write(&run->wanted, w->file, plan->codec);
	if (!code && *run->order && plan->kind == VS_KIND_SHARD)
		code = vs_sets_order_write(&run->wanted, w->file, plan->codec);
	if (!code && run->chromosomes.n && plan->kind == VS_KIND_SHARD)
		code = write_chromosomes(w, run);
	if (!code && run->permutations)
		code = vs_null_maxima_write(run->null_maxima, run->permutations,
			w->file, plan->codec);
	if (!code && w->kind == VS_KIND_MERGED)
		code = vs_h5_writer_text(w->file, "/run", "sorted",
			"i,j,k,cell");
	return code ? code : begin_columns(w);
}

int
vs_result_create(struct vs_result_writer **w, const struct vs_result_plan *plan,
	const struct vs_run *run)
{
	struct vs_result_writer *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), plan->path);

	if (code)
		return code;
	p->kind = plan->kind;
	p->codec = plan->codec;
	p->run = *run;
	p->run.vectors_path = p->run.between_names = NULL;
	p->n_joint = plan->joint ? plan->n_records : VS_ROWS_UNKNOWN;
	code = vs_mem_copy_text(&p->path, plan->path);
	if (!code)
		code = begin(p, plan, run);
	if (code) {
		vs_result_abandon(p);
		return code;
	}
	*w = p;
	return 0;
}

size_t
vs_result_bytes_of(enum vs_type type)
{
	return type == VS_U8 ? 1 : type == VS_I32 || type == VS_F32 ? 4 : 8;
}

void
vs_result_fill(int column, enum vs_type type, const struct vs_record *rec,
	uint64_t n, void *to)
{
	switch (column) {
	case VS_COL_I:
		for (uint64_t k = 0; k < n; k++)
			((uint64_t *)to)[k] = rec[k].i;
		break;
	case VS_COL_J:
		for (uint64_t k = 0; k < n; k++)
			((uint64_t *)to)[k] = rec[k].j;
		break;
	case VS_COL_K:
		for (uint64_t k = 0; k < n; k++)
			((uint64_t *)to)[k] = rec[k].k;
		break;
	case VS_COL_CELL:
		for (uint64_t k = 0; k < n; k++)
			((uint8_t *)to)[k] = (uint8_t)rec[k].cell;
		break;
	case VS_COL_VALUE:
		for (uint64_t k = 0; k < n; k++)
			if (type == VS_F32)
				((float *)to)[k] = (float)rec[k].value;
			else
				((double *)to)[k] = rec[k].value;
		break;
	case VS_COL_NUM:
		for (uint64_t k = 0; k < n; k++)
			((int64_t *)to)[k] = rec[k].num;
		break;
	case VS_COL_NVALID:
		for (uint64_t k = 0; k < n; k++)
			((int64_t *)to)[k] = rec[k].nvalid;
		break;
	}
}

/* Records of a merged file whose columns are filled by all threads. */
struct filling {
	struct vs_result_writer *w;
	const struct vs_record *rec;
	size_t n;
	void *to[VS_N_COL];
};

/* Add records, as they will be read back, to a sum. */
static void
sum_up(const struct vs_result_writer *w, const struct vs_record *rec, size_t n,
	struct vs_digest_sum *sum)
{
	bool f32 = !strcmp(w->run.value_type, "f32"), pair = w->run.n_way == 2;

	if (!f32) {
		vs_record_digest_sum(sum, rec, n);
		return;
	}
	for (size_t r = 0; r < n; r++)
		vs_digest_sum_record(sum, rec[r].i, rec[r].j,
			pair ? VS_NO_VEC : rec[r].k, rec[r].cell,
			(double)(float)rec[r].value);
}

/* Account for records [lo, hi) of a merged file: order, records per first
 * vector, and the sum. Another thread may have those before them. */
static int
account(const struct filling *f, size_t lo, size_t hi,
	struct vs_digest_sum *sum)
{
	struct vs_result_writer *w = f->w;
	const struct vs_record *last = w->has_last ? &w->last : NULL;

	sum_up(w, f->rec + lo, hi - lo, sum);
	add_counts(w, f->rec + lo, hi - lo);

	for (size_t r = lo, begin = lo; r < hi; r++) {
		const struct vs_record *x = &f->rec[r];

		if (r)
			last = x - 1;
		if (last && !vs_record_is_before(last, x))
			return vs_fail(VS_EINPUT,
				"%s: record (%llu,%llu) comes twice or out of "
				"order",
				w->path, (unsigned long long)x->i,
				(unsigned long long)x->j);
		if (x->i >= (uint64_t)w->run.n_vectors)
			return vs_fail(VS_EINPUT,
				"%s: record of vector %llu, of %lld", w->path,
				(unsigned long long)x->i,
				(long long)w->run.n_vectors);
		if (r + 1 < hi && x[1].i == x->i)
			continue;
		__atomic_fetch_add(&w->i_offset[x->i + 1],
			(int64_t)(r + 1 - begin), __ATOMIC_RELAXED);
		begin = r + 1;
	}
	return 0;
}

/* Account for a piece of the records and fill its part of the columns. */
static int
fill_piece(void *ctx, size_t piece, int thread)
{
	const struct filling *f = ctx;
	const struct vs_run *run = &f->w->run;
	size_t lo = piece * PIECE, hi = lo + PIECE < f->n ? lo + PIECE : f->n;
	struct vs_digest_sum sum = { { 0, 0 } };
	int code = 0;

	(void)thread;
	for (size_t n; lo < hi && !code; lo += n) {
		n = hi - lo < NEAR ? hi - lo : NEAR;
		code = account(f, lo, lo + n, &sum);
		for (int c = 0; c < VS_N_COL && !code; c++) {
			enum vs_type type = vs_run_column_type(run, c);

			if (f->to[c])
				vs_result_fill(c, type, f->rec + lo, n,
					(uint8_t *)f->to[c] +
						lo * vs_result_bytes_of(type));
		}
	}
	vs_digest_sum_add_shared(&f->w->sum, &sum);
	return code;
}

/* Fill the columns f->to on all threads. */
static int
fill_pieces(struct vs_result_writer *w, struct filling *f)
{
	int code = w->team ? 0 : vs_team_new(&w->team, vs_h5_n_thread());

	if (code)
		return code;
	vs_team_start(w->team, fill_piece, f, (f->n + PIECE - 1) / PIECE);
	return vs_team_wait(w->team);
}

/* Append records to a merged file, as many at a time as all columns have room
 * for, on all threads. */
static int
add_merged(struct vs_result_writer *w, const struct vs_record *rec, size_t n)
{
	struct filling f = { .w = w };
	uint64_t now;
	int code = 0;

	for (; n && !code; n -= f.n, rec += f.n) {
		f.rec = rec;
		f.n = n;
		for (int c = 0; c < VS_N_COL && !code; c++) {
			if (!w->column[c])
				continue;
			code = vs_h5_writer_room(w->column[c], f.n, &f.to[c],
				&now);
			f.n = (size_t)now;
		}
		if (code)
			break;
		code = fill_pieces(w, &f);
		for (int c = 0; c < VS_N_COL && !code; c++)
			if (w->column[c])
				code = vs_h5_writer_filled(w->column[c], f.n);
		w->last = rec[f.n - 1];
		w->has_last = true;
		w->n_records += f.n;
	}
	return code;
}

/* ---- ranks together ---- */

_Static_assert(VS_N_COL <= VS_H5_JOINT_MOST, "all columns are joint");

int
vs_result_joint_begin(struct vs_result_writer *w, int code)
{
	code = vs_comm_agree(code);
	return code ? code
		    : vs_h5_joint_open(&w->joint, w->file, w->column, VS_N_COL);
}

static int
fill_joint(struct vs_result_writer *w, const struct vs_bucket_piece *piece,
	void **rows)
{
	struct filling f = { .w = w, .rec = piece->rec, .n = piece->n };
	int n_row = 0, code = 0;

	for (int c = 0; c < VS_N_COL && !code; c++) {
		if (!vs_run_has_column(&w->run, c))
			continue;
		code = vs_mem_grow(&w->room[c], &w->room_rows[c], f.n + 1,
			vs_result_bytes_of(vs_run_column_type(&w->run, c)),
			vs_run_column_path(c));
		rows[n_row++] = f.to[c] = w->room[c];
	}
	w->has_last = piece->before;
	if (piece->before)
		w->last = *piece->before;
	w->n_records += f.n;
	return code || !f.n ? code : fill_pieces(w, &f);
}

int
vs_result_joint_add(struct vs_result_writer *w,
	const struct vs_bucket_piece *piece, int code)
{
	void *rows[VS_N_COL];

	code = vs_comm_agree(code ? code : fill_joint(w, piece, rows));
	if (!code)
		vs_h5_joint_write(w->joint, piece->row, piece->n, rows);
	return code;
}

int
vs_result_joint_end(struct vs_result_writer *w, int code)
{
	const uint64_t n = (uint64_t)w->run.n_vectors + 1;

	code = vs_comm_agree(code);
	if (!code) {
		vs_comm_sum_u64(&w->n_records, 1);
		vs_comm_sum_u64(w->sum.h, 2);
		vs_comm_sum_u64(&w->counts, 1);
		vs_comm_sum_u64((uint64_t *)w->i_offset, n);
	}
	if (!code && w->n_records != w->n_joint)
		code = vs_fail(VS_EMACHINE,
			"%s: %llu records were written, of %llu", w->path,
			(unsigned long long)w->n_records,
			(unsigned long long)w->n_joint);
	if (w->joint) {
		int closed = vs_h5_joint_close(w->joint);

		w->joint = NULL;
		code = vs_comm_agree(code ? code : closed);
	}
	return code;
}

static int
fill_columns(struct vs_result_writer *w, const struct vs_record *rec, size_t n)
{
	int code = 0;

	for (int c = 0; c < VS_N_COL; c++) {
		enum vs_type type = vs_run_column_type(&w->run, c);
		uint64_t now;
		void *to;

		for (size_t at = 0; w->column[c] && at < n && !code;
			at += now) {
			code = vs_h5_writer_room(w->column[c], n - at, &to,
				&now);
			if (code)
				break;
			vs_result_fill(c, type, rec + at, now, to);
			code = vs_h5_writer_filled(w->column[c], now);
		}
	}
	return code;
}

int
vs_result_add(struct vs_result_writer *w, const struct vs_record *rec, size_t n)
{
	int code = 0;

	if (w->kind == VS_KIND_MERGED)
		return add_merged(w, rec, n);
	for (size_t at = 0, now; at < n && !code; at += now) {
		now = n - at < NEAR ? n - at : NEAR;
		add_counts(w, rec + at, now);
		code = fill_columns(w, rec + at, now);
	}
	w->n_records += n;
	return code;
}

struct vs_h5_writer_data *
vs_result_column(const struct vs_result_writer *w, int column)
{
	return w->column[column];
}

void
vs_result_count(struct vs_result_writer *w, uint64_t n, uint64_t counts)
{
	w->n_records = n;
	w->counts = counts;
}

struct vs_digest_sum
vs_result_sum(const struct vs_result_writer *w)
{
	return w->sum;
}

int
vs_result_tile(struct vs_result_writer *w, const struct vs_tile_row *tile)
{
	int code = vs_mem_grow(&w->tile, &w->room_tile, w->n_tile + 1,
		sizeof(*w->tile), "tiles");

	if (code)
		return code;
	w->tile[w->n_tile++] = *tile;
	if (w->kind == VS_KIND_SHARD)
		vs_digest_sum_add(&w->sum, &tile->sum);
	return 0;
}

int
vs_result_packed(const struct vs_run *run, struct vs_codec codec,
	const struct vs_record *rec, size_t n, uint64_t *bytes)
{
	struct vs_codec_state *chunker = NULL;
	uint8_t *from = NULL, *to = NULL;
	size_t room = vs_codec_bound(codec.id, 8 * n), packed = 8 * n;
	int code = vs_mem_room(&from, 8 * n, 1, "a column");

	VS_MEM_ROOM(&code, to, room, "a column");
	if (!code)
		code = vs_codec_new(&chunker);
	for (int c = 0; c < VS_N_COL && !code; c++) {
		enum vs_type type = vs_run_column_type(run, c);
		size_t width = vs_result_bytes_of(type);

		if (!vs_run_has_column(run, c))
			continue;
		vs_result_fill(c, type, rec, n, from);
		packed = width * n;
		if (codec.id != VS_CODEC_NONE)
			code = vs_codec_pack(chunker, codec,
				c == VS_COL_CELL ? 1 : width, from, width * n,
				to, room, &packed);
		*bytes += code ? 0 : packed;
	}
	vs_codec_free(chunker);
	free(from);
	free(to);
	return code;
}

/* ---- end ---- */

static int
write_tiles(struct vs_result_writer *w)
{
	uint8_t *column = NULL;
	int code = vs_h5_writer_group(w->file, "/tiles");

	if (!code)
		code = vs_mem_new(&column, w->n_tile, 8, "tiles");
	for (size_t c = 0; c < vs_n_tile_column && !code; c++) {
		const struct vs_tile_column *t = &vs_tile_columns[c];
		size_t size = vs_result_bytes_of(t->type);

		for (size_t k = 0; k < w->n_tile; k++)
			memcpy(column + k * size,
				(const char *)&w->tile[k] + t->offset, size);
		code = vs_h5_writer_column(w->file, t->path, t->type, column,
			w->n_tile, w->codec);
	}
	free(column);
	return code;
}

static int
write_index(struct vs_result_writer *w)
{
	uint64_t n = (uint64_t)w->run.n_vectors;

	vs_h5_writer_group(w->file, "/index");
	for (uint64_t v = 0; v < n; v++)
		w->i_offset[v + 1] += w->i_offset[v];
	return vs_h5_writer_column(w->file, "/index/i_offset", VS_I64,
		w->i_offset, n + 1, w->codec);
}

static void
write_nodes(struct vs_result_writer *w, const struct vs_nodes *nodes)
{
	const struct vs_sites *s = &nodes->site;
	struct vs_h5_writer *f = w->file;

	vs_h5_writer_group(f, "/nodes");
	vs_h5_writer_i32(f, "/nodes", "ploidy", &s->ploidy, 1);
	vs_h5_writer_column(f, "/nodes/vector", VS_I64, nodes->vector, nodes->n,
		w->codec);
	vs_site_columns_write(s, f, "/nodes", true, true, w->codec);
}

static int
write_shards(struct vs_result_writer *w, const struct vs_shard_row *row,
	size_t n)
{
	struct vs_text_pool name = { 0 }, uuid = { 0 }, content = { 0 };
	int64_t *count = NULL;
	uint64_t *sum[2] = { NULL, NULL };
	struct vs_h5_writer *f = w->file;
	int code = vs_h5_writer_group(f, "/shards");

	if (!code)
		code = vs_mem_new(&count, n, 8, "shards");
	for (int h = 0; h < 2 && !code; h++)
		code = vs_mem_new(&sum[h], n, 8, "shards");
	for (size_t k = 0; k < n && !code; k++) {
		count[k] = row[k].n_records;
		sum[0][k] = row[k].sum.h[0];
		sum[1][k] = row[k].sum.h[1];
		code = vs_text_pool_add(&name, row[k].name,
			strlen(row[k].name));
		if (!code)
			code = vs_text_pool_add(&uuid, row[k].uuid,
				strlen(row[k].uuid));
		if (!code)
			code = vs_text_pool_add(&content, row[k].content,
				strlen(row[k].content));
	}
	if (!code) {
		vs_h5_writer_strings(f, "/shards/name", &name, w->codec);
		vs_h5_writer_strings(f, "/shards/uuid", &uuid, w->codec);
		vs_h5_writer_strings(f, "/shards/content", &content, w->codec);
		vs_h5_writer_column(f, "/shards/n_records", VS_I64, count, n,
			w->codec);
		vs_h5_writer_column(f, "/shards/sum0", VS_U64, sum[0], n,
			w->codec);
		code = vs_h5_writer_column(f, "/shards/sum1", VS_U64, sum[1], n,
			w->codec);
	}
	vs_text_pool_free(&name);
	vs_text_pool_free(&uuid);
	vs_text_pool_free(&content);
	free(count);
	free(sum[0]);
	free(sum[1]);
	return code;
}

static int
write_sums(struct vs_result_writer *w, const struct vs_digest_sum *source_sum)
{
	int64_t n = (int64_t)w->n_records;

	vs_h5_writer_i64(w->file, "/records", "n_records", &n, 1);
	vs_h5_writer_u64(w->file, "/records", "records_sum", w->sum.h, 2);
	if (source_sum)
		vs_h5_writer_u64(w->file, "/records", "source_sum",
			source_sum->h, 2);
	if (has_counts(w))
		vs_h5_writer_u64(w->file, "/records", "counts_sum", &w->counts,
			1);
	return vs_h5_writer_code(w->file);
}

int
vs_result_finish(struct vs_result_writer *w, const struct vs_result_end *end,
	char content_hex[VS_DIGEST_TEXT])
{
	bool merged = w->kind == VS_KIND_MERGED;
	int code = write_sums(w, end->source_sum);

	if (!code && merged)
		code = write_index(w);
	if (!code && (!merged || w->n_tile))
		code = write_tiles(w);
	if (!code)
		code = vs_tile_counts_write(end->counts, w->file, w->codec);
	if (!code && end->nodes)
		write_nodes(w, end->nodes);
	if (!code && merged)
		code = write_shards(w, end->shards, end->n_shards);
	if (!code && end->stats)
		code = vs_run_fields_write(w->file, "/stats", vs_stats_fields,
			w->kind, end->stats);
	if (!code)
		code = vs_provenance_write(end->provenance, w->file, w->codec);
	if (!code)
		code = vs_h5_writer_finish(&w->file,
			merged ? &vs_merged_content : &vs_shard_content,
			content_hex);
	vs_result_abandon(w);
	return code;
}

void
vs_result_abandon(struct vs_result_writer *w)
{
	if (!w)
		return;
	vs_h5_writer_abandon(w->file);
	vs_team_free(w->team);
	for (int c = 0; c < VS_N_COL; c++)
		free(w->room[c]);
	free(w->i_offset);
	free(w->tile);
	free(w->path);
	free(w);
}

void
vs_result_nodes_free(struct vs_nodes *nodes)
{
	free(nodes->vector);
	vs_sites_free(&nodes->site);
	memset(nodes, 0, sizeof(*nodes));
}
