/* SPDX-License-Identifier: BSD-3-Clause */
/* --top: of all that passes the N strongest records, whoever computed them. */
#ifndef VS_TOOLS_STRONGEST_H
#define VS_TOOLS_STRONGEST_H

#include "formats/packed.h"
#include "libcore/engine/pairs.h"

/*
 * A record is the stronger the greater its value as it is stored; of equal ones
 * the one that comes first by (i, j, k, cell) is. So which are kept depends on
 * the data alone.
 */
struct vs_strongest;

/* 64 bytes x n and half as many again, once there are so many. */
int vs_strongest_new(struct vs_strongest **s, uint64_t n, bool f32);
void vs_strongest_free(struct vs_strongest *s); /* null is accepted */

/* For the question: no value that is this or less is among them any more. */
double *vs_strongest_rising(struct vs_strongest *s);

/* Take the records of a tile, as a sink. */
int vs_strongest_take(struct vs_strongest *s, const struct vs_tile_done *tile);

/*
 * Agree with the other ranks on what is kept, and give the sink each tile that
 * was taken, with its records, in one go.
 * place  of a vector in the plan; null: vectors stand there as they are numbered
 * returns     0; what the sink returns; VS_EMACHINE
 * collective  yes
 */
int vs_strongest_give(struct vs_strongest *s, const struct vs_plan *plan,
	const int64_t *place, struct vs_packed *vectors,
	int (*sink)(void *ctx, const struct vs_tile_done *tile), void *ctx);

#endif
