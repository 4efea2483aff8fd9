/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a table as numbers. */
#ifndef VS_FORMATS_IN_NUMBER_CELL_H
#define VS_FORMATS_IN_NUMBER_CELL_H

#include "formats/in/table_shape.h"
#include "formats/in/text/cells.h"

/* True for a word that --missing-word lists, even if it is a number. */
bool vs_number_cell_listed(const struct vs_cell *c,
	const struct vs_table_how *how);

enum vs_cell_kind vs_number_cell_any(const struct vs_cell *c,
	const struct vs_table_how *how, double *x);

/*
 * A cell as a number, by the decimal mark and the missing words of how; x is
 * set only for numbers and, to NaN, for missing ones.
 */
static inline enum vs_cell_kind
vs_number_cell(const struct vs_cell *c, const struct vs_table_how *how,
	double *x)
{
	uint64_t whole = 0;
	uint32_t k = 0;

	if (c->len > 15 || how->missing)
		return vs_number_cell_any(c, how, x);
	for (; k < c->len && c->text[k] >= '0' && c->text[k] <= '9'; k++)
		whole = 10 * whole + (uint64_t)(c->text[k] - '0');
	if (!k || k < c->len)
		return vs_number_cell_any(c, how, x);
	*x = (double)whole;
	return VS_CELL_VALUE;
}

#endif
