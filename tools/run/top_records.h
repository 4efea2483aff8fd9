/* SPDX-License-Identifier: BSD-3-Clause */
/* --top: of all that passes the N strongest records, whoever computed them. */
#ifndef VS_TOOLS_RUN_TOP_RECORDS_H
#define VS_TOOLS_RUN_TOP_RECORDS_H

#include "formats/results/shard_writer.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/sched/pair_run.h"
#include "tools/run/record_sink.h"
#include "tools/run/run_kind.h"

/*
 * A record is the stronger the greater its value as it is stored; of equal ones
 * the one that comes first by (i, j, k, cell) is. So which are kept depends on
 * the data alone.
 */
struct vs_top_records;

/* 64 bytes x n and half as many again, once there are so many. counts: those of
 * the histogram that tiles have, or null. */
int vs_top_records_new(struct vs_top_records **s, uint64_t n, bool f32,
	const struct vs_tile_counts *counts, struct vs_packed *vectors);
void vs_top_records_free(struct vs_top_records *s); /* null is accepted */

/* For the query: no value that is this or less is among them any more. */
double *vs_top_records_rising(struct vs_top_records *s);

/* Take the records of a tile, as a sink. */
int vs_top_records_take(struct vs_top_records *s,
	const struct vs_tile_done *tile);

/*
 * Agree with the other ranks on what is kept, and give the sink each tile that
 * was taken, with its records, in one go.
 * place  of a vector in the plan; null: vectors stand there as they are
 * numbered
 * returns     0; what the sink returns; VS_EMACHINE
 * collective  yes
 */
int vs_top_records_give(struct vs_top_records *s, const struct vs_plan *plan,
	const int64_t *place,
	int (*sink)(void *ctx, const struct vs_tile_done *tile), void *ctx);

/* Where tiles are, as for vs_top_records_give(), and shards of which run. */
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
 * beside vs_top_records_take().
 */
int vs_top_records_save(struct vs_top_records *s,
	const struct vs_top_records_place *to);

/* Has nothing been saved for so long? */
bool vs_top_records_is_due(const struct vs_top_records *s, double seconds);

/*
 * What the directory has of such: this rank's share of the tiles that are
 * whole, and the others that the way gives it.
 * collective  yes
 */
int vs_top_records_load(struct vs_top_records *s,
	const struct vs_top_records_place *to, const struct vs_run_kind *way);

/* Remove what was saved or loaded, as all of it is sealed elsewhere. */
void vs_top_records_forget(struct vs_top_records *s);

/*
 * The end of computing, with code: where all ranks have come to it what is kept
 * is given to h and sealed, else what there is is saved.
 * returns     0; code; a failure
 * collective  yes
 */
int vs_top_records_finish(struct vs_top_records *s,
	const struct vs_top_records_place *to, struct vs_record_sink *h,
	int code);

#endif
