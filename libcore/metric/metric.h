/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of metrics: a row holds all that programs know about a metric.
 *
 * To add one: libcore/metric/NAME.h with its value and VS_METRIC_NAME, as
 * jaccard.h has them, and a row of rows.h.
 */
#ifndef VS_METRIC_METRIC_H
#define VS_METRIC_METRIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "libcore/base/strength.h"
#include "libcore/metric/alleles.h"
#include "libcore/metric/association.h"
#include "libcore/metric/moment.h"

/* Counts that a metric is computed from; each family has its own backend. */
enum vs_family {
	VS_FAMILY_NONE,    /* an error */
	VS_FAMILY_ALLELES, /* a value for each choice of alleles */
	VS_FAMILY_MOMENTS, /* one value of a pair of genotype vectors */
	/* one value of a pair of numeric vectors, from inner products: some
	 * metrics of moments, and those defined for numbers only, as their rows
	 * say */
	VS_FAMILY_INNER,
	/* one value of numeric vectors; pairs, triples. Of bits the minima are
	 * products, and pairs are counted as moments */
	VS_FAMILY_MINIMA,
	/* one value of a pair or triple, from genotypes counted by class, case
	 * or control */
	VS_FAMILY_TABLES
};

/* When a value is 0/0, over the fields that all vectors have; it is recorded as
 * 0. */
enum vs_undefined_when {
	VS_UNDEFINED_NEVER,
	VS_UNDEFINED_CONSTANT, /* one is constant */
	VS_UNDEFINED_ZERO,     /* one is 0 */
	VS_UNDEFINED_ZEROS,    /* all are 0 */
};

/* Device code of a metric's value. */
enum vs_device_code {
	VS_DEVICE_NONE, /* computed by the CPU alone */
	VS_DEVICE_ALLELES,
	VS_DEVICE_R2,
	VS_DEVICE_R,
	VS_DEVICE_COSINE,
	VS_DEVICE_JACCARD,
	VS_DEVICE_DICE,
	VS_DEVICE_K2, /* metrics of tables from here on */
	VS_DEVICE_LBF,
	VS_DEVICE_MI,
	VS_DEVICE_G,
	VS_DEVICE_INTER,
	VS_DEVICE_BETA,
	VS_DEVICE_ALPHA
};

/*
 * Row of a metric. Without .device only the CPU computes the value; metrics of
 * moments without .least have no bound.
 */
struct vs_metric {
	const char *name, *help;
	enum vs_family family;
	int ploidy; /* required ploidy of the genotypes; 0: any */
	/* bounds of the values for genotypes: 0, or lower; infinity: it depends
	 * on the data. For metrics with a recipe of alleles see
	 * vs_alleles_ceiling() */
	double lowest, highest;
	double itself; /* value of a vector with itself */
	bool lower;    /* lower values are stronger: those below T pass */
	/*
	 * values refer to the alleles labelled 1, so swapping labels changes
	 * them
	 */
	bool labelled;
	enum vs_undefined_when undefined;
	enum vs_device_code device;

	/* family of alleles: default multiplier and gamma */
	struct vs_alleles alleles;

	/* family of moments; value and least also of minima, for bits */
	bool numbers; /* also defined for numbers, by inner.h */
	bool ranked;  /* of ranks, which loaders make of the numbers */
	bool centred; /* computed about the means */
	bool squared; /* values are squares of correlations */
	/* of haplotypes, phase.h: a call of one allele counts as two equal
	 * ones */
	bool phased;
	double (*value)(const struct vs_moments *m);
	/*
	 * for t >= 0: lower bound of the correlation (centred) or cosine, or of
	 * its absolute value if squared, of a pair whose value is above t; the
	 * filters' slack covers its rounding. Null: no bound
	 */
	double (*least)(double t);
	/* the slow definition, which shares no code with value() */
	double (*plain)(const int64_t joint[4][4]);

	/* family of tables: what is summed, and the value from the sum */
	enum vs_log_kind log;
	double (*score)(const struct vs_log_tables *t,
		const struct vs_association *a);
	/* the sum, in units, that a table of n samples by class needs for a
	 * strength, up to rounding */
	double (*needed)(const struct vs_log_tables *t, const int64_t n[2],
		double strength);
	/*
	 * null, or the value of a whole table of 3^n_way cells, used instead of
	 * score(); a value of at most `least` need not be exact: any such value
	 * may be returned. Its CPU cycles for a pair; a triple takes ten times
	 * as many. And null, or an upper bound of it
	 */
	double (*whole)(const int64_t (*cell)[2], int n_way, double least);
	double cycles;
	double (*most)(const struct vs_log_tables *t, const int64_t (*cell)[2],
		int n_way, double least);
	/*
	 * for a quantitative trait, instead of all these: the value of a table
	 * as trait_test.h has it, by samples and sum of the trait; and which
	 * of its models the table is compared with
	 */
	double (*trait)(const int64_t (*cell)[2], double squares, int n_way);
	bool additive;
	/* the slow definition, from n_cell cells by control and case; and the
	 * fraction by which its value may differ if some counts are 0 */
	double (*plain_table)(const int64_t (*cell)[2], int n_cell);
	/* an upper bound of it that takes less work; or null */
	double (*plain_most)(const int64_t (*cell)[2], int n_cell);
	double plain_above;
};

/* The metric of this name, or null; metric number k, null past the last. */
const struct vs_metric *vs_metric_find(const char *name);
const struct vs_metric *vs_metric_at(int k);

/*
 * Choices of an option, "|ccc|duo|..." (skip the first bar), and help on each.
 */
extern const char vs_metric_choices[], vs_metric_detail[];
/* Other names of metrics, as aliases of a choice. */
#define VS_METRIC_ALIASES                           \
	"pearson=r|cor=r|correlation=r|rsquare=r2|" \
	"r2-em=r2em|r2-phased=r2em|"                \
	"euclidean=euclid|tanimoto=jaccard|sorensen=dice"

/* True if what counts as a strong value depends on the data. */
static inline bool
vs_metric_is_open(const struct vs_metric *m)
{
	return isinf(m->highest);
}

/* True for a distance, which is computed only for pairs that may be near
 * enough. */
static inline bool
vs_metric_is_distance(const struct vs_metric *m)
{
	return m->family == VS_FAMILY_INNER && m->lower;
}

/* Lower bound of the values; for numbers it may be negative. */
static inline double
vs_metric_lowest(const struct vs_metric *m, bool numbers)
{
	return numbers && m->numbers && !m->squared && !vs_metric_is_distance(m)
		? -1
		: m->lowest;
}

/* True if values lie on both sides of 0. */
static inline bool
vs_metric_is_signed(const struct vs_metric *m)
{
	return m->family != VS_FAMILY_TABLES && vs_metric_lowest(m, true) < 0;
}

/* True if the metric has a value for each choice of alleles, not just one. */
static inline bool
vs_metric_has_cells(const struct vs_metric *m)
{
	return m->family == VS_FAMILY_ALLELES;
}

/* Values of the metric that count as stronger. */
static inline enum vs_strong
vs_metric_strong(const struct vs_metric *m)
{
	return m->lower ? VS_STRONG_LOW : VS_STRONG_HIGH;
}

/*
 * Lower bound of the correlation or cosine of a pair that passes t; negative:
 * any pair may pass.
 */
static inline double
vs_metric_least(const struct vs_metric *m, double t)
{
	return t < 0 ? t : m->least ? m->least(t) : -1;
}

#endif
