/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of products of genotype vectors: leaders of rows against packed leaders
 * of columns, by the plan's kernel for their number.
 */
#ifndef VS_ENGINE_PAIR_PRODUCTS_H
#define VS_ENGINE_PAIR_PRODUCTS_H

#include "libcore/engine/joint_sums.h"
#include "libcore/engine/pair/worker.h"
#include "libcore/engine/prune/representatives.h"

/* Columns in one kernel's order, packed when first needed. */
struct vs_packed {
	void *cols;
	bool valid;
};

/* Most leaders that are taken together if none has followers; half as many more
 * if half of the vectors are followers. */
#define VS_PRODUCTS_COLS 4096

/* Head of a worker that counts genotype vectors. */
struct vs_products {
	struct vs_pair_worker head;
	size_t hi; /* end of the columns held */
	bool plain;
	struct vs_representatives rows, cols;
	const struct vs_dense *dense; /* the kernel for these columns */
	/* by label; for all values the fields that the columns miss, label 1,
	 * and the fields with two copies */
	struct vs_packed wide[3], few[3];
	struct vs_packed first[VS_FIRSTS];
	/* marked fields of the rows, once needed; room to mark the columns */
	struct vs_products_marks {
		struct vs_panel panel;
		bool there;
		void *memory;
	} lost, two;
	void *mark_memory;
	/* lists of rows in a kernel's scratch: of the prefix `of`, -1: others.
	 * For all values also of the fields they miss, and of two copies */
	struct vs_products_list {
		void *scratch;
		int of;
	} list[3];
	/* one array of n_row x ld, or four, or six; for columns [0, n_chunk)
	 * from the first block counted, if fewer are counted than taken */
	int32_t *sum;
};

/* Functions of struct vs_pair_family. */
void vs_products_choose(struct vs_pair_plan *plan);
size_t vs_products_columns(const struct vs_pair_plan *plan, bool follow);
void vs_products_lay_out(const struct vs_pair_plan *plan, struct vs_products *w,
	struct vs_layout *l);
int vs_products_open(const struct vs_pair_plan *plan, void *worker);
size_t vs_products_more_bytes(const struct vs_pair_plan *plan);
void vs_products_close(void *worker);
const char *vs_products_kernel(const struct vs_pair_plan *plan);

/* Take the leaders of columns from lo on; they are packed when needed. true:
 * they were held already */
bool vs_products_take(const struct vs_pair_plan *plan, struct vs_products *w,
	const struct vs_strip *s, size_t lo);

/* Take the leaders of rows from lo on, as vs_representatives_take() does. */
size_t vs_products_take_rows(const struct vs_pair_plan *plan,
	struct vs_products *w, const struct vs_panel *p, size_t lo, size_t hi,
	bool plain);

/* True if the kernel can count only some of the sums. */
static inline bool
vs_products_can_some(const struct vs_products *w)
{
	return w->dense->count_some;
}

/*
 * Sums of the rows taken with columns [lo, hi), only some, or all if null: the
 * row of leader r begins at ld r. first: of this prefix only; VS_FIRSTS: of all
 * fields
 */
const int32_t *vs_products_count(const struct vs_pair_plan *plan,
	struct vs_products *w, int first, size_t lo, size_t hi,
	const struct vs_some *some);

/*
 * Add the sums that missing calls require: all sums of the rows with columns
 * [lo, hi), by the label of the products, which are counted already. Valid
 * until the next call.
 * some: only these exist, and will; or null
 */
void vs_products_joint(const struct vs_pair_plan *plan, struct vs_products *w,
	size_t lo, size_t hi, const struct vs_some *some,
	struct vs_joint_sums *out);

/*
 * The same for all values of moments, by label 1, and the fields with two
 * copies that pairs lose: i, of the row where the column has no call; j, vice
 * versa.
 */
struct vs_products_twos {
	const int32_t *i, *j;
};
void vs_products_moments(const struct vs_pair_plan *plan, struct vs_products *w,
	size_t lo, size_t hi, struct vs_joint_sums *out,
	struct vs_products_twos *twos);

/* The label whose copies are counted. */
static inline int
vs_products_label(const struct vs_query *q)
{
	return q->alleles ? q->lead : 1;
}

#endif
