/* SPDX-License-Identifier: BSD-3-Clause */
/* Record sink of a rank: finished tiles go into its shards. */
#include "tools/run/record_sink.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "tools/shared/tool.h"

int
vs_record_sink_begin(struct vs_record_sink *h,
	const struct vs_shard_writer_plan *plan, const struct vs_run *run)
{
	h->dir = plan->dir;
	h->stage = run->stage_begin;
	h->watched = run->has_nvalid;
	return vs_shard_writer_new(&h->shards, plan, run);
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
	code = vs_shard_writer_add(h->shards, tile->rec, tile->n);
	h->n_record += tile->n;
	if (h->watched)
		vs_few_see(&h->few, tile->rec, tile->n);
	if (!code && tile->last) {
		code = vs_shard_writer_tile(h->shards, &row, &tile->renamed,
			tile->counts);
		vs_digest_sum_add(&h->sum, &tile->sum);
		vs_digest_sum_add(&h->renamed, &tile->renamed);
	}
	h->seconds += vs_clock() - started;
	return code;
}

#define STOPPED                                                            \
	"stopped by a signal; what was done is sealed in %s and --resume " \
	"goes on with it"

#define STOPPED_BEFORE                                              \
	"stopped by a signal; what was sealed before is in %s and " \
	"--resume goes on with it"

#define FULL                                                              \
	"more than %llu records: the finished tiles are sealed in %s; "   \
	"--resume with a greater --max-records goes on, a higher -t has " \
	"fewer"

int
vs_record_sink_end(struct vs_record_sink *h, int code,
	const struct vs_stats *stats)
{
	struct vs_shard_writer *s = h->shards;
	bool other = code == VS_DONE && !vs_tool_stopped() && !h->full;

	if (!code) {
		h->shards = NULL;
		code = vs_shard_writer_finish(s, stats);
	} else if (code == VS_DONE) {
		code = vs_shard_writer_seal(s, stats);
		h->sealed = !code && !vs_shard_writer_dropped(s);
		code = code ? code : VS_DONE;
	}
	/* the least failure, without a sentence: the rank that failed has
	 * one */
	if (other && code == VS_DONE)
		return VS_EUSAGE;
	if (code != VS_DONE)
		return code;
	if (h->full && !vs_tool_stopped())
		return vs_fail(VS_EMACHINE, FULL, (unsigned long long)h->most,
			h->dir);
	return h->sealed ? vs_fail(VS_EMACHINE, STOPPED, h->dir)
			 : vs_fail(VS_EMACHINE, STOPPED_BEFORE, h->dir);
}

void
vs_record_sink_say(const struct vs_record_sink *h)
{
	if (h->sealed)
		vs_tool_line(STOPPED, h->dir);
	else if (h->dir)
		vs_tool_line(STOPPED_BEFORE, h->dir);
	else
		vs_tool_line("stopped by a signal before it began");
}

void
vs_record_sink_abandon(struct vs_record_sink *h)
{
	vs_shard_writer_abandon(h->shards);
	h->shards = NULL;
}
