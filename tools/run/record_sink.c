/* SPDX-License-Identifier: BSD-3-Clause */
/* Record sink of a rank: finished tiles go into its shards or table. */
#include <math.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/plan/comm.h"
#include "tools/run/record_sink.h"
#include "tools/shared/tool.h"

#define SHARE 4 /* less than 1 / SHARE of the samples counts as few */

static void
see_few(struct vs_few *few, const struct vs_record *rec, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (few->any &&
			vs_record_compare_in(few->order, &rec[k], &few->top) >=
				0)
			continue;
		few->top = rec[k];
		few->any = true;
	}
}

/* The strongest of all ranks, by one key after the other; false: there is none.
 * Records equal in all keys are one record, on one rank. */
static bool
agree(const struct vs_few *few, struct vs_record *out)
{
	const struct vs_record *r = &few->top;
	const bool triple = few->any && r->k != VS_NO_VEC;
	const bool cell = few->any && r->cell != VS_NO_CELL;
	/* indices are below 2^53; a pair has no k, and some metrics no cell */
	const double key[] = { vs_record_strength(few->order, r), -(double)r->i,
		-(double)r->j, triple ? -(double)r->k : 0,
		cell ? -(double)r->cell : 0, (double)r->nvalid };
	const int n_key = sizeof(key) / sizeof(key[0]);
	double most[sizeof(key) / sizeof(key[0])];
	bool mine = few->any;

	for (int k = 0; k < n_key; k++) {
		most[k] = mine ? key[k] : -INFINITY;
		vs_comm_max_f64(&most[k], 1);
		mine = mine && key[k] == most[k];
	}
	if (isinf(most[0]))
		return false;
	*out = (struct vs_record){ .i = (uint32_t)-most[1],
		.j = (uint32_t)-most[2],
		.k = (uint32_t)-most[3],
		.nvalid = (int32_t)most[5] };
	return true;
}

int
vs_record_sink_warn(const struct vs_few *few, const struct vs_run *run,
	struct vs_packed *vectors)
{
	struct vs_record r = { 0 };
	char id[3][VS_PACKED_ID] = { "" };
	int code = 0;

	if (!run->has_nvalid || run->min_joint || !agree(few, &r) ||
		r.nvalid * SHARE >= run->n_fields || vs_comm_rank())
		return 0;
	for (int x = 0; x < run->n_way && !code; x++)
		code = vs_packed_id(vectors,
			x == 2      ? r.k
				: x ? r.j
				    : r.i,
			id[x]);
	if (code)
		return code;
	vs_tool_warn("the strongest %s (%s, %s%s%s) is based on %lld of %lld "
		     "samples: --min-joint drops such records",
		run->n_way == 3 ? "triple" : "pair", id[0], id[1],
		run->n_way == 3 ? ", " : "", id[2], (long long)r.nvalid,
		(long long)run->n_fields);
	return 0;
}

int
vs_record_sink_begin(struct vs_record_sink *h,
	const struct vs_shard_writer_plan *plan, const struct vs_run *run)
{
	h->dir = plan->dir;
	h->stage = run->stage_begin;
	h->watched = run->has_nvalid && strcmp(run->missing, "none");
	h->few.order = vs_record_strongest_first(vs_run_strong(run));
	return h->table ? 0 : vs_shard_writer_new(&h->shards, plan, run);
}

int
vs_record_sink_add(struct vs_record_sink *h, const struct vs_tile_done *tile)
{
	struct vs_tile_row row = { .bi = (int32_t)tile->bi,
		.bj = (int32_t)tile->bj,
		.stage = h->stage,
		.evaluated = (int64_t)tile->evaluated,
		.sum = tile->sum,
		.seconds = (float)tile->seconds };
	double started = vs_clock();
	int code;

	if (h->most && h->before + h->n_record + tile->n > h->most) {
		h->full = true;
		return VS_DONE;
	}
	code = h->table ? vs_table_add(h->table, tile)
			: vs_shard_writer_add(h->shards, tile->rec, tile->n);
	h->n_record += tile->n;
	if (h->watched)
		see_few(&h->few, tile->rec, tile->n);
	if (!code && tile->last) {
		code = h->table ? 0
				: vs_shard_writer_tile(h->shards, &row,
					  &tile->renamed, tile->counts);
		vs_digest_sum_add(&h->sum, &tile->sum);
		vs_digest_sum_add(&h->renamed, &tile->renamed);
	}
	h->seconds += vs_clock() - started;
	return code;
}

#define STOPPED                                                            \
	"stopped by a signal; finished work is saved in %s, and --resume " \
	"continues it"

#define STOPPED_BEFORE                                          \
	"stopped by a signal; work saved before is in %s, and " \
	"--resume continues it"

#define STOPPED_EMPTY "stopped by a signal before anything was saved in %s"

/* another rank may still save something */
#define STOPPED_RANK "stopped by a signal; if %s exists, --resume continues it"

#define FULL                                                              \
	"more than %llu records: the finished tiles are saved in %s; "    \
	"--resume with a greater --max-records goes on, a higher -t has " \
	"fewer"

/* The format of a sentence about what the stopped run left in the directory. */
static const char *
stopped(const struct vs_record_sink *h)
{
	struct vs_text_pool files = { 0 };
	const bool empty = !vs_run_shards(h->dir, &files) &&
		!vs_run_shards_logs(h->dir, &files) && !files.n;

	vs_text_pool_free(&files);
	if (empty)
		return vs_comm_size() > 1 ? STOPPED_RANK : STOPPED_EMPTY;
	return h->sealed ? STOPPED : STOPPED_BEFORE;
}

static int
end_table(struct vs_record_sink *h, int code)
{
	if (!code)
		code = vs_table_finish(h->table);
	if (code != VS_DONE)
		return code;
	return vs_table_is_closed(h->table)
		? 0
		: vs_fail(VS_EMACHINE, "stopped by a signal");
}

int
vs_record_sink_end(struct vs_record_sink *h, int code,
	const struct vs_stats *stats)
{
	struct vs_shard_writer *s = h->shards;
	bool other = code == VS_DONE && !vs_tool_stopped() && !h->full;

	if (h->table)
		return end_table(h, code);
	if (!code) {
		h->shards = NULL;
		code = vs_shard_writer_finish(s, stats);
	} else if (code == VS_DONE) {
		code = vs_shard_writer_stop(s);
		h->sealed = !code && !vs_shard_writer_dropped(s);
		code = code ? code : VS_DONE;
	}
	/* the lowest code, without a sentence: the rank that failed has one */
	if (other && code == VS_DONE)
		return VS_EUSAGE;
	if (code != VS_DONE)
		return code;
	if (h->full && !vs_tool_stopped())
		return vs_fail(VS_EMACHINE, FULL, (unsigned long long)h->most,
			h->dir);
	/* the directory of a chain goes with it */
	if (vs_tool_is_step())
		return vs_fail(VS_EMACHINE, "stopped by a signal");
	return vs_fail(VS_EMACHINE, stopped(h), h->dir);
}

void
vs_record_sink_say(const struct vs_record_sink *h)
{
	if (h->dir)
		vs_tool_line(stopped(h), h->dir);
	else
		vs_tool_line("stopped by a signal before it began");
}

void
vs_record_sink_abandon(struct vs_record_sink *h)
{
	vs_shard_writer_abandon(h->shards);
	h->shards = NULL;
	vs_table_free(h->table);
	h->table = NULL;
}
