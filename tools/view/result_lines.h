/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a result as lines of text. */
#ifndef VS_TOOLS_VIEW_RESULT_LINES_H
#define VS_TOOLS_VIEW_RESULT_LINES_H

#include "formats/out/writer.h"
#include "formats/results/sorter.h"
#include "libcore/base/strongest.h"
#include "tools/shared/p_value.h"
#include "tools/shared/selection.h"
#include "tools/shared/undefined.h"
#include "tools/view/refit.h"

struct vs_result_lines {
	struct vs_result *result;
	const struct vs_vector_names *names; /* null rows: not needed */
	const struct vs_selection *ids, *regions;
	bool both; /* as in vs_selection_includes() */
	int64_t min_joint;
	const struct vs_undefined *omit; /* records known to be 0/0, or null */
	/* strengths that records exceed; null: all records */
	const struct vs_thresholds *thresholds;
	uint64_t head; /* at most this many records; 0: all */
	bool original; /* indices shown are the original rows */
	const struct vs_contingency *tables; /* or null: no scores are shown */
	const struct vs_contingency *pairs;  /* or null: r is not shown */
	bool fitted, permuted;               /* scores to compute */
	const struct vs_refit *refit;        /* or null: no effects are shown */
	bool by_family;                      /* p_family is shown */
	const struct vs_p_value *test;       /* or null: q is not shown */
	int64_t permutations;
	uint64_t seed;
	struct vs_writer *writer; /* begun */
	/* strongest value first; equal ones in file order */
	bool by_value;
	uint64_t memory;    /* bytes for that; longer runs are on disk */
	const char *beside; /* where sorted runs go, see vs_sorter_new() */
	/* of the writing */
	struct vs_result_lines_hand *hand; /* of each thread */
	uint64_t left;                     /* of head */
	bool marking;              /* the first pass, which writes none */
	struct vs_sorter *sorter;  /* collects records; or null */
	struct vs_strongest *best; /* likewise, as many as head */
	uint64_t lo, hi;           /* range of first vectors to be read */
};

/*
 * Write all wanted records, and the format's ending. 0; VS_DONE: nobody reads
 * the output; VS_EINPUT; VS_EMACHINE
 */
int vs_result_lines_write(struct vs_result_lines *v);

#endif
