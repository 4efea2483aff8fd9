/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Genetic maps: positions in centimorgans of the variants of a table, by linear
 * interpolation between the points of a map.
 *
 * Forms: a header line that names columns of position and centimorgans and, if
 * there is one, of the chromosome, as in maps of HapMap, SHAPEIT and Eagle and
 * in a .pvar; or, without a header, PLINK's .map or .bim. Plain or packed.
 */
#ifndef VS_FORMATS_IN_GENETIC_MAP_H
#define VS_FORMATS_IN_GENETIC_MAP_H

#include "formats/h5/provenance.h"
#include "formats/vectors/sites.h"
#include "libcore/base/text.h"

/*
 * Fill in sites->cm. Before the first and after the last point of a chromosome
 * it is that point's. NaN: no position, or a chromosome with fewer than two
 * points or with one number of centimorgans at all of them.
 *
 * n_autosome  chromosome n_autosome + 1 is X
 * note        one sentence on the form that was recognized and the mean rate
 * n_unknown   variants left without a genetic position
 * returns  0; VS_EINPUT, also if no variant gets one; VS_EMACHINE
 */
int vs_genetic_map_apply(struct vs_sites *sites, const char *path,
	int64_t n_autosome, struct vs_text *note, size_t *n_unknown,
	struct vs_provenance *provenance);

#endif
