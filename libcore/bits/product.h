/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise products of two vectors, stored as vectors so that pair kernels
 * can count them.
 */
#ifndef VS_BITS_PRODUCT_H
#define VS_BITS_PRODUCT_H

#include "libcore/bits/panel.h"

/*
 * With x = g - 1 the product of two vectors has entries in {-1, 0, 1} again, so
 * the identities for a pair of vectors hold for a product and a third vector.
 * An entry is missing where either factor is, unless stated otherwise.
 */
enum vs_product {
	VS_PRODUCT_BOTH,   /* x_i x_j */
	VS_PRODUCT_FIRST,  /* x_i where j is present */
	VS_PRODUCT_SECOND, /* x_j where i is present */
	/* these have missing entries in all other fields */
	VS_PRODUCT_FIRST_LOST,  /* x_i where j is missing and i is not */
	VS_PRODUCT_SECOND_LOST, /* x_j where i is missing and j is not */
	VS_PRODUCT_PRESENT,     /* 0, a genotype of 1, where both are present */
	VS_PRODUCT_LOST,        /* 0 where both are missing */
};

/*
 * Store a product of vectors i and j of p, with its counts, at place `at` of
 * another panel with the same number of fields.
 */
void vs_product_make(const struct vs_panel *p, size_t i, size_t j,
	enum vs_product which, struct vs_panel *to, size_t at);

#endif
