/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the shards of a run, sorted into a merged file, and their sums. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/bucket_sort.h"
#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/text.h"
#include "libcore/plan/comm.h"
#include "tools/merge/merge_records.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

#define MOST_OPEN 256 /* shards that stay open */
#define BATCH 64      /* records renamed before they are summed up */

struct work {
	const struct vs_merge_records *m;
	struct vs_digest_sum as_source, written;
	bool is_source; /* all records are written with the source's names */
	struct vs_result **open;      /* shards that stay open, or null */
	struct vs_result_seen **seen; /* number of the other shards */
	int code;                     /* of these shards */
	uint64_t n_done, n_written;
	struct vs_tool_progress progress;
};

static const char *
file_name(const struct work *w, size_t s)
{
	return vs_text_pool_string(w->m->files, s);
}

/* Reopen a shard whose bytes have been checked; it stays open if there are
 * few. */
static int
open_shard(void *with, size_t s, struct vs_result **r)
{
	struct work *w = with;
	const struct vs_shard_row *row = &w->m->shard[s];
	int code = 0;

	*r = w->open[s];
	if (*r)
		return 0;
	code = vs_result_open(r, file_name(w, s), VS_H5_FAST);
	if (!code)
		(*r)->seen = w->seen[s];
	w->seen[s] = NULL;
	if (!code)
		code = vs_result_watch(*r, true);
	if (!code &&
		(strcmp((*r)->uuid, row->uuid) ||
			(*r)->n_records != (uint64_t)row->n_records))
		code = vs_fail(VS_EINPUT, "%s: was replaced during the merge",
			file_name(w, s));
	if (code) {
		vs_result_close(*r);
		*r = NULL;
	} else if (w->m->files->n <= MOST_OPEN) {
		w->open[s] = *r;
	}
	return code;
}

static void
leave_shard(void *with, size_t s, struct vs_result *r)
{
	struct work *w = with;

	if (w->open[s])
		return;
	if (!w->code)
		w->code = vs_result_seen_check(r);
	w->seen[s] = r->seen;
	r->seen = NULL;
	vs_result_close(r);
}

/* ---- sums ---- */

/* Give records their source's rows and labels. */
static void
to_source(const struct vs_vector_names_map *map, struct vs_record *rec,
	size_t n)
{
	for (size_t x = 0; x < n; x++)
		vs_run_record_to_source(&rec[x], map->row, map->allele1);
}

/* Give records of an earlier result the present rows of their vectors. */
static void
to_now(const struct vs_merge_records *m, struct vs_record *rec, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		vs_run_record_to_source(&rec[x], m->now, NULL);
		if (m->run->has_nvalid && rec[x].nvalid < 0)
			rec[x].nvalid = (int32_t)m->run->n_fields;
	}
}

static bool
turns(const struct vs_merge_records *m)
{
	return m->unpermute || m->now;
}

/* Read records of shard s as they are to be written. */
static void
turn_records(void *with, size_t s, struct vs_record *rec, size_t n)
{
	const struct vs_merge_records *m = ((struct work *)with)->m;

	if (m->now && s == m->old)
		to_now(m, rec, n);
	if (m->unpermute)
		to_source(m->map, rec, n);
}

static void
sum_at_source(struct work *w, const struct vs_record *rec, size_t n,
	struct vs_digest_sum *sum)
{
	struct vs_record turned[BATCH];

	for (size_t now; n; n -= now, rec += now) {
		now = n < BATCH ? n : BATCH;
		memcpy(turned, rec, now * sizeof(*rec));
		to_source(w->m->map, turned, now);
		vs_result_io_sum(sum, turned, now);
	}
}

/* True if the vectors are the source's in its order; exchanged labels rename
 * cells, which some metrics do not have. */
static bool
is_source(const struct vs_merge_records *m)
{
	const struct vs_vector_names_map *map = m->map;
	const bool cells = vs_run_has_cells(m->run);
	bool same = true;

	for (uint64_t v = 0; v < map->n; v++)
		same &= map->row[v] == (int64_t)v &&
			!(cells && map->allele1[v] == VS_ALLELE_FIRST);
	return same;
}

static void
mark(const struct work *w, uint64_t vector)
{
	__atomic_store_n(&w->m->used[vector], 1, __ATOMIC_RELAXED);
}

/* Sum up records as written and with the source's names, and mark the vectors
 * that occur in the result. On any thread. */
static void
account(void *with, const struct vs_record *rec, size_t n)
{
	struct vs_digest_sum source = { { 0, 0 } }, written = source;
	struct work *w = with;

	if (turns(w->m) || w->m->n_part)
		vs_result_io_sum(&written, rec, n);
	if (w->m->unpermute)
		source = written;
	else if (w->m->map->n && !w->is_source)
		sum_at_source(w, rec, n, &source);
	for (size_t x = 0; x < n && w->m->used; x++) {
		if (!x || rec[x].i != rec[x - 1].i)
			mark(w, rec[x].i);
		mark(w, rec[x].j);
		if (rec[x].k != VS_NO_VEC)
			mark(w, rec[x].k);
	}
	vs_digest_sum_add_shared(&w->as_source, &source);
	vs_digest_sum_add_shared(&w->written, &written);
}

