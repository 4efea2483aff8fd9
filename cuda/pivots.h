/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of first vectors of triples, and their launches. */
#ifndef VS_CUDA_PIVOTS_H
#define VS_CUDA_PIVOTS_H

#include "cuda/card_triples.h"
#include "cuda/drive.h"
#include "libcore/engine/slab/triple_data.h"

/* Most second and third vectors of a slab: whole tiles. */
struct vs_pivots_side {
	size_t v, w;
};

/* Second and third vectors gathered for each of n first ones, at most a
 * slab. */
struct vs_pivots {
	const struct vs_drive_base *base;
	const struct vs_query *q;
	struct vs_pivots_side side;
	uint32_t n, n_word; /* most words of a plane */
	uint32_t *plane, *field;
	int32_t *margin;
	/* counts of all samples of the pairs of a launch, and its ranges */
	struct vs_card_four *pair;
	uint64_t counted[4];
	uint32_t *check; /* see card_triples.h */
};

/* Device memory for n first vectors, and for pairs. */
size_t vs_pivots_bytes(const struct vs_query *q, const struct vs_pivots_side *s,
	size_t n);

/* The largest slabs, of `most` vectors or fewer, of which a few first vectors
 * fit in `room` bytes, or the smallest. */
void vs_pivots_fit(const struct vs_query *q, size_t most, size_t room,
	struct vs_pivots_side *s);

/* Allocate for as many as fit in `room` bytes, at least one. 0; VS_LOST;
 * VS_EMACHINE; the caller closes it in each case */
int vs_pivots_open(struct vs_pivots *p, const struct vs_drive_base *base,
	const struct vs_query *q, size_t room, const struct vs_pivots_side *s);
void vs_pivots_close(struct vs_pivots *p); /* zeroed is accepted */

/*
 * Set the pivots of a launch whose work has its parts and ranges: vectors
 * [lo, hi) of the triple data, all of part u.
 */
void vs_pivots_set(const struct vs_pivots *p, const struct vs_triple_data *data,
	size_t lo, size_t hi, struct vs_card_triples *t);

/*
 * Note that a launch is about to count the pairs of its ranges, unless the one
 * before did; of one panel, until vs_pivots_forget().
 */
void vs_pivots_count(struct vs_pivots *p, struct vs_card_triples *t);
void vs_pivots_forget(struct vs_pivots *p);

#endif
