/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of the vectors of a file. */
#ifndef VS_TOOLS_PERMUTE_VECTOR_ORDER_H
#define VS_TOOLS_PERMUTE_VECTOR_ORDER_H

#include "formats/vectors/packed.h"

/* The order, as set by options. */
struct vs_vector_order {
	const char *name; /* of --order */
	const char *list, *by;
	int64_t seed;
	bool reverse;
};

/*
 * Order the vectors of in.
 * row      [in->n_vec] rows of in, the first vector's first; the caller frees
 * returns  0; VS_EINPUT: not applicable to these vectors, or an incomplete
 *          list; VS_EMACHINE
 */
int vs_vector_order_make(const struct vs_vector_order *ask,
	struct vs_packed *in, const struct vs_sites *sites, int64_t **row);

#endif
