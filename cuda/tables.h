/* SPDX-License-Identifier: BSD-3-Clause */
/* Device kernels of contingency tables. */
#ifndef VS_CUDA_TABLES_H
#define VS_CUDA_TABLES_H

#include "cuda/card_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All return a cudaError_t; stream is a cudaStream_t. */

/* Convert planes by a list of fields, and set the margins. */
int vs_tables_expand(const struct vs_card_expand *e, void *stream);

/* Append the pairs that may pass to the candidates. */
int vs_tables_count(const struct vs_card_work *w, void *stream);

/* Count the tables of n candidates from lo on; *n_out is increased by n. */
int vs_tables_list(const struct vs_card_work *w, uint32_t lo, uint32_t n,
	struct vs_counted_table *out, uint32_t *n_out, void *stream);

#ifdef __cplusplus
}
#endif
#endif
