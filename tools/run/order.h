/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order of the vectors by frequency, for correlations of all pairs of genotype
 * vectors: with it, bounds exclude the same pairs for any block size.
 */
#ifndef VS_TOOLS_RUN_ORDER_H
#define VS_TOOLS_RUN_ORDER_H

#include "tools/run/between.h"
#include "tools/run/setup.h"

/* Planes of all vectors in their order, one copy for the ranks of a machine,
 * since a block has rows from anywhere in the file. */
struct vs_order {
	uint8_t *planes; /* numbers in the file, by place; or null */
	uint64_t bytes;  /* 0: file order */
	bool shared;
};

/*
 * Choose the order of ask's run, or if part of it is done already, that of its
 * shards. Sets run.order and run.wanted, and the rounds of the query, which
 * deal blocks of sorted vectors to ranks.
 * memory      of a rank; the planes get at most a quarter
 * returns     0; VS_EINPUT: the shards have another order; VS_EMACHINE
 * collective  yes
 */
int vs_order_choose(struct vs_order *o, struct vs_between_chosen *c,
	struct vs_setup *ask, uint64_t memory);

/* Return to file order if a new run has only one block. */
void vs_order_settle(struct vs_order *o, struct vs_between_chosen *c,
	struct vs_run *run, const struct vs_plan *plan);

/* Memory per rank for the planes. */
uint64_t vs_order_bytes(const struct vs_order *o);

/* Read the planes for vs_between_load(), if there is an order. Collective. */
int vs_order_read(struct vs_order *o, struct vs_setup *ask,
	struct vs_between_chosen *c);
void vs_order_free(struct vs_order *o); /* all zero is accepted */

#endif
