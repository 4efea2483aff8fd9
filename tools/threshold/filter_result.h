/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy of a result file with the records that pass. */
#ifndef VS_TOOLS_THRESHOLD_FILTER_RESULT_H
#define VS_TOOLS_THRESHOLD_FILTER_RESULT_H

#include "libcore/base/strongest.h"
#include "tools/shared/tool.h"
#include "tools/threshold/conditions.h"

/* State shared by all files. */
struct vs_filter_result {
	const struct vs_conditions *conditions;
	const char *out; /* of all files, for messages */
	const char *codec;
	int64_t level;
	bool force;
	struct vs_strongest_each top; /* if it is open */
	struct vs_p_value *fdr;       /* or null */
	/* of the first file; null rows if neither nodes nor vectors are
	 * available */
	struct vs_vector_names names;
	struct vs_vector_names_map map;
	char started[21];
	struct vs_tool_progress progress;
	uint64_t n_seen, n_kept;
};

/* Give the records of a file that pass to f->top or f->fdr. 0; VS_EINPUT;
 * VS_EMACHINE */
int vs_filter_result_see(struct vs_filter_result *f, struct vs_result *in);

/*
 * Write the file out with those records of in that pass and that f->top keeps.
 * in       watched, so that what was read is checked
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE: nothing is left of out
 */
int vs_filter_result_write(struct vs_filter_result *f, struct vs_result *in,
	const char *out);

#endif
