/* SPDX-License-Identifier: BSD-3-Clause */
/* Connected components and degrees of the graph of a result's records. */
#ifndef VS_TOOLS_THRESHOLD_COMPONENTS_H
#define VS_TOOLS_THRESHOLD_COMPONENTS_H

#include "tools/threshold/conditions.h"

/*
 * Write a line for each vector that occurs in a record that passes: its row in
 * the input, its id and its degree, which is the number of pairs or triples it
 * is in; with `component` also the number of its component, 1 for the largest,
 * and its size. A pair joins its two vectors, a triple its three.
 * conditions  already read; without --top and --top-per-vector
 * result      merged
 * out         a file, or "-" for stdout
 * component   show it and sort by it, else sort by row
 * returns     0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_components_write(struct vs_conditions *c, const char *result,
	const char *out, bool component, bool force);

#endif
