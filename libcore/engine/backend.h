/* SPDX-License-Identifier: BSD-3-Clause */
/* What computes tiles: the CPU, and devices beside it. */
#ifndef VS_ENGINE_BACKEND_H
#define VS_ENGINE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/base/record.h"
#include "libcore/base/thresholds.h"
#include "libcore/bits/panel.h"
#include "libcore/kern/kernels.h"
#include "libcore/metric/metric.h"

struct vs_value_histogram; /* libcore/engine/histogram/value_histogram.h */

/* Which values are asked for: those of kept cells that pass. */
struct vs_query {
	const struct vs_metric *metric;
	/* its recipe, of metrics of alleles alone; else null */
	const struct vs_alleles *alleles;
	double threshold;
	/* null: one threshold for all; else threshold is their least */
	const struct vs_thresholds *thresholds;
	/* what the threshold has become, when it is more: vs_query_now();
	 * null: it stays. Who knows that no lower value is wanted raises it */
	double *shared_threshold;
	uint32_t cell_mask; /* bit c: cell c is kept */
	bool f32;           /* values are rounded to float once decided */
	bool has_missing;   /* some call in the data is missing: tell nvalid */
	int64_t least_present; /* fields of any vector that is of use */
	/* fields that a combination has to share for any of its values to pass;
	 * 0: any */
	int64_t min_joint;
	bool prune; /* leave out pairs that cannot pass */
	int lead;   /* the label whose allele is the common one, by and large */
	double listed; /* share of fields that are not the vector's commonest */
	int rounds; /* blocks that a rank of several wants, for the balance */
	size_t n_field;
	enum vs_element element; /* what vectors are made of */
	enum vs_cpu cpu;         /* the most that kernels may use */
	const char *kernel;      /* a kernel that cpu allows; null: the best */
};

/* The family of the metric; VS_FAMILY_NONE where it is not of such vectors. */
static inline enum vs_family
vs_query_family(const struct vs_query *q)
{
	enum vs_family family = q->metric ? q->metric->family : VS_FAMILY_NONE;
	bool of_numbers = family == VS_FAMILY_MINIMA;

	return vs_element_is_number(q->element) == of_numbers ? family
							      : VS_FAMILY_NONE;
}

/*
 * min_joint as a lower bound in floats of the fields shared, beside another
 * one; without min_joint it is the lesser, whatever the other.
 */
static inline float
vs_query_joint(const struct vs_query *q)
{
	return q->min_joint > 0 ? (float)q->min_joint : -1e30f;
}

/* No value of CCC or DUO of n_way vectors that counts is above this. */
static inline double
vs_query_ceiling(const struct vs_query *q, int n_way)
{
	return vs_alleles_ceiling(q->alleles, n_way,
		!q->has_missing ? 1
				: (double)q->min_joint / (double)q->n_field);
}

/* Which cells of n_way vectors pass by their values, cell_mask apart: bits. */
static inline uint32_t
vs_query_passes(const struct vs_query *q, int n_way, const double *value)
{
	uint32_t bits = 0;

	if (q->thresholds)
		return vs_thresholds_pass(q->thresholds, n_way, value);
	for (int cell = 0; cell < 1 << n_way; cell++)
		bits |= (uint32_t)(value[cell] > q->threshold) << cell;
	return bits;
}

/*
 * What the value of a cell with so many labels 1 has to exceed before it, or a
 * sum that it is the greater half of, passes; infinity: that is never so.
 */
static inline double
vs_query_threshold(const struct vs_query *q, int n_way, int ones)
{
	double threshold =
		q->thresholds ? q->thresholds->one[ones] : q->threshold;

	if (!q->thresholds || (ones && ones < n_way) ||
		vs_thresholds_half(q->thresholds) > threshold)
		return threshold;
	return vs_thresholds_half(q->thresholds);
}

/*
 * The query with the threshold that it has by now, for what is looked at
 * next. What is set up by a threshold is so by the first one.
 */
static inline struct vs_query
vs_query_now(const struct vs_query *q)
{
	struct vs_query now = *q;
	double shared_threshold;

	if (!q->shared_threshold)
		return now;
	__atomic_load(q->shared_threshold, &shared_threshold, __ATOMIC_RELAXED);
	if (shared_threshold > now.threshold)
		now.threshold = shared_threshold;
	return now;
}

