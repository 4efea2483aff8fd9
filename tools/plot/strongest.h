/* SPDX-License-Identifier: BSD-3-Clause */
/* The strongest records of those that a plot shows. */
#ifndef VS_TOOLS_PLOT_STRONGEST_H
#define VS_TOOLS_PLOT_STRONGEST_H

#include "tools/plot/plot.h"

/*
 * The k strongest records, the strongest first; of equal values the one that
 * comes first in the file. Free rec.
 * all      all that are wanted, and how many of them rec holds
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_strongest_find(const struct vs_plot *p, size_t k, struct vs_record **rec,
	size_t *n, uint64_t *all);

#endif
