/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canonical order of the vectors and genotypes of a contingency table, so that
 * a value rounded in several steps is the same to the bit for any order.
 */
#ifndef VS_METRIC_TABLE_ORDER_H
#define VS_METRIC_TABLE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define VS_TABLE_ORDER_MOST 27 /* cells */

/* The orders of genotypes that are one: all, or the order of copies and its
 * reverse. */
enum vs_table_order { VS_TABLE_ORDER_ANY, VS_TABLE_ORDER_COPIES };

/* Cells from a genotype of each vector to the next; [n_way - 2][vector]. */
extern const int vs_table_order_stride[2][3];

static inline int
vs_table_order_cells(int n_way)
{
	return n_way == 3 ? 27 : 9;
}

/*
 * The table in canonical order: the genotypes of each vector by ascending
 * number of samples, then the vectors by these numbers. Of several such orders,
 * the one that gives the least table.
 * cell  3^n_way cells of two numbers, the first one counts samples; genotypes
 *       of the first vector most significant
 * best  receives them; room for VS_TABLE_ORDER_MOST
 */
void vs_table_order(const int64_t (*cell)[2], int n_way,
	enum vs_table_order how, int64_t (*best)[2]);

/* Genotypes of a vector that some sample has; of classes, in both numbers. */
int vs_table_order_levels(const int64_t (*cell)[2], int n_way, int vector);

#endif
