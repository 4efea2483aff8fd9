/* SPDX-License-Identifier: BSD-3-Clause */
/* Clumps: variants with the p-values of a test, gathered around the most
 * significant ones by linkage disequilibrium. */
#ifndef VS_TOOLS_THRESHOLD_CLUMP_H
#define VS_TOOLS_THRESHOLD_CLUMP_H

#include "tools/threshold/ld_graph.h"

struct vs_clump {
	/* as the options say */
	const char *table;    /* with columns SNP and P */
	double first, second; /* p of an index variant, of those named */
	double kb;            /* from the index variant */
};

#define VS_CLUMP_NONE                                    \
	{                                                \
		.first = 1e-4, .second = 0.01, .kb = 250 \
	}

/*
 * Write the clumps to a file, or where that is "-" to stdout, the most
 * significant first.
 * above    bound of a pair; NaN: that of the result
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_clump_write(const struct vs_clump *c, const char *result,
	const char *vectors, double above, const char *out, bool force);

#endif
