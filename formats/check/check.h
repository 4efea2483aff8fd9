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
 * Check every object against the profile, unpack every chunk, and compare the
 * content digest with the one stated. HDF5 may crash on a hostile file: call it
 * in a process that may die.
 */
int vs_check_structure_packed(struct vs_packed *p);
int vs_check_structure_result(struct vs_result *r);

/*
 * Planes: pad bits zero, counts as stated. Numbers: allowed, sums as stated.
 * Columns can be read, and source rows are a permutation.
 */
int vs_check_packed(struct vs_packed *p);

/*
 * All records can be read, which checks them. Merged: they are sorted and
 * unique, and index and nodes agree with them. A shard: vs_check_twice().
 */
int vs_check_result(struct vs_result *r, uint64_t memory);

/*
 * Check that no record of a shard comes twice: either records of each tile
 * ascend, as far as they have been read with vs_result_watch(), or all are
 * sorted in `memory` bytes.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_check_twice(struct vs_result *r, uint64_t memory);

/*
 * Check that the n shards are parts of one run and hold each tile of it exactly
 * once.
 *
 * n_tile  out: tiles found
 */
int vs_check_run(struct vs_result *const *shards, size_t n, uint64_t *n_tile);

#endif
