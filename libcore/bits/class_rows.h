/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Case-control split of genotype vectors: bit rows of the controls and of the
 * cases, samples of either class side by side.
 */
#ifndef VS_BITS_CLASS_ROWS_H
#define VS_BITS_CLASS_ROWS_H

#include "libcore/bits/classes.h"
#include "libcore/bits/panel.h"

/*
 * Bit rows of vectors, one per genotype and class. Plane 0 holds the genotype
 * that is rarest among a vector's samples of both classes, plane 1 the second
 * rarest and, if there are three planes, plane 2 the commonest; or, if the
 * classes say in_order, planes hold genotypes 0, 1 and 2. Row v of plane
 * p of class c is at
 *  word[c] + (p most + v) n_word[c]
 * Samples whose call is missing are in no row. Owns its memory.
 */
struct vs_class_rows {
	size_t most; /* vectors that there is room for */
	int n_plane; /* 2 or 3; 2 where no call is missing */
	size_t n_word[2];
	uint64_t *word[2];
	int32_t (*count)[3][2]; /* of v: samples by plane and class */
	uint8_t (*genotype)[3]; /* of v: the genotype of each plane */
};

/* Bytes for `most` vectors. */
size_t vs_class_rows_bytes(const struct vs_classes *c, size_t most,
	int n_plane);

/* Use the caller's memory of that size, aligned to 64, for the rows; do not
 * call vs_class_rows_free(). */
void vs_class_rows_place(struct vs_class_rows *r, const struct vs_classes *c,
	size_t most, int n_plane, void *memory);

/* 0; VS_EMACHINE */
int vs_class_rows_new(struct vs_class_rows *r, const struct vs_classes *c,
	size_t most, int n_plane);
void vs_class_rows_free(struct vs_class_rows *r);

/*
 * Split vector v of the panel into row `to`; threads may work on different
 * rows.
 * scratch  as many words as a plane of the panel has
 */
void vs_class_rows_take(struct vs_class_rows *r, const struct vs_classes *c,
	enum vs_cpu cpu, const struct vs_panel *p, size_t v, size_t to,
	uint64_t *scratch);

static inline uint64_t *
vs_class_rows_at(const struct vs_class_rows *r, int class_, int plane, size_t v)
{
	return r->word[class_] +
		((size_t)plane * r->most + v) * r->n_word[class_];
}

#endif
