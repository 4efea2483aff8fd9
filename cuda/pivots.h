/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of first vectors of triples, and their launches. */
#ifndef VS_CUDA_PIVOTS_H
#define VS_CUDA_PIVOTS_H

#include "cuda/card_triples.h"
#include "cuda/drive.h"
#include "libcore/engine/slab/slab.h"

/* Second and third vectors gathered for each of n first ones, at most a
 * slab. */
struct vs_pivots {
	const struct vs_drive_base *base;
	const struct vs_query *q;
	uint32_t n, n_word; /* most words of a plane */
	uint32_t *plane, *field;
	int32_t *margin;
};

/* Device memory for one first vector. */
size_t vs_pivots_bytes(const struct vs_query *q);

/* Allocate for as many as fit in `room` bytes, at least one. 0; VS_LOST;
 * VS_EMACHINE; the caller closes it in each case */
int vs_pivots_open(struct vs_pivots *p, const struct vs_drive_base *base,
	const struct vs_query *q, size_t room);
void vs_pivots_close(struct vs_pivots *p); /* zeroed is accepted */

/*
 * Set the pivots of a launch whose work has its parts and ranges: vectors
 * [lo, hi) of the triple data, all of part u.
 */
void vs_pivots_set(const struct vs_pivots *p, const struct vs_triple_data *data,
	size_t lo, size_t hi, struct vs_card_triples *t);

#endif
