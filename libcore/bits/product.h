/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two vectors as vectors, which the kernels count like others. */
#ifndef VS_BITS_PRODUCT_H
#define VS_BITS_PRODUCT_H

#include "libcore/bits/panel.h"

/*
 * With x = g - 1 the product of two vectors has entries in {-1, 0, 1} again,
 * so what holds of a pair of vectors holds of a product and a third one. An
 * entry is missing where either factor is, unless told otherwise.
 */
enum vs_product {
	VS_PRODUCT_BOTH,   /* x_i x_j */
	VS_PRODUCT_FIRST,  /* x_i where j is present */
	VS_PRODUCT_SECOND, /* x_j where i is present */
	/* these are missing in other fields */
	VS_PRODUCT_FIRST_LOST,  /* x_i where j is missing and i is not */
	VS_PRODUCT_SECOND_LOST, /* x_j where i is missing and j is not */
	VS_PRODUCT_PRESENT,     /* 0, a genotype of 1, where both are present */
	VS_PRODUCT_LOST,        /* 0 where both are missing */
};

/* Put a product of vectors i and j of p at place `at` of another panel, with
 * its counts. Both have as many fields. */
void vs_product_make(const struct vs_panel *p, size_t i, size_t j,
	enum vs_product which, struct vs_panel *to, size_t at);

#endif
