/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Path through the tiles of pairs within chromosomes: one chromosome's tiles
 * after another's, each in the order that vs_plan_by_path() has for all pairs,
 * so that a share of the path needs few blocks.
 *
 * A block may have vectors of several chromosomes. Its tiles belong to the
 * chromosome of its last vector. A chromosome's blocks run from the first block
 * that ends in it to the block with its last vector, most of which may belong
 * to the next chromosome. A tile of two blocks without a common chromosome has
 * no pair. It comes in the strip of its first block, after all tiles with
 * pairs.
 *
 * Between two sets, the blocks of all parts are sorted by the chromosomes of
 * their last vectors. The rows of each chromosome are cut into strips, which
 * are walked column by column.
 */
#ifndef VS_PLAN_CHROMOSOME_PATH_H
#define VS_PLAN_CHROMOSOME_PATH_H

#include "libcore/plan/chromosomes.h"
#include "libcore/plan/plan.h"

struct vs_chromosome_path;

/*
 * Make the path of n_vec vectors in blocks of `tile`. The height of strips
 * makes shares nearly square, but is at most `most` rows.
 * returns  0; VS_EINPUT: too many blocks; VS_EMACHINE
 * owner    does not keep the chromosomes
 */
int vs_chromosome_path_new(struct vs_chromosome_path **out, uint64_t n_vec,
	int64_t tile, const struct vs_chromosomes *of, int64_t n_share,
	int64_t most);

/*
 * The same for the tiles of a plan between two sets.
 * row      row in the file of each of the plan's vectors, ascending in each
 *          part
 * owner    keeps neither
 */
int vs_chromosome_path_between(struct vs_chromosome_path **out,
	const struct vs_plan *plan, const struct vs_chromosomes *of,
	const int64_t *row, int64_t n_share, int64_t most);
void vs_chromosome_path_free(struct vs_chromosome_path *p); /* or null */

/* The place of a tile among all, ascending along the path; and the reverse. */
uint64_t vs_chromosome_path_key(const struct vs_chromosome_path *p, int64_t bi,
	int64_t bj);
void vs_chromosome_path_tile(const struct vs_chromosome_path *p, uint64_t key,
	int64_t *bi, int64_t *bj);

/* One plus the number of pairs that tile (bi, bj) has within chromosomes; 0:
 * its blocks have no chromosome in common. */
uint64_t vs_chromosome_path_weight(const struct vs_chromosome_path *p,
	int64_t bi, int64_t bj);

/*
 * Cut the path into shares of equal weight: share r begins at key[cut[r]], key
 * being the n ascending keys of some tiles.
 * cut  [n_share + 1]
 */
void vs_chromosome_path_cut(const struct vs_chromosome_path *p,
	const uint64_t *key, uint64_t n, int n_share, uint64_t *cut);

#endif
