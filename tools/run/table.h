/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of a run: its records as text in the order of the vectors, without
 * shards, each written as soon as no earlier one can come.
 */
#ifndef VS_TOOLS_RUN_TABLE_H
#define VS_TOOLS_RUN_TABLE_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/engine/job.h"

/* Values of the options. */
struct vs_table_want {
	const char *to, *columns, *path; /* path null or "-": stdout */
	const char *undefined;           /* NA, omit, or 0 and null */
	bool no_header, force;
	/* bytes of records that wait for earlier ones; beyond that they are
	 * sorted on disk */
	uint64_t memory;
};

struct vs_table;

/* Refuse early what cannot be shown or written. 0; VS_EUSAGE; VS_EINPUT */
int vs_table_check(const struct vs_table_want *want, const struct vs_run *run);

/*
 * Begin a table of records of these vectors.
 * plan     of the tiles to come; outlives the table; null: tiles come in any
 *          order
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE. Free it in either case
 */
int vs_table_new(struct vs_table **t, const struct vs_table_want *want,
	const struct vs_run *run, struct vs_packed *vectors,
	const struct vs_plan *plan);

/* Take records of a tile, as a sink. 0; VS_DONE: nobody reads the output;
 * VS_EINPUT; VS_EMACHINE */
int vs_table_add(struct vs_table *t, const struct vs_tile_done *tile);

/* True once nobody reads the output. */
bool vs_table_is_closed(const struct vs_table *t);

/* End: all records have come. Returns as vs_table_add() */
int vs_table_finish(struct vs_table *t);

/* Without vs_table_finish() no file appears. Null is accepted. */
void vs_table_free(struct vs_table *t);

#endif
