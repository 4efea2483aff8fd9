/* SPDX-License-Identifier: BSD-3-Clause */
/* Device kernels of the contingency tables of triples. */
#ifndef VS_CUDA_TRIPLES_H
#define VS_CUDA_TRIPLES_H

#include "cuda/card_triples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All return a cudaError_t; stream is a cudaStream_t. */

/* Make the lists, vectors and margins of all pivots. */
int vs_triples_gather(const struct vs_card_triples *t, void *stream);

/* Append the triples that may pass to the candidates. */
int vs_triples_count(const struct vs_card_triples *t, void *stream);

/* Count the tables of n candidates from lo on; *n_out is increased by n. */
int vs_triples_list(const struct vs_card_triples *t, uint32_t lo, uint32_t n,
	struct vs_counted_table *out, uint32_t *n_out, void *stream);

#ifdef __cplusplus
}
#endif
#endif
