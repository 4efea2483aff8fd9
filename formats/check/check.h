/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Consistency checks of one file for vsim-verify, beyond its being readable. A
 * failed check is one sentence: object, value expected, value found.
 *
 * returns of all  0; VS_ENO: no, and why; VS_EINPUT: cannot be read as such
 *                 a file; VS_EMACHINE
 */
#ifndef VS_FORMATS_CHECK_CHECK_H
#define VS_FORMATS_CHECK_CHECK_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"

/*
 * Every object against the profile, every chunk unpacked, the content digest
 * against the one stated. The library under us may die on a hostile file:
 * call it in a process that may.
 */
int vs_check_structure_packed(struct vs_packed *p);
int vs_check_structure_result(struct vs_result *r);

/*
 * Planes: pad bits zero, counts as stated. Numbers: legal, sums as stated.
 * Columns: source rows a permutation,
 * places and label sources legal, sample names unique.
 */
int vs_check_packed(struct vs_packed *p);

/*
 * Records: rows, cells, values, counts in range, threshold met, sums as
 * stated. Shard: tiles in order and their records theirs. Merged: sorted,
 * each once, index, nodes and list of shards in step. A shard's records are
 * sorted in memory bytes where they do not rise.
 */
int vs_check_result(struct vs_result *r, uint64_t memory);

/* No record of a shard comes twice, sorted in memory bytes. */
int vs_check_twice(struct vs_result *r, uint64_t memory);

/*
 * The n shards are parts of one run and hold each tile of it exactly once.
 *
 * n_tile  out: tiles found
 */
int vs_check_run(struct vs_result *const *shards, size_t n, uint64_t *n_tile);

#endif
