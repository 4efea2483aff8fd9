/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU workers that count strips of pairs: one walk over columns and rows for
 * all families of metrics.
 */
#ifndef VS_ENGINE_PAIR_WORKER_H
#define VS_ENGINE_PAIR_WORKER_H

#include "libcore/base/layout.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/packed_columns.h"
#include "libcore/engine/rectangle.h"
#include "libcore/kern/minima/minima.h"

/* How the CPU counts pairs for a query: the same for all workers. */
struct vs_pair_plan {
	struct vs_query q;
	size_t most;    /* vectors of a block */
	size_t n_row;   /* most rows counted at a time */
	size_t n_col;   /* columns, or leaders of them, counted at a time */
	size_t n_taken; /* columns packed at a time, if none follow */
	size_t n_chunk; /* of them counted, then filtered, at a time */
	size_t ld;      /* distance of the sums of two rows */
	/* of genotype vectors */
	const struct vs_dense *wide, *few; /* few: up to n_few columns */
	size_t n_few;
	const struct vs_sparse *sparse;
	bool gives_up; /* cost in pairs, before all their fields are counted */
	/* of numbers */
	const struct vs_minima *minima;
};

/* Head of a worker of any family. */
struct vs_pair_worker {
	struct vs_packed_columns held;
	bool plain; /* each vector leads itself */
};

/* Work in progress: a part of a strip, whose columns are packed together. */
struct vs_pair_work {
	const struct vs_pair_plan *plan;
	void *worker;
	const struct vs_strip *part;
	struct vs_query now;
	struct vs_hits *found;
};

/* Returned by rectangle(): the remaining rows are faster with each vector as
 * its own leader. */
#define VS_PAIR_PLAIN 1

/*
 * Family of metrics: what its workers hold and how they count. A worker is a
 * struct of the family that begins with struct vs_pair_worker, all bytes 0 at
 * first.
 */
struct vs_pair_family {
	size_t worker_bytes;
	/* choose what the query and `most` leave open */
	void (*choose)(struct vs_pair_plan *plan);
	/* as in struct vs_backend */
	size_t (*columns)(const struct vs_pair_plan *plan, bool follow);
	/* arrays of a worker, which are one allocation */
	void (*lay_out)(const struct vs_pair_plan *plan, void *worker,
		struct vs_layout *l);
	/* other memory of a worker, and its bytes; all three may be null */
	int (*open)(const struct vs_pair_plan *plan, void *worker);
	size_t (*more_bytes)(const struct vs_pair_plan *plan);
	void (*close)(void *worker);
	/* as in struct vs_backend, except for the worker's head; or null */
	void (*forget)(void *worker, const struct vs_panel *panel);

	/* take columns of the strip from lo on; returns their end; null: the
	 * plan's n_col of them */
	size_t (*take)(const struct vs_pair_plan *plan, void *worker,
		const struct vs_strip *s, size_t lo);
	/* before the first rectangle of a part; or null */
	void (*begin)(const struct vs_pair_work *at);
	/* most rows of a rectangle */
	size_t (*rows)(const struct vs_pair_work *at);
	/* count and decide a rectangle in which some columns are wanted; it may
	 * do fewer rows, and then sets k. 0; VS_PAIR_PLAIN; VS_EMACHINE */
	int (*rectangle)(struct vs_pair_work *at, struct vs_rectangle *k);

	/*
	 * Move to row r of the sums counted and list the columns that may pass.
	 * column   room for VS_PAIR_COLUMNS
	 * returns  how many there are
	 */
	size_t (*filter)(void *sums, size_t r, struct vs_hits *found,
		uint16_t *column);
	/* append the records of the n columns of this row that pass by the
	 * exact recipe. 0; VS_EMACHINE */
	int (*decide)(const void *sums, const uint16_t *column, size_t n,
		struct vs_hits *found);
	/* add all values of this row to what is asked for; null: the filter
	 * does */
	void (*count_all)(const void *sums, struct vs_hits *found);

	const char *(*kernel)(const struct vs_pair_plan *plan);
	/* as in struct vs_backend; null: that of genotype vectors */
	double (*rate)(const struct vs_query *q);
};

#define VS_PAIR_COLUMNS (VS_SPAN * VS_SPANS)

extern const struct vs_pair_family vs_pair_alleles;
extern const struct vs_pair_family vs_pair_moments;
extern const struct vs_pair_family vs_pair_numbers;
extern const struct vs_pair_family vs_pair_tables;

#endif
