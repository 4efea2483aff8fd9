/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the device backend: its cards, their workers, and what both pairs
 * and triples need. */
#ifndef VS_CUDA_DRIVE_STATE_H
#define VS_CUDA_DRIVE_STATE_H

#include "cuda/card_query.h"
#include "cuda/card_tables.h"
#include "cuda/part_cache.h"
#include "cuda/pivots.h"
#include "cuda/tables_data.h"

#ifndef MOST_RECORDS            /* or fewer, for tests */
#define MOST_RECORDS (1u << 19) /* most records of some rows of a strip */
#endif
#define VS_TOO_MANY 5 /* if there are more, count fewer rows */
#define VS_DRIVE_UNLIMITED (UINT64_MAX / 4)

/* Per-thread state of a worker. */
struct vs_drive_lane {
	struct vs_lane at;       /* must be first */
	uint64_t limit;          /* most pairs of a launch */
	bool bound;              /* one sum bounds the four */
	int four;                /* coming strips that count all four sums */
	size_t rows;             /* rows of a strip per pass */
	size_t before;           /* records before the present pass */
	void *tables;            /* the host's tables, if it judges them */
	struct vs_pivots pivots; /* for triples */
	size_t n_pivot;          /* pivots of a launch */
};

/* One device. */
struct vs_drive {
	const struct vs_drive_base *base;
	struct vs_query q;
	struct vs_card_rule rule;
	int n_lane, n_open;
	struct vs_drive_lane *lane;
	struct vs_part_cache cache;
	struct vs_tables_data tables;
	struct vs_pivots_side side; /* of slabs of triples */
	bool triples, lost;
};

/* All devices; driver w of a state belongs to device w / n_lane. */
struct vs_drives {
	int n, n_lane;
	struct vs_drive *of[];
};

/* Most records of some rows of a strip, or of some first vectors. */
static inline size_t
vs_drive_most(const struct vs_drive_base *base)
{
	return base->most_records ? base->most_records : MOST_RECORDS;
}

/* Halve a range of work: returns the first half, *w becomes the second. */
static inline struct vs_card_work
vs_drive_halve(struct vs_card_work *w)
{
	struct vs_card_work first = *w;
	uint32_t n_i = w->i_hi - w->i_lo, n_j = w->j_hi - w->j_lo;
	uint32_t n = n_i > n_j ? n_i : n_j, half = n / 2;

	/* whole tiles, if there are at least two */
	if (half >= VS_TILE_VECS)
		half = half / VS_TILE_VECS * VS_TILE_VECS;
	if (n_i > n_j)
		first.i_hi = w->i_lo += half;
	else
		first.j_hi = w->j_lo += half;
	return first;
}

/* Number of vector v within a part; if it is outside, the part's beginning or
 * end. */
static inline uint32_t
vs_drive_within(size_t v, const struct vs_card_part *p)
{
	size_t last = (size_t)p->first + p->n_vec;

	return (uint32_t)((v < p->first              ? p->first
					  : v < last ? v
						     : last) -
		p->first);
}

/* The device and the lane of a driver. */
static inline struct vs_drive *
vs_drive_of(struct vs_drives *all, int worker, struct vs_drive_lane **l)
{
	struct vs_drive *d = all->of[worker / all->n_lane];

	*l = &d->lane[worker % all->n_lane];
	return d;
}

#endif
