/* SPDX-License-Identifier: BSD-3-Clause */
/* Contingency table of a pair or triple that was counted elsewhere. */
#ifndef VS_ENGINE_TABLES_COUNTED_TABLE_H
#define VS_ENGINE_TABLES_COUNTED_TABLE_H

#include <stdint.h>

#define VS_COUNTED_CELLS 27

/*
 * Samples of class k in cell x: n[k][x]; a pair uses the first 9 cells.
 * Genotypes in any order, the first vector's most significant. Of metrics of
 * alleles n[1] begins with the eight sums of struct vs_sums instead.
 * u, i, j  places, in the counter's numbering; u for triples only
 */
struct vs_counted_table {
	uint32_t u, i, j;
	int32_t n[2][VS_COUNTED_CELLS];
};

#endif
