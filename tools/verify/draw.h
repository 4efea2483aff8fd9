/* SPDX-License-Identifier: BSD-3-Clause */
/* Random pairs and triples. */
#ifndef VS_TOOLS_VERIFY_DRAW_H
#define VS_TOOLS_VERIFY_DRAW_H

#include "formats/results/sets.h"
#include "libcore/base/record.h"
#include "libcore/base/rng.h"

/* n_way different ones of n_vec >= n_way vectors, rising, into of->i and on. */
void vs_draw_any(struct vs_rng *rng, int n_way, uint64_t n_vec,
	struct vs_record *of);

/*
 * A vector of the first set, and one of the second; pairs of two that are of
 * both come twice as often.
 * returns  false: the first one is all there is in the second set
 */
bool vs_draw_between(struct vs_rng *rng, const struct vs_sets *s,
	struct vs_record *of);

#endif
