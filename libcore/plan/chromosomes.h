/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chromosomes as runs of rows of a vectors file, such that a filter by
 * chromosome wants no pair between two of them. Chromosomes that overlap in the
 * file are one; a vector without a position, which is in no pair, belongs to
 * the one before it.
 */
#ifndef VS_PLAN_CHROMOSOMES_H
#define VS_PLAN_CHROMOSOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "libcore/plan/wanted.h"

struct vs_chromosomes {
	uint64_t n;     /* 0: unknown */
	int64_t *first; /* [n] the first row of each, ascending from 0 */
};

/* The chromosomes for rules by place that want no pairs of two chromosomes. 0;
 * VS_EMACHINE */
int vs_chromosomes_find(struct vs_chromosomes *c, const struct vs_wanted *w);
void vs_chromosomes_free(struct vs_chromosomes *c); /* all zero is accepted */

/* True if the rows rise from 0 and all are below n_vec. */
bool vs_chromosomes_rise(const struct vs_chromosomes *c, uint64_t n_vec);

/* The chromosome of row v. */
uint64_t vs_chromosomes_of(const struct vs_chromosomes *c, uint64_t v);

/* Rows [*lo, *hi) of chromosome k, of n_vec rows in all. */
void vs_chromosomes_rows(const struct vs_chromosomes *c, uint64_t k,
	uint64_t n_vec, uint64_t *lo, uint64_t *hi);

/* Number of pairs of rows [lo, hi) on one chromosome. */
uint64_t vs_chromosomes_pairs(const struct vs_chromosomes *c, uint64_t lo,
	uint64_t hi);

#endif
