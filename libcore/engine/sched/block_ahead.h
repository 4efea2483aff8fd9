/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read-ahead of vector blocks: additional threads load the blocks of later
 * tiles, if the cache has more room than the present tiles need. Several load
 * at a time from other ranks: if two ranks need blocks of the same rank at
 * once, the others are not idle.
 */
#ifndef VS_ENGINE_SCHED_BLOCK_AHEAD_H
#define VS_ENGINE_SCHED_BLOCK_AHEAD_H

#include "libcore/engine/sched/tile_window.h"

/*
 * Start the threads of a window whose blocks are fetched from other ranks; or
 * one thread, if they come from the file and no other thread reads while one
 * counts. Without them, each tile loads its blocks when it begins.
 */
void vs_block_ahead_begin(struct vs_tile_window *window);
void vs_block_ahead_end(struct vs_tile_window *window); /* or none began */

#endif
