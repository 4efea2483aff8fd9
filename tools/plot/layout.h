/* SPDX-License-Identifier: BSD-3-Clause */
/* Force-directed layout of a connected graph (Fruchterman and Reingold). */
#ifndef VS_TOOLS_PLOT_LAYOUT_H
#define VS_TOOLS_PLOT_LAYOUT_H

#include <stddef.h>

struct vs_layout_point {
	double x, y;
};

/*
 * Place n nodes, joined by edges of nodes [0, n), within [0, 1] x [0, 1]. The
 * same graph is placed in the same way.
 * force  room for n points
 */
void vs_layout_place(struct vs_layout_point *at, size_t n,
	const size_t (*edge)[2], size_t n_edge, struct vs_layout_point *force);

#endif
