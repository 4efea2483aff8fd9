/* SPDX-License-Identifier: BSD-3-Clause */
/* Clumps: variants with the p-values of a test, gathered around the most
 * significant ones by linkage disequilibrium. */
#ifndef VS_TOOLS_THRESHOLD_CLUMP_H
#define VS_TOOLS_THRESHOLD_CLUMP_H

#include "libcore/base/decimal.h"
#include "tools/threshold/ld_graph.h"

struct vs_clump {
	/* settings from the options */
	const char *table;            /* has columns of ids and p-values */
	const char *id_field, *field; /* their names; null: the usual ones */
	const char *test; /* value of TEST in the rows that count; null: ADD */
	/* largest p of an index variant; members listed have a smaller p than
	 * the second; kb from the index variant; defaults: 1e-4, 0.01, 250 */
	struct vs_decimal first, second, kb;
};

/*
 * Write the clumps, most significant first, to a file, or to stdout for "-".
 * input    a merged result, or a vectors file, whose r2 of haplotypes is used
 * vectors  file that the result was made from, or null: the one it names
 * above    bound for a pair; NaN: that of the result
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_clump_write(const struct vs_clump *c, const char *input, bool is_vectors,
	const char *vectors, double above, const char *out, bool force);

#endif
