/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of numbers in memory for the engine, and the records it finds. */
#ifndef VS_TESTS_NUMBERED_H
#define VS_TESTS_NUMBERED_H

#include <stdbool.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/sched/pair_run.h"

struct numbered {
	enum vs_element element;
	double *number; /* as they are in the element's type */
	size_t n_vec, n_field;
	struct vs_record *rec;
	size_t n, room;
	uint64_t evaluated;
	bool ordered;
};

static inline int
numbered_load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct numbered *d = ctx;
	size_t at = p->n_vec;

	for (uint64_t v = lo; v < hi; v++) {
		char *row =
			(char *)p->number.at + (at + v - lo) * p->number.stride;

		for (size_t q = 0; q < d->n_field; q++)
			vs_element_put(d->element, row, q,
				d->number[v * d->n_field + q]);
		p->source[at + v - lo] = (int64_t)v;
	}
	vs_panel_begin(p, lo, (size_t)(hi - lo));
	for (uint64_t v = lo; v < hi; v++)
		if (vs_panel_total(p, at + v - lo, v, "numbers"))
			return VS_EINPUT;
	return 0;
}

static inline int
numbered_sink(void *ctx, const struct vs_tile_done *tile)
{
	struct numbered *d = ctx;
	int code = vs_mem_grow(&d->rec, &d->room, d->n + tile->n,
		sizeof(*d->rec), "records");

	for (size_t k = 0; k < tile->n && !code; k++) {
		d->rec[d->n++] = tile->rec[k];
		if (k)
			d->ordered &= vs_record_compare(&tile->rec[k - 1],
					      &tile->rec[k]) < 0;
	}
	if (tile->last)
		d->evaluated += tile->evaluated;
	return code;
}

static inline int
numbered_by_place(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

/* Vectors of all sizes, some alike, some without anything. */
static inline void
numbered_fill(struct numbered *d, struct vs_rng *rng)
{
	bool whole = vs_element_is_integer(d->element);

	for (size_t v = 0; v < d->n_vec; v++) {
		uint64_t most = 1 + vs_rng_below(rng, 1u << v % 8);

		for (size_t q = 0; q < d->n_field; q++) {
			double x = (double)vs_rng_below(rng, most + 1);

			if (!whole)
				x *= (double)vs_rng_below(rng, 1000) / 777;
			if (v % 3 == 1 && vs_rng_below(rng, 16))
				x = d->number[(v - 1) * d->n_field + q];
			if (v % 40 == 5)
				x = 0;
			d->number[v * d->n_field + q] =
				d->element == VS_NUM_F32 ? (double)(float)x : x;
		}
	}
}

#endif
