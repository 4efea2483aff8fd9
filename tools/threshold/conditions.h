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
	/* as the options say */
	const char *threshold, *above, *min_joint, *cells, *keep, *by, *vectors;
	double min, max, below, p_value;
	int64_t top, top_each;
	bool either, bonferroni;
	/* made of them */
	struct vs_thresholds thresholds; /* of above */
	int32_t cell_mask;
	int way; /* that cells named cells of; 0: either */
	int64_t n_joint;
	struct vs_selection listed; /* of keep */
	struct vs_p_value test;
};

/* Values that every record passes, to begin with. */
#define VS_CONDITIONS_NONE                                            \
	{                                                             \
		.min = -INFINITY, .max = INFINITY, .below = INFINITY, \
		.p_value = INFINITY, .by = "id",                      \
	}

/* The option that gave .above, for messages. */
const char *vs_conditions_above(const struct vs_conditions *c);

/* Check the options, and read what needs no file. 0; VS_EUSAGE */
int vs_conditions_read(struct vs_conditions *c);

/* Check that the conditions suit a file, path; each is asked before any is
 * written. 0; VS_EUSAGE; VS_EINPUT */
int vs_conditions_check(struct vs_conditions *c, const struct vs_run *run,
	const char *path);

/*
 * Read what needs the first file, path: the share of samples, the list and the
 * tables.
 * names    of its vectors; all 0 where they are not known nor needed
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_conditions_open(struct vs_conditions *c, struct vs_result *first,
	const char *path, struct vs_vector_names *names);

/* The records of one pair or triple, which follow one another; all 0 at the
 * first of some records. */
struct vs_conditions_group {
	size_t end;
	bool both; /* the sum of its two like cells passes */
};

/* True if rec[x] passes, of n records that are asked in order. */
bool vs_conditions_pass(const struct vs_conditions *c,
	const struct vs_record *rec, size_t n, size_t x,
	struct vs_conditions_group *g);

/* The query of a file with the records of in that pass. */
struct vs_run vs_conditions_query(const struct vs_conditions *c,
	const struct vs_run *in);

void vs_conditions_free(struct vs_conditions *c);

#endif
