/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules for the records of a run: vectors, cells, counts, and values that pass
 * its threshold. */
#ifndef VS_FORMATS_RESULTS_RECORD_RULES_H
#define VS_FORMATS_RESULTS_RECORD_RULES_H

#include <math.h>
#include <stdbool.h>

#include "libcore/base/record.h"
#include "libcore/base/thresholds.h"

struct vs_run;

struct vs_record_rules {
	uint64_t n_vec;
	uint32_t cells; /* a bit for each allowed cell; or the first */
	int64_t n_field, least_joint;
	/* num: from least_num to most_num plus num_each for each field
	 * present */
	int64_t least_num, most_num, num_each;
	double lowest, highest; /* bounds of the values, inclusive */
	double nearest;         /* the least absolute value */
	bool by_class, f32;     /* also check thresholds by class */
	uint32_t last;          /* cell of the alleles labelled 1 */
	struct vs_thresholds thresholds;
};

void vs_record_rules_make(struct vs_record_rules *rules,
	const struct vs_run *run);

/*
 * Bits of the cells of a combination that pass by their unrounded values,
 * regardless of cell_mask. With one value only the first bit counts.
 */
uint32_t vs_record_rules_passes(const struct vs_run *run, const double *value);

/* True if a value is within these bounds; false for NaN. */
static inline bool
vs_record_rules_within(const struct vs_record_rules *rules, double value)
{
	return (value >= rules->lowest) & (value <= rules->highest) &
		(fabs(value) >= rules->nearest);
}

/* Whether a record within these bounds passes by the class of its cell,
 * or by a sum of classes. */
static inline bool
vs_record_rules_class(const struct vs_record_rules *rules,
	const struct vs_record *rec)
{
	double value = rec->value;

	if (!rules->by_class)
		return true;
	/* as rounding to f32 may have lowered it */
	if (rules->f32)
		value = nextafterf((float)value, INFINITY);
	/* the other value of a sum may be in another record */
	return value > rules->thresholds.one[__builtin_popcount(rec->cell)] ||
		(isfinite(rules->thresholds.sum) && value > 0 &&
			(!rec->cell || rec->cell == rules->last));
}

#endif
