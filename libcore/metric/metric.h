/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of metrics: one row is all that programs know of a metric.
 *
 * To add one: libcore/metric/NAME.h with its value and VS_METRIC_NAME, as
 * jaccard.h has them, and a row of rows.h.
 */
#ifndef VS_METRIC_METRIC_H
#define VS_METRIC_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "libcore/metric/alleles.h"
#include "libcore/metric/moment.h"

/* What a metric is computed from: each family has a backend of its own. */
enum vs_family {
	VS_FAMILY_NONE,    /* of nothing: an error */
	VS_FAMILY_ALLELES, /* a value for each choice of alleles; pairs, triples */
	VS_FAMILY_MOMENTS, /* one value of a pair of genotype vectors */
	VS_FAMILY_MINIMA   /* one value of vectors of numbers; pairs, triples */
};

/* Code that devices have for values. */
enum vs_device_code {
	VS_DEVICE_NONE, /* computed by the CPU alone */
	VS_DEVICE_ALLELES,
	VS_DEVICE_R2,
	VS_DEVICE_R,
	VS_DEVICE_COSINE,
	VS_DEVICE_JACCARD,
	VS_DEVICE_DICE
};

/*
 * A row that leaves .device out is computed by the CPU alone, one of moments
 * that leaves .least out with no bound.
 */
struct vs_metric {
	const char *name, *help;
	enum vs_family family;
	int ploidy;    /* of the genotypes that it takes; 0: either */
	bool negative; /* values may be below 0 */
	bool labelled; /* values are of the alleles labelled 1: another label
			* makes another value */
	enum vs_device_code device;

	/* family of alleles: the recipe with the multiplier and gamma that the
	 * metric has unless options give others */
	struct vs_alleles alleles;

	/* family of moments */
	bool centred; /* about the means */
	bool squared; /* both signs pass */
	double (*value)(const struct vs_moments *m);
	/* for t >= 0: of what has a value above t the correlation (centred) or
	 * the cosine is at least this, of a squared one in either sign; its
	 * rounding is covered by the filters' slack. Null: nothing is known */
	double (*least)(double t);
	/* the slow definition, which shares no line with value() */
	double (*plain)(const int64_t joint[4][4]);
};

/* The metric of this name, or null; metric number k, null past the last. */
const struct vs_metric *vs_metric_find(const char *name);
const struct vs_metric *vs_metric_at(int k);

/* For an option: "|ccc|duo|...", whose choices begin behind the first bar, and
 * what each is. */
extern const char vs_metric_choices[], vs_metric_help[];

/* Is there a value for each choice of alleles, and not just one? */
static inline bool
vs_metric_has_cells(const struct vs_metric *m)
{
	return m->family == VS_FAMILY_ALLELES;
}

/* Least correlation or cosine of a pair that passes t; below 0: any passes. */
static inline double
vs_metric_least(const struct vs_metric *m, double t)
{
	return t < 0 ? t : m->least ? m->least(t) : -1;
}

#endif
