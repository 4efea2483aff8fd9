/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags: the variants near each one that stand for it, as of PLINK's --show-tags
 * all. */
#ifndef VS_TOOLS_THRESHOLD_TAGS_H
#define VS_TOOLS_THRESHOLD_TAGS_H

#include <stdbool.h>

/*
 * Write PLINK's .tags.list: a line for each variant of the result, in genome
 * order, with those on its chromosome, near enough, whose value with it exceeds
 * the bound.
 *
 * window   Xkb: greatest distance; null: 250kb
 * result   merged; vectors: as for vs_ld_graph_read()
 * above    bound; NaN: that of the run
 * out      a file, or "-" for stdout
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_tags_write(const char *window, const char *result, const char *vectors,
	double above, const char *out, bool force);

#endif
