/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on the records of a result: thresholds, cells, joint calls, lists
 * of vectors, significance. */
#ifndef VS_TOOLS_THRESHOLD_CONDITIONS_H
#define VS_TOOLS_THRESHOLD_CONDITIONS_H

#include <math.h>

#include "libcore/base/thresholds.h"
#include "tools/shared/p_value.h"
#include "tools/shared/selection.h"

struct vs_conditions {
	/* settings from the options */
	const char *threshold, *above, *min_joint, *cells, *keep, *by, *vectors;
	double min, max, below, p_value, fdr;
	int64_t top, top_each;
	bool either, bonferroni;
	/* derived from them */
	/* from above: records that are stronger pass, by the run's metric for
	 * --threshold, greater ones for --above */
	double least;
	enum vs_strong strong;
	struct vs_thresholds thresholds;
	int32_t cell_mask;
	int way; /* `cells` names cells of 2 or 3 vectors; 0: either */
	int64_t n_joint;
	struct vs_selection listed; /* from keep */
	struct vs_p_value test;
};

/* Initial values, with which every record passes. */
#define VS_CONDITIONS_NONE                                            \
	{                                                             \
		.min = -INFINITY, .max = INFINITY, .below = INFINITY, \
		.p_value = INFINITY, .fdr = INFINITY, .by = "id",     \
	}

/* The option that set .above, for messages. */
const char *vs_conditions_above(const struct vs_conditions *c);

/* Check the options, and read what does not depend on a file. 0; VS_EUSAGE */
int vs_conditions_read(struct vs_conditions *c);

/* Check that the conditions apply to the file at path; done for all files
 * before any is written. 0; VS_EUSAGE; VS_EINPUT */
int vs_conditions_check(struct vs_conditions *c, const struct vs_run *run,
	const char *path);

/*
 * Read what depends on the first file, path: the share of samples, the list and
 * the tables.
 * names    of its vectors; all 0 if unknown and not needed
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_conditions_open(struct vs_conditions *c, struct vs_result *first,
	const char *path, struct vs_vector_names *names);

/* The records of one pair or triple, which are adjacent; all 0 before the first
 * record. */
struct vs_conditions_group {
	size_t end;
	bool both; /* the sum of its two like cells passes */
};

/* True if rec[x] passes; the n records must be tested in order. */
bool vs_conditions_pass(const struct vs_conditions *c,
	const struct vs_record *rec, size_t n, size_t x,
	struct vs_conditions_group *g);

/* The query of a file with those records of `in` that pass. */
struct vs_run vs_conditions_query(const struct vs_conditions *c,
	const struct vs_run *in);

void vs_conditions_free(struct vs_conditions *c);

#endif