/* Check the sums of what was read and of what was written. */
static int
check_sums(struct work *w, const struct vs_result_writer *writer)
{
	const struct vs_merge_records *m = w->m;
	struct vs_digest_sum sum = vs_result_sum(writer);
	const bool turned = turns(m) || m->n_part;

	if (m->map->n && m->source_stated && !m->n_part &&
		!vs_digest_sum_equal(&w->as_source, &m->stated_source))
		return vs_fail(VS_EINPUT,
			"%s: the records named as in the source do not have "
			"the sum that the shards state",
			file_name(w, 0));
	if (vs_digest_sum_equal(&sum, turned ? &w->written : &m->stated))
		return 0;
	return vs_fail(VS_EMACHINE,
		"%s: records came back from sorting changed: a broken disk or "
		"memory",
		m->out);
}

/* ---- sorting ---- */

static void
progress(struct work *w, size_t n)
{
	w->n_done += n;
	vs_tool_progress_step(&w->progress, (double)w->n_done, NULL);
}

/* Write the records that are in order. */
static int
write_all(struct work *w, struct vs_bucket_sort *b,
	struct vs_result_writer *writer)
{
	struct vs_record *rec;
	size_t n = 0;
	int code;

	do {
		code = vs_bucket_sort_next(b, &rec, &n);
		progress(w, n);
		if (!code && n)
			code = vs_result_add(writer, rec, n);
		progress(w, n);
		w->n_written += n;
	} while (!code && n);
	return code;
}

/* The same, by all ranks. */
static int
write_together(struct work *w, struct vs_bucket_sort *b,
	struct vs_result_writer *writer)
{
	const uint64_t n_rank = (uint64_t)vs_comm_size();
	struct vs_bucket_piece piece;
	int code = vs_result_joint_begin(writer, 0);

	while (!code && (code = vs_bucket_sort_piece(b, &piece)) != VS_DONE) {
		code = vs_result_joint_add(writer, &piece, code);
		progress(w, 2 * n_rank * piece.n);
	}
	if (code == VS_DONE)
		code = 0;
	w->n_written = w->m->n_records;
	return vs_result_joint_end(writer, code);
}

static int
sort(struct work *w, struct vs_result_writer *writer)
{
	struct vs_bucket_source source = {
		.ctx = w,
		.n = w->m->files->n,
		.n_vec = (uint64_t)w->m->run->n_vectors,
		.part = w->m->part,
		.n_part = w->m->n_part,
		.joint = w->m->joint,
		.beside = w->m->out,
		.open = open_shard,
		.leave = leave_shard,
		.turn = turns(w->m) ? turn_records : NULL,
		.taken = account,
	};
	struct vs_bucket_sort *b = NULL;
	struct vs_text how = { 0 };
	int code = vs_bucket_sort_new(&b, &source, w->m->memory);

	if (code)
		return code;
	code = w->m->joint ? write_together(w, b, writer)
			   : write_all(w, b, writer);
	if (!code)
		code = vs_bucket_sort_say(b, &how);
	if (!code)
		vs_tool_say("%s", how.bytes);
	vs_text_free(&how);
	vs_bucket_sort_free(b);
	return code;
}

#define MARKS 65536

/* Add up the sums of all ranks, and what they have marked. */
static void
gather(struct work *w)
{
	const uint64_t n_vec = (uint64_t)w->m->run->n_vectors;
	static uint64_t marks[MARKS];
	uint8_t *used = w->m->used;

	vs_comm_sum_u64(w->as_source.h, 2);
	vs_comm_sum_u64(w->written.h, 2);
	for (uint64_t lo = 0, n; used && lo < n_vec; lo += n) {
		n = vs_min_size(MARKS, n_vec - lo);
		for (uint64_t v = 0; v < n; v++)
			marks[v] = used[lo + v];
		vs_comm_sum_u64(marks, n);
		for (uint64_t v = 0; v < n; v++)
			used[lo + v] = marks[v] > 0;
	}
}

int
vs_merge_records_write(const struct vs_merge_records *m,
	struct vs_result_writer *writer, struct vs_digest_sum *as_source,
	uint64_t *n_written)
{
	struct work w = { .m = m,
		.is_source = m->map->n && !m->unpermute && is_source(m) };
	size_t n = m->files->n;
	int code = vs_mem_new(&w.open, n, sizeof(*w.open), "shards");

	VS_MEM_NEW(&code, w.seen, n, "shards");
	code = vs_comm_agree_if(m->joint, code);
	vs_tool_progress_begin(&w.progress, "records",
		2 * (double)m->n_records);
	if (!code)
		code = sort(&w, writer);
	if (code == VS_DONE)
		code = vs_fail(VS_EMACHINE,
			"%s: a part is sorted in memory, and this one is too "
			"large: --memory allows more, 32M at least, more parts "
			"need less",
			m->out);
	vs_tool_progress_end(&w.progress);
	for (size_t s = 0; s < n && w.open; s++) {
		if (!code && w.open[s])
			code = vs_result_seen_check(w.open[s]);
		vs_result_close(w.open[s]);
		if (w.seen)
			vs_result_seen_free(w.seen[s]);
	}
	code = vs_comm_agree_if(m->joint, code ? code : w.code);
	if (!code && m->joint)
		gather(&w);
	if (w.is_source)
		w.as_source = vs_result_sum(writer);
	if (!code)
		code = check_sums(&w, writer);
	*as_source = w.as_source;
	*n_written = w.n_written;
	free(w.open);
	free(w.seen);
	return code;
}
