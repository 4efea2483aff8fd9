/* SPDX-License-Identifier: BSD-3-Clause */
/* Connected components and degrees of the graph of a result's records. */
#ifndef VS_TOOLS_THRESHOLD_COMPONENTS_H
#define VS_TOOLS_THRESHOLD_COMPONENTS_H

#include "tools/threshold/conditions.h"

/*
 * Write a line for each vector that occurs in a record that passes: its row in
 * the input, id and degree, the number of pairs or triples it is in; and with
 * the component its number, 1 for the largest, and size. A pair joins its two
 * vectors, a triple its three.
 * conditions  read, without the strongest of all or of a vector
 * result      merged
 * out         a file, or "-" for stdout
 * component   order by it, else by row, and without it
 * returns     0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_components_write(struct vs_conditions *c, const char *result,
	const char *out, bool component, bool force);

#endif
