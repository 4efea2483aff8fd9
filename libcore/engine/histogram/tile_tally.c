/* SPDX-License-Identifier: BSD-3-Clause */
/* Tally: what is counted over all values of a tile, of one kind or none. */
#include "libcore/engine/histogram/tile_tally.h"

int
vs_tile_tally_new(struct vs_tile_tally *t,
	const struct vs_value_histogram *histogram,
	const struct vs_summary_plan *plan, size_t room)
{
	*t = (struct vs_tile_tally){ 0 };
	return histogram ? vs_value_histogram_like(&t->histogram, histogram)
		: plan   ? vs_summary_new(&t->summary, plan, room)
			 : 0;
}

void
vs_tile_tally_free(struct vs_tile_tally *t)
{
	vs_value_histogram_free(t->histogram);
	vs_summary_free(t->summary);
	*t = (struct vs_tile_tally){ 0 };
}

void
vs_tile_tally_clear(struct vs_tile_tally *t)
{
	if (t->histogram)
		vs_value_histogram_clear(t->histogram);
	if (t->summary)
		vs_summary_clear(t->summary);
}

void
vs_tile_tally_move(struct vs_tile_tally *t, struct vs_tile_tally *other)
{
	if (t->histogram)
		vs_value_histogram_move(t->histogram, other->histogram);
	if (t->summary)
		vs_summary_move(t->summary, other->summary);
}

const struct vs_counted *
vs_tile_tally_counted(struct vs_tile_tally *t)
{
	if (t->summary)
		return vs_summary_counted(t->summary);
	if (!t->histogram)
		return NULL;
	t->counted[0] = (struct vs_counted){ t->histogram->n, 0,
		vs_value_histogram_size(t->histogram) };
	return t->counted;
}
