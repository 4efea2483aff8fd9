/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker of the CPU counts pairs of genotype vectors, chunk after chunk. */
#ifndef VS_ENGINE_PAIR_ALLELES_COUNT_H
#define VS_ENGINE_PAIR_ALLELES_COUNT_H

#include "libcore/engine/pair/worker.h"
#include "libcore/engine/prune/row_filter.h"

/* The columns that are taken: of those from somewhere to a strip's end, the
 * first up to hi. */
struct vs_packed_columns_part {
	struct vs_packed_columns of;
	size_t hi;
	bool plain;
};

/* Memory of a worker: one allocation, the batch filter and the leaders. */
struct vs_alleles_worker {
	struct vs_packed_columns_part held;
	struct vs_taken wide[2], few[2]; /* dense by label; the same of few */
	struct vs_taken four;            /* sparse */
	void *lost;                      /* rows, where calls are missing */
	/* dense, of the first fields, if the kernel wants them apart */
	struct vs_taken first[VS_FIRSTS];
	struct vs_rest rest[VS_FIRSTS];
	bool rest_there[VS_FIRSTS];
	struct vs_representatives rows, cols;
	void *scratch;         /* rows of a dense call */
	int32_t *sums;         /* one array or four, n_row x ld */
	struct vs_sides sides; /* of the columns, one allocation at bl */
	struct vs_batch_filter batch;
};

/* Leaders that are taken together, in groups that may be counted each by other
 * fields; those of twice as many columns, half of which follow. */
#define VS_MOST_COLS 2048
#define VS_GROUPS (VS_MOST_COLS * 3 / 2 / VS_SPAN)

/* A strip in work. */
struct vs_alleles_count {
	const struct vs_alleles_plan *plan;
	struct vs_alleles_worker *w;
	const struct vs_strip *work;
	const struct vs_query *q; /* by now */
	const struct vs_dense *dense;
	size_t n_col;  /* leaders of the columns */
	bool plain;    /* no vector follows another */
	bool complete; /* the columns miss no call */
	/* least first fields worth a try, by group; VS_FIRSTS: none */
	int first[VS_GROUPS];
	int n_sum; /* kinds of sums that the rows need: 1, 2 or 4 */
	struct vs_hits *found;
};

/* Begin with a strip, or what follows its columns held, the worker's. */
void vs_alleles_count_begin(struct vs_alleles_count *s);

/*
 * The pairs of the rows from *row on, as many as are counted together, which
 * move it. 0 or what failed.
 * pays  set to false where followers do not: nothing from *row on is done, and
 *       the caller counts the remaining rows without them
 */
int vs_alleles_count_rows(struct vs_alleles_count *s, size_t *row, bool *pays);

#endif