/* No value that is `to` or less is wanted any more. */
static inline void
vs_query_raise_threshold(double *shared_threshold, double to)
{
	double was;

	__atomic_load(shared_threshold, &was, __ATOMIC_RELAXED);
	while (to > was &&
		!__atomic_compare_exchange(shared_threshold, &was, &to, true,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Below 0 everything passes, and no bound can help. */
static inline bool
vs_query_prunes(const struct vs_query *q)
{
	return q->prune && q->threshold >= 0;
}

/*
 * A strip: rows [i_lo, i_hi) of panel i against columns [j_lo, j_hi) of panel
 * j, at most as many as the backend takes at a time. Of the columns from j_lo +
 * VS_SPAN k on, the k-th span, only the rows of its range are wanted. On the
 * diagonal, where both are of the same block, only pairs i < j.
 */
#define VS_SPAN 512
#define VS_SPANS 16
struct vs_strip {
	const struct vs_panel *i, *j;
	size_t i_lo, i_hi, j_lo, j_hi;
	struct {
		size_t lo, hi;
	} span[VS_SPANS];
	bool diagonal;
};

/*
 * Records found, in any order; one per worker, used again. Of those at hand
 * drain() is to be told every VS_HITS or so; it sets n back to 0.
 */
#define VS_HITS 16384
struct vs_hits {
	struct vs_record *rec;
	size_t n, room;
	double spared;   /* fields of pairs that were begun and given up */
	double inferred; /* pairs not counted: their leaders' sums tell of them */
	struct vs_value_histogram
		*histogram; /* count all values, also those; or null */
	/* rows of the strip from here on are left to be done, its end unless a
	 * device says less */
	size_t upto;
	int (*drain)(struct vs_hits *found);
	/* is drain() to be called at once, however few there are, since what is
	 * looked for may not be wanted any more? Null: never */
	bool (*due)(const struct vs_hits *found);
};

/* Is drain() to be called? Asked every few rows. */
static inline bool
vs_hits_due(const struct vs_hits *found)
{
	return found->n >= VS_HITS || (found->due && found->due(found));
}

/* Room for one record more, which the caller fills. 0; VS_EMACHINE */
int vs_hits_more(struct vs_hits *found, struct vs_record **rec);

/*
 * The record of row i of the strip's panel i and row j of its panel j, which
 * have one value, for the caller to fill in, and no counts. 0; VS_EMACHINE
 */
int vs_hits_pair(struct vs_hits *found, const struct vs_strip *s, size_t i,
	size_t j, struct vs_record **rec);

/* Hear of what other ranks know, and tell them: between vs_comm_most_begin() and
 * its end, by the thread that may. */
void vs_shared_threshold_exchange(double *shared_threshold);

/* Drop what no longer passes. */
void vs_hits_drop(struct vs_hits *found, const struct vs_query *q);

/*
 * A device is driven by few threads that mostly wait for it, each with buffers
 * and a queue of its own, so that one strip travels while another is counted.
 */
struct vs_backend {
	const char *name;
	int n_driver; /* threads that drive a device; 0: this is the CPU */
	/* n_worker threads will call strip() with numbers 0 .. n_worker - 1;
	 * no block has more than most vectors */
	int (*open)(void **state, const struct vs_query *q, int n_worker,
		size_t most);
	/* columns of a strip: a multiple of VS_SPAN, or fewer than that; of
	 * vectors many of whom follow others, or not */
	size_t (*columns)(const struct vs_query *q, size_t most, bool follow);
	/* finds nothing but what passes; the same for every backend. A device
	 * that goes away says VS_LOST, one that fails at this VS_UNABLE and
	 * why, with found and drain() untouched: the strip is another's to do,
	 * and this worker gets no more. So that it need not hold what a whole
	 * strip has it may do some rows, one at least, and say so in
	 * found->upto; one that says it did none counts as one that fails */
	int (*strip)(void *state, int worker, const struct vs_strip *strip,
		struct vs_hits *found);
	/* of a device that has a clock of its own, by which who does what is
	 * then decided, and no two things are done at once: when hand k, of its
	 * drivers and then of the CPU, has done something of this cost that it
	 * takes now. Null: time goes by */
	double (*ends)(void *state, int hand, double now, double cost);
	/* the panel's memory is to be filled anew or freed: drop what is kept of
	 * it. No strip is under way that uses it, of others some may be. Null:
	 * nothing is kept */
	void (*forget)(void *state, const struct vs_panel *panel);
	void (*close)(void *state); /* null is accepted */
	/* what computes, for the file: "cpu-lanes512" */
	void (*describe)(const struct vs_query *q, size_t most, char *text,
		size_t room);
	/* memory for n_worker workers and blocks of most vectors */
	size_t (*bytes)(const struct vs_query *q, int n_worker, size_t most);
	/* comparisons a second, by large: what a worker of the CPU makes, and
	 * what a device makes whatever drives it */
	double (*rate)(const struct vs_query *q);
	/* seconds by the device's own clock of the counting kernels that have
	 * ended since the process began; those of several drivers overlap and
	 * are each counted in full; or null */
	double (*kernel_seconds)(void);
};

extern const struct vs_backend vs_backend_cpu;

/* The CPU again, for moments, and for vectors of numbers. */
extern const struct vs_backend vs_backend_moment;
extern const struct vs_backend vs_backend_minima;

#endif
