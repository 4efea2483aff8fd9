/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of metric and threshold: --multiplier, --gamma, --threshold. */
#ifndef VS_TOOLS_SHARED_METRIC_OPTIONS_H
#define VS_TOOLS_SHARED_METRIC_OPTIONS_H

#include "formats/results/result.h"
#include "libcore/base/thresholds.h"
#include "libcore/engine/backend.h"
#include "libcore/metric/alleles.h"
#include "libcore/metric/plain.h"

/*
 * The metric of this name with the multiplier and gamma of the options, null
 * for its own; what files state about them goes into run.
 *
 * out      the recipe; weight 0 if the metric has none
 * returns  0; VS_EUSAGE
 */
int vs_metric_options_choose(const char *metric, const char *multiplier,
	const char *gamma, struct vs_alleles *out, struct vs_run *run);

/* Check that values for n_field fields are exact. 0; VS_EUSAGE; VS_EINPUT */
int vs_metric_options_check(const struct vs_alleles *m,
	const struct vs_run *run, const char *path, uint64_t n_field);

/* Multiplier and gamma that a file states, as fractions; false: none. */
bool vs_metric_options_of(const struct vs_run *run,
	struct vs_plain_recipe *how);

/*
 * Parse the thresholds of the option, one for all cells or by class; what files
 * state about them goes into run, whose n_way is set.
 * returns  0; VS_EUSAGE
 */
int vs_metric_options_thresholds(const char *text, bool has_cells,
	struct vs_thresholds *out, struct vs_run *run);

/*
 * Check that some value of the run's metric may pass a lower limit (an upper
 * one where lower values are stronger), if its greatest value is known.
 *
 * shown    the option, "--above"
 * strict   the limit itself does not pass
 * returns  0; VS_EUSAGE
 */
int vs_metric_options_passes(const struct vs_run *run, const char *shown,
	double bound, bool strict);

/*
 * Check that some value can pass: by the metric's definition, given whether
 * calls are missing; and for pairs also by the counts of these vectors.
 *
 * run      as vs_metric_options_choose() gave it, with the thresholds
 * q        with has_missing set
 * dead     bits: vectors that pass with no other; null: not known
 * returns  0; VS_EUSAGE: none by definition; VS_EINPUT: none of these
 */
int vs_metric_options_reach(const struct vs_query *q, uint64_t n_vec,
	const uint64_t *dead, const struct vs_run *run);

/* The two that a file states, as fractions; 9/2, 2/3. */
#define VS_METRIC_OPTIONS_ROOM 32
void vs_metric_options_print(double value, char text[VS_METRIC_OPTIONS_ROOM]);

#endif
