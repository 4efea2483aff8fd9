/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Path through the tiles of pairs within chromosomes: those of one chromosome
 * after those of another, in each as vs_plan_by_path() has those of all pairs,
 * so that a share of it has few blocks.
 *
 * A block may have vectors of several chromosomes. Its tiles are of the one of
 * its last vector, whose blocks are those from the first that ends in it to the
 * one that has its last vector, of which the next chromosome may have more. A
 * tile of two blocks that no chromosome has in common has no pair. It comes in
 * the strip of its first block, after all tiles with pairs.
 *
 * Between two sets the blocks of all parts are sorted by the chromosomes of
 * their last vectors. The rows of each chromosome are cut into strips, which
 * are walked column by column.
 */
#ifndef VS_PLAN_CHROMOSOME_PATH_H
#define VS_PLAN_CHROMOSOME_PATH_H

#include "libcore/plan/chromosomes.h"
#include "libcore/plan/plan.h"

struct vs_chromosome_path;

/*
 * Make the path of n_vec vectors in blocks of `tile`. Strips have as many rows
 * as make shares nearly squares, but `most` at the most.
 * returns  0; VS_EINPUT: too many blocks; VS_EMACHINE
 * owner    does not keep the chromosomes
 */
int vs_chromosome_path_new(struct vs_chromosome_path **out, uint64_t n_vec,
	int64_t tile, const struct vs_chromosomes *of, int64_t n_share,
	int64_t most);

/*
 * The same of the tiles of a plan between two sets.
 * row      of the file, of each of the plan's vectors, rising in each part
 * owner    keeps neither
 */
int vs_chromosome_path_between(struct vs_chromosome_path **out,
	const struct vs_plan *plan, const struct vs_chromosomes *of,
	const int64_t *row, int64_t n_share, int64_t most);
void vs_chromosome_path_free(struct vs_chromosome_path *p); /* or null */

/* The place of a tile among all, which rises along the path; and back. */
uint64_t vs_chromosome_path_key(const struct vs_chromosome_path *p, int64_t bi,
	int64_t bj);
void vs_chromosome_path_tile(const struct vs_chromosome_path *p, uint64_t key,
	int64_t *bi, int64_t *bj);

/* One and the pairs that tile (bi, bj) has within chromosomes; 0: its blocks
 * have no chromosome in common. */
uint64_t vs_chromosome_path_weight(const struct vs_chromosome_path *p,
	int64_t bi, int64_t bj);

/*
 * Cut the path into shares of equal weight: share r begins at key[cut[r]], of
 * n keys of some tiles in rising order.
 * cut  [n_share + 1]
 */
void vs_chromosome_path_cut(const struct vs_chromosome_path *p,
	const uint64_t *key, uint64_t n, int n_share, uint64_t *cut);

#endif
