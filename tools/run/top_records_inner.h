/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the strongest records, private to the top_records*.c files. */
#ifndef VS_TOOLS_RUN_TOP_RECORDS_INNER_H
#define VS_TOOLS_RUN_TOP_RECORDS_INNER_H

#include "tools/run/top_records.h"
#include "tools/shared/vector_names.h"

struct vs_top_records {
	struct vs_strongest best;
	bool f32;
	double shared_threshold;
	/* tiles taken, or searched above a number, without records; may contain
	 * duplicates */
	struct vs_tile_done *tile;
	size_t n_tile, room_tile;
	struct vs_tile_counts counts; /* the histogram of those taken */
	struct vs_vector_names_map map;
	struct vs_text_pool old; /* files whose tiles are all among these */
	double saved;            /* when the last file was made */
};

/* Sort the tiles and drop duplicates. */
void vs_top_records_sort_tiles(struct vs_top_records *s);

/*
 * Pass to the sink, with its records, each tile that is complete if above is
 * null, or that was searched above a number.
 * returns  0; what the sink returns; VS_EMACHINE
 */
int vs_top_records_give_tiles(struct vs_top_records *s, const double *above,
	const struct vs_plan *plan, const int64_t *place,
	int (*sink)(void *ctx, const struct vs_tile_done *tile), void *ctx);

#endif
