/* SPDX-License-Identifier: BSD-3-Clause */
/* As slab.h, for vectors of numbers: triples by their sums of minima. */
#ifndef VS_ENGINE_SLAB_MINIMA_H
#define VS_ENGINE_SLAB_MINIMA_H

#include "libcore/engine/slab.h"

struct vs_minima_slab;

struct vs_slab_most vs_minima_slab_most(const struct vs_question *q);

/* The vectors are all that is used of t, its panel and its question. */
int vs_minima_slab_open(struct vs_minima_slab **w, const struct vs_trio *t);
void vs_minima_slab_close(struct vs_minima_slab *w); /* null is accepted */
size_t vs_minima_slab_bytes(const struct vs_question *q);

/* As vs_slab_do(). */
int vs_minima_slab_do(struct vs_minima_slab *w, const struct vs_slab *s,
	struct vs_found *found, uint64_t *counted);

#endif
