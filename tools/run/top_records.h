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
#include "tools/run/setup.h"

/*
 * Records are ranked by value as stored, strongest first, and equal ones by (i,
 * j, k, cell). So which are kept depends only on the data.
 */
struct vs_top_records;

/*
 * Begin to keep as many as the options say, of a query whose threshold then
 * rises; 96 bytes for each once they are held. counts: the counters of tiles,
 * or null.
 */
int vs_top_records_begin(struct vs_top_records **s,
	const struct vs_tile_counts *counts, struct vs_setup *ask);
void vs_top_records_free(struct vs_top_records *s); /* null is accepted */

/* Rising threshold for the query: no record with this value or less is kept. */
double *vs_top_records_rising(struct vs_top_records *s);

/* Raise a threshold to what the strongest exceed, once there are N; f32: values
 * will be rounded to float. */
void vs_top_records_raise(double *threshold, struct vs_strongest *best,
	bool f32);

/* Take the records of a tile; a sink of the engine. */
int vs_top_records_add(struct vs_top_records *s,
	const struct vs_tile_done *tile);

/* Plan of the tiles, place of a vector in it, null: its number, and the shards
 * and run to save. */
struct vs_top_records_place {
	const struct vs_plan *plan;
	const int64_t *place;
	const struct vs_shard_writer_plan *to;
	const struct vs_run *run;
};

/*
 * Save the tiles that were taken, or searched above a number, and the strongest
 * of their records known so far, in shards from which a run can resume. They
 * replace those saved before, and those loaded. Not concurrently with
 * vs_top_records_add().
 */
int vs_top_records_save(struct vs_top_records *s,
	const struct vs_top_records_place *to);

/* True if the last save is at least this long ago. */
bool vs_top_records_is_due(const struct vs_top_records *s, double seconds);

/*
 * Load saved tiles from the directory: this rank's share of the complete ones,
 * and those of the others that the run assigns to it.
 * collective  yes
 */
int vs_top_records_load(struct vs_top_records *s,
	const struct vs_top_records_place *to, const struct vs_run_kind *way);

/*
 * End of computing, with code: if all ranks have finished, pass the records
 * kept to h and seal them, else save the state.
 * returns     0; code; a failure
 * collective  yes
 */
int vs_top_records_finish(struct vs_top_records *s,
	const struct vs_top_records_place *to, struct vs_record_sink *h,
	int code);

#endif
