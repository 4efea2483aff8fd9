/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Force-directed layout of a connected graph (Fruchterman and Reingold 1991):
 * nodes repel each other by k^2 / d, edges attract by d^2 / k, and steps become
 * shorter. Nodes begin on a circle in their order.
 */
#include <math.h>

#include "tools/plot/layout.h"

#define STEPS 300

/* Forces on all nodes. k: the distance at which both forces of an edge are
 * equal */
static void
add_forces(const struct vs_layout_point *at, size_t n, const size_t (*edge)[2],
	size_t n_edge, double k, struct vs_layout_point *force)
{
	for (size_t v = 0; v < n; v++)
		force[v].x = force[v].y = 0;
	for (size_t v = 0; v < n; v++)
		for (size_t w = v + 1; w < n; w++) {
			double x = at[v].x - at[w].x, y = at[v].y - at[w].y;
			double f = k * k / fmax(x * x + y * y, 1e-9);

			force[v].x += f * x;
			force[v].y += f * y;
			force[w].x -= f * x;
			force[w].y -= f * y;
		}
	for (size_t e = 0; e < n_edge; e++) {
		size_t v = edge[e][0], w = edge[e][1];
		double x = at[v].x - at[w].x, y = at[v].y - at[w].y;
		double f = sqrt(x * x + y * y) / k;

		force[v].x -= f * x;
		force[v].y -= f * y;
		force[w].x += f * x;
		force[w].y += f * y;
	}
}

/* Into [0, 1] x [0, 1], the middle in the middle, by one factor. */
static void
normalize(struct vs_layout_point *at, size_t n)
{
	struct vs_layout_point lo = at[0], hi = at[0];
	double span;

	for (size_t v = 0; v < n; v++) {
		lo.x = fmin(lo.x, at[v].x);
		lo.y = fmin(lo.y, at[v].y);
		hi.x = fmax(hi.x, at[v].x);
		hi.y = fmax(hi.y, at[v].y);
	}
	span = fmax(fmax(hi.x - lo.x, hi.y - lo.y), 1e-9);
	for (size_t v = 0; v < n; v++) {
		at[v].x = 0.5 + (at[v].x - (lo.x + hi.x) / 2) / span;
		at[v].y = 0.5 + (at[v].y - (lo.y + hi.y) / 2) / span;
	}
}

void
vs_layout_place(struct vs_layout_point *at, size_t n, const size_t (*edge)[2],
	size_t n_edge, struct vs_layout_point *force)
{
	const double k = n ? sqrt(1.0 / (double)n) : 1;

	for (size_t v = 0; v < n; v++) {
		double turn = 2 * M_PI * (double)v / (double)n;

		/* two nodes lie side by side */
		at[v].x = 0.5 + 0.5 * cos(turn);
		at[v].y = 0.5 + 0.5 * sin(turn);
	}
	for (int step = 0; step < STEPS && n > 2; step++) {
		double most = 0.1 * (1 - (double)step / STEPS);

		add_forces(at, n, edge, n_edge, k, force);
		for (size_t v = 0; v < n; v++) {
			double f = sqrt(force[v].x * force[v].x +
				force[v].y * force[v].y);
			double move = f > most ? most / f : 1;

			at[v].x += force[v].x * move;
			at[v].y += force[v].y * move;
		}
	}
	if (n)
		normalize(at, n);
}
