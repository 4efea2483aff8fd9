/* SPDX-License-Identifier: BSD-3-Clause */
/* Record sink of a rank: records of finished tiles go into its shards or into a
 * table. */
#ifndef VS_TOOLS_RUN_RECORD_SINK_H
#define VS_TOOLS_RUN_RECORD_SINK_H

#include "formats/results/result.h"
#include "formats/results/shard_writer.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"
#include "tools/run/table.h"

/* The first record so far in an order by strength. */
struct vs_few {
	enum vs_record_order order;
	struct vs_record top;
	bool any;
};

/*
 * Warn if the strongest record of all ranks is based on less than a quarter of
 * the samples; not if --min-joint was given.
 * returns     0; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_record_sink_warn(const struct vs_few *few, const struct vs_run *run,
	struct vs_packed *vectors);

struct vs_record_sink {
	const char *dir;
	struct vs_table *table; /* set before begin if there are no shards */
	int32_t stage;
	struct vs_shard_writer *shards; /* null before begin and after end */
	uint64_t n_record;
	struct vs_digest_sum sum, renamed; /* of all records */
	struct vs_few few;
	bool watched;   /* the strongest record is tracked */
	double seconds; /* seconds spent writing shards */
	/* --max-records: at most `most`, 0: any, including those sealed before;
	 * full: there would be more */
	uint64_t most, before;
	bool full;
	bool sealed; /* seal all finished tiles after a stop */
};

/* Open the shards; see vs_shard_writer_new(). */
int vs_record_sink_begin(struct vs_record_sink *h,
	const struct vs_shard_writer_plan *plan, const struct vs_run *run);

/* Take records of a tile, as a sink. */
int vs_record_sink_add(struct vs_record_sink *h,
	const struct vs_tile_done *tile);

/*
 * End, with the code of computing: 0, everything is done, and one shard is
 * made; VS_DONE, it was stopped, and what is done is sealed for --resume.
 * returns 0; a failure, a stop included
 */
int vs_record_sink_end(struct vs_record_sink *h, int code,
	const struct vs_stats *stats);

/* Report, on any rank, that the run was stopped and that all that was done, or
 * what was saved before, is sealed. */
void vs_record_sink_say(const struct vs_record_sink *h);

/* Remove what is not sealed; safe on all zero. */
void vs_record_sink_abandon(struct vs_record_sink *h);

#endif
