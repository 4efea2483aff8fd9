/* SPDX-License-Identifier: BSD-3-Clause */
/* Pair filter of a vectors file, by its chromosomes and positions. */
#ifndef VS_TOOLS_SHARED_SITE_FILTER_H
#define VS_TOOLS_SHARED_SITE_FILTER_H

#include "formats/vectors/packed.h"
#include "libcore/plan/pair_filter.h"

/*
 * Make the filter of a file's vectors, by their rows in it; ranks are by the
 * rows of the input, so that vsim-permute changes no distance.
 * returns  0; VS_EINPUT, also where vectors have no place; VS_EMACHINE. Free it
 *          in any case
 */
int vs_site_filter_make(struct vs_pair_filter *f, const struct vs_pair_rules *r,
	struct vs_packed *vectors);

#endif
