/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a result as lines of text. */
#ifndef VS_TOOLS_VIEW_RESULT_LINES_H
#define VS_TOOLS_VIEW_RESULT_LINES_H

#include "formats/out/writer.h"
#include "formats/results/sorter.h"
#include "tools/shared/contingency.h"
#include "tools/shared/selection.h"
#include "tools/view/undefined.h"

struct vs_result_lines {
	struct vs_result *result;
	const struct vs_vector_names *names; /* null rows: none needs them */
	const struct vs_selection *ids, *regions;
	bool both; /* as of vs_selection_includes() */
	int64_t min_joint;
	const struct vs_undefined *omit; /* records that it knows, or null */
	double threshold;                /* values stronger than it; NaN: all */
	uint64_t head;                   /* records at most; 0: all */
	bool original; /* indices shown are the original rows */
	const struct vs_contingency *tables; /* or null: no scores are shown */
	bool fitted, permuted;               /* scores that are */
	bool by_family;                      /* p_family is shown */
	int64_t permutations;
	uint64_t seed;
	struct vs_writer *writer; /* begun */
	/* the strongest value first, of equal ones in the order of the file */
	bool by_value;
	uint64_t memory;    /* for that; runs that do not fit it are on disk */
	const char *beside; /* there */
	/* of the writing */
	struct vs_result_lines_hand *hand; /* of each thread */
	uint64_t left;                     /* of head */
	bool marking;             /* lines are looked at, and not written yet */
	struct vs_sorter *sorter; /* records are gathered by it */
	uint64_t lo, hi;          /* first vectors that records read may have */
};

/*
 * Write all records that are wanted, and what the format has behind them.
 * 0; VS_DONE: nobody reads the output; VS_EINPUT; VS_EMACHINE
 */
int vs_result_lines_write(struct vs_result_lines *v);

#endif
