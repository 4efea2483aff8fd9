/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter and decision of the rows of sums that a worker has counted. */
#ifndef VS_ENGINE_PAIR_PAIR_ROWS_H
#define VS_ENGINE_PAIR_PAIR_ROWS_H

#include "libcore/engine/pair/worker.h"

/* Filter and decide n rows of n_col sums of a family. 0; VS_EMACHINE */
int vs_pair_rows(const struct vs_pair_family *family, void *sums, size_t n,
	size_t n_col, struct vs_hits *found);

#endif
