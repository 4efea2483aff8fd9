/* SPDX-License-Identifier: BSD-3-Clause */
/* LD pruning of genotypes: r2 of the pairs that the rule asks for. */
#ifndef VS_TOOLS_THRESHOLD_PRUNE_VECTORS_H
#define VS_TOOLS_THRESHOLD_PRUNE_VECTORS_H

#include "tools/shared/genotypes.h"
#include "tools/shared/prune.h"

/*
 * Write the lists of PREFIX.
 * in       recognized input, in genome order; or if its kind is null
 * path     a vectors file
 * above    r2 that a pair must exceed
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_prune_vectors(const struct vs_prune *p, struct vs_genotypes *in,
	const char *path, double above, bool force);

#endif
