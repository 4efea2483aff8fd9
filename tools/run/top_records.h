/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the N strongest records over all ranks: option --top. */
#ifndef VS_TOOLS_RUN_TOP_RECORDS_H
#define VS_TOOLS_RUN_TOP_RECORDS_H

#include "formats/results/shard_writer.h"
#include "formats/vectors/packed.h"
#include "libcore/base/strongest.h"
#include "libcore/engine/job.h"
#include "tools/run/record_sink.h"
#include "tools/run/run_kind.h"

/*
 * A record is the stronger the greater its value as it is stored; of equal ones
 * the one that comes first by (i, j, k, cell) is. So which are kept depends on
 * the data alone.
 */
struct vs_top_records;

/* 96 bytes x n once n records are held. counts: the counters of the tiles'
 * histogram, or null. */
int vs_top_records_new(struct vs_top_records **s, uint64_t n, bool f32,
	const struct vs_metric *metric, const struct vs_tile_counts *counts,
	struct vs_packed *vectors);
void vs_top_records_free(struct vs_top_records *s); /* null is accepted */

/* Rising threshold for the query: no record with this value or less is kept. */
double *vs_top_records_rising(struct vs_top_records *s);

/* Raise a threshold to what the strongest exceed, once there are all of them;
 * f32: values will be rounded to float. */
void vs_top_records_raise(double *threshold, struct vs_strongest *best,
	bool f32);

/* Take the records of a tile; a sink of the engine. */
int vs_top_records_add(struct vs_top_records *s,
	const struct vs_tile_done *tile);

/*
 * Agree with the other ranks on the records to keep, and pass the sink each
 * finished tile with its records.
 * place       of a vector in the plan; null: its number
 * returns     0; what the sink returns; VS_EMACHINE
 * collective  yes
 */
int vs_top_records_give(struct vs_top_records *s, const struct vs_plan *plan,
	const int64_t *place,
	int (*sink)(void *ctx, const struct vs_tile_done *tile), void *ctx);

/* Plan and places of tiles, see vs_top_records_give(), and shards and run to
 * save. */
struct vs_top_records_place {
	const struct vs_plan *plan;
	const int64_t *place;
	const struct vs_shard_writer_plan *to;
	const struct vs_run *run;
};

/*
 * Shards of the tiles that were taken, or searched above a number, and of the
 * strongest of their records, as far as is known, for a run that goes on with
 * them; they take the place of those before, and of those that were loaded. Not
 * beside vs_top_records_add().
 */
int vs_top_records_save(struct vs_top_records *s,
	const struct vs_top_records_place *to);

/* True if the last save is at least this long ago. */
bool vs_top_records_is_due(const struct vs_top_records *s, double seconds);

/*
 * Load saved tiles from the directory: this rank's share of the complete ones,
 * and the others that the run assigns to it.
 * collective  yes
 */
int vs_top_records_load(struct vs_top_records *s,
	const struct vs_top_records_place *to, const struct vs_run_kind *way);

/*
 * The end of computing, with code: if all ranks have finished, give the records
 * kept to h and seal them, else save the state.
 * returns     0; code; a failure
 * collective  yes
 */
int vs_top_records_finish(struct vs_top_records *s,
	const struct vs_top_records_place *to, struct vs_record_sink *h,
	int code);

#endif
