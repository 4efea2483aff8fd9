/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD pruning straight from genotypes, in one pass: only vectors of the present
 * window are kept, only pairs that the rule asks for are counted, and those of
 * a removed variant never again.
 */
#ifndef VS_TOOLS_SHARED_PRUNE_GENOTYPES_H
#define VS_TOOLS_SHARED_PRUNE_GENOTYPES_H

#include "libcore/bits/vec.h"
#include "tools/shared/prune.h"

struct vs_prune_genotypes;

/*
 * above    r2 that a pair must exceed
 * n_field  samples
 * returns  0; VS_EUSAGE; VS_EINPUT: too many samples; VS_EMACHINE. Free it in
 *          either case
 */
int vs_prune_genotypes_new(struct vs_prune_genotypes **p,
	const struct vs_prune *asked, double above, size_t n_field);

/*
 * Take the next variants, rows [lo, hi) of vec, in genome order: each
 * chromosome in one piece, with ascending positions; those of chromosome 0 may
 * come anywhere.
 * sites   all variants so far, with their counts
 * ploidy  of the calls, 1 or 2
 * returns  0; VS_EINPUT: another order; VS_EMACHINE
 */
int vs_prune_genotypes_add(struct vs_prune_genotypes *p,
	const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_sites *sites, int ploidy);

/* End: prune what is left, and write the lists. */
int vs_prune_genotypes_write(struct vs_prune_genotypes *p,
	const struct vs_sites *sites);
void vs_prune_genotypes_free(struct vs_prune_genotypes *p);

#endif
